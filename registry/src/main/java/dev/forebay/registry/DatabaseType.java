// SPDX-License-Identifier: Apache-2.0
package dev.forebay.registry;

import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A kind of database: its names, the defaults of its options, the definitions it refuses, and the driver that a JDBC
 * connection to it needs.
 */
@SuppressWarnings("ImmutableEnumChecker") // a list that is never changed
public enum DatabaseType {
    POSTGRESQL("postgresql", 5432, "org.postgresql.Driver", "org.postgresql:postgresql", "pg", "postgres"),
    MYSQL("mysql", 3306, "com.mysql.cj.jdbc.Driver", "com.mysql:mysql-connector-j") {
        @Override
        void check(ServerDefinition server) throws RegistryException {
            super.check(server);
            needKeyStore(ServerOption.SSL_CA, server.settings().sslCa());
            needKeyStore(ServerOption.SSL_CERT, server.settings().sslCert());
            refuse(ServerOption.SSL_KEY, server.settings().sslKey(), "its key is in the key store of ssl_cert");
            String paranoid = server.driverOptions().getOrDefault("paranoid", "false");
            if (server.settings().resetOnRelease()
                    && Set.of("true", "yes").contains(paranoid.toLowerCase(Locale.ROOT))) {
                throw RegistryException.invalid(
                        List.of("driver.paranoid"),
                        "driver.paranoid needs reset_on_release false: with it the driver resets no session");
            }
        }
    },
    MARIADB("mariadb", 3306, "org.mariadb.jdbc.Driver", "org.mariadb.jdbc:mariadb-java-client") {
        @Override
        void check(ServerDefinition server) throws RegistryException {
            super.check(server);
            needKeyStore(ServerOption.SSL_CERT, server.settings().sslCert());
            refuse(ServerOption.SSL_KEY, server.settings().sslKey(), "its key is in the key store of ssl_cert");
        }
    },
    FIREBIRD("firebird", 3050, "org.firebirdsql.jdbc.FBDriver", "org.firebirdsql.jdbc:jaybird", "fb", "interbase") {
        @Override
        void check(ServerDefinition server) throws RegistryException {
            super.check(server);
            if (server.settings().database().chars().anyMatch(c -> "?;&#".indexOf(c) >= 0)) {
                throw RegistryException.invalid(
                        ServerOption.DBNAME, "dbname must be a path or an alias, and nothing else");
            }
            refuse(ServerOption.SSL_CA, server.settings().sslCa(), "Firebird has no certificates");
            refuse(ServerOption.SSL_CERT, server.settings().sslCert(), "Firebird has no certificates");
            refuse(ServerOption.SSL_KEY, server.settings().sslKey(), "Firebird has no certificates");
            if (server.settings().sslMode().startsWith("verify")) {
                throw RegistryException.invalid(
                        ServerOption.SSL_MODE,
                        "Firebird encrypts the wire but has no certificates: ssl_mode must be disable, prefer or require");
            }
        }

        @Override
        Optional<String> byDefault(ServerOption option) {
            return option == ServerOption.HEALTH_CHECK_QUERY
                    ? Optional.of("SELECT 1 FROM RDB$DATABASE")
                    : super.byDefault(option);
        }
    },
    MSSQL(
            "mssql",
            1433,
            "com.microsoft.sqlserver.jdbc.SQLServerDriver",
            "com.microsoft.sqlserver:mssql-jdbc",
            "sqlserver",
            "sql_server") {
        @Override
        void check(ServerDefinition server) throws RegistryException {
            super.check(server);
            needKeyStore(ServerOption.SSL_CA, server.settings().sslCa());
        }
    },
    SCRATCHBIRD("scratchbird", 3092, "com.scratchbird.jdbc.SBDriver", "com.scratchbird:scratchbird-jdbc", "sb"),
    /** Its password is a token: map users with {@link Secret#supplied}. */
    AURORA_DSQL("aurora_dsql", 5432, "org.postgresql.Driver", "org.postgresql:postgresql", "dsql") {
        @Override
        void check(ServerDefinition server) throws RegistryException {
            if (Set.of("disable", "prefer").contains(server.settings().sslMode())) {
                throw RegistryException.invalid(
                        ServerOption.SSL_MODE, "Aurora DSQL takes TLS only: ssl_mode must be require or stricter");
            }
            Duration lifetime = server.settings().maxLifetime();
            if (lifetime.isZero() || lifetime.compareTo(Duration.ofHours(1)) >= 0) {
                throw RegistryException.invalid(
                        ServerOption.MAX_LIFETIME,
                        "Aurora DSQL ends a connection after an hour: max_lifetime must be above 0 and below 3600000");
            }
        }

        @Override
        Optional<String> byDefault(ServerOption option) {
            return switch (option) {
                case DBNAME -> Optional.of("postgres");
                case SSL_MODE -> Optional.of("verify-full");
                case SSL_CA -> Optional.of("system"); // read by the driver as the JVM's own trust store
                case MAX_LIFETIME -> Optional.of("3300000"); // the service ends sessions at an hour
                default -> super.byDefault(option);
            };
        }
    };

    private final String label;
    private final int port;
    private final String driverClass;
    private final String artifact;
    private final List<String> aliases;

    DatabaseType(String label, int port, String driverClass, String artifact, String... aliases) {
        this.label = label;
        this.port = port;
        this.driverClass = driverClass;
        this.artifact = artifact;
        this.aliases = List.of(aliases);
    }

    /** The type called {@code name}, by its label, an alias, or either with {@code _fdw} after it; case is ignored. */
    public static Optional<DatabaseType> of(String name) {
        String plain = name.toLowerCase(Locale.ROOT).replaceFirst("_fdw$", "");
        return Arrays.stream(values())
                .filter(type -> type.label.equals(plain) || type.aliases.contains(plain))
                .findFirst();
    }

    /** Further names that {@link #of} takes. */
    public List<String> aliases() {
        return aliases;
    }

    /** Its name in SQL, views and metrics. */
    public String label() {
        return label;
    }

    /** The port its servers listen on unless told otherwise. */
    public int defaultPort() {
        return port;
    }

    /** The class of its driver. */
    public String driverClass() {
        return driverClass;
    }

    /** The artifact its driver comes in, as group and name. */
    public String artifact() {
        return artifact;
    }

    /** Returns the default of {@code option} for this type; empty if the type has no opinion. */
    Optional<String> byDefault(ServerOption option) {
        return switch (option) {
            case PORT -> Optional.of(Integer.toString(port));
            case HEALTH_CHECK_QUERY -> Optional.of("SELECT 1");
            default -> Optional.empty();
        };
    }

    /** Refuses a definition that this type cannot serve. */
    void check(ServerDefinition server) throws RegistryException {
        if (server.settings().database().isBlank()) {
            throw RegistryException.invalid(ServerOption.DBNAME, "dbname must not be empty");
        }
    }

    /** Whether its servers refuse connects that come too fast: then all connects of this process keep one rate. */
    boolean limitsConnectRate() {
        return this == AURORA_DSQL;
    }

    private static void needKeyStore(ServerOption option, @Nullable String file) throws RegistryException {
        if (file != null && !file.matches("(?is).*\\.(p12|pfx|jks)")) {
            throw RegistryException.invalid(
                    option, option + " must be a key store (.p12, .pfx or .jks): the driver of this type reads no PEM");
        }
    }

    private static void refuse(ServerOption option, @Nullable String value, String why) throws RegistryException {
        if (value != null) {
            throw RegistryException.invalid(option, option + " cannot be honoured for this type: " + why);
        }
    }
}
