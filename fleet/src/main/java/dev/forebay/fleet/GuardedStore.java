// SPDX-License-Identifier: Apache-2.0
package dev.forebay.fleet;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import dev.forebay.fleet.FleetStore.Written;
import dev.forebay.fleet.StoreException.Trouble;
import dev.forebay.time.Actions;
import dev.forebay.time.Time;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * A store that always answers in time and is left alone while it is in trouble. Thread-safe.
 *
 * <p>A call without an answer fails at the timeout. The store counts as lost when it denies us, when calls have failed
 * for as long as the timeout, or when three in a row failed otherwise than by throttling. From then on calls fail at
 * once, except one probe at a time, ever further apart; the first answer ends it.
 */
final class GuardedStore implements FleetStore {

    private static final int FAILURES = 3;
    private static final long FIRST_PROBE_NANOS = 250_000_000;
    private static final long RAREST_PROBE_NANOS = 10_000_000_000L;

    private final FleetStore store;
    private final long timeoutNanos;
    private final Time time;
    private final RandomGenerator random;
    private final FleetListener listener;
    private final ReentrantLock lock = new ReentrantLock();

    @GuardedBy("lock")
    private int failures;

    @GuardedBy("lock")
    private long troubledSince;

    @GuardedBy("lock")
    private long probeAt;

    @GuardedBy("lock")
    private boolean probing;

    /** The failure by which the store is lost; null while it is not. Written under lock. */
    private volatile @Nullable StoreException lost;

    /** Guards {@code store}. */
    public GuardedStore(FleetStore store, Duration timeout, Time time, RandomGenerator random, FleetListener listener) {
        this.store = store;
        this.timeoutNanos = timeout.toNanos();
        this.time = time;
        this.random = random;
        this.listener = listener;
    }

    /** The failure by which the store is lost; null if it is not. */
    public @Nullable StoreException lost() {
        return lost;
    }

    /** {@code up}, or the store's trouble: the value of the {@code state} label. */
    public String state() {
        StoreException why = lost;
        return why == null ? FleetStats.UP : why.trouble().label();
    }

    @Override
    public void read(Collection<String> keys, Reply<Map<String, Item>> reply) {
        guard(reply, guarded -> store.read(keys, guarded));
    }

    @Override
    public void write(List<Write> writes, Reply<Written> reply) {
        guard(reply, guarded -> store.write(writes, guarded));
    }

    private <R> void guard(Reply<R> reply, Consumer<Reply<R>> call) {
        long now = time.nanos();
        Call<R> guarded = new Call<>(reply, now);
        StoreException refused = admit(guarded, now);
        if (refused != null) {
            reply.failed(refused);
            return;
        }
        try {
            guarded.timeout = time.schedule(now + timeoutNanos, guarded::timedOut);
            call.accept(guarded);
        } catch (Throwable e) {
            guarded.failed(new StoreException(Trouble.OUT_OF_REACH, "the store failed: " + e, e));
        }
    }

    private @Nullable StoreException admit(Call<?> call, long now) {
        lock.lock();
        try {
            if (lost == null) {
                return null;
            }
            if (probing || now < probeAt) {
                return lost;
            }
            probing = true;
            call.probe = true;
            return null;
        } finally {
            lock.unlock();
        }
    }

    @GuardedBy("lock")
    private void succeeded(long now, Actions actions) {
        long outage = now - troubledSince;
        if (lost != null) {
            actions.tell(() -> listener.storeFound(outage));
        }
        lost = null;
        failures = 0;
        probing = false;
    }

    @GuardedBy("lock")
    private void failed(StoreException why, Call<?> call, long now, Actions actions) {
        if (lost != null && !call.probe) {
            return; // it was sent before the loss and is no news
        }
        if (failures++ == 0) {
            troubledSince = call.sentAt;
        }
        boolean news = lost == null && isLoss(why, now);
        if (news || lost != null) {
            lost = why;
            probing = false;
            int doublings = Math.min(30, Math.max(0, failures - FAILURES));
            long nominal = Math.min(RAREST_PROBE_NANOS, FIRST_PROBE_NANOS << doublings);
            probeAt = now + (long) (nominal * (0.5 + random.nextDouble()));
        }
        if (news) {
            actions.tell(() -> listener.storeLost(why.trouble().label(), String.valueOf(why.getMessage())));
        }
    }

    @GuardedBy("lock")
    private boolean isLoss(StoreException why, long now) {
        return switch (why.trouble()) {
            case DENIED, NO_TABLE -> true;
            case THROTTLED -> now - troubledSince >= timeoutNanos;
            case OUT_OF_REACH -> failures >= FAILURES || now - troubledSince >= timeoutNanos;
        };
    }

    /** One call; an answer after its first one, or after its timeout, is dropped. */
    private final class Call<R> implements Reply<R> {
        private final Reply<R> reply;
        private final long sentAt;
        private final AtomicBoolean ended = new AtomicBoolean();
        private volatile Time.@Nullable Scheduled timeout;

        /** Whether it asks if a lost store is back. Guarded by lock. */
        private boolean probe;

        Call(Reply<R> reply, long sentAt) {
            this.reply = reply;
            this.sentAt = sentAt;
        }

        @Override
        public void answered(R result) {
            if (end()) {
                try (Actions actions = new Actions()) {
                    lock.lock();
                    try {
                        actions.add(() -> reply.answered(result));
                        succeeded(time.nanos(), actions);
                    } finally {
                        lock.unlock();
                    }
                }
            }
        }

        @Override
        public void failed(StoreException why) {
            if (end()) {
                try (Actions actions = new Actions()) {
                    lock.lock();
                    try {
                        actions.add(() -> reply.failed(why));
                        GuardedStore.this.failed(why, this, time.nanos(), actions);
                    } finally {
                        lock.unlock();
                    }
                }
            }
        }

        private void timedOut() {
            failed(new StoreException(
                    Trouble.OUT_OF_REACH, "no answer within " + Duration.ofNanos(timeoutNanos), null));
        }

        private boolean end() {
            if (!ended.compareAndSet(false, true)) {
                return false;
            }
            Time.Scheduled pending = timeout;
            if (pending != null) {
                pending.cancel();
            }
            return true;
        }
    }
}
