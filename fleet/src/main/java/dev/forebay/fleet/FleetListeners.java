// SPDX-License-Identifier: Apache-2.0
package dev.forebay.fleet;

import dev.forebay.time.Actions;
import java.util.List;

/** Several listeners as one; an exception of one of them reaches neither the others nor the fleet. */
final class FleetListeners implements FleetListener {

    private final FleetListener[] listeners;

    FleetListeners(List<? extends FleetListener> listeners) {
        this.listeners = listeners.toArray(FleetListener[]::new);
    }

    @Override
    public void storeLost(String trouble, String message) {
        Actions.tellEach(listeners, listener -> listener.storeLost(trouble, message));
    }

    @Override
    public void storeFound(long outageNanos) {
        Actions.tellEach(listeners, listener -> listener.storeFound(outageNanos));
    }

    @Override
    public void fallingBack(double perSecond, double limit, int instances) {
        Actions.tellEach(listeners, listener -> listener.fallingBack(perSecond, limit, instances));
    }

    @Override
    public void limitReached(long active, long limit, int missing) {
        Actions.tellEach(listeners, listener -> listener.limitReached(active, limit, missing));
    }

    @Override
    public void leaseLost(int held) {
        Actions.tellEach(listeners, listener -> listener.leaseLost(held));
    }

    @Override
    public void reaped(String lease, long slots) {
        Actions.tellEach(listeners, listener -> listener.reaped(lease, slots));
    }

    @Override
    public void draining(int held, long leftNanos) {
        Actions.tellEach(listeners, listener -> listener.draining(held, leftNanos));
    }
}
