// SPDX-License-Identifier: Apache-2.0
package dev.forebay.dsql;

import dev.forebay.ForebayConfig;
import dev.forebay.fleet.FleetConfig;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.Driver;
import java.sql.DriverManager;
import java.sql.DriverPropertyInfo;
import java.sql.SQLException;
import java.sql.SQLFeatureNotSupportedException;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Properties;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.logging.Logger;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * New connections to Aurora DSQL behind a URL, for tools that take nothing else, with tokens and within the limits of the
 * settings. Thread-safe.
 *
 * <pre>{@code
 * jdbc:forebay:dsql://ID.dsql.us-east-1.on.aws/postgres?user=app&forebay.connection-rate-limit=5
 * }</pre>
 *
 * <p>The environment variables of the process count; parameters and properties that begin with {@code forebay.} come
 * before them. {@code user} is the database's role, a password is passed over, and all others are the PostgreSQL driver's.
 */
public final class DsqlDriver implements Driver {

    private static final Pattern URL =
            Pattern.compile("jdbc:forebay:dsql://(?<endpoint>[^/?]+)(?:/(?<database>[^?]*))?(?:\\?(?<parameters>.*))?");

    /** Data sources of the whole process, since the driver manager makes instances as it likes. */
    private static final Map<Asked, DsqlDataSource> SOURCES = new ConcurrentHashMap<>();

    static {
        try {
            DriverManager.registerDriver(new DsqlDriver());
        } catch (SQLException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    /** A driver for the driver manager, which finds it by itself. */
    public DsqlDriver() {}

    @Override
    public boolean acceptsURL(@Nullable String url) {
        return url != null && URL.matcher(url).matches();
    }

    /** Returns a new connection; null if the URL is not for this driver. */
    @Override
    public @Nullable Connection connect(@Nullable String url, @Nullable Properties properties) throws SQLException {
        if (url == null || !acceptsURL(url)) {
            return null;
        }
        Asked asked = Asked.of(url, properties == null ? new Properties() : properties);
        try {
            return SOURCES.computeIfAbsent(asked, Asked::source).getConnection();
        } catch (IllegalArgumentException e) {
            throw new SQLException(e.getMessage(), "08001", e);
        }
    }

    /** Closes the data sources of all URLs, which give back what the fleet granted for connections that are closed. */
    public static void closeAll() {
        for (Asked asked : List.copyOf(SOURCES.keySet())) {
            DsqlDataSource source = SOURCES.remove(asked);
            if (source != null) {
                source.close();
            }
        }
    }

    /** A request without its password. Has no text of its own, since there may be secrets in it. */
    private static final class Asked {
        private final String endpoint;
        private final @Nullable String database;
        private final Map<String, String> parameters;

        private Asked(String endpoint, @Nullable String database, Map<String, String> parameters) {
            this.endpoint = endpoint;
            this.database = database;
            this.parameters = parameters;
        }

        static Asked of(String url, Properties properties) {
            Matcher parts = URL.matcher(url);
            if (!parts.matches()) {
                throw new IllegalStateException("bug: a URL of another driver");
            }
            Map<String, String> parameters = new TreeMap<>();
            String text = parts.group("parameters");
            for (String pair : text == null || text.isEmpty() ? new String[0] : text.split("&", -1)) {
                int equals = pair.indexOf('=');
                parameters.put(
                        equals < 0 ? pair : pair.substring(0, equals),
                        equals < 0 ? "" : URLDecoder.decode(pair.substring(equals + 1), StandardCharsets.UTF_8));
            }
            properties.stringPropertyNames().forEach(name -> parameters.put(name, properties.getProperty(name)));
            parameters.remove("password");
            String database = parts.group("database");
            return new Asked(
                    parts.group("endpoint"), database == null || database.isEmpty() ? null : database, parameters);
        }

        private DsqlDataSource source() {
            Properties ours = new Properties();
            Map<String, String> theirs = new TreeMap<>();
            parameters.forEach((name, value) -> {
                if (name.startsWith("forebay.")) {
                    ours.setProperty(name, value);
                } else if (!name.equals("user")) {
                    theirs.put(name, value);
                }
            });
            ForebayConfig.Builder config = ForebayConfig.fromEnvironment().toBuilder()
                    .applyProperties(ours)
                    .clusterEndpoint(endpoint);
            if (database != null) {
                config.database(database);
            }
            if (parameters.containsKey("user")) {
                config.user(parameters.get("user"));
            }
            AuroraDsql.Builder builder = AuroraDsql.builder(config.build());
            theirs.forEach(builder::property);
            return builder.buildUnpooled();
        }

        @Override
        public boolean equals(@Nullable Object other) {
            return other instanceof Asked that
                    && endpoint.equals(that.endpoint)
                    && Objects.equals(database, that.database)
                    && parameters.equals(that.parameters);
        }

        @Override
        public int hashCode() {
            return 31 * endpoint.hashCode() + parameters.hashCode();
        }
    }

    // ---- what every driver has

    @Override
    public DriverPropertyInfo[] getPropertyInfo(@Nullable String url, @Nullable Properties properties) {
        return Stream.concat(ForebayConfig.knobs().stream(), FleetConfig.knobs().stream())
                .map(knob -> {
                    DriverPropertyInfo info = new DriverPropertyInfo(knob.name(), knob.defaultText());
                    info.description = knob.purpose();
                    return info;
                })
                .toArray(DriverPropertyInfo[]::new);
    }

    @Override
    public int getMajorVersion() {
        return 0;
    }

    @Override
    public int getMinorVersion() {
        return 1;
    }

    @Override
    public boolean jdbcCompliant() {
        return false;
    }

    @Override
    public Logger getParentLogger() throws SQLFeatureNotSupportedException {
        throw new SQLFeatureNotSupportedException("the log goes to SLF4J");
    }
}
