// SPDX-License-Identifier: Apache-2.0
package dev.forebay.registry;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import dev.forebay.engine.Admission;
import dev.forebay.engine.Connector;
import dev.forebay.engine.DiscardReason;
import dev.forebay.engine.OpenFailure;
import dev.forebay.engine.Pool;
import dev.forebay.engine.PoolConfig.Exhaustion;
import dev.forebay.engine.PoolListener;
import dev.forebay.engine.PoolStats;
import dev.forebay.engine.Refusal;
import dev.forebay.time.Actions;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The connections of one local user to one server: an engine's pool, its share of the server's cap, and its counts.
 * Thread-safe.
 *
 * <p>It lives as long as the mapping and the definition that its connections were opened with. When either changes it
 * is closed, and another takes its place: so a connection can only come back to the pool that opened it, and no
 * borrower gets one that was opened for something else.
 *
 * <p>It keeps its minimum open without being asked while the server is healthy and the last connect did not fail for
 * good, as with a wrong password, which is then retried only for an acquire.
 *
 * @param <T> the type of the pooled values
 */
final class UserPool<T> implements Registry.Lender<T>, PoolListener, ServerCap.Holder {

    private final String localUser;
    private final UserMapping mapping;
    private final ServerPool<T> server;
    private final ServerPool.Surroundings around;
    private final Connector<T> connector;
    private final Wiring<T> wiring;
    private final Tally tally = new Tally();
    private final Map<T, Birth> births = new ConcurrentHashMap<>();
    private final boolean hears;
    private final boolean timed;
    private final ServerCap.Share share;
    private final Login login;
    private final Pool<T> pool;
    private final PoolListener wired;

    /** The failure of the last open, null if it succeeded or there was none. */
    private volatile @Nullable OpenFailure lastFailure;

    private final ReentrantLock lock = new ReentrantLock();

    /** Written under lock. */
    private volatile Settings settings;

    /** The number of changes of what the size depends on. Written under lock. */
    private final AtomicLong version = new AtomicLong();

    @GuardedBy("lock")
    private boolean wanted;

    /** Whether the last connect failed for good. Written under lock. */
    private volatile boolean refused;

    /** The number to open ahead, 0 when that is over. Written under lock. */
    private volatile int warming;

    @GuardedBy("lock")
    private final List<Runnable> onWarm = new ArrayList<>();

    private volatile boolean paused;

    /** The time until which it opens nothing, since the server was full. */
    private volatile long fullUntilNanos = Long.MIN_VALUE;

    /** Acquire count at the last idle check. Guarded by the server's lock. */
    long acquiresSeen = -1;

    /** Guarded by the server's lock. */
    long unusedSinceNanos;

    private record Birth(long id, long atNanos) {}

    /**
     * Makes a pool with the current definition and health of the server.
     *
     * @param rateLimit the limit that every open asks last, null if nothing limits their rate
     */
    UserPool(
            String localUser,
            UserMapping mapping,
            Login login,
            ServerPool<T> server,
            Wiring<T> wiring,
            @Nullable Admission rateLimit,
            ServerPool.Surroundings around) {
        this.localUser = localUser;
        this.mapping = mapping;
        this.login = login;
        this.server = server;
        this.around = around;
        this.wiring = wiring;
        this.settings = server.definition().settings();
        this.hears = settings.collectStatistics() && around.hearsAcquires();
        this.timed = settings.collectStatistics() && around.wantsTimes();
        this.wanted = server.health().isHealthy();
        this.warming = settings.sizes().warmUp();
        this.connector = wiring.users(server.definition(), mapping, mapping.password(), this::queried);
        this.share = server.cap().share(this);
        this.pool = new Pool<>(
                settings.poolConfig(least(), opensAhead()),
                new Tracked(),
                rateLimit == null ? List.of(login, share) : List.of(login, share, rateLimit),
                around.time(),
                around.random(),
                this);
        this.wired = wiring.listener(pool);
        if (warming > 0) {
            endWarmingIn(settings);
        }
    }

    @Override
    public Pool<T> pool() {
        return pool;
    }

    String localUser() {
        return localUser;
    }

    UserMapping mapping() {
        return mapping;
    }

    @Override
    public PoolListener wired() {
        return wired;
    }

    /** Adds its counts to {@code sum}. */
    void addTo(Tally sum, PoolStats now) {
        sum.add(tally);
        sum.acquires.add(now.checkouts());
        sum.releases.add(now.checkouts() - now.borrowed());
        sum.acquireNanos.add(now.waitedNanos());
        sum.timeouts.add(now.timeouts());
    }

    /** The failure of an acquire now: its credentials are rejected, and nothing is ready. Null if it may succeed. */
    @Nullable
    OpenFailure rejection() {
        OpenFailure known = login.rejection();
        return known == null || pool.idleSinceNanos() < Long.MAX_VALUE ? null : known;
    }

    ServerCap.Share share() {
        return share;
    }

    @Override
    public long timeoutNanos() {
        return settings.acquireTimeout().toNanos();
    }

    /** Returns 0 if it fails fast and the cap has nothing to give. */
    @Override
    public long within(long nanos) {
        return failsFast() && server.cap().isExhaustedFor(share) ? 0 : nanos;
    }

    /** Calls the cap, not by way of the share, which every return would have to load. */
    @Override
    public void stirred() {
        server.cap().stirred();
    }

    @Override
    public @Nullable RegistryException failure(Refusal why, long leftNanos, String message, @Nullable Throwable cause) {
        if (why == Refusal.CLOSED && leftNanos > 0) {
            return null;
        }
        RegistryException failure = failure(why, message, cause);
        around.listener().refused(server.definition().name(), localUser, failure.error());
        return failure;
    }

    private RegistryException failure(Refusal why, String message, @Nullable Throwable cause) {
        if (!server.health().isHealthy()) {
            return server.unhealthy();
        }
        String who = "server " + server.definition().name() + ", user " + localUser + ": ";
        if (server.isPaused()) {
            return new RegistryException(RegistryError.TIMEOUT, who + "the server is paused; " + message, cause, true);
        }
        boolean full = why == Refusal.EXHAUSTED || why == Refusal.TOO_MANY_WAITING;
        if (!full && why != Refusal.CANCELLED) {
            OpenFailure failure = lastFailure;
            if (failure != null) {
                return server.failed(localUser, failure.error());
            }
            PoolStats stats = pool.stats();
            full = stats.open() >= stats.maxOpen()
                    || server.cap().held() >= server.cap().limit();
        }
        return new RegistryException(
                full ? RegistryError.POOL_EXHAUSTED : RegistryError.TIMEOUT, who + message, cause, true);
    }

    // ---- sizes

    /** The number to keep open. */
    @GuardedBy("lock")
    private int least() {
        return opensAhead() ? Math.max(settings.sizes().min(), warming) : 0;
    }

    /** Whether to open anything without a waiter. */
    @GuardedBy("lock")
    private boolean opensAhead() {
        return wanted && !refused;
    }

    /** Notes a change of what the size depends on. */
    @GuardedBy("lock")
    private void sizeChanged() {
        version.incrementAndGet();
    }

    /** Has the pool take on the current size, outside the lock: it calls listeners. The last change wins. */
    private void resize() {
        long seen;
        do {
            Settings now;
            int least;
            boolean ahead;
            lock.lock();
            try {
                seen = version.get();
                now = settings;
                least = least();
                ahead = opensAhead();
            } finally {
                lock.unlock();
            }
            pool.resize(
                    now.supply(least, ahead),
                    now.sizes().max(),
                    now.spare(),
                    now.sizes().min());
        } while (seen != version.get());
    }

    /** Takes on new sizes; everything else in them must be as it was. */
    void resize(Supplier<Settings> changed) {
        lock.lock();
        try {
            settings = changed.get();
            sizeChanged();
        } finally {
            lock.unlock();
        }
        resize();
    }

    /** Keeps its minimum, or only the connections that are asked for. */
    void keepMinimum(BooleanSupplier keep) {
        lock.lock();
        try {
            wanted = keep.getAsBoolean();
            sizeChanged();
        } finally {
            lock.unlock();
        }
        resize();
    }

    /** Opens connections until {@code count}, or the maximum, are open, and runs {@code done} then or when it fails. */
    void warmUp(int count, Runnable done) {
        lock.lock();
        try {
            warming = Math.max(warming, Math.min(count, settings.sizes().max()));
            onWarm.add(done);
            refused = false;
            sizeChanged();
            endWarmingIn(settings);
        } finally {
            lock.unlock();
        }
        resize();
        endWarming(pool.openCount() >= count || pool.isClosed());
    }

    private void endWarmingIn(Settings now) {
        around.time().schedule(around.time().nanos() + now.connectTimeout().toNanos(), () -> endWarming(true));
    }

    private void endWarming(boolean over) {
        if (!over || warming == 0) {
            return;
        }
        List<Runnable> done;
        lock.lock();
        try {
            warming = 0;
            done = List.copyOf(onWarm);
            onWarm.clear();
            sizeChanged();
        } finally {
            lock.unlock();
        }
        resize();
        Actions.runAll(done);
    }

    void pause(boolean pause) {
        paused = pause;
        if (pause) {
            pool.suspend();
        } else {
            pool.resume();
            share.stirred();
        }
    }

    /** Ends it: idle connections are closed now, those in use when they come back; waiters look for its successor. */
    void close(Runnable drained) {
        pool.close();
        endWarming(true);
        pool.whenDrained(drained);
    }

    // ---- events of its pool

    /** True only with a listener: it costs more than the rest of an acquire. The pool itself does the counting. */
    @Override
    public boolean hearsCheckouts() {
        return hears;
    }

    @Override
    public boolean wantsTimes() {
        return timed;
    }

    @Override
    public void checkedOut(long waitedNanos) {
        if (hears) {
            around.listener().acquired(server.definition().name(), localUser, waitedNanos);
        }
        share.stirred();
    }

    @Override
    public void returned(long heldNanos) {
        around.listener().released(server.definition().name(), localUser, heldNanos);
        share.stirred();
    }

    @Override
    public void foundEmpty() {
        share.stirred();
    }

    @Override
    public void refused(Refusal refusal, long waitedNanos) {
        share.stirred();
    }

    @Override
    public void opened(int open, long connectNanos) {
        lastFailure = null;
        wired.opened(open, connectNanos);
        around.listener().opened(server.definition().name(), localUser, connectNanos);
        server.health().usersConnected();
        fullUntilNanos = Long.MIN_VALUE;
        if (refused) {
            setRefused(false);
        }
        endWarming(warming > 0 && open >= warming);
        share.stirred();
    }

    @Override
    public void openFailed(OpenFailure failure, int attempt, long delayNanos) {
        lastFailure = failure;
        wired.openFailed(failure, attempt, delayNanos);
        if (!login.isTold(failure)) {
            tally.errors.increment();
            around.listener()
                    .openFailed(
                            server.definition().name(),
                            localUser,
                            Errors.of(failure.error()),
                            Errors.reason(failure.error()));
            server.refused(localUser, failure.error());
        }
        if (failure.cause() == OpenFailure.Cause.CONNECTION_COUNT) {
            fullUntilNanos = around.time().nanos() + delayNanos;
        }
        if (!Errors.isRecoverable(failure.error())) {
            login.notBefore(around.time().nanos() + delayNanos);
            setRefused(true);
            endWarming(true);
            pool.refuseWaiting(Refusal.HOPELESS);
        }
    }

    @Override
    public void openForgotten(long hungNanos) {
        FailureLog.openForgotten(server.definition().name(), localUser, hungNanos);
    }

    private void setRefused(boolean now) {
        lock.lock();
        try {
            refused = now;
            sizeChanged();
        } finally {
            lock.unlock();
        }
        resize();
    }

    @Override
    public void discarded(DiscardReason reason, long remainingNanos) {
        if (reason == DiscardReason.FAILED_VALIDATION) {
            tally.invalid.increment();
        }
        if (reason == DiscardReason.FAILED_VALIDATION || reason == DiscardReason.BAD_CONNECTION) {
            server.health().usersFailed();
        }
        around.listener().discarded(server.definition().name(), localUser, reason);
    }

    @Override
    public void heldTooLong(Object value, long heldNanos) {
        wired.heldTooLong(value, heldNanos);
    }

    private void queried(long nanos) {
        tally.queries.increment();
        tally.queryNanos.add(nanos);
        around.listener().queried(server.definition().name(), localUser, nanos);
    }

    // ---- questions of the cap

    @Override
    public int waiting() {
        return paused ? 0 : pool.waitingCount();
    }

    @Override
    public boolean failsFast() {
        return settings.exhaustion() == Exhaustion.FAIL_FAST;
    }

    @Override
    public boolean hasReady() {
        return pool.stats().ready() > 0;
    }

    @Override
    public boolean asksNothingNow() {
        return around.time().nanos() < fullUntilNanos;
    }

    @Override
    public void refuseWaiting() {
        pool.refuseWaiting(lastFailure == null ? Refusal.EXHAUSTED : Refusal.HOPELESS);
    }

    @Override
    public long idleSinceNanos() {
        return pool.idleSinceNanos();
    }

    @Override
    public boolean evictIdle() {
        return pool.evictIdle(1) > 0;
    }

    @Override
    public boolean evictBorrowed() {
        return pool.evictBorrowed();
    }

    @Override
    public boolean mayGive() {
        return !pool.isClosed();
    }

    // ---- observing

    UserPoolStats stats() {
        PoolStats now = pool.stats();
        return new UserPoolStats(
                server.definition().name(),
                localUser,
                mapping.remoteUser(),
                now.open(),
                now.borrowed(),
                now.ready(),
                now.opening(),
                now.waiting(),
                now.oldestWaitNanos(),
                now.checkouts(),
                now.checkouts() - now.borrowed(),
                tally.created.sum(),
                tally.destroyed.sum(),
                tally.errors.sum(),
                now.timeouts(),
                tally.invalid.sum(),
                tally.queries.sum(),
                tally.lifetimeNanos.sum(),
                now.waitedNanos(),
                tally.queryNanos.sum());
    }

    /** Returns each open connection with its number. */
    List<Seen<T>> connections() {
        List<Seen<T>> seen = new ArrayList<>();
        for (Pool.Pooled<T> one : pool.inventory()) {
            Birth birth = births.get(one.value());
            if (birth != null) {
                seen.add(new Seen<>(birth.id, one, state(one), wiring.queries(one.value())));
            }
        }
        return seen;
    }

    private ConnectionInfo.State state(Pool.Pooled<T> one) {
        if (one.borrowed() && one.leaving()) {
            return ConnectionInfo.State.CLOSING;
        }
        if (!one.borrowed()) {
            return ConnectionInfo.State.CONNECTED;
        }
        return wiring.isInTransaction(one.value())
                ? ConnectionInfo.State.IN_TRANSACTION
                : ConnectionInfo.State.BORROWED;
    }

    /** One open connection. */
    record Seen<T>(long id, Pool.Pooled<T> pooled, ConnectionInfo.State state, long queries) {}

    @Override
    public String toString() {
        return server.definition().name() + "/" + localUser;
    }

    /** The connector, with births and deaths noted. */
    private final class Tracked implements Connector<T> {

        @Override
        public void open(Opening<T> opening) {
            long began = around.time().nanos();
            connector.open(new Opening<>() {
                @Override
                public void opened(T value) {
                    births.put(value, new Birth(around.ids().incrementAndGet(), began));
                    tally.created.increment();
                    login.accepted();
                    opening.opened(value);
                }

                @Override
                public void failed(OpenFailure failure) {
                    if (!Errors.isRecoverable(failure.error())) {
                        login.rejected(failure, began);
                    }
                    opening.failed(ofFullServer(failure));
                }

                @Override
                public boolean isAbandoned() {
                    return opening.isAbandoned();
                }

                @Override
                public void onAbandon(Runnable action) {
                    opening.onAbandon(action);
                }
            });
        }

        /** Marks a failure as of a full server also where only the server's own number shows it; not one for "too fast". */
        private OpenFailure ofFullServer(OpenFailure failure) {
            return failure.cause() == OpenFailure.Cause.CONNECT && Errors.isFull(failure.error())
                    ? new OpenFailure(OpenFailure.Cause.CONNECTION_COUNT, failure.error())
                    : failure;
        }

        @Override
        public void check(T value, Checking checking) {
            connector.check(value, checking);
        }

        @Override
        public void close(T value, DiscardReason reason, Runnable closed) {
            Birth birth = births.remove(value);
            if (birth != null) {
                tally.lifetimeNanos.add(around.time().nanos() - birth.atNanos);
            }
            tally.destroyed.increment();
            connector.close(value, reason, closed);
        }
    }
}
