// SPDX-License-Identifier: Apache-2.0
package dev.forebay.engine;

import dev.forebay.time.Time;
import java.util.function.Supplier;

/**
 * A listener that also reads a pool's numbers, such as a binder to a metrics library.
 *
 * <p>It is made before the pool and shown the pool afterwards: whoever builds the pool calls {@link #observe} once,
 * before the pool starts, and {@link #close} when it is closed. Implementations are thread-safe.
 */
public interface PoolObserver extends PoolListener, AutoCloseable {

    /**
     * Begins to read the numbers of a pool.
     *
     * @param service the name of the pool's service, for labels
     * @param stats takes the numbers, at some cost
     * @param time the clock of the pool
     */
    void observe(String service, Supplier<PoolStats> stats, Time time);

    /** Stops reading. */
    @Override
    void close();
}
