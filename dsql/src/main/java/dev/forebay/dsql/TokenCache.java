// SPDX-License-Identifier: Apache-2.0
package dev.forebay.dsql;

import dev.forebay.jdbc.PasswordSupplier;
import dev.forebay.pool.Admission;
import dev.forebay.pool.Backoff;
import dev.forebay.pool.FailureCause;
import dev.forebay.pool.OpenFailure;
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
 * The first to ask causes the first token; after four fifths of its life the next is made, asked for or not. Whoever asks
 * gets one with at least a minute left, since a connect takes its time. However many ask at once, one call of the provider
 * is under way.
 *
 * <h2>When that fails</h2>
 *
 * It is tried again after a wait that doubles, with jitter, and the old token is served while it is good. Without one,
 * those who wait are told of the failure, and until the wait is over nobody calls the provider. A call that hangs is not
 * made a second time: its callers are told after a while, and what it brings in the end is taken.
 *
 * <h2>As an admission</h2>
 *
 * It asks for a token before a rate permit is spent, so that a connect that cannot succeed costs nobody else a permit.
 * When a connect fails, a token that is not quite new is replaced: the server may refuse it sooner than it says, because
 * whoever signed it was shut out.
 */
public final class TokenCache implements PasswordSupplier, Admission, AutoCloseable {

    private static final Logger log = LoggerFactory.getLogger(TokenCache.class);

    /** What is left of a token that is handed out. */
    static final Duration LEAST_LEFT = Duration.ofMinutes(1);

    /** How long a call of the provider may take. */
    static final Duration PATIENCE = Duration.ofSeconds(10);

    private static final Duration SOONEST_REFRESH = Duration.ofSeconds(1);
    private static final double REFRESH_AFTER = 0.8;
    private static final Backoff BACKOFF =
            new Backoff(Duration.ofMillis(250), Duration.ofSeconds(30), Integer.MAX_VALUE);
    /** How old a token is before the server's refusal is laid on it: one that was just made would be no better. */
    static final Duration SUSPECT_AGE = Duration.ofSeconds(5);

    private final TokenProvider provider;
    private final Executor executor;
    private final Time time;
    private final InstantSource clock;
    private final RandomGenerator random;
    private final List<Runnable> wakes = new CopyOnWriteArrayList<>();
    private final ReentrantLock lock = new ReentrantLock();

    /** Replaced under the lock, read by anyone. */
    private volatile @Nullable Kept kept;

    /** What those who wait for the next token wait for. Guarded by lock. */
    private @Nullable CompletableFuture<Token> flight;

    /** Whether a call of the provider is under way. Guarded by lock. */
    private boolean calling;

    /** Guarded by lock. */
    private int failuresInARow;

    /** Not before then is the provider called again. Guarded by lock. */
    private long notBefore = Long.MIN_VALUE;

    /** Guarded by lock. */
    private Time.@Nullable Scheduled next;

    /** Guarded by lock. */
    private boolean closed;

    private volatile @Nullable TokenException lastFailure;
    private final AtomicLong failures = new AtomicLong();

    /**
     * A cache that is empty until someone asks.
     *
     * @param executor where the provider is called, which may block
     */
    public TokenCache(
            TokenProvider provider, Executor executor, Time time, InstantSource clock, RandomGenerator random) {
        this.provider = provider;
        this.executor = executor;
        this.time = time;
        this.clock = clock;
        this.random = random;
    }

    /** The token, at once if there is one, else as soon as it is made. */
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
        try {
            if (error != null) {
                answer.failed(new OpenFailure(FailureCause.TOKEN_PROVIDER, asTokenException(error)));
            } else if (token != null) {
                answer.granted(new Use(token));
            }
            return true;
        } catch (RuntimeException e) { // the future would keep it to itself
            log.error("Whoever waited for a token could not be told", e);
            return false;
        }
    }

    @Override
    public Runnable whenFreed(Runnable wake) {
        wakes.add(wake);
        return () -> wakes.remove(wake);
    }

    /** How often the provider failed so far. */
    public long failures() {
        return failures.get();
    }

    /** Makes no further token; one that is there is served until it ends. */
    @Override
    public void close() {
        CompletableFuture<Token> left;
        lock.lock();
        try {
            closed = true;
            left = flight;
            flight = null;
            cancelNext();
        } finally {
            lock.unlock();
        }
        if (left != null) {
            left.completeExceptionally(new TokenException("the cache of tokens is closed", null));
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
                : new TokenException("there is no token: " + error.getMessage(), error);
    }

    // ---- one call at a time

    /** What one who needs a token may do: wait for the flight, or come again. */
    private record Attempt(@Nullable CompletableFuture<Token> flight, long notBefore) {}

    private Attempt join() {
        CompletableFuture<Token> joined;
        boolean call;
        lock.lock();
        try {
            Kept now = kept;
            if (now != null && isGood(now)) {
                return new Attempt(CompletableFuture.completedFuture(now.token), 0);
            }
            joined = flight;
            if (joined == null) {
                if (closed) {
                    return new Attempt(null, Long.MAX_VALUE);
                }
                if (time.nanos() < notBefore) {
                    return new Attempt(null, notBefore);
                }
                joined = new CompletableFuture<>();
                call = begin(joined);
            } else {
                call = false;
            }
        } finally {
            lock.unlock();
        }
        if (call) {
            call();
        }
        return new Attempt(joined, 0);
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
        boolean call;
        lock.lock();
        try {
            next = null;
            call = !closed && flight == null && begin(new CompletableFuture<>());
        } finally {
            lock.unlock();
        }
        if (call) {
            call();
        }
    }

    /** Makes {@code mine} what everyone waits for; whether the provider has to be called. Called under the lock. */
    private boolean begin(CompletableFuture<Token> mine) {
        flight = mine;
        cancelNext();
        next = time.schedule(time.nanos() + PATIENCE.toNanos(), () -> giveUp(mine));
        boolean call = !calling;
        calling = true;
        return call;
    }

    private void call() {
        try {
            executor.execute(this::callProvider);
        } catch (RejectedExecutionException e) {
            failed(null, new TokenException("the token could not be asked for: nobody takes work", e), true);
        }
    }

    private void callProvider() {
        Token token;
        try {
            token = provider.token();
        } catch (Exception e) {
            if (e instanceof InterruptedException) {
                Thread.currentThread().interrupt();
            }
            failed(null, asTokenException(e), true);
            return;
        } catch (Error e) {
            failed(null, new TokenException("there is no token: " + e.getClass().getName(), e), true);
            throw e;
        }
        Duration left = Duration.between(clock.instant(), token.expiresAt());
        if (left.compareTo(LEAST_LEFT) < 0) {
            failed(
                    null,
                    new TokenException(
                            "the new token ends at " + token.expiresAt() + ", which is within " + LEAST_LEFT.toSeconds()
                                    + " s: look at the credentials that sign it, and at this machine's clock",
                            null),
                    true);
            return;
        }
        arrived(token, left);
    }

    private void arrived(Token token, Duration left) {
        CompletableFuture<Token> landed;
        boolean recovered;
        lock.lock();
        try {
            long now = time.nanos();
            kept = new Kept(token, now, now + left.minus(LEAST_LEFT).toNanos());
            calling = false;
            landed = flight;
            flight = null;
            recovered = failuresInARow > 0;
            failuresInARow = 0;
            notBefore = Long.MIN_VALUE;
            cancelNext();
            if (!closed) {
                next = time.schedule(now + refreshAfterNanos(left), this::refresh);
            }
        } finally {
            lock.unlock();
        }
        if (recovered) {
            log.info("Token provider recovered: {}", provider);
        }
        if (landed != null) {
            landed.complete(token);
        }
        wakes.forEach(Runnable::run);
    }

    /** Four fifths of the life, or while it can still be handed out if that is sooner; never in a tight loop. */
    private static long refreshAfterNanos(Duration left) {
        long fourFifths = (long) (left.toNanos() * REFRESH_AFTER);
        long whileGood = left.minus(LEAST_LEFT).toNanos();
        return Math.max(SOONEST_REFRESH.toNanos(), Math.min(fourFifths, whileGood));
    }

    private void giveUp(CompletableFuture<Token> mine) {
        failed(mine, new TokenException("there is no token after " + PATIENCE.toSeconds() + " s", null), false);
    }

    /** The flight has failed, {@code only} that one if it is given; {@code ended} tells whether the call has ended, too. */
    private void failed(@Nullable CompletableFuture<Token> only, TokenException why, boolean ended) {
        CompletableFuture<Token> lost;
        boolean first;
        lock.lock();
        try {
            calling = calling && !ended;
            lost = flight;
            if (lost == null || (only != null && lost != only)) {
                return; // its callers were told, and the failure was counted, when patience ended
            }
            flight = null;
            lastFailure = why;
            failures.incrementAndGet();
            failuresInARow++;
            first = failuresInARow == 1;
            notBefore = time.nanos() + BACKOFF.delayNanos(failuresInARow, random);
            cancelNext();
            if (!closed) {
                next = time.schedule(notBefore, this::refresh);
            }
        } finally {
            lock.unlock();
        }
        Kept old = kept;
        if (first) {
            log.warn(
                    "Token provider failed: {}; {}",
                    why.getMessage(),
                    old != null && isGood(old)
                            ? "the old token is served until it ends"
                            : "no connection can be opened");
        }
        lost.completeExceptionally(why);
    }

    /** Called under the lock. */
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
     * @param sinceNanos since when
     * @param goodUntilNanos until when it is handed out, as far as the monotonic clock tells; the wall clock is asked as
     *     well, since the first may stand still while a machine sleeps and the second may be set
     */
    private record Kept(Token token, long sinceNanos, long goodUntilNanos) {}
}
