// SPDX-License-Identifier: Apache-2.0
package dev.forebay.registry;

import dev.forebay.engine.DiscardReason;

/** A listener with an observer beside it. */
record ObservedListener(RegistryListener listener, RemoteObserver observer) implements RegistryListener {

    @Override
    public void acquired(String server, String localUser, long waitedNanos) {
        observer.acquired(server, waitedNanos);
        listener.acquired(server, localUser, waitedNanos);
    }

    @Override
    public void released(String server, String localUser, long heldNanos) {
        observer.released(server, heldNanos);
        listener.released(server, localUser, heldNanos);
    }

    @Override
    public void refused(String server, String localUser, RegistryError error) {
        listener.refused(server, localUser, error);
    }

    @Override
    public void opened(String server, String localUser, long connectNanos) {
        observer.opened(server, connectNanos);
        listener.opened(server, localUser, connectNanos);
    }

    @Override
    public void openFailed(String server, String localUser, RegistryError error, String reason) {
        listener.openFailed(server, localUser, error, reason);
    }

    @Override
    public void discarded(String server, String localUser, DiscardReason reason) {
        if (reason == DiscardReason.BAD_CONNECTION || reason == DiscardReason.FAILED_VALIDATION) {
            observer.failed(server);
        }
        listener.discarded(server, localUser, reason);
    }

    @Override
    public void queried(String server, String localUser, long nanos) {
        observer.queried(server, nanos);
        listener.queried(server, localUser, nanos);
    }

    @Override
    public void probed(String server, boolean alive, long nanos) {
        listener.probed(server, alive, nanos);
    }

    @Override
    public void healthChanged(String server, boolean healthy, String reason) {
        listener.healthChanged(server, healthy, reason);
    }
}
