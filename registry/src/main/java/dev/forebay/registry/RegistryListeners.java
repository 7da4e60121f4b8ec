// SPDX-License-Identifier: Apache-2.0
package dev.forebay.registry;

import dev.forebay.engine.DiscardReason;
import dev.forebay.time.Actions;
import java.util.List;
import java.util.function.Consumer;

/** Several listeners as one; what one of them throws is logged and reaches neither the others nor the registry. */
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

    private void each(Consumer<RegistryListener> event) {
        for (RegistryListener listener : listeners) {
            try {
                event.accept(listener);
            } catch (Throwable e) {
                Actions.threw(e);
            }
        }
    }

    @Override
    public void acquired(String server, String localUser, long waitedNanos) {
        each(listener -> listener.acquired(server, localUser, waitedNanos));
    }

    @Override
    public void released(String server, String localUser, long heldNanos) {
        each(listener -> listener.released(server, localUser, heldNanos));
    }

    @Override
    public void refused(String server, String localUser, RegistryError error) {
        each(listener -> listener.refused(server, localUser, error));
    }

    @Override
    public void opened(String server, String localUser, long connectNanos) {
        each(listener -> listener.opened(server, localUser, connectNanos));
    }

    @Override
    public void openFailed(String server, String localUser, RegistryError error, String reason) {
        each(listener -> listener.openFailed(server, localUser, error, reason));
    }

    @Override
    public void discarded(String server, String localUser, DiscardReason reason) {
        each(listener -> listener.discarded(server, localUser, reason));
    }

    @Override
    public void queried(String server, String localUser, long nanos) {
        each(listener -> listener.queried(server, localUser, nanos));
    }

    @Override
    public void probed(String server, boolean alive, long nanos) {
        each(listener -> listener.probed(server, alive, nanos));
    }

    @Override
    public void healthChanged(String server, boolean healthy, String reason) {
        each(listener -> listener.healthChanged(server, healthy, reason));
    }
}
