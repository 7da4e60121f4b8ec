// SPDX-License-Identifier: Apache-2.0
package dev.forebay.local;

import dev.forebay.model.ClusterCounts;
import java.util.Locale;
import java.util.Map;

/** The numbers of a local DSQL as Prometheus reads them. */
final class MetricsText {

    private final StringBuilder text = new StringBuilder();

    private MetricsText() {}

    static String of(ClusterCounts cluster, ServerCounts server, int connected) {
        MetricsText metrics = new MetricsText();
        metrics.gauge("forebay_local_connected", "Sockets that are connected, strangers included", connected);
        metrics.gauge("forebay_local_sessions", "Sessions that were admitted and have not ended", cluster.open());
        metrics.gauge("forebay_local_transactions", "Sessions in a transaction", cluster.inTransaction());
        metrics.counter("forebay_local_connects_admitted_total", "Connects that were admitted", cluster.admitted());
        metrics.counters(
                "forebay_local_connects_refused_total",
                "Connects that were refused, by reason",
                "reason",
                cluster.refused());
        metrics.counters(
                "forebay_local_tokens_denied_total",
                "Passwords that were denied, by reason",
                "reason",
                server.denials());
        metrics.counter(
                "forebay_local_expired_total", "Sessions closed at the end of their lifetime", cluster.expired());
        metrics.counter("forebay_local_dropped_total", "Sessions closed by a fault", cluster.dropped());
        metrics.counter("forebay_local_commits_total", "Transactions that were committed", server.commits());
        metrics.counters(
                "forebay_local_errors_total",
                "Errors given to clients, by SQLSTATE; 40001 are conflicts",
                "sqlstate",
                server.failures());
        return metrics.text.toString();
    }

    private void gauge(String name, String help, long value) {
        head(name, help, "gauge");
        text.append(name).append(' ').append(value).append('\n');
    }

    private void counter(String name, String help, long value) {
        head(name, help, "counter");
        text.append(name).append(' ').append(value).append('\n');
    }

    private void counters(String name, String help, String label, Map<?, Long> values) {
        head(name, help, "counter");
        values.forEach((key, value) -> text.append(name)
                .append('{')
                .append(label)
                .append("=\"")
                .append(key instanceof Enum<?> reason ? reason.name().toLowerCase(Locale.ROOT) : key)
                .append("\"} ")
                .append(value)
                .append('\n'));
    }

    private void head(String name, String help, String type) {
        text.append("# HELP ").append(name).append(' ').append(help).append('\n');
        text.append("# TYPE ").append(name).append(' ').append(type).append('\n');
    }
}
