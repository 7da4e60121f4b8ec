// SPDX-License-Identifier: Apache-2.0
package dev.forebay.micrometer;

import dev.forebay.engine.Metric;
import dev.forebay.engine.Metric.Distribution;
import java.util.List;
import java.util.function.Supplier;

/**
 * A distribution that a registry is to show: buckets for a histogram, quantiles of late for a summary. Immutable.
 *
 * @param metric its declaration
 * @param values all the values
 * @param lately those of late
 */
record Shape(Metric<?> metric, Supplier<Distribution> values, Lately lately) {

    static final List<Double> QUANTILES = List.of(0.5, 0.99);

    /** The number that one unit of what is shown has in the values. */
    double unit() {
        return switch (metric.kind()) {
            case HISTOGRAM_MILLIS -> 1e6;
            case HISTOGRAM -> 1;
            default -> 1e9;
        };
    }

    boolean isSummary() {
        return metric.kind() == Metric.Kind.SUMMARY;
    }

    double sum() {
        return values.get().sum() / unit();
    }

    double max() {
        return values.get().max() / unit();
    }

    /** The number of values up to {@code bound}, which is in the unit that is shown. */
    long countUpTo(double bound) {
        return values.get().countUpTo(Math.rint(bound * unit()));
    }

    /** The quantile of the values of late, in the unit that is shown. */
    double quantile(double quantile) {
        return lately.get().quantile(quantile) / unit();
    }
}
