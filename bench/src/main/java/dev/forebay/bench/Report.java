// SPDX-License-Identifier: Apache-2.0
package dev.forebay.bench;

import dev.forebay.bench.pools.Contestant;
import java.util.EnumSet;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.function.ToDoubleFunction;
import java.util.stream.DoubleStream;

/** The arithmetic and the phrases that all comparisons share. */
public final class Report {

    private Report() {}

    /** Returns the median; of an even number the mean of the middle two. */
    public static double median(DoubleStream values) {
        double[] sorted = values.sorted().toArray();
        int middle = sorted.length / 2;
        return sorted.length % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
    }

    /** Returns the ratios of the first pool to the others, as in {@code "; forebay/agroal 0.43"}; empty for one pool. */
    public static <V> String ratios(Map<Contestant, V> results, ToDoubleFunction<V> figure, String label) {
        Set<Contestant> others = EnumSet.allOf(Contestant.class);
        others.retainAll(results.keySet());
        Contestant first = others.iterator().next();
        others.remove(first);
        StringBuilder text = new StringBuilder();
        for (Contestant other : others) {
            double ratio = figure.applyAsDouble(results.get(first)) / figure.applyAsDouble(results.get(other));
            text.append(text.isEmpty() ? "; " : ", ")
                    .append(String.format(Locale.ROOT, "%s/%s%s %.2f", first.label(), other.label(), label, ratio));
        }
        return text.toString();
    }
}
