// SPDX-License-Identifier: Apache-2.0
package dev.forebay.fleet;

import dev.forebay.engine.Admission;
import dev.forebay.engine.OpenFailure;
import dev.forebay.engine.TokenBucket;
import dev.forebay.engine.internal.Steps;
import dev.forebay.fleet.FleetStats.PermitStats;
import dev.forebay.time.Actions;
import dev.forebay.time.Time;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Iterator;
import java.util.List;
import java.util.PriorityQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.locks.ReentrantLock;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * Limits the connections a whole fleet opens a second, by permits taken from an item that it shares. Thread-safe.
 *
 * <p>Permits are taken for all opens that ask at once, and some ahead for those behind them, as long as they are used:
 * a permit is good for a second only. An open that has to wait is told when its permit becomes valid. While the store
 * is lost, its {@link Fallback} decides.
 */
final class FleetRateLimit implements Admission, AutoCloseable {

    private static final long CONTENDED_NANOS = 25_000_000;
    private static final long LONGEST_NANOS = 800_000_000;
    private static final int MOST_AHEAD = 64;

    private final PermitItem item;
    private final double perSecond;
    private final long maxWaitNanos;
    private final GuardedStore store;
    private final Fallback whenLost;
    private final RandomGenerator random;
    private final Steps steps;
    private final List<Runnable> wakes = new CopyOnWriteArrayList<>();
    private final ReentrantLock lock = new ReentrantLock();

    // Everything below is guarded by lock.
    private final Deque<Ask> asks = new ArrayDeque<>();
    private final PriorityQueue<Permit> permits = new PriorityQueue<>();
    private boolean taking;
    private boolean emptied;
    private long retryAt = Long.MIN_VALUE;
    private long noneBefore = Long.MIN_VALUE;
    private long hungrySince = Long.MIN_VALUE;
    private long lastAsk = Long.MIN_VALUE;
    private int contendedInRow;
    private int ahead = 8;
    private long requests;
    private long contended;
    private long granted;
    private long wasted;
    private long postponed;

    private FleetRateLimit(
            PermitItem item,
            double perSecond,
            Duration maxWait,
            GuardedStore store,
            Fallback whenLost,
            Time time,
            RandomGenerator random) {
        this.item = item;
        this.perSecond = perSecond;
        this.maxWaitNanos = maxWait.toNanos();
        this.store = store;
        this.whenLost = whenLost;
        this.random = random;
        this.steps = new Steps(time, lock, LONGEST_NANOS, this::advance);
    }

    /**
     * Makes a limit that knows of the burst: a token bucket in one item.
     *
     * @param whenLost decides while the store is lost
     */
    public static FleetRateLimit bucket(
            String endpoint,
            TokenBucket bucket,
            Duration maxWait,
            GuardedStore store,
            Fallback whenLost,
            Time time,
            InstantSource wall,
            RandomGenerator random) {
        BucketItem item = new BucketItem(endpoint, store, bucket, time, wall, maxWait);
        return new FleetRateLimit(item, bucket.perSecond(), maxWait, store, whenLost, time, random);
    }

    /** Makes a limit for each second of the wall clock, which Go services share. */
    public static FleetRateLimit window(
            String endpoint,
            int perSecond,
            Duration maxWait,
            GuardedStore store,
            Fallback whenLost,
            Time time,
            InstantSource wall,
            RandomGenerator random) {
        WindowItem item = new WindowItem(endpoint, store, perSecond, time, wall);
        return new FleetRateLimit(item, perSecond, maxWait, store, whenLost, time, random);
    }

    @Override
    public void ask(long nowNanos, Answer answer) {
        if (store.lost() != null) {
            whenLost.ask(nowNanos, answer);
            probe();
            return;
        }
        int behind = answer.behind();
        act((now, actions) -> {
            if (lastAsk == Long.MIN_VALUE || now - lastAsk > maxWaitNanos) {
                hungrySince = now;
            }
            lastAsk = now;
            if (serve(answer, now, actions)) {
                return;
            }
            if (now < noneBefore) {
                long again = noneBefore;
                postpone(answer, again, actions);
            } else {
                asks.add(new Ask(answer, behind, now));
            }
        });
    }

    @Override
    public Runnable whenFreed(Runnable wake) {
        wakes.add(wake);
        Runnable undo = whenLost.whenFreed(wake);
        return () -> {
            undo.run();
            wakes.remove(wake);
        };
    }

    @Override
    public void withdrawn(Answer answer) {
        act((now, actions) -> unpromise(answer));
    }

    @Override
    public double sustainedPerSecond() {
        return perSecond;
    }

    /** Takes this instance out of the fleet's count. */
    @Override
    public void close() {
        whenLost.close();
    }

    /** The current numbers. */
    public PermitStats stats() {
        lock.lock();
        try {
            return new PermitStats(granted, requests, contended, wasted, postponed, whenLost.sustainedPerSecond());
        } finally {
            lock.unlock();
        }
    }

    // ---- deciding, under the lock

    private record Ask(Answer answer, int behind, long since) {}

    private void act(Actions.Decision event) {
        steps.take((now, actions) -> {
            dropExpired(now);
            event.decide(now, actions);
        });
    }

    private void dropExpired(long now) {
        for (Permit permit = permits.peek(); permit != null && permit.until <= now; permit = permits.peek()) {
            permits.remove();
            wasted++;
            ahead = ahead / 2;
        }
    }

    /** Grants a permit that is good now, or promises the first that is promised to no other; false if there is none. */
    private boolean serve(Answer answer, long now, Actions actions) {
        Permit first = permits.peek();
        if (first != null && first.from <= now) {
            permits.remove();
            granted++;
            hungrySince = now;
            unpromise(answer);
            actions.add(() -> answer.granted(first));
            return true;
        }
        Permit next = null;
        for (Permit permit : permits) {
            if (permit.promisedTo == answer) {
                next = permit; // it asks again before its time: it has one already
                break;
            }
            if (permit.promisedTo == null && (next == null || permit.from < next.from)) {
                next = permit;
            }
        }
        if (next == null) {
            return false;
        }
        next.promisedTo = answer;
        long from = next.from;
        postpone(answer, from, actions);
        return true;
    }

    /** Frees the permit that was promised to {@code answer}. */
    private void unpromise(Answer answer) {
        for (Permit permit : permits) {
            if (permit.promisedTo == answer) {
                permit.promisedTo = null;
            }
        }
    }

    private void postpone(Answer answer, long until, Actions actions) {
        postponed++;
        actions.add(() -> answer.notBefore(until));
    }

    private long advance(long now, Actions actions) {
        dropExpired(now);
        StoreException lost = store.lost();
        if (lost != null) {
            for (Ask ask : asks) {
                actions.add(() -> whenLost.ask(now, ask.answer()));
            }
            asks.clear();
        }
        for (Iterator<Ask> all = asks.iterator(); all.hasNext(); ) {
            Ask ask = all.next();
            if (now - ask.since() > maxWaitNanos) {
                all.remove();
                actions.add(() -> ask.answer().failed(noPermit()));
            }
        }
        if (asks.isEmpty() || taking) {
            return Long.MAX_VALUE;
        }
        if (now < retryAt) {
            return retryAt;
        }
        take(asks.size() + Math.min(asks.getLast().behind(), ahead), actions);
        return Long.MAX_VALUE;
    }

    private OpenFailure noPermit() {
        return failure(new IllegalStateException(
                "no permit to connect within " + Duration.ofNanos(maxWaitNanos) + ": the fleet connects too fast"));
    }

    private static OpenFailure failure(Exception why) {
        return new OpenFailure(OpenFailure.Cause.RATE_LIMIT, why);
    }

    private void take(int most, Actions actions) {
        taking = true;
        requests++;
        boolean empty = emptied;
        emptied = false;
        actions.add(() -> item.take(most, empty, new Taken(empty)));
    }

    /** Asks the store whether it is back, for the opens that come next. */
    private void probe() {
        act((now, actions) -> {
            if (!taking && now >= retryAt) {
                take(1, actions);
            }
        });
    }

    // ---- answers of the item

    private final class Taken implements PermitItem.Taking {
        private final boolean emptying;

        Taken(boolean emptying) {
            this.emptying = emptying;
        }

        @Override
        public void taken(int count, long fromNanos, long everyNanos, long goodForNanos) {
            end((now, actions) -> {
                contendedInRow = 0;
                ahead = Math.min(MOST_AHEAD, ahead + 4);
                for (int i = 0; i < count; i++) {
                    permits.add(new Permit(fromNanos + i * everyNanos, goodForNanos));
                }
                dropExpired(now);
                while (!asks.isEmpty() && serve(asks.peek().answer(), now, actions)) {
                    asks.remove();
                }
            });
        }

        @Override
        public void contended() {
            end((now, actions) -> {
                emptied |= emptying;
                contended++;
                retryAt = now + backoff(++contendedInRow);
            });
        }

        @Override
        public void notBefore(long nanos) {
            end((now, actions) -> {
                long tooLong = nanos - now - maxWaitNanos;
                if (tooLong > 0 && permits.isEmpty() && now - hungrySince > maxWaitNanos) {
                    retryAt = now + backoff(1);
                    asks.forEach(ask -> actions.add(() -> ask.answer().failed(noPermit())));
                } else {
                    long again = backoff(1) + (tooLong > 0 ? now + Math.min(tooLong, maxWaitNanos / 2) : nanos);
                    noneBefore = again;
                    asks.forEach(ask -> postpone(ask.answer(), again, actions));
                }
                asks.clear();
            });
        }

        @Override
        public void failed(StoreException why) {
            end((now, actions) -> {
                emptied |= emptying;
                retryAt = now + backoff(++contendedInRow);
            });
        }

        private void end(Actions.Decision event) {
            act((now, actions) -> {
                taking = false;
                event.decide(now, actions);
            });
        }
    }

    private long backoff(int times) {
        long nominal = Math.min(LONGEST_NANOS, CONTENDED_NANOS << Math.min(10, times - 1));
        return (long) (nominal * (0.5 + random.nextDouble()));
    }

    /** One permit, good from one moment to another. */
    private final class Permit implements Grant, Comparable<Permit> {
        private final long from;
        private final long until;

        /** The open that waits for it. */
        private @Nullable Answer promisedTo;

        Permit(long from, long goodForNanos) {
            this.from = from;
            this.until = from + goodForNanos;
        }

        @Override
        public void openEnded(Outcome outcome) {
            if (outcome == Outcome.NOT_TRIED) {
                act((now, actions) -> {
                    granted--;
                    promisedTo = null;
                    permits.add(this);
                    actions.addAll(wakes); // those refused were given a later time
                });
            } else if (outcome == Outcome.THROTTLED) {
                act((now, actions) -> {
                    emptied = true;
                    permits.clear();
                });
            }
        }

        @Override
        public void release() {
            // A permit is spent on the connect; there is nothing to give back when the connection ends.
        }

        @Override
        public int compareTo(Permit other) {
            return Long.compare(from, other.from);
        }
    }
}
