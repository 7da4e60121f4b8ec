// SPDX-License-Identifier: Apache-2.0
package dev.forebay.dsql;

import static org.junit.jupiter.api.Assertions.assertDoesNotThrow;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.forebay.ForebayConfig;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Aurora DSQL ends a connection after an hour, so none may get that old. */
class DsqlLifetimeTest {

    private static AuroraDsql.Builder builder(String mode, Map<String, String> variables) {
        return AuroraDsql.builder(ForebayConfig.builder()
                .applyEnvironment(Map.of("CLUSTER_ENDPOINT", "abc.dsql.us-east-1.on.aws", "DSQL_POOL_MODE", mode))
                .applyEnvironment(variables)
                .build());
    }

    @ParameterizedTest
    @CsvSource({
        "standard, 60m, 1h0m0s",
        "standard, 90m, 1h30m0s",
        "standard, 0s, never ends",
        "on-demand, 60m, 1h0m0s",
        "on-demand, 0s, never ends",
    })
    void aLifetimeThatReachesAnHourIsRefused(String mode, String lifetime, String sum) {
        Map<String, String> variables = Map.of("DSQL_MAX_CONN_LIFETIME", lifetime);
        String message = assertThrows(IllegalArgumentException.class, () -> builder(mode, variables))
                .getMessage();
        assertTrue(message.contains("DSQL_MAX_CONN_LIFETIME=") && message.contains(sum), message);
    }

    @ParameterizedTest
    @CsvSource({"59m, 2m, 1h0m0s", "60m, 0s, 1h0m0s", "50m, 30m, 1h5m0s"})
    void aLifetimeThatReachesAnHourWithItsJitterIsRefused(String base, String jitter, String sum) {
        Map<String, String> variables =
                Map.of("DSQL_RESERVOIR_BASE_LIFETIME", base, "DSQL_RESERVOIR_LIFETIME_JITTER", jitter);
        String message = assertThrows(IllegalArgumentException.class, () -> builder("reservoir", variables))
                .getMessage();
        assertTrue(
                message.contains("DSQL_RESERVOIR_BASE_LIFETIME=")
                        && message.contains("DSQL_RESERVOIR_LIFETIME_JITTER=")
                        && message.contains(sum),
                message);
    }

    @Test
    void oneThatStaysBelowIsTaken() {
        assertDoesNotThrow(() -> builder("standard", Map.of("DSQL_MAX_CONN_LIFETIME", "59m59s")));
        assertDoesNotThrow(() -> builder(
                "reservoir", Map.of("DSQL_RESERVOIR_BASE_LIFETIME", "59m", "DSQL_RESERVOIR_LIFETIME_JITTER", "119s")));
    }

    @Test
    void whatAnotherModeTakesDoesNotMatter() {
        assertDoesNotThrow(() -> builder("standard", Map.of("DSQL_RESERVOIR_BASE_LIFETIME", "2h")));
        assertDoesNotThrow(() -> builder("reservoir", Map.of("DSQL_MAX_CONN_LIFETIME", "2h")));
    }
}
