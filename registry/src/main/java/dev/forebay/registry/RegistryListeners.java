// SPDX-License-Identifier: Apache-2.0
package dev.forebay.registry;

import dev.forebay.engine.DiscardReason;
import dev.forebay.time.Actions;

/** A listener whose mistakes are logged and go no further. */
final class RegistryListeners implements RegistryListener {

    private final RegistryListener listener;

    private RegistryListeners(RegistryListener listener) {
        this.listener = listener;
    }

    static RegistryListener guarded(RegistryListener listener) {
        return listener == RegistryListener.NONE ? listener : new RegistryListeners(listener);
    }

    private static void guard(Runnable call) {
        Actions.run(call);
    }

    @Override
    public void acquired(String server, String localUser, long waitedNanos) {
        guard(() -> listener.acquired(server, localUser, waitedNanos));
    }

    @Override
    public void released(String server, String localUser, long heldNanos) {
        guard(() -> listener.released(server, localUser, heldNanos));
    }

    @Override
    public void refused(String server, String localUser, RegistryError error) {
        guard(() -> listener.refused(server, localUser, error));
    }

    @Override
    public void opened(String server, String localUser, long connectNanos) {
        guard(() -> listener.opened(server, localUser, connectNanos));
    }

    @Override
    public void openFailed(String server, String localUser, RegistryError error, String reason) {
        guard(() -> listener.openFailed(server, localUser, error, reason));
    }

    @Override
    public void discarded(String server, String localUser, DiscardReason reason) {
        guard(() -> listener.discarded(server, localUser, reason));
    }

    @Override
    public void queried(String server, String localUser, long nanos) {
        guard(() -> listener.queried(server, localUser, nanos));
    }

    @Override
    public void probed(String server, boolean alive, long nanos) {
        guard(() -> listener.probed(server, alive, nanos));
    }

    @Override
    public void healthChanged(String server, boolean healthy, String reason) {
        guard(() -> listener.healthChanged(server, healthy, reason));
    }
}
