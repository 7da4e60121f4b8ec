// SPDX-License-Identifier: Apache-2.0
package dev.forebay.console;

import dev.forebay.ForebayConfig;
import dev.forebay.ForebayDataSource;
import java.io.IOException;
import java.io.Reader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.Locale;
import java.util.Properties;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** Which database a command of {@code forebay schema} is about. A password is never an argument, since anyone can list those. */
final class SchemaOptions {

    private static final String PASSWORD = "FOREBAY_PASSWORD";

    @Spec(Spec.Target.MIXEE)
    @SuppressWarnings("NullAway.Init") // set by picocli
    private CommandSpec spec;

    @Option(names = "--jdbc-url", paramLabel = "URL", description = "The database, as the driver names it.")
    private @Nullable String jdbcUrl;

    @Option(names = "--user", paramLabel = "USER", description = "Who connects (admin).")
    private @Nullable String user;

    @Option(
            names = "--password-file",
            paramLabel = "FILE",
            description = "Its first line is the password or the token; else the variable " + PASSWORD + " has it.")
    private @Nullable Path passwordFile;

    @Option(
            names = "--ready-file",
            paramLabel = "FILE",
            description = "The file that a running ./forebay local --ready-file has written, in place of all that.")
    private @Nullable Path readyFile;

    /** Connections to it, one at a time. */
    ForebayDataSource dataSource() throws SQLException, IOException {
        if ((jdbcUrl == null) == (readyFile == null)) {
            throw wrong("say which database: --jdbc-url or --ready-file");
        }
        ForebayDataSource.Builder builder = ForebayDataSource.builder()
                .config(ForebayConfig.builder()
                        .mode(ForebayConfig.Mode.ON_DEMAND)
                        .serviceName("schema")
                        .maxOpen(1)
                        .build());
        if (jdbcUrl != null) {
            return fromUrl(builder, jdbcUrl).build();
        }
        if (user != null || passwordFile != null) {
            throw wrong("--ready-file knows the user and the token: leave --user and --password-file away");
        }
        return fromFile(builder, readyFile).build();
    }

    private ForebayDataSource.Builder fromUrl(ForebayDataSource.Builder builder, String url) throws IOException {
        if (url.toLowerCase(Locale.ROOT).contains("password=")) {
            throw wrong(
                    "a password in --jdbc-url is seen by all who list programs; use --password-file or " + PASSWORD);
        }
        requireDriver(url);
        String password = System.getenv(PASSWORD);
        if (passwordFile != null) {
            password = Files.readString(passwordFile).lines().findFirst().orElse("");
        }
        builder.url(url).user(user == null ? "admin" : user);
        return password == null ? builder : builder.password(password);
    }

    /** Else the pool would try again and again. */
    private void requireDriver(String url) {
        try {
            DriverManager.getDriver(url);
        } catch (SQLException e) {
            throw new ParameterException(
                    spec.commandLine(), "--jdbc-url is of no database that is known here: jdbc:postgresql://… is", e);
        }
    }

    private ForebayDataSource.Builder fromFile(ForebayDataSource.Builder builder, @Nullable Path file)
            throws IOException {
        if (file == null) {
            throw new IllegalStateException("bug: neither a URL nor a file");
        }
        Properties facts = new Properties();
        try (Reader reader = Files.newBufferedReader(file)) {
            facts.load(reader);
        }
        return builder.url(fact(facts, file, "jdbc_url"))
                .user(fact(facts, file, "user"))
                .password(fact(facts, file, "token"));
    }

    private ParameterException wrong(String message) {
        return new ParameterException(spec.commandLine(), message);
    }

    private static String fact(Properties facts, Path file, String name) {
        String value = facts.getProperty(name);
        if (value == null) {
            throw new IllegalArgumentException(file + " is not a file of ./forebay local: there is no " + name);
        }
        return value;
    }
}
