// SPDX-License-Identifier: Apache-2.0
package dev.forebay.engine;

import dev.forebay.time.Actions;
import java.util.List;
import java.util.stream.Stream;

/** Several listeners as one; an exception of one of them reaches neither the others nor the pool. */
final class Listeners implements PoolListener {

    /** Arrays, because every checkout may walk them and an iterator is an object. */
    private final PoolListener[] listeners;

    private final PoolListener[] hearingCheckouts;

    Listeners(List<? extends PoolListener> listeners) {
        this.listeners = listeners.toArray(PoolListener[]::new);
        this.hearingCheckouts =
                listeners.stream().filter(PoolListener::hearsCheckouts).toArray(PoolListener[]::new);
    }

    @Override
    public boolean hearsCheckouts() {
        return hearingCheckouts.length > 0;
    }

    @Override
    public boolean wantsTimes() {
        return Stream.of(listeners).anyMatch(PoolListener::wantsTimes);
    }

    @Override
    public void checkedOut(long waitedNanos) {
        for (PoolListener listener : waitedNanos > 0 ? listeners : hearingCheckouts) {
            try {
                listener.checkedOut(waitedNanos);
            } catch (Throwable e) {
                Actions.threw(e);
            }
        }
    }

    @Override
    public void returned(long heldNanos) {
        for (PoolListener listener : hearingCheckouts) {
            try {
                listener.returned(heldNanos);
            } catch (Throwable e) {
                Actions.threw(e);
            }
        }
    }

    @Override
    public void foundEmpty() {
        Actions.tellEach(listeners, PoolListener::foundEmpty);
    }

    @Override
    public void refused(Refusal refusal, long waitedNanos) {
        Actions.tellEach(listeners, listener -> listener.refused(refusal, waitedNanos));
    }

    @Override
    public void opened(int open, long connectNanos) {
        Actions.tellEach(listeners, listener -> listener.opened(open, connectNanos));
    }

    @Override
    public void openFailed(OpenFailure failure, int attempt, long delayNanos) {
        Actions.tellEach(listeners, listener -> listener.openFailed(failure, attempt, delayNanos));
    }

    @Override
    public void openForgotten(long hungNanos) {
        Actions.tellEach(listeners, listener -> listener.openForgotten(hungNanos));
    }

    @Override
    public void discarded(DiscardReason reason, long remainingNanos) {
        Actions.tellEach(listeners, listener -> listener.discarded(reason, remainingNanos));
    }

    @Override
    public void heldTooLong(Object value, long heldNanos) {
        Actions.tellEach(listeners, listener -> listener.heldTooLong(value, heldNanos));
    }

    @Override
    public void sweeping(int connections) {
        Actions.tellEach(listeners, listener -> listener.sweeping(connections));
    }
}
