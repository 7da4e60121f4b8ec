// SPDX-License-Identifier: Apache-2.0
package dev.forebay.registry;

import dev.forebay.engine.DiscardReason;
import dev.forebay.time.Actions;
import java.util.List;

/** Several listeners as one; an exception of one is logged and reaches neither the others nor the registry. */
final class RegistryListeners implements RegistryListener {

    private final RegistryListener[] listeners;

    private RegistryListeners(RegistryListener[] listeners) {
        this.listeners = listeners;
    }

    static RegistryListener all(List<RegistryListener> listeners) {
        RegistryListener[] some = listeners.stream()
                .filter(listener -> listener != RegistryListener.NONE)
                .toArray(RegistryListener[]::new);
        return some.length == 0 ? RegistryListener.NONE : new RegistryListeners(some);
    }

    @Override
    public void acquired(String server, String localUser, long waitedNanos) {
        Actions.tellEach(listeners, listener -> listener.acquired(server, localUser, waitedNanos));
    }

    @Override
    public void released(String server, String localUser, long heldNanos) {
        Actions.tellEach(listeners, listener -> listener.released(server, localUser, heldNanos));
    }

    @Override
    public void refused(String server, String localUser, RegistryError error) {
        Actions.tellEach(listeners, listener -> listener.refused(server, localUser, error));
    }

    @Override
    public void opened(String server, String localUser, long connectNanos) {
        Actions.tellEach(listeners, listener -> listener.opened(server, localUser, connectNanos));
    }

    @Override
    public void openFailed(String server, String localUser, RegistryError error, String reason) {
        Actions.tellEach(listeners, listener -> listener.openFailed(server, localUser, error, reason));
    }

    @Override
    public void discarded(String server, String localUser, DiscardReason reason) {
        Actions.tellEach(listeners, listener -> listener.discarded(server, localUser, reason));
    }

    @Override
    public void queried(String server, String localUser, long nanos) {
        Actions.tellEach(listeners, listener -> listener.queried(server, localUser, nanos));
    }

    @Override
    public void probed(String server, boolean alive, long nanos) {
        Actions.tellEach(listeners, listener -> listener.probed(server, alive, nanos));
    }

    @Override
    public void healthChanged(String server, boolean healthy, String reason) {
        Actions.tellEach(listeners, listener -> listener.healthChanged(server, healthy, reason));
    }
}
