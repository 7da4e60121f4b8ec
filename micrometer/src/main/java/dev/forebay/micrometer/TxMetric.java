// SPDX-License-Identifier: Apache-2.0
package dev.forebay.micrometer;

import java.util.List;

/**
 * Every metric of transactions, declared once: its name, as Prometheus shows it, its kind, and its labels. All of them
 * have the label {@link #OPERATION}.
 */
enum TxMetric {
    RETRIES("dsql_tx_retries_total", Type.COUNTER, "Attempts that were followed by another", "sqlstate", "attempt"),
    CONFLICTS("dsql_tx_conflicts_total", Type.COUNTER, "Attempts that failed with 40001"),
    EXHAUSTED("dsql_tx_exhausted_total", Type.COUNTER, "Transactions that met a conflict in every attempt"),
    CONDITION_FAILED("dsql_condition_failed_total", Type.COUNTER, "Fences that had moved on"),
    BACKOFF("dsql_tx_backoff_seconds", Type.HISTOGRAM_SECONDS, "The waits before further attempts"),
    DURATION(
            "dsql_operation_duration_seconds",
            Type.HISTOGRAM_SECONDS,
            "How long transactions took, all attempts and waits included"),
    RETRY_ATTEMPTS("dsql_retry_attempts_histogram", Type.HISTOGRAM, "How many retries a transaction took"),
    ACTIVE("dsql_active_transactions", Type.GAUGE, "Transactions under way"),
    ERRORS("dsql_errors_total", Type.COUNTER, "Attempts that failed, by kind", "error_type"),
    UNSUPPORTED_FEATURE(
            "dsql_unsupported_feature_total", Type.COUNTER, "Statements refused with 0A000, by feature", "feature");

    /** The label that all of them have. */
    static final String OPERATION = "operation";

    private final String id;
    private final Type type;
    private final String description;

    @SuppressWarnings("ImmutableEnumChecker") // unmodifiable
    private final List<String> labels;

    TxMetric(String id, Type type, String description, String... labels) {
        this.id = id;
        this.type = type;
        this.description = description;
        this.labels = List.of(labels);
    }

    /** Its name. */
    String id() {
        return id;
    }

    Type type() {
        return type;
    }

    String description() {
        return description;
    }

    /** Its labels beside the operation. */
    List<String> labels() {
        return labels;
    }

    enum Type {
        COUNTER,
        GAUGE,
        HISTOGRAM,
        HISTOGRAM_SECONDS
    }
}
