// SPDX-License-Identifier: Apache-2.0
package dev.forebay.testkit;

import dev.forebay.engine.Admission;
import dev.forebay.engine.Checkout;
import dev.forebay.engine.Pool;
import dev.forebay.engine.PoolConfig;
import dev.forebay.engine.PoolListener;
import dev.forebay.engine.PoolStats;
import dev.forebay.engine.Refusal;
import dev.forebay.engine.Waiter;
import dev.forebay.testkit.SimServer.Session;
import dev.forebay.time.VirtualTime;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.function.Function;

/** A pool before a {@link SimServer}, in virtual time. */
public final class Rig {

    public final VirtualTime time;
    public final SimServer server;
    public final Pool<Session> pool;
    private final List<Checkout<Session>> handedOut = new ArrayList<>();

    private Rig(
            PoolConfig config,
            Function<VirtualTime, List<? extends Admission>> admissions,
            PoolListener listener,
            long seed) {
        time = new VirtualTime();
        server = new SimServer(time);
        pool = new Pool<>(config, server, admissions.apply(time), time, new Random(seed), listener);
    }

    /** A pool that has not been started. */
    public static Rig of(PoolConfig config) {
        return of(config, PoolListener.NONE);
    }

    public static Rig of(PoolConfig config, PoolListener listener) {
        return new Rig(config, time -> List.of(), listener, 42);
    }

    /** A pool that has not been started, behind admissions that may need its time. */
    public static Rig of(PoolConfig config, Function<VirtualTime, List<? extends Admission>> admissions) {
        return new Rig(config, admissions, PoolListener.NONE, 42);
    }

    public static Rig of(
            PoolConfig config,
            Function<VirtualTime, List<? extends Admission>> admissions,
            PoolListener listener,
            long seed) {
        return new Rig(config, admissions, listener, seed);
    }

    public Rig start() {
        pool.start();
        time.runDue();
        return this;
    }

    /** Starts and lets the pool fill for ten seconds. */
    public Rig filled() {
        start();
        return advance(Duration.ofSeconds(10));
    }

    public Rig advance(Duration duration) {
        time.advance(duration);
        return this;
    }

    public PoolStats stats() {
        return pool.stats();
    }

    /** A checkout that must succeed at once. */
    public Checkout<Session> take() {
        Checkout<Session> checkout = new Checkout<>();
        if (!pool.tryCheckout(checkout, 0)) {
            throw new AssertionError("nothing ready: " + stats());
        }
        handedOut.add(checkout);
        return checkout;
    }

    /** Whether anything could be checked out now; leaves the pool as it was. */
    public boolean isEmpty() {
        Checkout<Session> checkout = new Checkout<>();
        if (!pool.tryCheckout(checkout, 0)) {
            return true;
        }
        checkout.returnToPool();
        return false;
    }

    /** Queues for a connection. */
    public Queued queue(Duration timeout) {
        Queued queued = new Queued();
        handedOut.add(queued.checkout);
        queued.waiter = pool.checkout(queued.checkout, 0, time.nanos() + timeout.toNanos(), queued);
        return queued;
    }

    /** Returns whatever {@link #take} and {@link #queue} got and what is still out. */
    public void returnAll() {
        handedOut.forEach(Checkout::returnToPool);
        handedOut.clear();
    }

    /** One that waits, and how it ended. */
    public static final class Queued implements Waiter.Turn {
        public final Checkout<Session> checkout = new Checkout<>();
        public Waiter<Session> waiter;
        public boolean served;
        public Refusal refusal;

        @Override
        public void served() {
            if (served || refusal != null) {
                throw new AssertionError("a turn came twice");
            }
            served = true;
        }

        @Override
        public void refused(Refusal why) {
            if (served || refusal != null) {
                throw new AssertionError("a turn came twice");
            }
            refusal = why;
        }
    }
}
