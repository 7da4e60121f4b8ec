// SPDX-License-Identifier: Apache-2.0
package dev.forebay.registry;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The names, the defaults and the refusals of each type. */
class DatabaseTypeTest {

    private static ServerDefinition define(DatabaseType type, String... options) throws RegistryException {
        ServerDefinition.Builder builder =
                ServerDefinition.builder("s", type).option("host", "h").option("dbname", "d");
        for (int i = 0; i < options.length; i += 2) {
            builder.option(options[i], options[i + 1]);
        }
        return builder.build();
    }

    @ParameterizedTest
    @CsvSource({
        "pg, POSTGRESQL", "postgres, POSTGRESQL", "postgresql_fdw, POSTGRESQL", "MySQL_FDW, MYSQL", "mariadb, MARIADB",
        "fb, FIREBIRD", "interbase, FIREBIRD", "sqlserver, MSSQL", "sql_server, MSSQL", "mssql_fdw, MSSQL",
        "sb, SCRATCHBIRD", "dsql, AURORA_DSQL"
    })
    void aTypeIsKnownByItsNamesAndWrappers(String name, DatabaseType type) {
        assertEquals(Optional.of(type), DatabaseType.of(name));
        assertEquals(Optional.empty(), DatabaseType.of(name + "x"));
    }

    @Test
    void whatATypeCannotDoIsRefused() {
        for (String mode : new String[] {"verify-ca", "verify-full"}) {
            assertThrows(RegistryException.class, () -> define(DatabaseType.FIREBIRD, "ssl_mode", mode));
        }
        assertThrows(RegistryException.class, () -> define(DatabaseType.AURORA_DSQL, "ssl_mode", "prefer"));
    }

    @Test
    void aDsqlConnectionEndsBeforeTheServiceEndsIt() throws RegistryException {
        assertEquals(
                Duration.ofMinutes(55),
                define(DatabaseType.AURORA_DSQL).settings().maxLifetime());
    }

    /** MySQL's driver turns its reset into nothing when it is told to be paranoid, and does not say so. */
    @ParameterizedTest
    @CsvSource({"true", "TRUE", "yes"})
    void anOptionThatSilencesTheResetIsRefused(String value) throws RegistryException {
        RegistryException refused =
                assertThrows(RegistryException.class, () -> define(DatabaseType.MYSQL, "driver.paranoid", value));
        assertTrue(refused.getMessage().contains("driver.paranoid"), refused.getMessage());
        define(DatabaseType.MYSQL, "driver.paranoid", "false");
        define(DatabaseType.MYSQL, "driver.paranoid", value, "reset_on_release", "false");
    }

    @ParameterizedTest
    @CsvSource({"0", "3600000", "7200000"})
    void aLifetimeThatReachesTheHourOfDsqlIsRefused(String millis) throws RegistryException {
        RegistryException refused =
                assertThrows(RegistryException.class, () -> define(DatabaseType.AURORA_DSQL, "max_lifetime", millis));
        assertEquals(List.of("max_lifetime"), refused.options());
        define(DatabaseType.AURORA_DSQL, "max_lifetime", "3599999");
        define(DatabaseType.POSTGRESQL, "max_lifetime", millis);
    }

    /** Finding C3: options were taken that the driver never heard of, or in a form that it cannot read. */
    @ParameterizedTest
    @CsvSource({
        "MYSQL, ssl_ca, /ca.pem",
        "MYSQL, ssl_cert, /client.pem",
        "MYSQL, ssl_key, /client.key",
        "MARIADB, ssl_cert, /client.pem",
        "MARIADB, ssl_key, /client.key",
        "FIREBIRD, ssl_ca, /ca.pem",
        "FIREBIRD, ssl_cert, /client.pem",
        "FIREBIRD, ssl_key, /client.key",
        "MSSQL, ssl_ca, /ca.pem"
    })
    void tlsOptionsThatTheDriverCannotHonourAreRefusedByName(DatabaseType type, String option, String value) {
        RegistryException refused = assertThrows(RegistryException.class, () -> define(type, option, value));
        assertEquals(RegistryError.INVALID_OPTION, refused.error());
        assertTrue(refused.getMessage().contains(option), refused.getMessage());
    }
}
