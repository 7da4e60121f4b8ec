// SPDX-License-Identifier: Apache-2.0
package dev.forebay.registry;

import dev.forebay.jdbc.SessionConfig.SessionReset;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Properties;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A kind of database: its driver, its URL, how it does TLS and timeouts, how a session of it is reset. Nothing is compiled
 * against a driver; it is found when the first connection is opened.
 */
@SuppressWarnings("ImmutableEnumChecker") // a list that nobody changes, and a reset that keeps no state
public enum DatabaseType {
    POSTGRESQL(
            "postgresql",
            5432,
            "org.postgresql.Driver",
            "org.postgresql:postgresql",
            Resets.DISCARD_ALL,
            "pg",
            "postgres") {
        @Override
        String url(Settings server) {
            return "jdbc:postgresql://" + place(server) + "/" + encoded(server.database());
        }

        @Override
        void add(Settings server, Properties properties) {
            postgres(server, properties);
        }
    },
    MYSQL("mysql", 3306, "com.mysql.cj.jdbc.Driver", "com.mysql:mysql-connector-j", Resets.MYSQL) {
        @Override
        String url(Settings server) {
            return "jdbc:mysql://" + place(server) + "/" + encoded(server.database());
        }

        @Override
        void add(Settings server, Properties properties) {
            properties.setProperty("connectTimeout", millis(server));
            properties.setProperty("socketTimeout", millis(server));
            properties.setProperty(
                    "sslMode",
                    switch (server.sslMode()) {
                        case "disable" -> "DISABLED";
                        case "require" -> "REQUIRED";
                        case "verify-ca" -> "VERIFY_CA";
                        case "verify-full" -> "VERIFY_IDENTITY";
                        default -> "PREFERRED";
                    });
            set(properties, "trustCertificateKeyStoreUrl", fileUrl(server.sslCa()));
            set(properties, "trustCertificateKeyStoreType", keyStoreType(server.sslCa()));
            set(properties, "clientCertificateKeyStoreUrl", fileUrl(server.sslCert()));
            set(properties, "clientCertificateKeyStoreType", keyStoreType(server.sslCert()));
        }

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
    MARIADB("mariadb", 3306, "org.mariadb.jdbc.Driver", "org.mariadb.jdbc:mariadb-java-client", Resets.MARIADB) {
        @Override
        String url(Settings server) {
            return "jdbc:mariadb://" + place(server) + "/" + encoded(server.database());
        }

        @Override
        void add(Settings server, Properties properties) {
            properties.setProperty("connectTimeout", millis(server));
            properties.setProperty("socketTimeout", millis(server));
            properties.setProperty("useResetConnection", "true");
            properties.setProperty(
                    "sslMode",
                    switch (server.sslMode()) {
                        case "require" -> "trust";
                        case "verify-ca" -> "verify-ca";
                        case "verify-full" -> "verify-full";
                        default -> "disable"; // the driver knows no TLS where the server offers it
                    });
            set(properties, "serverSslCert", server.sslCa());
            set(properties, "keyStore", server.sslCert());
            set(properties, "keyStoreType", keyStoreType(server.sslCert()));
        }

        @Override
        void check(ServerDefinition server) throws RegistryException {
            super.check(server);
            needKeyStore(ServerOption.SSL_CERT, server.settings().sslCert());
            refuse(ServerOption.SSL_KEY, server.settings().sslKey(), "its key is in the key store of ssl_cert");
        }
    },
    FIREBIRD(
            "firebird",
            3050,
            "org.firebirdsql.jdbc.FBDriver",
            "org.firebirdsql.jdbc:jaybird",
            Resets.FIREBIRD,
            "fb",
            "interbase") {
        @Override
        String url(Settings server) {
            return "jdbc:firebird://" + place(server) + "/" + server.database();
        }

        @Override
        void add(Settings server, Properties properties) {
            properties.setProperty("connectTimeout", seconds(server));
            properties.setProperty("soTimeout", millis(server));
            properties.setProperty("charSet", "UTF-8");
            properties.setProperty(
                    "wireCrypt",
                    switch (server.sslMode()) {
                        case "disable" -> "DISABLED";
                        case "require" -> "REQUIRED";
                        default -> "ENABLED";
                    });
        }

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
            Resets.SQL_SERVER,
            "sqlserver",
            "sql_server") {
        @Override
        String url(Settings server) {
            return "jdbc:sqlserver://" + place(server);
        }

        @Override
        void add(Settings server, Properties properties) {
            properties.setProperty("databaseName", server.database());
            properties.setProperty("loginTimeout", seconds(server));
            properties.setProperty("socketTimeout", millis(server));
            boolean encrypted = !server.sslMode().equals("disable"); // each server of it offers TLS
            properties.setProperty("encrypt", Boolean.toString(encrypted));
            properties.setProperty(
                    "trustServerCertificate", Boolean.toString(!server.sslMode().startsWith("verify")));
            set(properties, "trustStore", server.sslCa());
            set(properties, "trustStoreType", keyStoreType(server.sslCa()));
            set(properties, "clientCertificate", server.sslCert());
            set(properties, "clientKey", server.sslKey());
        }

        @Override
        void check(ServerDefinition server) throws RegistryException {
            super.check(server);
            needKeyStore(ServerOption.SSL_CA, server.settings().sslCa());
        }
    },
    SCRATCHBIRD(
            "scratchbird",
            3092,
            "com.scratchbird.jdbc.SBDriver",
            "com.scratchbird:scratchbird-jdbc",
            Resets.ROLLBACK,
            "sb") {
        @Override
        String url(Settings server) {
            return "jdbc:scratchbird://" + place(server) + "/" + encoded(server.database());
        }

        @Override
        void add(Settings server, Properties properties) {
            properties.setProperty("pooling", "false");
            properties.setProperty("connectTimeout", seconds(server));
            properties.setProperty("sslmode", server.sslMode());
            set(properties, "sslrootcert", server.sslCa());
            set(properties, "sslcert", server.sslCert());
            set(properties, "sslkey", server.sslKey());
        }
    },
    /** Its password is a token: map users with {@link Secret#supplied}. */
    AURORA_DSQL("aurora_dsql", 5432, "org.postgresql.Driver", "org.postgresql:postgresql", Resets.ROLLBACK, "dsql") {
        @Override
        String url(Settings server) {
            return POSTGRESQL.url(server);
        }

        @Override
        void add(Settings server, Properties properties) {
            postgres(server, properties);
            properties.setProperty("sslNegotiation", "direct");
        }

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
    private final SessionReset reset;
    private final List<String> aliases;

    DatabaseType(String label, int port, String driverClass, String artifact, SessionReset reset, String... aliases) {
        this.label = label;
        this.port = port;
        this.driverClass = driverClass;
        this.artifact = artifact;
        this.reset = reset;
        this.aliases = List.of(aliases);
    }

    /** The type called {@code name}, by its label, an alias, or either with {@code _fdw} behind it; the case is the same to it. */
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

    /** Refuses what this type cannot do. */
    void check(ServerDefinition server) throws RegistryException {
        if (server.settings().database().isBlank()) {
            throw RegistryException.invalid(ServerOption.DBNAME, "dbname must not be empty");
        }
    }

    /** Where to connect to; user, password and everything else is in the properties. */
    abstract String url(Settings server);

    abstract void add(Settings server, Properties properties);

    /** The driver's properties beside the URL, without the password. */
    Properties properties(ServerDefinition server, UserMapping mapping) {
        Properties properties = new Properties();
        properties.setProperty("user", mapping.remoteUser());
        add(server.settings(), properties);
        properties.putAll(server.driverOptions());
        properties.putAll(mapping.options());
        return properties;
    }

    /** Brings a used session of {@code server} back to where it began. */
    SessionReset reset(Settings server) {
        if (this != MYSQL && this != MARIADB) {
            return reset;
        }
        return driver -> {
            reset.reset(driver);
            driver.setCatalog(server.database()); // COM_RESET_CONNECTION stays in the database that USE chose
        };
    }

    /** Whether the driver makes its sockets with a factory whose class, and an argument for it, it is told. */
    boolean takesSocketFactory() {
        return this == POSTGRESQL || this == AURORA_DSQL;
    }

    /** Whether its servers refuse connects that come too fast: then all of this process keep one rate. */
    boolean limitsConnectRate() {
        return this == AURORA_DSQL;
    }

    /** Whether the driver can bound how long it waits for an answer. */
    boolean hasNetworkTimeout() {
        return this != SCRATCHBIRD;
    }

    private static void postgres(Settings server, Properties properties) {
        properties.setProperty("connectTimeout", seconds(server));
        properties.setProperty("socketTimeout", seconds(server));
        properties.setProperty(
                "cancelSignalTimeout", Long.toString(Settings.SOCKET_GRACE.toSeconds())); // it holds up the statement
        properties.setProperty("tcpKeepAlive", "true");
        properties.setProperty("ApplicationName", "forebay");
        properties.setProperty("sslmode", server.sslMode());
        if ("system".equals(server.sslCa())) {
            properties.setProperty("sslfactory", "org.postgresql.ssl.DefaultJavaSSLFactory");
        } else {
            set(properties, "sslrootcert", server.sslCa());
        }
        set(properties, "sslcert", server.sslCert());
        set(properties, "sslkey", server.sslKey());
    }

    private static void set(Properties properties, String name, @Nullable String value) {
        if (value != null) {
            properties.setProperty(name, value);
        }
    }

    /** By the ending of its name; null if it is none that the driver reads. */
    private static @Nullable String keyStoreType(@Nullable String file) {
        String name = file == null ? "" : file.toLowerCase(Locale.ROOT);
        if (name.endsWith(".p12") || name.endsWith(".pfx")) {
            return "PKCS12";
        }
        return name.endsWith(".jks") ? "JKS" : null;
    }

    private static void needKeyStore(ServerOption option, @Nullable String file) throws RegistryException {
        if (file != null && keyStoreType(file) == null) {
            throw RegistryException.invalid(
                    option, option + " must be a key store (.p12, .pfx or .jks): the driver of this type reads no PEM");
        }
    }

    private static void refuse(ServerOption option, @Nullable String value, String why) throws RegistryException {
        if (value != null) {
            throw RegistryException.invalid(option, option + " cannot be honoured for this type: " + why);
        }
    }

    private static @Nullable String fileUrl(@Nullable String path) {
        return path == null ? null : "file:" + path;
    }

    private static String place(Settings server) {
        String host = server.host().contains(":") ? "[" + server.host() + "]" : server.host();
        return host + ":" + server.port();
    }

    /** A name with what would end it in a URL, or add a parameter, written as octets. */
    private static String encoded(String name) {
        StringBuilder encoded = new StringBuilder();
        name.chars().forEach(c -> {
            if ("%/?#&;".indexOf(c) < 0) {
                encoded.append((char) c);
            } else {
                encoded.append(String.format(Locale.ROOT, "%%%02X", c));
            }
        });
        return encoded.toString();
    }

    private static String seconds(Settings server) {
        return Long.toString(server.connectTimeout().plusMillis(999).toSeconds());
    }

    private static String millis(Settings server) {
        return Long.toString(server.connectTimeout().toMillis());
    }
}
