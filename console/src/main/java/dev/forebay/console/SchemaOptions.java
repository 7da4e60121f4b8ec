// SPDX-License-Identifier: Apache-2.0
package dev.forebay.console;

import dev.forebay.ForebayConfig;
import dev.forebay.ForebayDataSource;
import dev.forebay.dsql.AuroraDsql;
import java.io.IOException;
import java.io.Reader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Locale;
import java.util.Objects;
import java.util.Properties;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** The options that name the database of {@code forebay schema}. A password is never an argument: any user can list those. */
final class SchemaOptions {

    private static final String PASSWORD = "FOREBAY_PASSWORD";

    /** The longest wait: enough for a server that is there, and short for a user at a terminal. */
    private static final Duration PATIENCE = Duration.ofSeconds(10);

    @Spec(Spec.Target.MIXEE)
    @SuppressWarnings("NullAway.Init") // set by picocli
    private CommandSpec spec;

    @Option(
            names = "--jdbc-url",
            paramLabel = "URL",
            description = "The database, as the driver names it; TLS is verified unless it says sslmode.")
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

    @Option(
            names = "--endpoint",
            paramLabel = "CLUSTER",
            description = "The endpoint of the cluster, with a token of IAM; by default CLUSTER_ENDPOINT.")
    private @Nullable String endpoint;

    @Option(
            names = "--region",
            paramLabel = "REGION",
            description = "The region; by default REGION, else that of the endpoint.")
    private @Nullable String region;

    /** Connections to it, one at a time. */
    ForebayDataSource dataSource() throws SQLException, IOException {
        if (Stream.of(jdbcUrl, readyFile, endpoint).filter(Objects::nonNull).count() > 1) {
            throw wrong("say which database once: --endpoint, --jdbc-url or --ready-file");
        }
        if (passwordFile != null && jdbcUrl == null) {
            throw wrong("--password-file goes with --jdbc-url: --ready-file knows the user and the token,"
                    + " and for a cluster one is made");
        }
        if (jdbcUrl != null) {
            return fromUrl(oneAtATime(), jdbcUrl).build();
        }
        if (readyFile == null) {
            return fromCluster();
        }
        if (user != null) {
            throw wrong("--ready-file knows the user and the token: leave --user away");
        }
        return fromFile(oneAtATime(), readyFile).build();
    }

    private static ForebayDataSource.Builder oneAtATime() {
        return ForebayDataSource.builder()
                .config(oneAtATime(ForebayConfig.builder()).build());
    }

    private static ForebayConfig.Builder oneAtATime(ForebayConfig.Builder settings) {
        return settings.mode(ForebayConfig.Mode.ON_DEMAND)
                .serviceName("schema")
                .maxOpen(1)
                .connectionTimeout(PATIENCE);
    }

    /** The cluster of the environment, as a service sees it: a token of IAM, and TLS that verifies. */
    private ForebayDataSource fromCluster() throws SQLException {
        try {
            ForebayConfig service =
                    ForebayConfig.builder().applyEnvironment(System.getenv()).build();
            String cluster = endpoint == null ? service.clusterEndpoint() : endpoint;
            if (cluster == null) {
                throw wrong("say which database: --endpoint or the variable CLUSTER_ENDPOINT,"
                        + " --jdbc-url or --ready-file");
            }
            ForebayConfig config = oneAtATime(ForebayConfig.builder())
                    .clusterEndpoint(cluster)
                    .region(region == null ? service.region() : region)
                    .user(user == null ? service.user() : user)
                    .database(service.database())
                    .tokenDuration(service.tokenDuration())
                    .caFile(service.caFile())
                    .build();
            return AuroraDsql.builder(config).build();
        } catch (IllegalArgumentException e) {
            throw new ParameterException(spec.commandLine(), Reason.of(e), e);
        }
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
        if (!url.contains("sslmode=")) {
            builder.property("sslmode", "verify-full");
            if (!url.contains("sslrootcert=") && !url.contains("sslfactory=")) {
                builder.property("sslfactory", "org.postgresql.ssl.DefaultJavaSSLFactory");
            }
        }
        return password == null ? builder : builder.password(password);
    }

    /** Throws if no driver takes {@code url}: the pool would retry without end. */
    private void requireDriver(String url) {
        try {
            DriverManager.getDriver(url);
        } catch (SQLException e) {
            throw new ParameterException(
                    spec.commandLine(), "--jdbc-url is of no database that is known here: jdbc:postgresql://… is", e);
        }
    }

    private ForebayDataSource.Builder fromFile(ForebayDataSource.Builder builder, Path file) throws IOException {
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
