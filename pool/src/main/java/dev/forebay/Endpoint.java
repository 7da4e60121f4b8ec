// SPDX-License-Identifier: Apache-2.0
package dev.forebay;

import java.util.Arrays;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The name of the server behind a JDBC URL: host and port, in small letters, without user, database and parameters. Where
 * a URL names no host, it is the URL itself as far as its parameters. Names are compared as they are written: a host and
 * its address are two endpoints. Stateless.
 */
final class Endpoint {

    private static final Pattern AUTHORITY = Pattern.compile("//([^/?;]*)");

    private static final Map<String, Integer> DEFAULT_PORTS = Map.of(
            "postgresql", 5432, "mysql", 3306, "mariadb", 3306, "sqlserver", 1433, "firebirdsql", 3050, "oracle", 1521);

    private Endpoint() {}

    /** The endpoint of {@code url}. */
    static String of(String url) {
        Matcher authority = AUTHORITY.matcher(url);
        String scheme = authority.find() ? url.substring(0, authority.start()) : url;
        Integer port = defaultPort(scheme);
        if (scheme.length() == url.length()) {
            return url.startsWith("jdbc:postgresql:")
                    ? named("", port)
                    : withoutUser(url.split("[?;]", 2)[0]).toLowerCase(Locale.ROOT);
        }
        return Arrays.stream(withoutUser(authority.group(1)).split(",", -1))
                .map(host -> named(host, port))
                .sorted()
                .collect(Collectors.joining(","));
    }

    private static @Nullable Integer defaultPort(String scheme) {
        return Arrays.stream(scheme.toLowerCase(Locale.ROOT).split(":", -1))
                .map(DEFAULT_PORTS::get)
                .filter(port -> port != null)
                .findFirst()
                .orElse(null);
    }

    private static String withoutUser(String text) {
        return text.substring(text.lastIndexOf('@') + 1);
    }

    private static String named(String hostAndPort, @Nullable Integer defaultPort) {
        String host = hostAndPort.isEmpty() || hostAndPort.startsWith(":") ? "localhost" + hostAndPort : hostAndPort;
        boolean hasPort = host.lastIndexOf(':') > host.lastIndexOf(']');
        return (hasPort || defaultPort == null ? host : host + ":" + defaultPort).toLowerCase(Locale.ROOT);
    }
}
