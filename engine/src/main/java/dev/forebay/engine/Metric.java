// SPDX-License-Identifier: Apache-2.0
package dev.forebay.engine;

import dev.forebay.engine.internal.Peak;
import dev.forebay.time.Time;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.function.Function;
import java.util.function.ToDoubleFunction;
import java.util.stream.LongStream;
import org.jspecify.annotations.Nullable;

/**
 * One metric, declared once beside the numbers it shows: its name, kind and labels, and the source of its value. It is
 * either read from a snapshot or told of each event. Immutable.
 *
 * @param id the name; dots are for the metrics library to replace
 * @param kind the kind of meter
 * @param description one line for a reader of dashboards
 * @param ownerLabels the labels that hold the name of the owner; see {@link Observer#observe}
 * @param labels the labels beside those. One that is read has at most one of them
 * @param series the values read, one for each value of the label; empty for a metric that is told
 * @param event the event it is told of; null for a metric that is read
 * @param bounds the upper bounds of a histogram's buckets, in its unit
 * @param distribution the values of a histogram or summary that is read, null otherwise
 * @param <S> the snapshot
 */
public record Metric<S>(
        String id,
        Kind kind,
        String description,
        List<String> ownerLabels,
        List<String> labels,
        List<Series<S>> series,
        @Nullable Enum<?> event,
        List<Double> bounds,
        @Nullable Function<S, Distribution> distribution) {

    public Metric {
        ownerLabels = List.copyOf(ownerLabels);
        labels = List.copyOf(labels);
        series = List.copyOf(series);
        bounds = List.copyOf(bounds);
    }

    /** The kinds of meters. Durations are told in nanoseconds, whatever unit is shown. */
    public enum Kind {
        GAUGE,
        /** If it is told and has labels, a series begins with its first event. */
        COUNTER,
        /**
         * A count and a total duration; if it is read, these are its first two series, the second in nanoseconds, and a third, if
         * there is one, is the longest of late.
         */
        TIMER,
        /** The quantiles 0.5 and 0.99 of durations, with their sum and count. */
        SUMMARY,
        /** Numbers in buckets. */
        HISTOGRAM,
        HISTOGRAM_MILLIS,
        HISTOGRAM_SECONDS
    }

    /** One value of the label, empty without a label, and the function that reads its value. */
    public record Series<S>(String labelValue, ToDoubleFunction<S> value) {}

    /** Values counted in buckets: nanoseconds, or plain numbers. Immutable. */
    public static final class Distribution {

        private static final long[] TIMES = bounds();

        /** No values. */
        public static final Distribution NONE = new Distribution(TIMES, new long[TIMES.length + 1], 0, 0);

        private final long[] bounds;
        private final long[] counts;
        private final long sum;
        private final long max;
        private final long count;

        /**
         * The given values.
         *
         * @param bounds the greatest value of each bucket, ascending; not copied
         * @param counts the values in each bucket, and at the end those above all; not copied
         * @param sum the total of the values
         * @param max the greatest one of late
         */
        public Distribution(long[] bounds, long[] counts, long sum, long max) {
            this.bounds = bounds;
            this.counts = counts;
            this.sum = sum;
            this.max = max;
            this.count = Arrays.stream(counts).sum();
        }

        /** Bounds for times of any length: ten for each power of ten from 100 ns to 100 s, with 30 s among them. */
        public static long[] times() {
            return TIMES;
        }

        private static long[] bounds() {
            long[] steps = {100, 125, 160, 200, 250, 315, 400, 500, 630, 800};
            LongStream times = LongStream.iterate(1, unit -> unit <= 100_000_000, unit -> unit * 10)
                    .flatMap(unit -> Arrays.stream(steps).map(step -> step * unit));
            return LongStream.concat(times, LongStream.of(30_000_000_000L, 100_000_000_000L))
                    .sorted()
                    .toArray();
        }

        /** The number of values. */
        public long count() {
            return count;
        }

        /** The number of values in a bucket. */
        long count(int bucket) {
            return counts[bucket];
        }

        /** The number of values up to {@code bound}, one of the bounds. */
        public long countUpTo(double bound) {
            long upTo = 0;
            for (int i = 0; i < bounds.length && bounds[i] <= bound; i++) {
                upTo += counts[i];
            }
            return upTo;
        }

        /** The total of the values. */
        public long sum() {
            return sum;
        }

        /** The greatest value of the last minute or two. */
        public long max() {
            return max;
        }

        /** The value that a share {@code quantile} of the values does not exceed, from within its bucket; NaN without values. */
        public double quantile(double quantile) {
            double rank = quantile * count;
            long below = 0;
            for (int i = 0; i < bounds.length; i++) {
                if (counts[i] > 0 && below + counts[i] >= rank) {
                    long lower = i == 0 ? 0 : bounds[i - 1];
                    return lower + (bounds[i] - lower) * (rank - below) / counts[i];
                }
                below += counts[i];
            }
            return count == 0 ? Double.NaN : max;
        }

        /** These values and those of {@code other}, which has the same bounds. */
        public Distribution plus(Distribution other) {
            return combined(other, 1, Math.max(max, other.max));
        }

        /** The values that are not in {@code earlier}, which has the same bounds. */
        public Distribution minus(Distribution earlier) {
            return combined(earlier, -1, max);
        }

        private Distribution combined(Distribution other, int sign, long greatest) {
            long[] all = counts.clone();
            Arrays.setAll(all, i -> all[i] + sign * other.counts[i]);
            return new Distribution(bounds, all, sum + sign * other.sum, greatest);
        }
    }

    /** Counts values in buckets, for a {@link Distribution} to be read from now and then. Thread-safe. */
    public static final class Recorder {

        private final long[] bounds;

        /** The number of values in each bucket, and at the end the sum of all. */
        private final AtomicLongArray counts;

        private final Peak peak;

        /**
         * Counts nothing yet.
         *
         * @param bounds the greatest value of each bucket, ascending; there is one more for what is above
         */
        public Recorder(Time time, long... bounds) {
            this.bounds = bounds;
            this.counts = new AtomicLongArray(bounds.length + 2);
            this.peak = new Peak(time);
        }

        /** Counts {@code value}. */
        public void record(long value) {
            int found = Arrays.binarySearch(bounds, value);
            counts.getAndIncrement(found < 0 ? -found - 1 : found);
            counts.getAndAdd(counts.length() - 1, value);
            peak.offer(value);
        }

        /** Returns all that was counted. */
        public Distribution read() {
            long[] read = new long[bounds.length + 1];
            Arrays.setAll(read, counts::get);
            return new Distribution(bounds, read, counts.get(counts.length() - 1), peak.get());
        }
    }

    /**
     * Collects the metrics of one kind of owner. Not thread-safe.
     *
     * @param <S> the snapshot
     */
    public static final class Catalogue<S> {
        private final List<Metric<S>> metrics = new ArrayList<>();
        private List<String> ownerLabels = List.of();

        /** Sets the labels that hold the owner's name in the metrics that follow. */
        public Catalogue<S> ownedBy(String... labels) {
            ownerLabels = List.of(labels);
            return this;
        }

        /** Adds a gauge. */
        public Catalogue<S> gauge(String id, String description, ToDoubleFunction<S> value) {
            return read(id, Kind.GAUGE, description, List.of(), List.of(new Series<>("", value)));
        }

        /** Adds a gauge for each value of {@code label}. */
        public Catalogue<S> gauge(String id, String description, String label, List<Series<S>> series) {
            return read(id, Kind.GAUGE, description, List.of(label), series);
        }

        /** Adds a counter. */
        public Catalogue<S> counter(String id, String description, ToDoubleFunction<S> value) {
            return read(id, Kind.COUNTER, description, List.of(), List.of(new Series<>("", value)));
        }

        /** Adds a counter for each value of {@code label}. */
        public Catalogue<S> counter(String id, String description, String label, List<Series<S>> series) {
            return read(id, Kind.COUNTER, description, List.of(label), series);
        }

        /** Adds a timer that is read: a count, and a total duration. */
        public Catalogue<S> timer(String id, String description, ToDoubleFunction<S> count, ToDoubleFunction<S> nanos) {
            return read(
                    id, Kind.TIMER, description, List.of(), List.of(new Series<>("", count), new Series<>("", nanos)));
        }

        /** Adds a timer that is read: a count, a total duration, and the longest of late. */
        public Catalogue<S> timer(
                String id,
                String description,
                ToDoubleFunction<S> count,
                ToDoubleFunction<S> nanos,
                ToDoubleFunction<S> longestNanos) {
            return read(
                    id,
                    Kind.TIMER,
                    description,
                    List.of(),
                    List.of(new Series<>("", count), new Series<>("", nanos), new Series<>("", longestNanos)));
        }

        /** Adds a metric that is told of each {@code event}, and of the values of {@code labels} with it. */
        public Catalogue<S> told(Enum<?> event, String id, Kind kind, String description, String... labels) {
            metrics.add(new Metric<>(
                    id, kind, description, ownerLabels, List.of(labels), List.of(), event, List.of(), null));
            return this;
        }

        /** Adds a histogram, or a summary if it has no bounds. */
        public Catalogue<S> distribution(
                String id, Kind kind, String description, Function<S, Distribution> values, Double... bounds) {
            metrics.add(new Metric<>(
                    id, kind, description, ownerLabels, List.of(), List.of(), null, List.of(bounds), values));
            return this;
        }

        private Catalogue<S> read(
                String id, Kind kind, String description, List<String> labels, List<Series<S>> series) {
            metrics.add(new Metric<>(id, kind, description, ownerLabels, labels, series, null, List.of(), null));
            return this;
        }

        /** The metrics, in the order in which they were added. */
        public List<Metric<S>> list() {
            return List.copyOf(metrics);
        }
    }
}
