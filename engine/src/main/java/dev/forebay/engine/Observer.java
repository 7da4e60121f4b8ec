// SPDX-License-Identifier: Apache-2.0
package dev.forebay.engine;

import java.util.List;
import java.util.function.Supplier;

/**
 * Shows metrics, such as a binder to a metrics library. Pools, fleets, registries and transactions show themselves to
 * it, each with the catalogue of its module, so that neither side knows the other. Implementations are thread-safe.
 */
public interface Observer {

    /**
     * Shows the metrics of an owner until the observation is closed.
     *
     * <p>The labels {@code pool} and {@code db.client.connection.pool.name} hold a name that no other owner with this
     * catalogue has: that of the owner for the first, {@code <owner>-2} for the second. All other labels of an owner hold
     * its name as it is.
     *
     * @param owner the name of the service, server or operation
     * @param metrics the catalogue
     * @param stats takes the snapshot that they are read from, at some cost
     */
    <S> Observation observe(String owner, List<Metric<S>> metrics, Supplier<S> stats);

    /** The metrics of one owner, while they are shown. Thread-safe. */
    interface Observation extends AutoCloseable {

        /** Shows nothing. */
        Observation NONE = new Observation() {
            @Override
            public void record(Enum<?> event, long value) {}

            @Override
            public void count(Enum<?> event, String... labelValues) {}

            @Override
            public void close() {}
        };

        /** Adds {@code value}, in nanoseconds if it is a duration, to the metrics that are told of {@code event}. */
        void record(Enum<?> event, long value);

        /** Counts one more {@code event}; the label values are in the order of the metric's labels. */
        void count(Enum<?> event, String... labelValues);

        /** Stops showing them. */
        @Override
        void close();
    }
}
