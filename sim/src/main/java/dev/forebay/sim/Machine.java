// SPDX-License-Identifier: Apache-2.0
package dev.forebay.sim;

import dev.forebay.time.Time;
import dev.forebay.time.VirtualTime;
import java.time.Instant;
import java.time.InstantSource;

/** The machine of one process: its clocks, and an end after which nothing of it happens. Not thread-safe. */
final class Machine implements Time, InstantSource {

    /** The wall-clock time at the start, on a machine whose clock is right. */
    static final Instant START = Instant.parse("2026-01-01T00:00:00Z");

    private final VirtualTime time;
    private final long skewNanos;
    private boolean dead;

    Machine(VirtualTime time, long skewNanos) {
        this.time = time;
        this.skewNanos = skewNanos;
    }

    void die() {
        dead = true;
    }

    boolean isDead() {
        return dead;
    }

    @Override
    public long nanos() {
        return time.nanos();
    }

    @Override
    public long coarseNanos() {
        return time.nanos();
    }

    @Override
    public Scheduled schedule(long atNanos, Runnable task) {
        return time.schedule(atNanos, () -> {
            if (!dead) {
                task.run();
            }
        });
    }

    @Override
    public Instant instant() {
        return START.plusNanos(time.nanos() + skewNanos);
    }
}
