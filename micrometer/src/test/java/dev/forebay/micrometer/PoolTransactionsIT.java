// SPDX-License-Identifier: Apache-2.0
package dev.forebay.micrometer;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.forebay.ForebayConfig;
import dev.forebay.ForebayDataSource;
import dev.forebay.testkit.CapturedLog;
import dev.forebay.testkit.Postgres;
import dev.forebay.tx.GivenUpException;
import dev.forebay.tx.Transaction;
import dev.forebay.tx.TxListener;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** The transactions of a pool on a real server, as the configuration says, and what metrics and log make of them. */
class PoolTransactionsIT {

    private final Postgres server = Postgres.shared();

    @RegisterExtension
    private final CapturedLog logged = new CapturedLog("dev.forebay.tx.TxLog");

    private final PrometheusMeterRegistry prometheus = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);

    @BeforeEach
    void set() throws SQLException {
        server.ask("DROP TABLE IF EXISTS pool_transactions");
        server.ask("CREATE TABLE pool_transactions (id int PRIMARY KEY, n int NOT NULL)");
        server.ask("INSERT INTO pool_transactions VALUES (1, 0)");
    }

    /** Adds 1, and lets someone else be first in so many attempts. */
    private void add(Transaction transaction, int lost) throws SQLException {
        try (Statement statement = transaction.createStatement()) {
            statement
                    .executeQuery("SELECT n FROM pool_transactions WHERE id = 1")
                    .close();
            if (transaction.attempt() <= lost) {
                server.ask("UPDATE pool_transactions SET n = n + 10 WHERE id = 1");
            }
            statement.executeUpdate("UPDATE pool_transactions SET n = n + 1 WHERE id = 1");
        }
    }

    @Test
    void whoDoesNotCountConflictsIsNotWarnedOfThem() throws SQLException {
        ForebayConfig config = ForebayConfig.builder()
                .mode(ForebayConfig.Mode.ON_DEMAND)
                .maxOpen(2)
                .isolation(ForebayConfig.Isolation.REPEATABLE_READ)
                .retryBaseDelay(Duration.ofMillis(1))
                .trackRetryCounts(false)
                .conflictAlertThreshold(1)
                .build();
        try (ForebayDataSource dataSource = ForebayDataSource.builder()
                .dataSource(server.dataSource())
                .config(config)
                .build()) {
            dataSource.transactions().run("add", transaction -> add(transaction, 1));
        }
        assertEquals(List.of(), logged.events());
    }

    @Test
    void aPoolHasTransactionsThatFollowItsSettingsAndAreHeard() throws SQLException {
        ForebayConfig config = ForebayConfig.builder()
                .mode(ForebayConfig.Mode.ON_DEMAND)
                .maxOpen(2)
                .isolation(ForebayConfig.Isolation.REPEATABLE_READ)
                .maxRetries(2)
                .retryBaseDelay(Duration.ofMillis(1))
                .retryMaxDelay(Duration.ofMillis(1))
                .conflictAlertThreshold(4)
                .build();
        try (MicrometerMetrics metrics = new MicrometerMetrics(prometheus);
                ForebayDataSource dataSource = ForebayDataSource.builder()
                        .dataSource(server.dataSource())
                        .config(config)
                        .txListener(TxListener.observed(metrics))
                        .build()) {
            dataSource.transactions().run("add", transaction -> add(transaction, 1));
            assertEquals("11", server.ask("SELECT n FROM pool_transactions"));
            GivenUpException givenUp = assertThrows(
                    GivenUpException.class,
                    () -> dataSource.transactions().run("add", transaction -> add(transaction, 9)));
            assertEquals(3, givenUp.attempts().size());
            assertEquals("41", server.ask("SELECT n FROM pool_transactions"));
            assertEquals(0, dataSource.stats().borrowed());

            shows("dsql_tx_retries_total{attempt=\"1\",operation=\"add\",sqlstate=\"40001\"} 2.0");
            shows("dsql_tx_retries_total{attempt=\"2\",operation=\"add\",sqlstate=\"40001\"} 1.0");
            shows("dsql_tx_conflicts_total{operation=\"add\"} 4.0");
            shows("dsql_tx_exhausted_total{operation=\"add\"} 1.0");
            shows("dsql_errors_total{error_type=\"retryable\",operation=\"add\"} 4.0");
            shows("dsql_operation_duration_seconds_count{operation=\"add\"} 2");
            shows("dsql_retry_attempts_histogram_sum{operation=\"add\"} 3.0");
            shows("dsql_active_transactions{operation=\"add\"} 0.0");
        }
        List<String> lines = logged.messages();
        assertEquals(2, lines.size(), lines::toString);
        assertEquals(
                "Transaction conflicts reached the threshold  conflicts_per_minute=4 threshold=4 busiest_operation=add"
                        + " busiest_conflicts=4",
                lines.get(0));
        assertTrue(
                lines.get(1)
                        .startsWith("Transaction given up after a conflict in every attempt  operation=add attempts=3"
                                + " elapsed="),
                lines.get(1));
    }

    private void shows(String line) {
        String scrape = prometheus.scrape();
        assertTrue(scrape.lines().anyMatch(line::equals), () -> line + " is missing in\n" + scrape);
    }
}
