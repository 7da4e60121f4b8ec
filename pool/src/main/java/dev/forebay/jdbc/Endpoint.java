// SPDX-License-Identifier: Apache-2.0
package dev.forebay.jdbc;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The name of the server behind a JDBC URL: host and port, in small letters, without user, database and parameters. Where
 * a URL names no host, it is the URL itself as far as its parameters. Names are compared as they are written: a host and
 * its address are two endpoints. Stateless.
 *
 * <p>Names are logged, so none holds credentials: a URL whose form is not understood is named by its scheme and a hash.
 */
public final class Endpoint {

    /** The beginning of the parameters. A semicolon alone may belong to a password. */
    private static final Pattern PARAMETERS = Pattern.compile("\\?|;[^=;@/?]*=");

    /** A question mark that belongs to a password, since user information ends after it. */
    private static final Pattern CUT_PASSWORD = Pattern.compile("\\?[^=]*@.*", Pattern.DOTALL);

    /** Parameters in a path. An at sign after one may belong to its value. */
    private static final Pattern PATH_PARAMETER = Pattern.compile(".*/(.*[:,;])?\\w+=.*", Pattern.DOTALL);

    private static final Pattern SEMICOLON_PARAMETER =
            Pattern.compile("\\G;\\s*([^=;]*?)\\s*=\\s*(\\{(?:[^}]|}})*}|[^;]*)");

    private static final Pattern ADDRESSES =
            Pattern.compile("(?:^|@)(\\[?\\s*(?:address\\s*=\\s*)?\\(.*)", Pattern.CASE_INSENSITIVE | Pattern.DOTALL);
    private static final Pattern ADDRESS_END = Pattern.compile("\\)\\s*,|\\baddress\\s*=", Pattern.CASE_INSENSITIVE);
    private static final Pattern ADDRESS_HOST =
            Pattern.compile("[(,]\\s*host\\s*=\\s*([^,()]*)", Pattern.CASE_INSENSITIVE);
    private static final Pattern ADDRESS_PORT =
            Pattern.compile("[(,]\\s*port\\s*=\\s*([^,()]*)", Pattern.CASE_INSENSITIVE);

    private static final Pattern HOST_AND_PORT = Pattern.compile("([\\w.\\\\-]*|\\[[\\w:.%]+])(:\\d*)?");
    private static final Pattern ORACLE_NAME = Pattern.compile("[\\w.:/-]+");
    private static final Pattern SCHEME = Pattern.compile("jdbc:[\\w+-]+:");

    private static final Map<String, Integer> DEFAULT_PORTS = Map.of(
            "postgresql", 5432, "mysql", 3306, "mariadb", 3306, "sqlserver", 1433, "firebirdsql", 3050, "oracle", 1521);

    private Endpoint() {}

    /** Returns the endpoint of {@code url}. */
    public static String of(String url) {
        String name = understood(url);
        return name != null ? name : hashed(url);
    }

    private static @Nullable String understood(String url) {
        Matcher parameters = PARAMETERS.matcher(url);
        int end = parameters.find() ? parameters.start() : url.length();
        String head = url.substring(0, end);
        String tail = url.substring(end);
        if (CUT_PASSWORD.matcher(tail).matches()) {
            return null;
        }
        int slashes = head.indexOf("//");
        if (slashes < 0) {
            return withoutAuthority(head);
        }
        String scheme = head.substring(0, slashes);
        String rest = head.substring(slashes + 2);
        Integer port = defaultPort(scheme);
        if (scheme.toLowerCase(Locale.ROOT).endsWith("sqlserver:")) {
            return sqlServer(rest.split("[/;]", 2)[0], tail, port);
        }
        Matcher addresses = ADDRESSES.matcher(rest);
        if (addresses.find()) {
            return addresses(addresses.group(1), port);
        }
        String server = withoutUser(rest);
        if (server == null) {
            return null;
        }
        boolean repeated = server.length() < rest.length() && server.startsWith("//");
        return hosts(server.substring(repeated ? 2 : 0).split("[/;]", 2)[0], port);
    }

    /** Returns the name where no slashes begin the host: Oracle's, or that of a database in the process or in a file. */
    private static @Nullable String withoutAuthority(String head) {
        Integer port = defaultPort(head);
        if (head.startsWith("jdbc:postgresql:")) {
            return hosts("", port);
        }
        Matcher addresses = ADDRESSES.matcher(head);
        if (addresses.find()) {
            return addresses(addresses.group(1), port);
        }
        String server = withoutUser(head);
        if (server == null || head.indexOf('=') >= 0) {
            return null;
        }
        boolean isOracle = head.startsWith("jdbc:oracle:");
        boolean hasUser = server.length() < head.length();
        return isOracle && !(hasUser && ORACLE_NAME.matcher(server).matches()) ? null : server.toLowerCase(Locale.ROOT);
    }

    /** Returns the text after the last at sign; null if that may be in the value of a parameter. */
    private static @Nullable String withoutUser(String text) {
        int at = text.lastIndexOf('@');
        return at >= 0 && PATH_PARAMETER.matcher(text.substring(0, at)).matches() ? null : text.substring(at + 1);
    }

    private static @Nullable String sqlServer(String hostAndPort, String tail, @Nullable Integer defaultPort) {
        Map<String, String> given = new TreeMap<>(String.CASE_INSENSITIVE_ORDER);
        Matcher parameter = SEMICOLON_PARAMETER.matcher(tail);
        while (parameter.find()) {
            given.put(parameter.group(1), parameter.group(2));
        }
        String server = given.getOrDefault("serverName", given.getOrDefault("server", ""));
        String port = given.getOrDefault("portNumber", given.getOrDefault("port", ""));
        String host = hostAndPort.isEmpty() ? bracketed(server) : hostAndPort;
        return hosts(port.isEmpty() || hasPort(host) ? host : host + ":" + port, defaultPort);
    }

    /** Returns the hosts among {@code (host=…,port=…)} or {@code address=(host=…)(port=…)}, and nothing else of these. */
    private static @Nullable String addresses(String text, @Nullable Integer defaultPort) {
        List<String> hosts = new ArrayList<>();
        for (String address : ADDRESS_END.split(text)) {
            Matcher host = ADDRESS_HOST.matcher(address);
            Matcher port = ADDRESS_PORT.matcher(address);
            if (host.find()) {
                hosts.add(bracketed(host.group(1).strip())
                        + (port.find() ? ":" + port.group(1).strip() : ""));
            } else if (!address.isBlank() && !address.strip().equals("[") && address.indexOf('(') < 0) {
                return null;
            }
        }
        return hosts.isEmpty() ? null : hosts(String.join(",", hosts), defaultPort);
    }

    private static String bracketed(String host) {
        return host.indexOf(':') >= 0 && !host.startsWith("[") ? "[" + host + "]" : host;
    }

    private static @Nullable String hosts(String text, @Nullable Integer defaultPort) {
        String[] hosts = text.split(",", -1);
        return Arrays.stream(hosts).allMatch(host -> HOST_AND_PORT.matcher(host).matches())
                ? Arrays.stream(hosts)
                        .map(host -> named(host, defaultPort))
                        .sorted()
                        .collect(Collectors.joining(","))
                : null;
    }

    private static @Nullable Integer defaultPort(String scheme) {
        return Arrays.stream(scheme.toLowerCase(Locale.ROOT).split(":", -1))
                .map(DEFAULT_PORTS::get)
                .filter(port -> port != null)
                .findFirst()
                .orElse(null);
    }

    private static boolean hasPort(String host) {
        return host.lastIndexOf(':') > host.lastIndexOf(']');
    }

    private static String named(String hostAndPort, @Nullable Integer defaultPort) {
        String host = hostAndPort.isEmpty() || hostAndPort.startsWith(":") ? "localhost" + hostAndPort : hostAndPort;
        return (hasPort(host) || defaultPort == null ? host : host + ":" + defaultPort).toLowerCase(Locale.ROOT);
    }

    /** Returns a name that shows nothing of the URL but its scheme. The hash is short, so that it proves no password. */
    private static String hashed(String url) {
        Matcher scheme = SCHEME.matcher(url);
        String shown = scheme.lookingAt() ? url.substring(0, scheme.end() - 1) : "url";
        return shown.toLowerCase(Locale.ROOT) + "#" + Integer.toHexString(url.hashCode());
    }
}
