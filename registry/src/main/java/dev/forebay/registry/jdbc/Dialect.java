// SPDX-License-Identifier: Apache-2.0
package dev.forebay.registry.jdbc;

import dev.forebay.jdbc.SessionConfig.SessionReset;
import dev.forebay.registry.DatabaseType;
import dev.forebay.registry.ServerDefinition;
import dev.forebay.registry.Settings;
import dev.forebay.registry.UserMapping;
import java.time.Duration;
import java.util.Locale;
import java.util.Properties;
import org.jspecify.annotations.Nullable;

/**
 * The JDBC side of a {@link DatabaseType} of the same name: the URL, the driver's words for TLS and timeouts, the reset of
 * a session. Nothing is compiled against a driver.
 */
@SuppressWarnings("ImmutableEnumChecker") // a reset keeps no state
enum Dialect {
    POSTGRESQL(Resets.DISCARD_ALL) {
        @Override
        String url(Settings server) {
            return "jdbc:postgresql://" + place(server) + "/" + encoded(server.database());
        }

        @Override
        void add(Settings server, Properties properties) {
            postgres(server, properties);
        }
    },
    MYSQL(Resets.MYSQL) {
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
    },
    MARIADB(Resets.MARIADB) {
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
    },
    FIREBIRD(Resets.FIREBIRD) {
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
    },
    MSSQL(Resets.SQL_SERVER) {
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
    },
    SCRATCHBIRD(Resets.ROLLBACK) {
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
    AURORA_DSQL(Resets.ROLLBACK) {
        @Override
        String url(Settings server) {
            return POSTGRESQL.url(server);
        }

        @Override
        void add(Settings server, Properties properties) {
            postgres(server, properties);
            properties.setProperty("sslNegotiation", "direct");
        }
    };

    /** The time a statement has on top of its own timeout before its socket is given up. */
    private static final Duration SOCKET_GRACE = Duration.ofSeconds(1);

    private static final Duration FOR_EVER = Duration.ofMillis(Integer.MAX_VALUE);

    private final SessionReset reset;

    Dialect(SessionReset reset) {
        this.reset = reset;
    }

    static Dialect of(DatabaseType type) {
        return valueOf(type.name());
    }

    /** The place to connect to; user, password and everything else is in the properties. */
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

    /** Returns the reset that brings a used session of {@code server} back to its beginning. */
    SessionReset reset(Settings server) {
        if (this != MYSQL && this != MARIADB) {
            return reset;
        }
        return driver -> {
            reset.reset(driver);
            driver.setCatalog(server.database()); // COM_RESET_CONNECTION stays in the database that USE chose
        };
    }

    /** Whether the driver makes its sockets with a factory given by class name and an argument. */
    boolean takesSocketFactory() {
        return this == POSTGRESQL || this == AURORA_DSQL;
    }

    /** Whether the driver can bound its wait for an answer. */
    boolean hasNetworkTimeout() {
        return this != SCRATCHBIRD;
    }

    /** The time without an answer after which the socket is given up; the last resort against a server that hangs. */
    static Duration networkTimeout(Settings server) {
        return server.queryTimeout().isZero()
                ? FOR_EVER
                : Duration.ofSeconds(server.queryTimeout().plusMillis(999).toSeconds())
                        .plus(SOCKET_GRACE);
    }

    private static void postgres(Settings server, Properties properties) {
        properties.setProperty("connectTimeout", seconds(server));
        properties.setProperty("socketTimeout", seconds(server));
        properties.setProperty(
                "cancelSignalTimeout", Long.toString(SOCKET_GRACE.toSeconds())); // it holds up the statement
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

    /** The type by the ending of the file's name; null if it is none that the driver reads. */
    private static @Nullable String keyStoreType(@Nullable String file) {
        String name = file == null ? "" : file.toLowerCase(Locale.ROOT);
        if (name.endsWith(".p12") || name.endsWith(".pfx")) {
            return "PKCS12";
        }
        return name.endsWith(".jks") ? "JKS" : null;
    }

    private static @Nullable String fileUrl(@Nullable String path) {
        return path == null ? null : "file:" + path;
    }

    private static String place(Settings server) {
        String host = server.host().contains(":") ? "[" + server.host() + "]" : server.host();
        return host + ":" + server.port();
    }

    /** A name with the characters that would end it in a URL, or add a parameter, written as octets. */
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
