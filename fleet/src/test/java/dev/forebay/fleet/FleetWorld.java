// SPDX-License-Identifier: Apache-2.0
package dev.forebay.fleet;

import dev.forebay.fleet.FleetStore.Written;
import dev.forebay.fleet.StoreException.Trouble;
import dev.forebay.time.Time;
import dev.forebay.time.VirtualTime;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayDeque;
import java.util.Collection;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.function.Consumer;

/**
 * One store, many machines before it: each with clocks of its own, a way to the store that loses and delays, and an end
 * that may come at any moment. All in one virtual time, from one seed.
 */
public final class FleetWorld {

    public final VirtualTime real = new VirtualTime();
    public final MemoryStore store = new MemoryStore();
    public final Random random;

    /** How likely each trouble is for one request; set to zero to end all trouble. */
    public double trouble;

    public boolean outage;

    /** How many requests reached the store. */
    public long requests;

    private static final Instant START = Instant.parse("2026-09-01T00:00:00Z");

    public FleetWorld(long seed) {
        this.random = new Random(seed);
    }

    public Machine machine() {
        return machine(Duration.ofSeconds(2));
    }

    /** A machine whose wall clock is wrong by up to {@code skew}, and whose other clock by up to a thousandth. */
    public Machine machine(Duration skew) {
        return new Machine(
                1 + (random.nextDouble() - 0.5) / 500,
                skew.isZero() ? 0 : random.nextLong(-skew.toNanos(), skew.toNanos()));
    }

    /** A machine whose wall clock is ahead. */
    public Machine machineAhead(Duration ahead) {
        return new Machine(1, ahead.toNanos());
    }

    /** What runs one instance. */
    public final class Machine implements Time, InstantSource, FleetStore {
        private final double pace;
        private final long skewNanos;
        private final long bornAt = real.nanos();
        private final Deque<Runnable> missed = new ArrayDeque<>();
        private boolean dead;
        private boolean stopped;

        /** Whether its way to the store is cut. */
        public boolean cutOff;

        /** Whether what it writes takes effect and the answer is lost. */
        public boolean loseAnswers;

        /** How many of its next transactions meet another. */
        public int conflicts;

        Machine(double pace, long skewNanos) {
            this.pace = pace;
            this.skewNanos = skewNanos;
        }

        public boolean isDead() {
            return dead;
        }

        /** Ends it without a word. */
        public void crash() {
            dead = true;
            missed.clear();
        }

        /** Stops everything on it, as a long collection of garbage does. */
        public void stop() {
            stopped = true;
        }

        public void goOn() {
            stopped = false;
            while (!missed.isEmpty() && !stopped) {
                missed.remove().run();
            }
        }

        private void run(Runnable task) {
            if (dead) {
                return;
            }
            if (stopped) {
                missed.add(task);
            } else {
                task.run();
            }
        }

        // ---- its clocks

        @Override
        public long nanos() {
            return (long) ((real.nanos() - bornAt) * pace);
        }

        @Override
        public long coarseNanos() {
            return nanos();
        }

        @Override
        public Scheduled schedule(long atNanos, Runnable task) {
            double at = atNanos == Long.MAX_VALUE ? Long.MAX_VALUE / 2.0 : atNanos / pace + 1;
            return real.schedule(bornAt + (long) at, () -> run(task));
        }

        @Override
        public Instant instant() {
            return START.plusNanos(real.nanos() + skewNanos);
        }

        // ---- its way to the store

        @Override
        public void read(Collection<String> keys, Reply<Map<String, Item>> reply) {
            send(reply, then -> store.read(keys, then), false);
        }

        @Override
        public void write(List<Write> writes, Reply<Written> reply) {
            send(reply, then -> store.write(writes, then), writes.size() > 1);
        }

        private <R> void send(Reply<R> reply, Consumer<Reply<R>> call, boolean transaction) {
            if (cutOff || outage) {
                return; // no answer ever: the guard's timeout ends it
            }
            requests++;
            if (loseAnswers) {
                later(latency(), () -> call.accept(new Lost<>()));
                return;
            }
            if (transaction && conflicts > 0) {
                conflicts--;
                conflict(reply);
                return;
            }
            double fate = random.nextDouble();
            if (fate < trouble) {
                return; // the request is lost
            }
            if (fate < 2 * trouble) {
                later(latency(), () -> call.accept(new Lost<>())); // the answer is lost
            } else if (fate < 3 * trouble) {
                later(5_000 + random.nextInt(30_000), () -> call.accept(new Lost<>())); // far too late
            } else if (fate < 4 * trouble) {
                StoreException why = new StoreException(Trouble.THROTTLED, "too many requests", null);
                later(latency(), () -> run(() -> reply.failed(why)));
            } else if (fate < 5 * trouble && transaction) {
                conflict(reply);
            } else {
                long back = latency();
                later(latency(), () -> call.accept(new Delayed<>(this, reply, back)));
                if (fate < 6 * trouble) {
                    later(1 + random.nextInt(60_000), () -> call.accept(new Lost<>())); // it arrives a second time
                }
            }
        }

        @SuppressWarnings("unchecked")
        private <R> void conflict(Reply<R> reply) {
            later(latency(), () -> run(() -> reply.answered((R) Written.CONFLICT)));
        }

        private long latency() {
            return 1 + random.nextInt(random.nextInt(10) == 0 ? 200 : 8);
        }
    }

    private void later(long millis, Runnable task) {
        real.schedule(real.nanos() + millis * 1_000_000, task);
    }

    private static final class Lost<R> implements FleetStore.Reply<R> {
        @Override
        public void answered(R result) {}

        @Override
        public void failed(StoreException why) {}
    }

    private final class Delayed<R> implements FleetStore.Reply<R> {
        private final Machine machine;
        private final FleetStore.Reply<R> reply;
        private final long millis;

        Delayed(Machine machine, FleetStore.Reply<R> reply, long millis) {
            this.machine = machine;
            this.reply = reply;
            this.millis = millis;
        }

        @Override
        public void answered(R result) {
            later(millis, () -> machine.run(() -> reply.answered(result)));
        }

        @Override
        public void failed(StoreException why) {
            later(millis, () -> machine.run(() -> reply.failed(why)));
        }
    }
}
