// SPDX-License-Identifier: Apache-2.0
package dev.forebay.jdbc;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.forebay.ForebayConfig;
import dev.forebay.ForebayDataSource;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Map;
import java.util.Objects;
import java.util.Properties;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The bounds that known drivers are given for opening a connection. */
@Timeout(120)
class OpenTimeoutsTest {

    private static Map<Object, Object> limited(String url, Properties properties) {
        Objects.requireNonNull(OpenTimeouts.of(url)).limit(url, properties, Duration.ofMillis(1500));
        return properties;
    }

    @Test
    void eachKnownDriverIsBoundedInItsOwnUnits() {
        assertEquals(
                Map.of("connectTimeout", "2", "socketTimeout", "2"),
                limited("jdbc:postgresql://h/db", new Properties()));
        assertEquals(
                Map.of("connectTimeout", "1500", "socketTimeout", "1500"),
                limited("jdbc:mariadb://h/db", new Properties()));
        assertEquals(
                Map.of("connectTimeout", "2", "soTimeout", "1500"),
                limited("jdbc:firebirdsql://h/db", new Properties()));
        assertNull(OpenTimeouts.of("jdbc:h2:mem:"));
    }

    @Test
    void whatTheUrlOrThePropertiesSayStands() {
        String url = "jdbc:postgresql://h/db?ssl=true&socketTimeout=30";
        Properties properties = new Properties();
        properties.setProperty("connectTimeout", "7");
        assertFalse(Objects.requireNonNull(OpenTimeouts.of(url)).limit(url, properties, Duration.ofSeconds(1)));
        assertEquals(Map.of("connectTimeout", "7"), properties);
    }

    /** PostgreSQL's driver waits for ever by itself. */
    @Test
    void anOpenBeforeASilentServerEnds() throws Exception {
        try (ServerSocket silent = new ServerSocket(0, 10, InetAddress.getLoopbackAddress())) {
            ForebayConfig config = ForebayConfig.builder()
                    .mode(ForebayConfig.Mode.ON_DEMAND)
                    .openTimeout(Duration.ofSeconds(1))
                    .connectionTimeout(Duration.ofSeconds(5))
                    .build();
            try (ForebayDataSource pool = ForebayDataSource.builder()
                    .config(config)
                    .url("jdbc:postgresql://127.0.0.1:" + silent.getLocalPort() + "/db")
                    .user("nobody")
                    .password("none")
                    .build()) {
                SQLException refused = org.junit.jupiter.api.Assertions.assertThrows(
                        SQLException.class, () -> pool.getConnection().close());
                assertTrue(refused.getMessage().contains("last open failure"), refused.getMessage());
                long deadline = System.nanoTime() + Duration.ofSeconds(60).toNanos();
                while (pool.stats().opening() + pool.stats().closing() > 0) {
                    assertTrue(System.nanoTime() < deadline, "the driver's call does not end: " + pool.stats());
                    Thread.onSpinWait();
                }
            }
        }
    }
}
