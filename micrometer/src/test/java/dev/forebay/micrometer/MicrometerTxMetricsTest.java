// SPDX-License-Identifier: Apache-2.0
package dev.forebay.micrometer;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.forebay.engine.Metric;
import dev.forebay.testkit.CapturedLog;
import dev.forebay.tx.ErrorMeaning;
import dev.forebay.tx.TxListener;
import dev.forebay.tx.TxListener.Outcome;
import dev.forebay.tx.internal.UnsupportedFeature;
import io.micrometer.core.instrument.Tag;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import java.sql.BatchUpdateException;
import java.sql.SQLException;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

class MicrometerTxMetricsTest {

    private static final int MOST_OPERATIONS = 200;
    private static final int MOST_STATES = 20;
    private static final SQLException CONFLICT =
            new SQLException("change conflicts with another transaction (OC000)", "40001");
    private static final SQLException UNSUPPORTED = new SQLException("ERROR: unsupported statement: Truncate", "0A000");

    @RegisterExtension
    private final CapturedLog logged = new CapturedLog(MicrometerMetrics.class);

    @RegisterExtension
    private final CapturedLog bounds = new CapturedLog("dev.forebay.tx.TxMetrics");

    private final PrometheusMeterRegistry prometheus = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
    private final MicrometerMetrics shown = new MicrometerMetrics();
    private final TxListener metrics = TxListener.observed(shown);

    @BeforeEach
    void listen() {
        shown.bindTo(prometheus);
    }

    /** Two attempts that conflict, then a commit. */
    private void transfer() {
        metrics.began("transfer");
        for (int attempt = 1; attempt <= 2; attempt++) {
            metrics.attemptFailed("transfer", ErrorMeaning.CONFLICT, "40001", CONFLICT);
            metrics.retrying("transfer", "40001", attempt, 80_000_000);
        }
        metrics.ended("transfer", Outcome.COMMITTED, 3, 175_000_000);
    }

    /** One of each other end, and one that has not ended. */
    private void others() {
        metrics.began("save");
        metrics.attemptFailed("save", ErrorMeaning.CONDITION_FAILED, "", new SQLException("fence"));
        metrics.ended("save", Outcome.FAILED, 1, 3_000_000);
        metrics.began("save");
        metrics.attemptFailed("save", ErrorMeaning.UNSUPPORTED, "0A000", UNSUPPORTED);
        metrics.ended("save", Outcome.FAILED, 1, 3_000_000);
        metrics.began("save");
        metrics.attemptFailed("save", ErrorMeaning.CONFLICT, "40001", CONFLICT);
        metrics.ended("save", Outcome.EXHAUSTED, 1, 3_000_000);
        metrics.began("save");
        metrics.attemptFailed(
                "save", ErrorMeaning.OUTCOME_UNKNOWN, "XX000", new SQLException("server unavailable", "XX000"));
        metrics.attemptFailed("save", ErrorMeaning.OTHER, "42601", new SQLException("syntax", "42601"));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "dsql_tx_retries_total{attempt=\"1\",operation=\"transfer\",sqlstate=\"40001\"} 1.0",
                "dsql_tx_retries_total{attempt=\"2\",operation=\"transfer\",sqlstate=\"40001\"} 1.0",
                "dsql_tx_conflicts_total{operation=\"transfer\"} 2.0",
                "dsql_tx_conflicts_total{operation=\"save\"} 1.0",
                "dsql_tx_exhausted_total{operation=\"transfer\"} 0.0",
                "dsql_tx_exhausted_total{operation=\"save\"} 1.0",
                "dsql_condition_failed_total{operation=\"transfer\"} 0.0",
                "dsql_condition_failed_total{operation=\"save\"} 1.0",
                "dsql_tx_backoff_seconds_count{operation=\"transfer\"} 2",
                "dsql_tx_backoff_seconds_sum{operation=\"transfer\"} 0.16",
                "dsql_tx_backoff_seconds_bucket{operation=\"transfer\",le=\"0.05\"} 0",
                "dsql_tx_backoff_seconds_bucket{operation=\"transfer\",le=\"0.1\"} 2",
                "dsql_operation_duration_seconds_count{operation=\"transfer\"} 1",
                "dsql_operation_duration_seconds_sum{operation=\"transfer\"} 0.175",
                "dsql_operation_duration_seconds_bucket{operation=\"transfer\",le=\"0.1\"} 0",
                "dsql_operation_duration_seconds_bucket{operation=\"transfer\",le=\"0.2\"} 1",
                "dsql_retry_attempts_histogram_count{operation=\"transfer\"} 1",
                "dsql_retry_attempts_histogram_sum{operation=\"transfer\"} 2.0",
                "dsql_retry_attempts_histogram_bucket{operation=\"transfer\",le=\"1.0\"} 0",
                "dsql_retry_attempts_histogram_bucket{operation=\"transfer\",le=\"2.0\"} 1",
                "dsql_retry_attempts_histogram_bucket{operation=\"save\",le=\"0.5\"} 3",
                "dsql_retry_attempts_histogram_bucket{operation=\"save\",le=\"+Inf\"} 3",
                "dsql_active_transactions{operation=\"transfer\"} 0.0",
                "dsql_active_transactions{operation=\"save\"} 1.0",
                "dsql_errors_total{error_type=\"retryable\",operation=\"transfer\"} 2.0",
                "dsql_errors_total{error_type=\"condition_failed\",operation=\"save\"} 1.0",
                "dsql_errors_total{error_type=\"unsupported_feature\",operation=\"save\"} 1.0",
                "dsql_errors_total{error_type=\"outcome_unknown\",operation=\"save\"} 1.0",
                "dsql_errors_total{error_type=\"permanent\",operation=\"save\"} 1.0",
                "dsql_unsupported_feature_total{feature=\"truncate\",operation=\"save\"} 1.0",
                "# TYPE dsql_retry_attempts_histogram histogram",
                "# TYPE dsql_tx_backoff_seconds histogram",
                "# TYPE dsql_operation_duration_seconds histogram",
            })
    void aScrapeShowsTheNamesOfTheDocuments(String line) {
        transfer();
        others();
        String scrape = prometheus.scrape();
        assertTrue(scrape.lines().anyMatch(line::equals), () -> line + " is missing in\n" + scrape);
    }

    @Test
    void aScrapeShowsNothingElse() {
        transfer();
        others();
        Set<String> shown = prometheus
                .scrape()
                .lines()
                .filter(line -> line.startsWith("# TYPE"))
                .map(line -> line.split(" ")[2])
                // Micrometer adds the maximum of each histogram as a gauge.
                .filter(name -> !name.endsWith("_max"))
                .collect(Collectors.toCollection(TreeSet::new));
        Set<String> declared = new TreeSet<>();
        Catalogues.ofTransactions().forEach(metric -> declared.add(metric.id()));
        assertEquals(declared, shown);
    }

    @ParameterizedTest
    @MethodSource("dev.forebay.micrometer.Catalogues#ofTransactions")
    void everyMetricIsThereInAnyRegistryUnderItsNameWithItsLabels(Metric<?> metric) {
        SimpleMeterRegistry simple = new SimpleMeterRegistry();
        shown.bindTo(simple);
        transfer();
        others();
        Set<String> labels = new TreeSet<>(metric.labels());
        labels.add("operation");
        simple.get(metric.id())
                .meters()
                .forEach(meter -> assertEquals(
                        labels,
                        meter.getId().getTags().stream().map(Tag::getKey).collect(Collectors.toSet())));
    }

    @Test
    void whatIsUnderWayIsKnownToARegistryThatIsBoundLater() {
        metrics.began("save");
        SimpleMeterRegistry late = new SimpleMeterRegistry();
        shown.bindTo(late);
        shown.bindTo(late);
        assertEquals(1, late.get("dsql_active_transactions").gauge().value());
        metrics.ended("save", Outcome.COMMITTED, 1, 5_000_000);
        assertEquals(0, late.get("dsql_active_transactions").gauge().value());
        assertEquals(
                5, late.get("dsql_operation_duration_seconds").functionTimer().totalTime(TimeUnit.MILLISECONDS));
        assertEquals(0, logged.events().size());
    }

    @Test
    void operationsBeyondTheBoundAreOtherWithOneWarning() {
        for (int i = 0; i < MOST_OPERATIONS + 50; i++) {
            metrics.began("order " + i);
        }
        for (int i = 0; i < MOST_OPERATIONS + 49; i++) {
            metrics.ended("order " + i, Outcome.COMMITTED, 1, 1);
        }
        assertEquals(
                MOST_OPERATIONS + 1,
                prometheus.get("dsql_active_transactions").gauges().size());
        assertTrue(prometheus.scrape().contains("dsql_active_transactions{operation=\"other\"} 1.0"));
        assertTrue(prometheus.scrape().contains("dsql_operation_duration_seconds_count{operation=\"other\"} 49\n"));
        assertEquals(1, bounds.events().size());
        assertEquals(
                "More than 200 operations: further ones are counted as other; names of operations must not hold data"
                        + "  operation=order 200",
                bounds.events().get(0).getFormattedMessage());
    }

    @ParameterizedTest
    @CsvSource({"40001, 40001", "XX000, XX000", "'', none", "4000, other", "400011, other", "4000a, other"})
    void aSqlStateThatIsNoneIsNotALabel(String sqlState, String label) {
        metrics.retrying("save", sqlState, 1, 1);
        assertEquals(1, retries("sqlstate", label));
    }

    @Test
    void sqlStatesBeyondTheBoundAreOther() {
        for (int i = 0; i < MOST_STATES + 5; i++) {
            metrics.retrying("save", String.format("4%04d", i), 1, 1);
        }
        metrics.retrying("save", "40000", 1, 1);
        assertEquals(5, retries("sqlstate", "other"));
        assertEquals(2, retries("sqlstate", "40000"));
    }

    @Test
    void attemptsBeyondTheTenthAreMore() {
        for (int attempt = 1; attempt <= 12; attempt++) {
            metrics.retrying("save", "40001", attempt, 1);
        }
        assertEquals(1, retries("attempt", "10"));
        assertEquals(2, retries("attempt", "more"));
    }

    private double retries(String label, String value) {
        return prometheus
                .get("dsql_tx_retries_total")
                .tag(label, value)
                .counter()
                .count();
    }

    @Test
    void closingTakesTheMetersAwayAndNoneComesBack() {
        transfer();
        assertFalse(prometheus.getMeters().isEmpty());
        shown.close();
        assertEquals("", prometheus.scrape());
        transfer();
        others();
        shown.bindTo(prometheus);
        assertEquals("", prometheus.scrape());
    }

    @Test
    void asManyEndAsBeganWhenManyThreadsMeetNewNames() throws InterruptedException {
        int threads = 4;
        CountDownLatch done = new CountDownLatch(threads);
        for (int t = 0; t < threads; t++) {
            new Thread(() -> {
                        for (int i = 0; i < 2_000; i++) {
                            String operation = "order " + i % 300;
                            metrics.began(operation);
                            metrics.attemptFailed(operation, ErrorMeaning.CONFLICT, "40001", CONFLICT);
                            metrics.ended(operation, Outcome.COMMITTED, 1, 1);
                        }
                        done.countDown();
                    })
                    .start();
        }
        assertTrue(done.await(60, TimeUnit.SECONDS));
        double conflicts = 0;
        for (var counter : prometheus.get("dsql_tx_conflicts_total").counters()) {
            conflicts += counter.count();
        }
        assertEquals(threads * 2_000, conflicts);
        prometheus.get("dsql_active_transactions").gauges().forEach(gauge -> assertEquals(0, gauge.value()));
    }

    @Test
    void aSecondBinderInTheSameRegistryWarnsAndLeavesTheFirstAlone() {
        transfer();
        try (MicrometerMetrics second = new MicrometerMetrics(prometheus)) {
            TxListener.observed(second).began("transfer");
        }
        assertTrue(prometheus.scrape().contains("dsql_active_transactions{operation=\"transfer\"} 0.0"));
        assertEquals(1, logged.events().size());
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "locking_clause|locking clauses other than FOR UPDATE/FOR KEY SHARE are not supported",
                "savepoint|unsupported transaction statement: SAVEPOINT",
                "isolation|Unsupported isolation level: SERIALIZABLE",
                "isolation|setting configuration parameter \"TRANSACTION\" not supported",
                "ddl_in_transaction|multiple ddl statements not supported in a transaction",
                "ddl_in_transaction|ddl and dml are not supported in the same transaction",
                "index_mode|unsupported mode. please use CREATE INDEX ASYNC.",
                "truncate|unsupported statement: Truncate",
                "temporary_table|TEMPORARY table not supported for CREATE TABLE",
                "unlogged_table|UNLOGGED table not supported for CREATE TABLE",
                "trigger|CREATE TRIGGER not supported",
                "extension|unsupported statement: CreateExtension",
                "type|CREATE TYPE not supported",
                "type|unsupported statement: CompositeType",
                "data_type|datatype text[] not supported",
                "alter_table|ALTER TABLE ADD COLUMN with constraint not supported",
                "alter_table|unsupported ALTER TABLE ALTER COLUMN ... SET DATA TYPE statement",
                "listen_notify|unsupported statement: Listen",
                "listen_notify|unsupported statement: Unlisten",
                "vacuum|unsupported VACUUM statement",
                "other|unsupported statement: CreateForeignTable",
                "other|cannot use subquery in CALL argument",
            })
    void anUnsupportedFeatureIsRecognisedInTheServersWords(String feature, String message) {
        SQLException error = new SQLException("ERROR: " + message, "0A000");
        SQLException batch = new BatchUpdateException("a batch failed", "0A000", new int[0]);
        batch.setNextException(error);
        assertEquals(feature, UnsupportedFeature.of(error).label());
        assertEquals(feature, UnsupportedFeature.of(batch).label());
        assertEquals(
                feature,
                UnsupportedFeature.of(new IllegalStateException("wrapped", batch))
                        .label());
    }

    @Test
    void anErrorThatSaysNothingOrCausesItselfIsOther() {
        SQLException silent = new SQLException((String) null);
        SQLException loop = new SQLException("a");
        loop.initCause(new SQLException("b", loop));
        assertEquals("other", UnsupportedFeature.of(silent).label());
        assertEquals("other", UnsupportedFeature.of(loop).label());
    }
}
