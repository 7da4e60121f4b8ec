// SPDX-License-Identifier: Apache-2.0
package dev.forebay.engine;

import java.util.ArrayList;
import java.util.List;
import java.util.function.ToDoubleFunction;
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
        List<Double> bounds) {

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
        /** A count and a total duration; if it is read, these are its two series, the second in nanoseconds. */
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

        /** Adds a metric that is told of each {@code event}, and of the values of {@code labels} with it. */
        public Catalogue<S> told(Enum<?> event, String id, Kind kind, String description, String... labels) {
            metrics.add(new Metric<>(id, kind, description, ownerLabels, List.of(labels), List.of(), event, List.of()));
            return this;
        }

        /** Adds a histogram that is told of each {@code event}. */
        public Catalogue<S> histogram(Enum<?> event, String id, Kind kind, String description, Double... bounds) {
            metrics.add(new Metric<>(id, kind, description, ownerLabels, List.of(), List.of(), event, List.of(bounds)));
            return this;
        }

        private Catalogue<S> read(
                String id, Kind kind, String description, List<String> labels, List<Series<S>> series) {
            metrics.add(new Metric<>(id, kind, description, ownerLabels, labels, series, null, List.of()));
            return this;
        }

        /** The metrics, in the order in which they were added. */
        public List<Metric<S>> list() {
            return List.copyOf(metrics);
        }
    }
}
