// SPDX-License-Identifier: Apache-2.0
package dev.forebay.registry;

import dev.forebay.time.Time;
import java.util.function.Supplier;

/**
 * Reads the numbers of many servers and hears how long things took, such as a binder to a metrics library. Thread-safe;
 * what it is told on the way of an acquire must be quick.
 */
public interface RemoteObserver extends AutoCloseable {

    /**
     * Begins to read the numbers of a server.
     *
     * @param stats takes them, at some cost
     * @param time the clock of the registry
     */
    void observe(String server, Supplier<RemoteStats> stats, Time time);

    /** Stops reading those of {@code server}, which has gone. */
    void forget(String server);

    /** A connection was acquired after {@code waitedNanos}. */
    void acquired(String server, long waitedNanos);

    /** It came back after {@code heldNanos}. */
    void released(String server, long heldNanos);

    /** A connection was opened in {@code connectNanos}. */
    void opened(String server, long connectNanos);

    /** A statement was run in {@code nanos}. */
    void queried(String server, long nanos);

    /** A connection was found broken. */
    void failed(String server);

    /** Stops reading. */
    @Override
    void close();
}
