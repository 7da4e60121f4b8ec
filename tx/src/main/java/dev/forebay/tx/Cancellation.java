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

    /** One that is not cancelled yet. */
    public Cancellation() {}

    /** Cancels; a statement under way is cancelled from this thread. Once is enough. */
    public void cancel() {
        if (this == NEVER) {
            throw new IllegalStateException("bug: this one is never cancelled");
        }
        cancelled = true;
        Actions.runAll(listeners);
    }

    /** Whether it was cancelled. */
    public boolean isCancelled() {
        return cancelled;
    }

    /** Has {@code action} run on cancellation, at once if that has come; it must not throw. */
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
