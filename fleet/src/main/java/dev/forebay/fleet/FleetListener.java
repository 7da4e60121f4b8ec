// SPDX-License-Identifier: Apache-2.0
package dev.forebay.fleet;

import java.util.List;

/**
 * Receives the events of the limits that a fleet shares. Every method does nothing unless overridden.
 *
 * <p>Called outside all locks, on the thread that caused the event; so methods are quick, thread-safe and do not throw.
 */
public interface FleetListener {

    /** A listener that does nothing. */
    FleetListener NONE = new FleetListener() {};

    /** The store no longer answers; reported once until it does again. */
    default void storeLost(String trouble, String message) {}

    /** The store answers again after {@code outageNanos}. */
    default void storeFound(long outageNanos) {}

    /**
     * Connections are opened without the store, at {@code perSecond}: a share of the fleet's {@code limit}, divided by
     * the {@code instances} last seen, or a minimum if none ever was.
     */
    default void fallingBack(double perSecond, double limit, int instances) {}

    /** No slot was available: {@code active} of {@code limit} are leased, {@code missing} more are wanted here. */
    default void limitReached(long active, long limit, int missing) {}

    /** This instance was given up for dead while it had {@code held} connections; it acquires their slots again. */
    default void leaseLost(int held) {}

    /** The lease of an instance that is gone was ended, and its {@code slots} are free again. */
    default void reaped(String lease, long slots) {}

    /** The lease cannot be renewed and ends in {@code leftNanos}: its connections are closed before that. */
    default void draining(int held, long leftNanos) {}

    /** Passes every event to all of {@code listeners}, in their order. */
    static FleetListener all(List<? extends FleetListener> listeners) {
        return listeners.isEmpty() ? NONE : new FleetListeners(listeners);
    }
}
