// SPDX-License-Identifier: Apache-2.0
package dev.forebay.fleet;

import dev.forebay.time.Actions;
import java.util.List;
import java.util.function.Consumer;

/** Several listeners as one; what one of them throws reaches neither the others nor the fleet. */
final class FleetListeners implements FleetListener {

    private final List<FleetListener> listeners;

    FleetListeners(List<? extends FleetListener> listeners) {
        this.listeners = List.copyOf(listeners);
    }

    private void each(Consumer<FleetListener> event) {
        for (FleetListener listener : listeners) {
            try {
                event.accept(listener);
            } catch (Throwable e) {
                Actions.threw(e);
            }
        }
    }

    @Override
    public void storeLost(String trouble, String message) {
        each(listener -> listener.storeLost(trouble, message));
    }

    @Override
    public void storeFound(long outageNanos) {
        each(listener -> listener.storeFound(outageNanos));
    }

    @Override
    public void fallingBack(double perSecond, double limit, int instances) {
        each(listener -> listener.fallingBack(perSecond, limit, instances));
    }

    @Override
    public void limitReached(long active, long limit, int missing) {
        each(listener -> listener.limitReached(active, limit, missing));
    }

    @Override
    public void leaseLost(int held) {
        each(listener -> listener.leaseLost(held));
    }

    @Override
    public void reaped(String lease, long slots) {
        each(listener -> listener.reaped(lease, slots));
    }

    @Override
    public void draining(int held, long leftNanos) {
        each(listener -> listener.draining(held, leftNanos));
    }
}
