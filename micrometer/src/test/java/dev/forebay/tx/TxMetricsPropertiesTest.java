// SPDX-License-Identifier: Apache-2.0
package dev.forebay.tx;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.forebay.micrometer.MicrometerMetrics;
import dev.forebay.testkit.Faults;
import dev.forebay.tx.TxListener.Outcome;
import dev.forebay.tx.TxWorld.Report;
import dev.forebay.tx.TxWorld.Verdict;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Property 7 of transactions, on a thousand seeds: what is heard of them, and shown in metrics, is what happened. */
@Timeout(300)
class TxMetricsPropertiesTest {

    private static final int RUNS = 1_000;
    private static final String SWAP = "UPDATE shards SET range_id = ? WHERE shard_id = ? AND range_id = ?";

    /** Contended fences under every fault, and what was heard of them. */
    private static final class Observed {
        private static final int CALLS = 12;
        private final TxWorld world;
        private final Tally tally;
        private final PrometheusMeterRegistry registry = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);

        /** Kept and closed at the end: a gauge refers weakly to what it shows, and is not a number once that is gone. */
        private final MicrometerMetrics metrics = new MicrometerMetrics();

        private final Map<Verdict, Integer> verdicts = new HashMap<>();
        private long nanos;

        Observed(long seed) {
            world = new TxWorld(seed, false);
            tally = world.tally;
            world.database
                    .table("shards", "shard_id", "range_id")
                    .row("shards", 1, 0)
                    .row("shards", 2, 0);
            world.database.faults(world.latency(Faults.all(0.02)));
            metrics.bindTo(registry);
            Transactions tx = world.transactions(world.anyPolicy(), TxListener.observed(metrics));
            for (int a = 0; a < 3; a++) {
                Random random = new Random(world.random.nextLong());
                world.turns.actor("actor " + a, () -> {
                    for (int n = 0; n < CALLS / 3; n++) {
                        swap(tx, 1 + random.nextInt(2));
                    }
                });
            }
            world.turns.run();
            assertEquals(List.of(), world.database.complaints());
        }

        private void swap(Transactions tx, long shard) {
            long token = world.database.number("shards", shard, "range_id");
            world.turns.yield();
            long began = world.turns.time().nanos();
            Report report = TxWorld.report(() -> tx.run(
                    "observed", c -> Fenced.on(c).update(SWAP, token + 1, shard).expecting(token)));
            nanos += world.turns.time().nanos() - began;
            verdicts.merge(report.verdict(), 1, Integer::sum);
        }

        private long answered(String sqlState) {
            return world.database.errors().stream()
                    .filter(error -> error.sqlState().equals(sqlState))
                    .count();
        }

        void verifyWhatAListenerHeard() {
            List<Tally.Heard> ended = tally.ended();
            assertEquals(CALLS, ended.size(), "one beginning and one end for each call");
            assertEquals(answered("40001"), tally.failures(ErrorMeaning.CONFLICT), "conflicts");
            assertEquals(answered("0A000"), tally.failures(ErrorMeaning.UNSUPPORTED), "unsupported");
            long unknown = world.database.faults().stream()
                    .filter(fault -> fault.fault().leavesTheOutcomeUnknown())
                    .count();
            assertEquals(unknown, tally.failures(ErrorMeaning.OUTCOME_UNKNOWN), "unknown outcomes");
            assertEquals(reported(Verdict.CONDITION_FAILED), tally.failures(ErrorMeaning.CONDITION_FAILED));
            assertEquals(reported(Verdict.COMMITTED), tally.outcomes(Outcome.COMMITTED));
            assertEquals(
                    tally.failures(ErrorMeaning.CONFLICT),
                    tally.retries() + tally.outcomes(Outcome.EXHAUSTED),
                    "retries");
            assertEquals(nanos, ended.stream().mapToLong(heard -> heard.nanos).sum(), "time");
        }

        private long reported(Verdict verdict) {
            return verdicts.getOrDefault(verdict, 0);
        }

        void verifyMetrics() {
            verifyWhatAListenerHeard();
            long delays = tally.ended().stream()
                    .flatMap(heard -> heard.delaysNanos.stream())
                    .mapToLong(delay -> delay)
                    .sum();
            Map<String, Double> expected = new TreeMap<>();
            expected.put("dsql_tx_conflicts_total", (double) answered("40001"));
            expected.put("dsql_tx_retries_total", (double) tally.retries());
            expected.put("dsql_tx_exhausted_total", (double) tally.outcomes(Outcome.EXHAUSTED));
            expected.put("dsql_condition_failed_total", (double) reported(Verdict.CONDITION_FAILED));
            expected.put("dsql_unsupported_feature_total", (double) answered("0A000"));
            expected.put("dsql_operation_duration_seconds_count", (double) CALLS);
            expected.put("dsql_operation_duration_seconds_sum", nanos / 1e9);
            expected.put("dsql_retry_attempts_histogram_count", (double) CALLS);
            expected.put("dsql_retry_attempts_histogram_sum", (double) tally.retries());
            expected.put("dsql_tx_backoff_seconds_count", (double) tally.retries());
            expected.put("dsql_tx_backoff_seconds_sum", delays / 1e9);
            expected.put("dsql_active_transactions", 0.0);
            double failures = 0;
            for (ErrorMeaning meaning : ErrorMeaning.values()) {
                failures += tally.failures(meaning);
            }
            expected.put("dsql_errors_total", failures);
            List<String> lines = registry.scrape().lines().toList();
            expected.forEach((name, value) -> assertEquals(value, total(lines, name), 1e-6, name));
            metrics.close();
        }

        private static double total(List<String> lines, String name) {
            return lines.stream()
                    .filter(line -> line.startsWith(name + "{"))
                    .mapToDouble(line -> Double.parseDouble(line.substring(line.lastIndexOf(' ') + 1)))
                    .sum();
        }
    }

    /** Property 7, Metrics and Observability. */
    @Test
    void property7WhatAListenerHearsAddsUpWithWhatTheDatabaseAnswered() {
        TxWorld.forEachSeed(RUNS, seed -> new Observed(seed).verifyWhatAListenerHeard());
    }

    /** Property 7, Metrics and Observability, as Prometheus sees them. */
    @Test
    void property7TheMetricsAddUpWithWhatTheDatabaseAnswered() {
        TxWorld.forEachSeed(RUNS, seed -> new Observed(seed).verifyMetrics());
    }
}
