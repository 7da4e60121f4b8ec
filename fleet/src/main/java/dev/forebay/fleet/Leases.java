// SPDX-License-Identifier: Apache-2.0
package dev.forebay.fleet;

import dev.forebay.engine.Admission;
import dev.forebay.fleet.FleetStats.LeaseStats;

/** Admits a connection when the fleet's count has a slot for it, and gives the slot back with the connection. Thread-safe. */
interface Leases extends Admission, AutoCloseable {

    /** Registers {@code drain} to be called when all connections should be closed, because their lease is ending. */
    void whenDraining(Runnable drain);

    /** The current numbers. */
    LeaseStats stats();

    /** Grants nothing more, and gives the slots back as the connections end. */
    @Override
    void close();

    /** Whether it is closed and has given everything back, or has given up doing so after a minute without the store. */
    boolean isReleased();

    /** Runs {@code action} once {@link #isReleased}, on any thread; it must not block. */
    void whenReleased(Runnable action);
}
