// SPDX-License-Identifier: Apache-2.0
package dev.forebay.engine.internal;

import java.util.concurrent.atomic.AtomicLong;

/** The time since the last message. Thread-safe. */
public final class Quiet {

    private static final long NEVER = Long.MIN_VALUE / 2;

    private final AtomicLong since = new AtomicLong(NEVER);

    /** Breaks the silence if it has lasted for {@code nanos}; returns whether it did. */
    public boolean breakAfter(long nanos, long now) {
        long last = since.get();
        return now - last >= nanos && since.compareAndSet(last, now);
    }
}
