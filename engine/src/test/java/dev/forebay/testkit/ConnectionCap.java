// SPDX-License-Identifier: Apache-2.0
package dev.forebay.testkit;

import dev.forebay.engine.Admission;
import dev.forebay.time.Actions;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Limits how many connections several pools of this process have between them. Thread-safe.
 *
 * <p>The simplest lease: held from before the connect until the connection is gone, whatever way it went.
 */
public final class ConnectionCap implements Admission {

    private final int limit;
    private final AtomicInteger held = new AtomicInteger();
    private final List<Runnable> wakes = new CopyOnWriteArrayList<>();

    /** A cap of {@code limit} connections. */
    public ConnectionCap(int limit) {
        if (limit < 0) {
            throw new IllegalArgumentException("a cap must not be negative: " + limit);
        }
        this.limit = limit;
    }

    /** How many are held. */
    public int held() {
        return held.get();
    }

    @Override
    public void ask(long nowNanos, Answer answer) {
        int before = held.getAndUpdate(count -> Math.min(limit, count + 1));
        if (before < limit) {
            answer.granted(new Slot());
        } else {
            answer.notBefore(Long.MAX_VALUE);
        }
    }

    @Override
    public Runnable whenFreed(Runnable wake) {
        wakes.add(wake);
        return () -> wakes.remove(wake);
    }

    private final class Slot implements Grant {
        private final AtomicBoolean released = new AtomicBoolean();

        /** A cap that one hung open could break would be none. */
        @Override
        public boolean isShared() {
            return true;
        }

        @Override
        public void release() {
            if (!released.compareAndSet(false, true)) {
                throw new IllegalStateException("bug: a slot was released twice");
            }
            held.decrementAndGet();
            Actions.runAll(wakes);
        }
    }
}
