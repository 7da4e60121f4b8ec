// SPDX-License-Identifier: Apache-2.0
package dev.forebay.registry;

import dev.forebay.engine.DiscardReason;

/**
 * Receives the events of a registry, from which metrics and an audit are made. Every method does nothing unless
 * overridden.
 *
 * <p>Methods are called on the thread that caused the event, outside the locks of the pools, so they must be quick,
 * thread-safe and must not throw; what they throw is logged. No argument holds a secret.
 */
public interface RegistryListener {

    /** A listener that does nothing. */
    RegistryListener NONE = new RegistryListener() {};

    /** A connection was acquired after {@code waitedNanos}; unless it had to queue, read off a coarse clock. */
    default void acquired(String server, String localUser, long waitedNanos) {}

    /** A connection came back after {@code heldNanos}. */
    default void released(String server, String localUser, long heldNanos) {}

    /** An acquire failed. */
    default void refused(String server, String localUser, RegistryError error) {}

    /** A connection was opened in {@code connectNanos}. */
    default void opened(String server, String localUser, long connectNanos) {}

    /** A connection could not be opened. */
    default void openFailed(String server, String localUser, RegistryError error) {}

    /** A connection could not be opened, with the reason in the words of the driver and without secrets. */
    default void openFailed(String server, String localUser, RegistryError error, String reason) {
        openFailed(server, localUser, error);
    }

    /** A connection has left its pool. */
    default void discarded(String server, String localUser, DiscardReason reason) {}

    /** A statement was run, successfully or not, if the server's {@code collect_query_stats} is on. */
    default void queried(String server, String localUser, long nanos) {}

    /** A probe has ended. */
    default void probed(String server, boolean alive, long nanos) {}

    /** A server was found, or declared, healthy or unhealthy. */
    default void healthChanged(String server, boolean healthy, String reason) {}
}
