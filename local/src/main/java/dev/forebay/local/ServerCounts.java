// SPDX-License-Identifier: Apache-2.0
package dev.forebay.local;

import dev.forebay.local.iam.Verdict;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAdder;

/** Counts of clients' requests and answers, beyond what the cluster's model counts. Thread-safe. */
final class ServerCounts {

    private final LongAdder commits = new LongAdder();
    private final Map<String, LongAdder> failures = new ConcurrentHashMap<>();
    private final Map<Verdict.Denial, LongAdder> denials = new ConcurrentHashMap<>();

    void committed(String sqlState) {
        if (sqlState.isEmpty()) {
            commits.increment();
        }
    }

    void failed(String sqlState) {
        failures.computeIfAbsent(sqlState, added -> new LongAdder()).increment();
    }

    void denied(Verdict.Denial reason) {
        denials.computeIfAbsent(reason, added -> new LongAdder()).increment();
    }

    long commits() {
        return commits.sum();
    }

    /** Errors by SQLSTATE. */
    Map<String, Long> failures() {
        Map<String, Long> sums = new TreeMap<>();
        failures.forEach((state, count) -> sums.put(state, count.sum()));
        return sums;
    }

    Map<Verdict.Denial, Long> denials() {
        Map<Verdict.Denial, Long> sums = new TreeMap<>();
        denials.forEach((reason, count) -> sums.put(reason, count.sum()));
        return sums;
    }
}
