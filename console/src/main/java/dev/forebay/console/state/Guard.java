// SPDX-License-Identifier: Apache-2.0
package dev.forebay.console.state;

import dev.forebay.registry.RegistryError;
import dev.forebay.registry.ServerDefinition;
import dev.forebay.registry.ServerOption;
import java.io.IOException;
import java.nio.file.Path;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CopyOnWriteArrayList;
import org.jspecify.annotations.Nullable;

/**
 * Keeps an administrator from reading the console's secrets and from running code in it. Thread-safe.
 *
 * <ul>
 *   <li>A password that was given once is not sent to another host, to another port, or with weaker TLS: a server that is
 *       moved loses it.
 *   <li>Driver options that load classes, read files, lead elsewhere or change how the password is sent are refused.
 *   <li>{@code file:} reads no file of the console's own.
 * </ul>
 */
final class Guard {

    /** Parts of the names of properties that name a class, a file or a place, or are about TLS or the login. */
    private static final List<String> DANGEROUS = List.of(
            "factory",
            "class",
            "plugin",
            "interceptor",
            "transform",
            "callback",
            "verifier",
            "provider",
            "logger",
            "jaas",
            "deserialize",
            "infile",
            "socket",
            "pipe",
            "library",
            "host",
            "server",
            "port",
            "failover",
            "url",
            "file",
            "store",
            "ssl",
            "tls",
            "trust",
            "crypt",
            "password",
            "secret",
            "token",
            "credential",
            "service",
            "proxy",
            "publickey",
            "rsa",
            "auth",
            "binding",
            "dns",
            "config",
            "address",
            "cleartext",
            "database",
            "dbname");

    /** The exceptions: a client's own certificate, and properties that only sound alike. */
    private static final Set<String> HARMLESS = Set.of(
            "sslcert",
            "sslkey",
            "sslpassword",
            "targetservertype",
            "sockettimeout",
            "sotimeout",
            "assumeminserverversion",
            "useserverprepstmts",
            "servertimezone",
            "cacheserverconfiguration",
            "disablepipeline",
            "databaseterm");

    /** The paths below which the system shows this process. */
    private static final List<Path> SYSTEM = List.of(Path.of("/proc"), Path.of("/sys"), Path.of("/dev"));

    private final List<Path> own = new CopyOnWriteArrayList<>();

    /** Protects {@code directory} and every file that a variable of the console's names. */
    Guard(Path directory, Map<String, String> environment) {
        protect(directory);
        environment.forEach((name, value) -> {
            if (name.startsWith("FOREBAY_") && name.endsWith("_FILE") && !value.isEmpty()) {
                protect(Path.of(value));
            }
        });
    }

    /** Forbids to read {@code file}, and any below it, as a password. */
    void protect(Path file) {
        own.add(real(file));
    }

    /** Returns the real path as far as it exists. Links are followed before {@code ..} is, as the system does. */
    private static Path real(Path file) {
        Path whole = file.toAbsolutePath();
        try {
            return whole.toRealPath();
        } catch (IOException e) {
            Path parent = whole.getParent();
            return parent == null
                    ? whole
                    : real(parent).resolve(whole.getFileName()).normalize();
        }
    }

    /** Throws if {@code after} has anything new that is forbidden. */
    void check(Map<String, KeptServer> before, Map<String, KeptServer> after) throws SQLException {
        for (KeptServer server : after.values()) {
            KeptServer known = before.get(server.name());
            if (server.equals(known)) {
                continue;
            }
            if (known == null || !known.definition().equals(server.definition())) {
                for (String key : server.definition().options().keySet()) {
                    checkOption(key);
                }
            }
            for (KeptMapping mapping : server.mappings().values()) {
                if (known == null || !mapping.equals(known.mappings().get(mapping.localUser()))) {
                    check(mapping);
                }
            }
        }
    }

    private void check(KeptMapping mapping) throws SQLException {
        for (String property : mapping.options().keySet()) {
            checkOption(ServerOption.DRIVER_PREFIX + property);
        }
        Path file = mapping.password() == null ? null : mapping.password().file();
        if (file == null) {
            return;
        }
        for (Path element : file) {
            if (element.toString().equals("..")) {
                throw refusal("password: the path of a file may not contain \"..\"");
            }
        }
        Path real = real(file);
        boolean protectedFile = own.stream().anyMatch(real::startsWith);
        if (protectedFile || SYSTEM.stream().anyMatch(real::startsWith)) {
            throw refusal("password: " + file + " is not a file that passwords are read from");
        }
    }

    private static void checkOption(String key) throws SQLException {
        if (!key.startsWith(ServerOption.DRIVER_PREFIX)) {
            return;
        }
        String property = key.substring(ServerOption.DRIVER_PREFIX.length()).toLowerCase(Locale.ROOT);
        if (!HARMLESS.contains(property) && DANGEROUS.stream().anyMatch(property::contains)) {
            throw refusal(
                    key + " may not be set here: it could load code, read files, lead elsewhere or weaken the login");
        }
    }

    private static SQLException refusal(String message) {
        return new SQLException(message, RegistryError.INVALID_OPTION.sqlState());
    }

    // ---- servers that are moved

    /** The mappings of {@code after} that lose their password, because it was given for another place; by server. */
    static Map<String, List<KeptMapping>> exposed(Map<String, KeptServer> before, Map<String, KeptServer> after) {
        Map<String, List<KeptMapping>> exposed = new TreeMap<>();
        for (KeptServer server : after.values()) {
            KeptServer known = before.get(server.name());
            if (known == null || isAsSafe(known.definition(), server.definition())) {
                continue;
            }
            List<KeptMapping> mappings = new ArrayList<>();
            server.mappings().values().forEach(mapping -> {
                SecretText password = mapping.password();
                if (password != null && password.isLiteral() && password.equals(password(known, mapping.localUser()))) {
                    mappings.add(mapping);
                }
            });
            if (!mappings.isEmpty()) {
                exposed.put(server.name(), mappings);
            }
        }
        return exposed;
    }

    private static boolean isAsSafe(ServerDefinition before, ServerDefinition after) {
        return after.equals(before) || after.isAsSafeAs(before);
    }

    private static @Nullable SecretText password(KeptServer server, String localUser) {
        KeptMapping mapping = server.mappings().get(localUser);
        return mapping == null ? null : mapping.password();
    }
}
