// SPDX-License-Identifier: Apache-2.0
package dev.forebay.registry.jdbc;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.forebay.registry.DatabaseType;
import dev.forebay.registry.RegistryError;
import dev.forebay.registry.RegistryException;
import dev.forebay.registry.Secret;
import dev.forebay.registry.ServerDefinition;
import dev.forebay.registry.UserMapping;
import java.sql.DriverPropertyInfo;
import java.sql.SQLException;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * The words of each type to its driver, for which a stub stands: all that SQL Server, ScratchBird and Aurora DSQL are tested
 * with here. PostgreSQL, MariaDB and Firebird have {@link DatabaseContract} as well, on real servers; MySQL's driver has
 * it on a MariaDB server.
 */
@Timeout(60)
class DialectTest {

    private static final Duration LONG = Duration.ofSeconds(30);

    private final StubDriver driver = new StubDriver();

    private static ServerDefinition define(DatabaseType type, String... options) throws RegistryException {
        ServerDefinition.Builder builder =
                ServerDefinition.builder("s", type).option("host", "h").option("dbname", "d");
        for (int i = 0; i < options.length; i += 2) {
            builder.option(options[i], options[i + 1]);
        }
        return builder.build();
    }

    private static Properties properties(DatabaseType type, String... options) throws RegistryException {
        return Dialect.of(type).properties(define(type, options), UserMapping.ofPublic("app", Secret.of("hunter2")));
    }

    @ParameterizedTest
    @CsvSource({
        "POSTGRESQL, jdbc:postgresql://h:5432/d",
        "MYSQL, jdbc:mysql://h:3306/d",
        "MARIADB, jdbc:mariadb://h:3306/d",
        "FIREBIRD, jdbc:firebird://h:3050/d",
        "MSSQL, jdbc:sqlserver://h:1433",
        "SCRATCHBIRD, jdbc:scratchbird://h:3092/d",
        "AURORA_DSQL, jdbc:postgresql://h:5432/d"
    })
    void urlAndPortAreTheTypesOwn(DatabaseType type, String url) throws RegistryException {
        assertEquals(url, Dialect.of(type).url(define(type).settings()));
    }

    @Test
    void aNameOfADatabaseCannotAddParameters() throws RegistryException {
        ServerDefinition server = define(DatabaseType.POSTGRESQL, "dbname", "d?user=root", "host", "::1");
        assertEquals("jdbc:postgresql://[::1]:5432/d%3Fuser=root", Dialect.POSTGRESQL.url(server.settings()));
    }

    @ParameterizedTest
    @CsvSource({
        "POSTGRESQL, connectTimeout, 5", "POSTGRESQL, socketTimeout, 5", "MYSQL, connectTimeout, 4500",
        "MYSQL, socketTimeout, 4500", "MARIADB, connectTimeout, 4500", "MARIADB, useResetConnection, true",
        "FIREBIRD, connectTimeout, 5", "FIREBIRD, soTimeout, 4500", "MSSQL, loginTimeout, 5",
        "MSSQL, databaseName, d", "SCRATCHBIRD, connectTimeout, 5", "SCRATCHBIRD, pooling, false",
        "AURORA_DSQL, sslmode, verify-full"
    })
    void timeoutsAreToldInTheDriversOwnWords(DatabaseType type, String name, String value) throws RegistryException {
        assertEquals(value, properties(type, "connect_timeout", "4500").getProperty(name));
    }

    @ParameterizedTest
    @CsvSource({
        "POSTGRESQL, sslmode, disable, disable",
        "POSTGRESQL, sslmode, verify-full, verify-full",
        "MYSQL, sslMode, disable, DISABLED",
        "MYSQL, sslMode, prefer, PREFERRED",
        "MYSQL, sslMode, require, REQUIRED",
        "MYSQL, sslMode, verify-ca, VERIFY_CA",
        "MYSQL, sslMode, verify-full, VERIFY_IDENTITY",
        "MARIADB, sslMode, disable, disable",
        "MARIADB, sslMode, require, trust",
        "MARIADB, sslMode, verify-full, verify-full",
        "FIREBIRD, wireCrypt, disable, DISABLED",
        "FIREBIRD, wireCrypt, prefer, ENABLED",
        "FIREBIRD, wireCrypt, require, REQUIRED",
        "MSSQL, encrypt, disable, false",
        "MSSQL, encrypt, prefer, true",
        "MSSQL, encrypt, require, true",
        "MSSQL, trustServerCertificate, require, true",
        "MSSQL, trustServerCertificate, verify-full, false",
        "SCRATCHBIRD, sslmode, require, require",
        "AURORA_DSQL, sslmode, require, require"
    })
    void tlsIsToldInTheDriversOwnWords(DatabaseType type, String name, String mode, String value)
            throws RegistryException {
        assertEquals(value, properties(type, "ssl_mode", mode).getProperty(name));
    }

    @Test
    void useSslMeansRequireUnlessAModeIsGiven() throws RegistryException {
        assertEquals(
                "require",
                properties(DatabaseType.POSTGRESQL, "use_ssl", "true").getProperty("sslmode"));
        assertEquals(
                "verify-ca",
                properties(DatabaseType.POSTGRESQL, "use_ssl", "true", "ssl_mode", "verify-ca")
                        .getProperty("sslmode"));
        assertEquals("prefer", properties(DatabaseType.POSTGRESQL).getProperty("sslmode"));
    }

    @Test
    void furtherOptionsAndTheMappingsOwnGoToTheDriver() throws RegistryException {
        assertEquals(
                "public",
                properties(DatabaseType.POSTGRESQL, "driver.currentSchema", "public")
                        .getProperty("currentSchema"));
        assertFalse(properties(DatabaseType.POSTGRESQL).containsKey("password"), "the password comes last");
    }

    @ParameterizedTest
    @EnumSource
    void everyTypeServesResetsAndIsProbed(DatabaseType type) throws SQLException {
        try (JdbcRegistry registry =
                JdbcRegistry.builder().drivers(wanted -> driver).build()) {
            registry.register(define(type, "health_check_type", "FULL_VALIDATE"));
            registry.map("s", UserMapping.ofPublic("app", Secret.of("hunter2")));
            try (RemoteConnection remote = registry.acquire("s", "ann", LONG)) {
                StubDriver.run(remote.connection(), "SELECT 1");
            }
            StubDriver.Link link = driver.links.get(0);
            assertEquals("app", link.properties.getProperty("user"));
            assertEquals("hunter2", link.properties.getProperty("password"));
            assertFalse(link.closed, link.calls.toString());
            assertTrue(registry.checkNow("s").consecutiveSuccesses() > 0);
            switch (type) {
                case POSTGRESQL -> assertTrue(link.calls.contains("DISCARD ALL"));
                case MYSQL -> assertTrue(link.calls.contains("resetServerState"), link.calls.toString());
                case MARIADB -> assertTrue(link.calls.contains("ResetPacket"), link.calls.toString());
                case SCRATCHBIRD, AURORA_DSQL -> assertTrue(link.calls.contains("ROLLBACK"));
                case MSSQL -> assertTrue(link.calls.contains("IF @@TRANCOUNT > 0 ROLLBACK TRANSACTION"));
                default -> {}
            }
            driver.passwords.put("app", "another");
            registry.closeAll("s");
            RegistryException e = assertThrows(RegistryException.class, () -> registry.acquire("s", "bob", LONG));
            assertEquals(RegistryError.AUTH_FAILED, e.error());
        }
    }

    @ParameterizedTest
    @EnumSource
    void aDriverThatIsNotThereIsNamed(DatabaseType type) {
        SQLException e = Drivers.missing(type, null);
        assertTrue(e.getMessage().contains(type.artifact()) && e.getMessage().contains(type.driverClass()));
    }

    @Test
    void driversOnTheClassPathAreFound() throws SQLException {
        for (DatabaseType type : new DatabaseType[] {
            DatabaseType.POSTGRESQL,
            DatabaseType.AURORA_DSQL,
            DatabaseType.MYSQL,
            DatabaseType.MARIADB,
            DatabaseType.FIREBIRD
        }) {
            assertEquals(
                    type.driverClass(),
                    Drivers.onClassPath().driver(type).getClass().getName());
        }
        assertThrows(SQLException.class, () -> Drivers.onClassPath().driver(DatabaseType.MSSQL));
    }

    /** For the drivers here that list what they know; Firebird's does not. */
    @ParameterizedTest
    @CsvSource({
        "POSTGRESQL, disable",
        "POSTGRESQL, prefer",
        "POSTGRESQL, require",
        "POSTGRESQL, verify-ca",
        "POSTGRESQL, verify-full",
        "AURORA_DSQL, require",
        "AURORA_DSQL, verify-full",
        "MYSQL, disable",
        "MYSQL, prefer",
        "MYSQL, require",
        "MYSQL, verify-ca",
        "MYSQL, verify-full",
        "MARIADB, disable",
        "MARIADB, prefer",
        "MARIADB, require",
        "MARIADB, verify-ca",
        "MARIADB, verify-full"
    })
    void everyOptionIsOneThatTheDriverKnows(DatabaseType type, String mode) throws SQLException {
        Properties told = properties(type, "ssl_mode", mode, "ssl_ca", "/ca.p12", "ssl_cert", "/c.p12");
        Map<String, DriverPropertyInfo> known = new HashMap<>();
        for (DriverPropertyInfo one : Drivers.onClassPath()
                .driver(type)
                .getPropertyInfo(Dialect.of(type).url(define(type).settings()), new Properties())) {
            known.put(one.name, one);
        }
        for (String name : told.stringPropertyNames()) {
            assertTrue(known.containsKey(name), name);
            String[] choices = known.get(name).choices;
            assertTrue(choices == null || List.of(choices).contains(told.getProperty(name)), name);
        }
    }

    @ParameterizedTest
    @CsvSource({
        "MYSQL, ssl_ca, /ca.p12, trustCertificateKeyStoreType, PKCS12",
        "MYSQL, ssl_ca, /ca.p12, trustCertificateKeyStoreUrl, file:/ca.p12",
        "MYSQL, ssl_cert, /c.jks, clientCertificateKeyStoreType, JKS",
        "MYSQL, ssl_cert, /c.jks, clientCertificateKeyStoreUrl, file:/c.jks",
        "MARIADB, ssl_ca, /ca.pem, serverSslCert, /ca.pem",
        "MARIADB, ssl_cert, /c.p12, keyStore, /c.p12",
        "MARIADB, ssl_cert, /c.p12, keyStoreType, PKCS12",
        "MSSQL, ssl_ca, /ca.p12, trustStoreType, PKCS12",
        "MSSQL, ssl_cert, /c.pem, clientCertificate, /c.pem",
        "MSSQL, ssl_key, /c.key, clientKey, /c.key",
        "POSTGRESQL, ssl_key, /c.key, sslkey, /c.key"
    })
    void tlsFilesAreToldInTheFormThatTheDriverReads(
            DatabaseType type, String option, String value, String property, String told) throws RegistryException {
        assertEquals(told, properties(type, option, value).getProperty(property));
    }

    @ParameterizedTest
    @EnumSource
    void kerberosIsRefusedByName(DatabaseType type) throws Exception {
        try (JdbcRegistry registry = JdbcRegistry.builder().build()) {
            registry.register(define(type));
            UserMapping mapping = new UserMapping("ann", "app", UserMapping.Auth.KERBEROS, null, Map.of());
            RegistryException refused = assertThrows(
                    RegistryException.class, () -> registry.map(define(type).name(), mapping));
            assertTrue(refused.getMessage().contains("kerberos"), refused.getMessage());
        }
    }
}
