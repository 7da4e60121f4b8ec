// SPDX-License-Identifier: Apache-2.0
package dev.forebay.tx;

import dev.forebay.time.Actions;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Stops the transactions it was {@linkplain Transactions#cancelledBy given to}: ends their waits, cancels the statement they
 * are at, and lets none of them reach COMMIT. One that is at COMMIT already is left to it. Thread-safe.
 */
public final class Cancellation {

    /** Never cancelled. */
    static final Cancellation NEVER = new Cancellation();

    private final Set<Runnable> listeners = ConcurrentHashMap.newKeySet();
    private volatile boolean cancelled;

    /** A cancellation that has not happened yet. */
    public Cancellation() {}

    /** Cancels; a statement in progress is cancelled from this thread. A second call does nothing. */
    public void cancel() {
        if (this == NEVER) {
            throw new IllegalStateException("bug: this one is never cancelled");
        }
        cancelled = true;
        Actions.runAll(listeners);
    }

    /** Returns whether it was cancelled. */
    public boolean isCancelled() {
        return cancelled;
    }

    /** Runs {@code action} on cancellation, at once if that has come; it must not throw. */
    void add(Runnable action) {
        if (this == NEVER) {
            return;
        }
        listeners.add(action);
        if (cancelled) {
            action.run();
        }
    }

    void remove(Runnable action) {
        listeners.remove(action);
    }
}
