// SPDX-License-Identifier: Apache-2.0
package dev.forebay.tx;

import dev.forebay.time.Actions;
import java.util.List;

/** Several listeners as one; an exception of one reaches neither the others nor the transaction. */
final class TxListeners implements TxListener {

    /** An array, because every transaction walks it and an iterator is an object. */
    private final TxListener[] listeners;

    TxListeners(List<? extends TxListener> listeners) {
        this.listeners = listeners.toArray(TxListener[]::new);
    }

    @Override
    public void began(String operation) {
        for (TxListener listener : listeners) {
            try {
                listener.began(operation);
            } catch (Throwable e) {
                Actions.threw(e);
            }
        }
    }

    @Override
    public void ended(String operation, Outcome outcome, int attempts, long nanos) {
        for (TxListener listener : listeners) {
            try {
                listener.ended(operation, outcome, attempts, nanos);
            } catch (Throwable e) {
                Actions.threw(e);
            }
        }
    }

    @Override
    public void attemptFailed(String operation, ErrorMeaning meaning, String sqlState, Throwable error) {
        Actions.tellEach(listeners, listener -> listener.attemptFailed(operation, meaning, sqlState, error));
    }

    @Override
    public void retrying(String operation, String sqlState, int attempt, long delayNanos) {
        Actions.tellEach(listeners, listener -> listener.retrying(operation, sqlState, attempt, delayNanos));
    }
}
