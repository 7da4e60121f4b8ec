// SPDX-License-Identifier: Apache-2.0
package dev.forebay.console.web;

import dev.forebay.engine.DiscardReason;
import dev.forebay.engine.OpenFailure;
import dev.forebay.engine.PoolListener;
import dev.forebay.engine.Refusal;
import dev.forebay.fleet.FleetListener;
import java.time.Duration;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** Reports the events of a pool, and of the limits it shares, as {@link Happenings}; the expected ones are left out. Thread-safe. */
public final class PoolEvents implements PoolListener, FleetListener {

    private final String pool;
    private final Happenings happenings;

    public PoolEvents(String pool, Happenings happenings) {
        this.pool = pool;
        this.happenings = happenings;
    }

    private void tell(Event event, String detail) {
        happenings.add(pool, event, detail);
    }

    @Override
    public void foundEmpty() {
        tell(Event.FOUND_EMPTY, "");
    }

    @Override
    public void refused(Refusal refusal, long waitedNanos) {
        switch (refusal) {
            case TIMED_OUT -> tell(Event.TIMED_OUT, "");
            case CLOSED, CANCELLED -> {} // no surprise
            case EXHAUSTED, TOO_MANY_WAITING, HOPELESS -> tell(Event.REFUSED, words(refusal.name()));
        }
    }

    @Override
    public void openFailed(OpenFailure failure, int attempt, long delayNanos) {
        tell(
                Event.OPEN_FAILED,
                words(failure.cause().label()) + ": " + failure.error().getMessage());
    }

    @Override
    public void discarded(DiscardReason reason, long remainingNanos) {
        Event event = eventOf(reason);
        if (event != null) {
            tell(event, "");
        }
    }

    /** The event that reports a discard; null if it was expected. */
    static @Nullable Event eventOf(DiscardReason reason) {
        return switch (reason) {
            case BAD_CONNECTION, FAILED_VALIDATION -> Event.BROKEN;
            case EXPIRED_ON_CHECKOUT, EXPIRED_ON_RETURN, EXPIRED_ON_SCAN, EXPIRING_SOON_ON_SCAN -> Event.ENDED_LATE;
            case EVICTED -> Event.EVICTED;
            case INSUFFICIENT_REMAINING_LIFETIME, RESERVOIR_FULL, REPLACED, IDLE_TIMEOUT, OVERFLOW, POOL_CLOSED -> null;
        };
    }

    @Override
    public void heldTooLong(Object value, long heldNanos) {
        tell(Event.HELD_TOO_LONG, value.toString());
    }

    @Override
    public void sweeping(int connections) {
        tell(Event.SWEEP, "");
    }

    @Override
    public void storeLost(String trouble, String message) {
        tell(Event.STORE_LOST, trouble + ": " + message);
    }

    @Override
    public void storeFound(long outageNanos) {
        tell(Event.STORE_FOUND, "after " + Duration.ofNanos(outageNanos).toSeconds() + " s");
    }

    @Override
    public void limitReached(long active, long limit, int missing) {
        tell(Event.LIMIT_REACHED, active + " of " + limit);
    }

    @Override
    public void leaseLost(int held) {
        tell(Event.LEASE_LOST, held + " connections");
    }

    @Override
    public void reaped(String lease, long slots) {
        tell(Event.REAPED, slots + " slots");
    }

    @Override
    public void draining(int held, long leftNanos) {
        tell(Event.DRAINING, held + " connections");
    }

    private static String words(String name) {
        return name.toLowerCase(Locale.ROOT).replace('_', ' ');
    }
}
