// SPDX-License-Identifier: Apache-2.0
package dev.forebay.local;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.forebay.model.ClusterSettings;
import java.io.IOException;
import java.sql.SQLException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The numbers that it shows are those of what happened. */
@Timeout(120)
class MetricsIT {

    private LocalDsql dsql;

    @BeforeEach
    void start() throws IOException {
        dsql = LocalDsql.builder()
                .settings(ClusterSettings.builder()
                        .connectsPerSecond(0.001)
                        .connectBurst(2)
                        .build())
                .start();
    }

    @AfterEach
    void stop() throws IOException {
        dsql.close();
    }

    @Test
    void connectsSessionsTransactionsAndConflictsAreCounted() throws Exception {
        try (RawClient one = new RawClient(dsql, "admin");
                RawClient two = new RawClient(dsql, "admin")) {
            one.simple("CREATE TABLE t (id int PRIMARY KEY, n int)");
            one.simple("INSERT INTO t VALUES (1, 0)");
            two.simple("BEGIN");
            two.simple("UPDATE t SET n = 1");
            RawClient.Answer lost = one.simple("SELECT 1; UPDATE t SET n = 2").get(1);
            assertEquals("40001", lost.sqlState(), "which fails with the commit behind it");
            assertShown("forebay_local_errors_total{sqlstate=\"40001\"} 1");
            assertShown("forebay_local_sessions 2");
            assertShown("forebay_local_transactions 1");
            two.simple("COMMIT");
            assertShown("forebay_local_transactions 0");
            assertShown("forebay_local_commits_total 3");
            assertShown("forebay_local_connects_admitted_total 2");
            assertThrows(SQLException.class, () -> dsql.dataSource("admin").getConnection());
            assertShown("forebay_local_connects_refused_total{reason=\"rate\"} 1");
            assertThrows(SQLException.class, () -> dsql.dataSource("admin").getConnection("admin", "no token"));
            assertShown("forebay_local_tokens_denied_total{reason=\"garbage\"} 1");
            String status = dsql.status();
            assertTrue(status.startsWith("sessions=2 in_transaction=0 admitted=2 "), status);
        }
    }

    private void assertShown(String line) {
        String text = dsql.metricsText();
        assertTrue(text.lines().anyMatch(line::equals), () -> "no " + line + " in\n" + text);
    }
}
