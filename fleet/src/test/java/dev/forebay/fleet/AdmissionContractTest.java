// SPDX-License-Identifier: Apache-2.0
package dev.forebay.fleet;

import dev.forebay.engine.Admission;
import dev.forebay.engine.RateLimit;
import dev.forebay.engine.TokenBucket;
import dev.forebay.testkit.AdmissionContract;
import dev.forebay.testkit.ConnectionCap;
import dev.forebay.time.Actions;
import dev.forebay.time.Time;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Nested;

/** Every admission keeps the same contract. */
class AdmissionContractTest {

    @Nested
    class OfARateLimit extends AdmissionContract {
        @Override
        protected Admission admission(Time time, int limit) {
            return new RateLimit(new TokenBucket(perSecond(), limit), time);
        }

        @Override
        protected boolean holdsSlots() {
            return false;
        }

        @Override
        protected double perSecond() {
            return 1;
        }
    }

    @Nested
    class OfAConnectionCap extends AdmissionContract {
        @Override
        protected Admission admission(Time time, int limit) {
            return new ConnectionCap(limit);
        }

        @Override
        protected boolean holdsSlots() {
            return true;
        }

        @Override
        protected double perSecond() {
            return 0;
        }
    }

    @Nested
    class OfALedger extends AdmissionContract {
        @Override
        protected Admission admission(Time time, int limit) {
            LedgerConfig config = new LedgerConfig(
                    "here", "test", limit, Duration.ofMinutes(3), Duration.ofMinutes(1), FleetConfig.Outage.BLOCK);
            return new Ledger(config, memory(time), time, InstantSource.system(), new Random(1), FleetListener.NONE);
        }

        @Override
        protected boolean holdsSlots() {
            return true;
        }

        @Override
        protected double perSecond() {
            return 0;
        }

        @Override
        protected boolean refusesByFailing() {
            return true;
        }
    }

    @Nested
    class OfABucketThatAFleetShares extends AdmissionContract {
        @Override
        protected Admission admission(Time time, int limit) {
            GuardedStore store = memory(time);
            return FleetRateLimit.bucket(
                    "here",
                    new TokenBucket(perSecond(), limit),
                    Duration.ofSeconds(30),
                    store,
                    new Fallback.Refusing(store),
                    time,
                    () -> Instant.EPOCH.plusNanos(time.nanos()),
                    new Random(1));
        }

        @Override
        protected boolean holdsSlots() {
            return false;
        }

        @Override
        protected double perSecond() {
            return 1;
        }

        @Override
        protected double lateSeconds() {
            return 1;
        }

        @Override
        protected boolean refusesByFailing() {
            return true;
        }
    }

    private static GuardedStore memory(Time time) {
        return new GuardedStore(new MemoryStore(), Duration.ofSeconds(5), time, new Random(2), FleetListener.NONE);
    }

    /** What a lease kept in a remote store looks like to the pool. */
    @Nested
    class OfOneThatAnswersLater extends AdmissionContract {
        @Override
        protected Admission admission(Time time, int limit) {
            return new RemoteCap(time, limit);
        }

        @Override
        protected boolean holdsSlots() {
            return true;
        }

        @Override
        protected double perSecond() {
            return 0;
        }
    }

    /** A cap that is asked and given back over a wire: everything takes effect a little later. */
    private static final class RemoteCap implements Admission {
        private static final long LATENCY_NANOS = 3_000_000;

        private final Time time;
        private final int limit;
        private final AtomicInteger held = new AtomicInteger();
        private final List<Runnable> wakes = new CopyOnWriteArrayList<>();

        RemoteCap(Time time, int limit) {
            this.time = time;
            this.limit = limit;
        }

        @Override
        public void ask(long nowNanos, Answer answer) {
            later(() -> {
                boolean granted = held.getAndUpdate(count -> Math.min(limit, count + 1)) < limit;
                later(() -> {
                    if (granted) {
                        answer.granted(() -> later(this::free));
                    } else {
                        answer.notBefore(Long.MAX_VALUE);
                    }
                });
            });
        }

        private void free() {
            held.decrementAndGet();
            Actions.runAll(wakes);
        }

        private void later(Runnable action) {
            time.schedule(time.nanos() + LATENCY_NANOS, action);
        }

        @Override
        public Runnable whenFreed(Runnable wake) {
            wakes.add(wake);
            return () -> wakes.remove(wake);
        }
    }
}
