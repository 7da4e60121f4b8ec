// SPDX-License-Identifier: Apache-2.0
package dev.forebay.dsql;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import dev.forebay.engine.Admission;
import dev.forebay.engine.Backoff;
import dev.forebay.engine.OpenFailure;
import dev.forebay.spi.PasswordSupplier;
import dev.forebay.time.Actions;
import dev.forebay.time.Time;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.ReentrantLock;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The token of one user of one endpoint, always at hand: kept, and replaced in the background before it ends. Thread-safe.
 *
 * <h2>When a new one is made</h2>
 *
 * The first caller causes the first token; after four fifths of its life the next is made, asked for or not. A caller
 * gets one with at least a minute left, since a connect takes its time. However many ask at once, one call of the
 * provider is in progress.
 *
 * <h2>When that fails</h2>
 *
 * It is retried after a wait that doubles, with jitter, and the old token is served while it is good. Without one,
 * waiters get the failure, and the provider is not called until the wait is over. A call that hangs is given up after a
 * while: its callers get an error, its thread is interrupted, and another call is made after the wait. At most two
 * calls that were given up may still hang; what such a call brings in the end is taken.
 *
 * <h2>As an admission</h2>
 *
 * It asks for a token before a rate permit is spent, so that a connect that cannot succeed costs no other a permit.
 * When a connect fails, a token that is not quite new is replaced: the server may refuse it sooner than it says,
 * because the signer's access was revoked.
 */
public final class TokenCache implements PasswordSupplier, Admission, AutoCloseable {

    private static final Logger log = LoggerFactory.getLogger(TokenCache.class);

    /** The least life left of a token that is handed out. */
    static final Duration LEAST_LEFT = Duration.ofMinutes(1);

    /** The most time for a call of the provider. */
    static final Duration PATIENCE = Duration.ofSeconds(10);

    /** The most calls that may hang before no further one is made. */
    static final int MOST_HANGING = 2;

    private static final Duration SOONEST_REFRESH = Duration.ofSeconds(1);
    private static final double REFRESH_AFTER = 0.8;
    private static final Backoff BACKOFF =
            new Backoff(Duration.ofMillis(250), Duration.ofSeconds(30), Integer.MAX_VALUE);

    /** The age from which a token is blamed for a failed connect: signed in the same second, the next would equal it. */
    static final Duration SUSPECT_AGE = Duration.ofSeconds(1);

    private final TokenProvider provider;
    private final Executor executor;
    private final Time time;
    private final InstantSource clock;
    private final RandomGenerator random;
    private final List<Runnable> wakes = new CopyOnWriteArrayList<>();
    private final ReentrantLock lock = new ReentrantLock();

    /** Replaced under the lock, read without it. */
    private volatile @Nullable Kept kept;

    /** The callbacks of the waiters for the next token. */
    @GuardedBy("lock")
    private @Nullable CompletableFuture<Token> flight;

    /** The call of the provider that the flight waits for. */
    @GuardedBy("lock")
    private @Nullable Call call;

    /** Calls that were given up on and have not ended. */
    @GuardedBy("lock")
    private int hanging;

    @GuardedBy("lock")
    private int failuresInARow;

    /** The time before which the provider is not called again. */
    @GuardedBy("lock")
    private long notBefore = Long.MIN_VALUE;

    @GuardedBy("lock")
    private Time.@Nullable Scheduled next;

    @GuardedBy("lock")
    private boolean closed;

    private volatile @Nullable TokenException lastFailure;
    private final AtomicLong failures = new AtomicLong();

    /**
     * A cache that is empty until the first request.
     *
     * @param executor calls the provider, which may block
     */
    public TokenCache(
            TokenProvider provider, Executor executor, Time time, InstantSource clock, RandomGenerator random) {
        this.provider = provider;
        this.executor = executor;
        this.time = time;
        this.clock = clock;
        this.random = random;
    }

    /** Returns the token, at once if there is one, otherwise as soon as it is made. */
    @Override
    public String password() throws TokenException, InterruptedException {
        Kept now = kept;
        if (now != null && isGood(now)) {
            return now.token.value();
        }
        Attempt attempt = join();
        CompletableFuture<Token> joined = attempt.flight;
        if (joined == null) {
            throw again(attempt.notBefore);
        }
        try {
            return joined.get(2 * PATIENCE.toNanos(), TimeUnit.NANOSECONDS).value();
        } catch (ExecutionException e) {
            Throwable cause = e.getCause();
            throw asTokenException(cause == null ? e : cause);
        } catch (TimeoutException e) {
            throw new TokenException("there is no token yet", e);
        }
    }

    @Override
    public void ask(long nowNanos, Answer answer) {
        Kept now = kept;
        if (now != null && isGood(now)) {
            answer.granted(new Use(now.token));
            return;
        }
        Attempt attempt = join();
        CompletableFuture<Token> joined = attempt.flight;
        if (joined == null) {
            answer.notBefore(attempt.notBefore);
            return;
        }
        var unused = joined.handle((token, error) -> tell(answer, token, error));
    }

    private boolean tell(Answer answer, @Nullable Token token, @Nullable Throwable error) {
        Actions.run(
                () -> { // the future would keep to itself what is thrown here
                    if (error != null) {
                        answer.failed(new OpenFailure(OpenFailure.Cause.TOKEN_PROVIDER, asTokenException(error)));
                    } else if (token != null) {
                        answer.granted(new Use(token));
                    }
                });
        return true;
    }

    @Override
    public Runnable whenFreed(Runnable wake) {
        wakes.add(wake);
        return () -> wakes.remove(wake);
    }

    /** Returns the number of failures of the provider so far. */
    public long failures() {
        return failures.get();
    }

    /** Makes no further token; one that is there is served until it ends. */
    @Override
    public void close() {
        try (Actions actions = new Actions()) {
            lock.lock();
            try {
                closed = true;
                CompletableFuture<Token> left = flight;
                flight = null;
                cancelNext();
                if (left != null) {
                    actions.add(() ->
                            left.completeExceptionally(new TokenException("the cache of tokens is closed", null)));
                }

            } finally {
                lock.unlock();
            }
        }
    }

    /** Names the provider; there is no token in it. */
    @Override
    public String toString() {
        return "TokenCache of " + provider;
    }

    private boolean isGood(Kept one) {
        return time.nanos() < one.goodUntilNanos
                && Duration.between(clock.instant(), one.token.expiresAt()).compareTo(LEAST_LEFT) >= 0;
    }

    private TokenException again(long atNanos) {
        TokenException last = lastFailure;
        long millis = Math.max(0, atNanos - time.nanos()) / 1_000_000;
        return new TokenException(
                last == null
                        ? "the cache of tokens is closed"
                        : last.getMessage() + "; it is tried again in " + millis + " ms",
                last);
    }

    private static TokenException asTokenException(Throwable error) {
        return error instanceof TokenException known
                ? known
                : new TokenException(
                        "there is no token: "
                                + (error instanceof Error ? error.getClass().getName() : error.getMessage()),
                        error);
    }

    // ---- one call at a time

    /** Answers a caller without a token: wait for the flight, or come again. */
    private record Attempt(@Nullable CompletableFuture<Token> flight, long notBefore) {}

    private Attempt join() {
        try (Actions actions = new Actions()) {
            lock.lock();
            try {
                return join(actions);
            } finally {
                lock.unlock();
            }
        }
    }

    @GuardedBy("lock")
    private Attempt join(Actions actions) {
        Kept now = kept;
        if (now != null && isGood(now)) {
            return new Attempt(CompletableFuture.completedFuture(now.token), 0);
        }
        if (flight != null) {
            return new Attempt(flight, 0);
        }
        if (closed || time.nanos() < notBefore) {
            return new Attempt(null, closed ? Long.MAX_VALUE : notBefore);
        }
        return new Attempt(begin(actions), 0);
    }

    private void suspect(Token used) {
        Kept now = kept;
        if (now != null
                && now.token.equals(used)
                && time.nanos() - now.sinceNanos >= SUSPECT_AGE.toNanos()
                && isDue()) {
            refresh();
        }
    }

    private boolean isDue() {
        lock.lock();
        try {
            return flight == null && time.nanos() >= notBefore;
        } finally {
            lock.unlock();
        }
    }

    private void refresh() {
        try (Actions actions = new Actions()) {
            lock.lock();
            try {
                if (!closed && flight == null) {
                    var unused = begin(actions);
                }

            } finally {
                lock.unlock();
            }
        }
    }

    /** Begins the flight that all waiters share, and calls the provider unless a call is in progress. */
    @GuardedBy("lock")
    private CompletableFuture<Token> begin(Actions actions) {
        CompletableFuture<Token> mine = new CompletableFuture<>();
        flight = mine;
        cancelNext();
        next = time.schedule(time.nanos() + PATIENCE.toNanos(), () -> giveUp(mine));
        if (call == null && hanging < MOST_HANGING) {
            Call begun = new Call();
            call = begun;
            actions.add(begun::start);
        }
        return mine;
    }

    /** One call of the provider. Its fields belong to the lock of the cache. */
    private final class Call {

        /** The thread that makes it, while it lasts. */
        private @Nullable Thread thread;

        /** Whether it was given up. */
        private boolean overdue;

        void start() {
            try {
                executor.execute(this::run);
            } catch (RejectedExecutionException e) {
                failed(this, new TokenException("the token could not be asked for: nobody takes work", e));
            }
        }

        private void run() {
            Token token;
            note(Thread.currentThread());
            try {
                token = provider.token();
            } catch (Throwable e) { // those who wait are told whatever it is
                note(null);
                failed(this, asTokenException(e));
                return;
            }
            note(null);
            Duration left = Duration.between(clock.instant(), token.expiresAt());
            if (left.compareTo(LEAST_LEFT) < 0) {
                failed(
                        this,
                        new TokenException(
                                "the new token ends at " + token.expiresAt() + ", which is within "
                                        + LEAST_LEFT.toSeconds()
                                        + " s: look at the credentials that sign it, and at this machine's clock",
                                null));
            } else {
                arrived(this, token, left);
            }
        }

        private void note(@Nullable Thread calling) {
            lock.lock();
            try {
                thread = calling;
            } finally {
                lock.unlock();
            }
            if (calling == null) {
                Thread.interrupted(); // it was meant for the call alone
            }
        }
    }

    /** Gives up on {@code hung}, so that another call can be made. */
    @GuardedBy("lock")
    private void abandon(Call hung) {
        hung.overdue = true;
        hanging++;
        call = null;
        if (hung.thread != null) {
            hung.thread.interrupt();
        }
    }

    @GuardedBy("lock")
    private void end(Call over) {
        if (over.overdue) {
            hanging--;
        } else {
            call = null;
        }
    }

    private void arrived(Call from, Token token, Duration left) {
        try (Actions actions = new Actions()) {
            lock.lock();
            try {
                long now = time.nanos();
                kept = new Kept(token, now, now + left.minus(LEAST_LEFT).toNanos());
                end(from);
                CompletableFuture<Token> landed = flight;
                flight = null;
                if (failuresInARow > 0) {
                    actions.tell(() -> log.info("Token provider recovered: {}", provider));
                }
                failuresInARow = 0;
                notBefore = Long.MIN_VALUE;
                cancelNext();
                if (!closed) {
                    next = time.schedule(now + refreshAfterNanos(left), this::refresh);
                }
                if (landed != null) {
                    actions.add(() -> landed.complete(token));
                }
                actions.addAll(wakes);

            } finally {
                lock.unlock();
            }
        }
    }

    /** Returns the time to the next call: four fifths of the life, less if it is good for less; never a tight loop. */
    private static long refreshAfterNanos(Duration left) {
        long fourFifths = (long) (left.toNanos() * REFRESH_AFTER);
        long whileGood = left.minus(LEAST_LEFT).toNanos();
        return Math.max(SOONEST_REFRESH.toNanos(), Math.min(fourFifths, whileGood));
    }

    private void giveUp(CompletableFuture<Token> mine) {
        try (Actions actions = new Actions()) {
            lock.lock();
            try {
                if (flight != mine) {
                    return;
                }
                if (call != null) {
                    abandon(call);
                }
                failed(new TokenException("there is no token after " + PATIENCE.toSeconds() + " s", null), actions);

            } finally {
                lock.unlock();
            }
        }
    }

    private void failed(Call from, TokenException why) {
        try (Actions actions = new Actions()) {
            lock.lock();
            try {
                end(from);
                if (!from.overdue) { // otherwise it was given up, and the failure was counted
                    failed(why, actions);
                }

            } finally {
                lock.unlock();
            }
        }
    }

    /** Fails the waiters, and schedules a retry. */
    @GuardedBy("lock")
    private void failed(TokenException why, Actions actions) {
        CompletableFuture<Token> lost = flight;
        if (lost == null) {
            return; // the cache was closed
        }
        flight = null;
        lastFailure = why;
        failures.incrementAndGet();
        failuresInARow++;
        notBefore = time.nanos() + BACKOFF.delayNanos(failuresInARow, random);
        cancelNext();
        if (!closed) {
            next = time.schedule(notBefore, this::refresh);
        }
        if (failuresInARow == 1) {
            Kept old = kept;
            String then = old != null && isGood(old)
                    ? "the old token is served until it ends"
                    : "no connection can be opened";
            actions.tell(() -> log.warn("Token provider failed: {}; {}", why.getMessage(), then));
        }
        actions.add(() -> lost.completeExceptionally(why));
    }

    @GuardedBy("lock")
    private void cancelNext() {
        Time.Scheduled scheduled = next;
        if (scheduled != null) {
            scheduled.cancel();
            next = null;
        }
    }

    /** A token that was used for a connect. */
    private final class Use implements Grant {
        private final Token token;

        Use(Token token) {
            this.token = token;
        }

        @Override
        public void openEnded(Outcome outcome) {
            if (outcome == Outcome.FAILED) {
                suspect(token);
            }
        }

        @Override
        public void release() {
            // A token is not used up.
        }
    }

    /**
     * A token that is kept.
     *
     * @param sinceNanos the time since which it is kept
     * @param goodUntilNanos the time until which it is handed out, by the monotonic clock; the wall clock is asked as
     *     well, since the first may stand still while a machine sleeps and the second may be set
     */
    private record Kept(Token token, long sinceNanos, long goodUntilNanos) {}
}
