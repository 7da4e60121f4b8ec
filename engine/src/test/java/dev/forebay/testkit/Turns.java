// SPDX-License-Identifier: Apache-2.0
package dev.forebay.testkit;

import dev.forebay.time.VirtualTime;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;

/**
 * Actors that take turns: each is a thread, but only one runs at a time, and whose turn is next is drawn from a seed. So
 * code that blocks its thread can be run in virtual time, in every order, and again in the very same order.
 *
 * <p>A turn ends where the actor says so: {@link #yield}, {@link #pauseUntil} and {@link #await}. Time moves only when no
 * actor can go on. Outside an actor, {@code yield} does nothing and waiting moves the time, so that what uses turns works
 * in a test of one thread too.
 */
public final class Turns {

    private static final long PATIENCE_SECONDS = 60;

    private final long seed;
    private final Random random;
    private final VirtualTime time = new VirtualTime();
    private final List<Actor> actors = new ArrayList<>();
    private final CountDownLatch over = new CountDownLatch(1);

    /** Whose turn it is. Everything below is touched by that actor only. */
    private volatile Actor running;

    private Throwable failure;
    private Actor failed;
    private boolean timeIsMoving;
    private long fingerprint;

    /** What an actor does. */
    public interface Body {
        void run() throws Exception;
    }

    /** Ends an actor's thread because another actor failed. */
    @SuppressWarnings("serial")
    private static final class Ended extends Error {
        Ended() {
            super("another actor failed", null, false, false);
        }
    }

    /** One who takes turns. */
    public static final class Actor {
        private final String name;
        private final Thread thread;
        private BooleanSupplier canGoOn = () -> true;
        private boolean interruptible;
        private boolean awoken;
        private boolean done;
        private String position = "not begun";

        private Actor(Turns turns, String name, Body body) {
            this.name = name;
            this.thread = new Thread(() -> turns.play(this, body), name);
            this.thread.setDaemon(true);
        }

        private boolean isAble() {
            return !done && (awoken || canGoOn.getAsBoolean());
        }

        @Override
        public String toString() {
            return name;
        }
    }

    public Turns(long seed) {
        this.seed = seed;
        this.random = new Random(seed);
    }

    public long seed() {
        return seed;
    }

    public VirtualTime time() {
        return time;
    }

    /** A number that differs between runs that took their turns differently. */
    public long fingerprint() {
        return fingerprint;
    }

    /** Adds an actor; it begins with {@link #run}. */
    public Actor actor(String name, Body body) {
        Actor actor = new Actor(this, name, body);
        actors.add(actor);
        return actor;
    }

    /** Has the actors take turns until all are done; fails with the first failure of any of them. */
    public void run() {
        if (actors.isEmpty()) {
            return;
        }
        actors.forEach(actor -> actor.thread.start());
        give(next());
        try {
            if (!over.await(PATIENCE_SECONDS, TimeUnit.SECONDS)) {
                throw new AssertionError("seed " + seed + ": " + running + " keeps its turn for ever" + positions());
            }
            for (Actor actor : actors) {
                actor.thread.join();
            }
        } catch (InterruptedException e) {
            throw new AssertionError("seed " + seed, e);
        }
        if (failure != null) {
            throw new AssertionError("seed " + seed + ": " + (failed == null ? "" : failed + ": ") + failure, failure);
        }
    }

    /** Lets anyone go on. */
    public void yield() {
        if (isOutside()) {
            return;
        }
        Actor me = running;
        endIfOver();
        me.position = "yields";
        takeTurns(me);
    }

    /** Waits until {@code nanos}. */
    public void pauseUntil(long nanos) throws InterruptedException {
        await("pauses until " + nanos + " ns", () -> false, nanos);
    }

    /** Waits until {@code nanos}, whether interrupted or not, as a driver waits for its server. */
    public void delayUntil(long nanos) {
        if (isOutside()) {
            time.advanceTo(Math.max(nanos, time.nanos()));
            return;
        }
        Actor me = running;
        endIfOver();
        me.position = "is delayed until " + nanos + " ns";
        me.canGoOn = () -> time.nanos() >= nanos;
        time.schedule(nanos, () -> {});
        takeTurns(me);
    }

    /** Waits until {@code condition} holds, but not beyond {@code untilNanos}; tells whether it holds. */
    public boolean await(String what, BooleanSupplier condition, long untilNanos) throws InterruptedException {
        if (Thread.interrupted()) {
            throw new InterruptedException();
        }
        if (isOutside()) {
            while (!condition.getAsBoolean() && time.nextNanos() <= untilNanos && time.step()) {}
            if (!condition.getAsBoolean() && untilNanos == Long.MAX_VALUE) {
                throw new AssertionError("nothing will end the wait: " + what);
            }
            if (!condition.getAsBoolean()) {
                time.advanceTo(Math.max(untilNanos, time.nanos()));
            }
            return condition.getAsBoolean();
        }
        Actor me = running;
        endIfOver();
        me.position = what;
        me.canGoOn = () -> time.nanos() >= untilNanos || condition.getAsBoolean();
        me.interruptible = true;
        VirtualTime.Scheduled atTheEnd = untilNanos == Long.MAX_VALUE ? () -> {} : time.schedule(untilNanos, () -> {});
        try {
            takeTurns(me);
        } finally {
            me.interruptible = false;
            atTheEnd.cancel();
        }
        if (Thread.interrupted()) {
            throw new InterruptedException();
        }
        return condition.getAsBoolean();
    }

    /** Interrupts {@code actor}: at once if it waits, else at its next wait. */
    public void interrupt(Actor actor) {
        if (!actor.done) {
            actor.thread.interrupt();
            actor.awoken |= actor.interruptible;
        }
    }

    /** Who takes this turn, null outside of actors. */
    public Actor current() {
        return isOutside() ? null : running;
    }

    private boolean isOutside() {
        Actor actor = running;
        if (actor == null || over.getCount() == 0 || timeIsMoving) {
            return true;
        }
        if (actor.thread != Thread.currentThread()) {
            throw new IllegalStateException("bug: a thread that is no actor takes a turn");
        }
        return false;
    }

    private void endIfOver() {
        if (failure != null) {
            throw new Ended();
        }
    }

    private void play(Actor me, Body body) {
        awaitTurn(me);
        try {
            if (failure == null) {
                me.position = "runs";
                body.run();
            }
        } catch (Ended e) {
            me.position = "ended";
        } catch (Throwable e) {
            fail(me, e);
        }
        me.done = true;
        Actor next = next();
        if (next == null) {
            over.countDown();
        } else {
            give(next);
        }
    }

    private void fail(Actor actor, Throwable e) {
        if (failure == null) {
            failure = e;
            failed = actor;
        }
    }

    private void takeTurns(Actor me) {
        Actor next = next();
        if (next != me) {
            give(next);
            awaitTurn(me);
        }
        me.canGoOn = () -> true;
        me.awoken = false;
        me.position = "runs";
        endIfOver();
    }

    private void give(Actor next) {
        running = next;
        LockSupport.unpark(next.thread);
    }

    /** An interrupt that comes before the turn is kept for the turn; it must not make the thread spin. */
    private void awaitTurn(Actor me) {
        boolean interrupted = false;
        while (running != me) {
            LockSupport.park(this);
            interrupted |= Thread.interrupted();
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    /** Who goes on, null if all are done. After a failure everyone goes on once more, to the end. */
    private Actor next() {
        while (failure == null) {
            List<Actor> able = new ArrayList<>(actors.size());
            boolean allDone = true;
            for (Actor actor : actors) {
                allDone &= actor.done;
                if (actor.isAble()) {
                    able.add(actor);
                }
            }
            if (allDone) {
                return null;
            }
            if (!able.isEmpty()) {
                int drawn = able.size() == 1 ? 0 : random.nextInt(able.size());
                fingerprint = fingerprint * 31 + actors.indexOf(able.get(drawn)) + time.nanos();
                return able.get(drawn);
            }
            moveTime();
        }
        return actors.stream().filter(actor -> !actor.done).findFirst().orElse(null);
    }

    private void moveTime() {
        timeIsMoving = true;
        try {
            if (!time.step()) {
                fail(
                        null,
                        new AssertionError("deadlock: nobody can go on, and no time will change that" + positions()));
            }
        } catch (Throwable e) {
            fail(null, e);
        } finally {
            timeIsMoving = false;
        }
    }

    private String positions() {
        StringBuilder all = new StringBuilder();
        for (Actor actor : actors) {
            all.append("\n  ").append(actor).append(' ').append(actor.done ? "is done" : actor.position);
            if (!actor.done && actor.thread != Thread.currentThread()) {
                for (StackTraceElement frame : actor.thread.getStackTrace()) {
                    all.append("\n      ").append(frame);
                }
            }
        }
        return all.toString();
    }
}
