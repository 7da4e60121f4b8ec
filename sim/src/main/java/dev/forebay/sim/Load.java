// SPDX-License-Identifier: Apache-2.0
package dev.forebay.sim;

import dev.forebay.engine.Checkout;
import dev.forebay.engine.DiscardReason;
import dev.forebay.engine.Pool;
import dev.forebay.engine.Refusal;
import dev.forebay.engine.Waiter;
import dev.forebay.time.Time;
import java.util.LinkedHashSet;
import java.util.Locale;
import java.util.Set;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/** The work of one process: it arrives, waits for a connection, holds it, gives it back. Not thread-safe. */
final class Load {

    /** The fate of the work of an instance. */
    static final class Counts {
        long started;
        long completed;
        long failed;
        long refused;
        long checkouts;
        final Histogram waits = new Histogram();
    }

    private final World world;
    private final Instance instance;
    private final Counts counts;
    private final Scenario.@Nullable Workload spec;
    private final Pool<Link> pool;
    private final Time time;
    private final RandomGenerator random;
    private final Set<Piece> waiting = new LinkedHashSet<>();
    private boolean stopped;
    private double carry;
    private int underWay;
    private int inUse;

    Load(World world, Instance instance, Pool<Link> pool, Time time, RandomGenerator random) {
        this.world = world;
        this.instance = instance;
        this.counts = instance.work;
        this.spec = instance.service().workload();
        this.pool = pool;
        this.time = time;
        this.random = random;
    }

    int inUse() {
        return inUse;
    }

    /** Work begins to arrive, at some moment of its rhythm. */
    void start() {
        if (spec != null) {
            time.schedule(time.nanos() + random.nextLong(spec.spawnEvery().toNanos()), () -> arrive(spec));
        }
    }

    void stop() {
        stopped = true;
    }

    private void arrive(Scenario.Workload work) {
        if (stopped) {
            return;
        }
        carry += work.arrivalBurst() * work.traffic().at(time.nanos());
        for (; carry >= 1; carry--) {
            if (underWay < work.maxInUse()) {
                begin(work);
            }
        }
        time.schedule(time.nanos() + work.spawnEvery().toNanos(), () -> arrive(work));
    }

    private void begin(Scenario.Workload work) {
        long began = time.nanos();
        counts.started++;
        underWay++;
        Piece piece = new Piece(work, began);
        pool.checkout(piece.checkout, counts.started, began + work.maxWait().toNanos(), piece);
        if (!piece.answered) {
            waiting.add(piece);
        }
    }

    /** One piece of work that asks for a connection. */
    private final class Piece implements Waiter.Turn {
        private final Scenario.Workload work;
        private final long began;
        private final Checkout<Link> checkout = new Checkout<>();
        private boolean answered;

        Piece(Scenario.Workload work, long began) {
            this.work = work;
            this.began = began;
        }

        @Override
        public void served() {
            answer();
            inUse++;
            counts.checkouts++;
            use(work, checkout);
        }

        @Override
        public void refused(Refusal refusal) {
            answer();
            underWay--;
            counts.refused++;
            world.journal()
                    .note(
                            instance.name(),
                            refusal.name(),
                            "work got no connection: " + refusal.name().toLowerCase(Locale.ROOT));
        }

        private void answer() {
            answered = true;
            waiting.remove(this);
            waited(began);
        }
    }

    /** The run is over: who waits still has waited at least until now. */
    void over() {
        waiting.forEach(piece -> waited(piece.began));
    }

    private void waited(long began) {
        long nanos = time.nanos() - began;
        counts.waits.add(nanos);
        world.judge().waited(instance, nanos);
    }

    private void use(Scenario.Workload work, Checkout<Link> checkout) {
        Link link = checkout.value();
        if (link == null) {
            throw new IllegalStateException("bug: served without a connection");
        }
        if (work.leakEvery() > 0 && counts.checkouts % work.leakEvery() == 0) {
            underWay--;
            counts.completed++;
            return;
        }
        long now = time.nanos();
        long jitter = (long) (work.holdJitter().toNanos() * (random.nextDouble() - 0.5));
        long hold = link.dead
                ? world.cluster().statementNanos()
                : Math.max(0, work.holdTime().toNanos() + jitter);
        link.session.inTransaction(true, now);
        time.schedule(now + hold, () -> end(checkout, link));
    }

    private void end(Checkout<Link> checkout, Link link) {
        underWay--;
        inUse--;
        link.session.inTransaction(false, time.nanos());
        if (link.dead) {
            counts.failed++;
            checkout.discard(DiscardReason.BAD_CONNECTION);
        } else {
            counts.completed++;
            checkout.returnToPool();
        }
    }
}
