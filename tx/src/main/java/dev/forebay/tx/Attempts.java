// SPDX-License-Identifier: Apache-2.0
package dev.forebay.tx;

import dev.forebay.time.Time;
import dev.forebay.tx.internal.Causes;
import java.sql.SQLException;
import java.sql.SQLTimeoutException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * All the attempts at one transaction. Used by one thread, once.
 *
 * <h2>Invariants</h2>
 *
 * <ol>
 *   <li>Another attempt follows only on a conflict, or on an unknown outcome if the caller said that this does no harm, and only
 *       as often as the policy allows.
 *   <li>An exception other than {@link OutcomeUnknownException} means that the transaction has not taken place: once the outcome
 *       of an attempt was unknown, that is what is thrown, however a later attempt fails.
 *   <li>Listeners hear one end for the beginning.
 *   <li>Its place in a line is given up before it ends, however it ends; in a lane nothing is attempted before it is admitted.
 * </ol>
 */
final class Attempts {

    private static final long NEVER = -1;

    /** The most failed attempts that are reported; with a deadline there is no other limit to their number. */
    private static final int MOST_REMEMBERED = 1_000;

    /** The conflict after which a fair transaction queues: one that lost to few others has won by then. */
    private static final int QUEUED_FROM = 4;

    /** SQLSTATEs of a statement that was cancelled or took too long. */
    private static final Set<String> CANCELLED_STATES = Set.of("57014", "70100", "HY008");

    private final String name;
    private final TxOptions options;
    private final TxListener listener;
    private final Time time;
    private final Pause pause;
    private final RandomGenerator random;
    private final Lines lines;
    private final long beganNanos;
    private final Stop stop;
    private final List<GivenUpException.Attempt> failed = new ArrayList<>(0);
    private Lines.@Nullable Place place;
    private int lostAlone;
    private @Nullable OutcomeUnknownException unknown;
    private TxListener.Outcome outcome = TxListener.Outcome.FAILED;

    Attempts(
            String name,
            TxOptions options,
            TxListener listener,
            Time time,
            Pause pause,
            RandomGenerator random,
            Lines lines) {
        this.name = name;
        this.options = options;
        this.listener = listener;
        this.time = time;
        this.pause = pause;
        this.random = random;
        this.lines = lines;
        this.beganNanos = time.nanos();
        this.stop = new Stop(time, deadlineNanos(options.time()), options.cancellation());
    }

    private long deadlineNanos(@Nullable Duration limit) {
        if (limit == null || limit.compareTo(Duration.ofNanos(Long.MAX_VALUE - beganNanos)) >= 0) {
            return Long.MAX_VALUE;
        }
        return beganNanos + limit.toNanos();
    }

    /** Runs {@code step} until it succeeds or must not be retried. */
    <T extends @Nullable Object, X extends Exception> T run(Step<T, X> step) throws SQLException, X {
        listener.began(name);
        int attempt = 0;
        try {
            takePlace();
            while (true) {
                stopIfAsked();
                attempt++;
                long attemptNanos = time.nanos();
                try {
                    T value = step.attempt(attempt, stop);
                    outcome = TxListener.Outcome.COMMITTED;
                    return value;
                } catch (Throwable e) {
                    long tookNanos = time.nanos() - attemptNanos;
                    remember(new GivenUpException.Attempt(
                            attempt, Duration.ofNanos(attemptNanos - beganNanos), Duration.ofNanos(tookNanos), e));
                    long delayNanos = delayNanos(attempt, tookNanos, e);
                    if (delayNanos == NEVER) {
                        throw e;
                    }
                    listener.retrying(name, ErrorMeaning.stateOf(e), attempt, delayNanos);
                    pause(delayNanos);
                }
            }
        } finally {
            if (place != null) {
                place.leave(outcome == TxListener.Outcome.COMMITTED);
            }
            listener.ended(name, outcome, attempt, time.nanos() - beganNanos);
        }
    }

    /** Returns the wait before the next attempt, {@link #NEVER} if the error is to be thrown as it is. */
    private long delayNanos(int attempt, long tookNanos, Throwable error) throws SQLException {
        ErrorMeaning meaning = error instanceof Error ? ErrorMeaning.OTHER : ErrorMeaning.of(error);
        listener.attemptFailed(name, meaning, ErrorMeaning.stateOf(error), error);
        if (meaning == ErrorMeaning.OUTCOME_UNKNOWN && unknown == null) {
            unknown = error instanceof OutcomeUnknownException e ? e : new OutcomeUnknownException(name, error);
        }
        boolean again =
                meaning == ErrorMeaning.CONFLICT || (meaning == ErrorMeaning.OUTCOME_UNKNOWN && options.idempotent());
        if (!again) {
            if (isStop(error) || meaning == ErrorMeaning.CONNECTION_LOST) {
                stopIfAsked();
            }
            if (unknown != null && unknown != error && !(error instanceof Error)) {
                unknown.addSuppressed(error);
                throw unknown;
            }
            return NEVER;
        }
        if (!options.policy().mayFollow(attempt, stop.hasDeadline())) {
            throw givenUp(GivenUpException.Reason.RETRIES_EXHAUSTED);
        }
        long delay = options.policy().delayNanos(requeue(attempt), tookNanos, random);
        if (stop.hasDeadline() && delay >= stop.deadlineNanos() - time.nanos()) {
            throw givenUp(GivenUpException.Reason.DEADLINE);
        }
        return delay;
    }

    private void remember(GivenUpException.Attempt attempt) {
        if (failed.size() == MOST_REMEMBERED) {
            failed.remove(0);
        }
        failed.add(attempt);
    }

    // ---- waiting

    /** Takes a place in the lane, or in the queue if there is one, and waits until it is admitted. */
    private void takePlace() throws SQLException {
        if (options.lane() != null) {
            Lines.Place mine = lines.lane(options.lane());
            place = mine;
            while (!mine.isAdmitted()) {
                stopIfAsked();
                awaitTurn(mine, Long.MAX_VALUE);
            }
        } else if (options.policy().fair()) {
            place = lines.queueBehindOthers(name);
            if (place != null) {
                awaitTurn(place, options.policy().maxDelay().toNanos());
            }
        }
    }

    /**
     * Returns the number of the lost attempt in the eyes of the policy, from 1. In a queue only those count in a row that were lost
     * to another process: against one's own the queue helps, where a wait would leave the row unused.
     */
    private int requeue(int attempt) {
        if (options.lane() != null || !options.policy().fair()) {
            return attempt;
        }
        if (place != null) {
            lostAlone = place.conflicted() ? lostAlone + 1 : 0;
        } else if (attempt >= QUEUED_FROM) {
            place = lines.queue(name);
        }
        return Math.max(1, lostAlone);
    }

    /** Waits for {@code delayNanos}, or until its place is admitted. */
    private void pause(long delayNanos) throws SQLException {
        if (options.lane() == null && place != null && !place.isAdmitted()) {
            awaitTurn(place, options.policy().maxDelay().toNanos());
        } else if (delayNanos > 0) {
            try {
                pause.until(time.nanos() + delayNanos, options.cancellation());
            } catch (InterruptedException e) {
                throw interrupted();
            }
        }
    }

    /** Waits until {@code place} is admitted, or so long that it goes on without. */
    private void awaitTurn(Lines.Place place, long mostNanos) throws SQLException {
        long now = time.nanos();
        long untilNanos = mostNanos > stop.deadlineNanos() - now ? stop.deadlineNanos() : now + mostNanos;
        try {
            if (!place.isAdmitted()) {
                place.await(pause, untilNanos, options.cancellation());
            }
        } catch (InterruptedException e) {
            throw interrupted();
        }
    }

    private SQLException interrupted() {
        Thread.currentThread().interrupt();
        return givenUp(GivenUpException.Reason.INTERRUPTED);
    }

    private void stopIfAsked() throws SQLException {
        GivenUpException.Reason reason = stop.reason();
        if (reason != null) {
            throw givenUp(reason);
        }
    }

    private SQLException givenUp(GivenUpException.Reason reason) {
        outcome = reason == GivenUpException.Reason.RETRIES_EXHAUSTED
                ? TxListener.Outcome.EXHAUSTED
                : TxListener.Outcome.STOPPED;
        GivenUpException given = new GivenUpException(name, reason, failed, time.nanos() - beganNanos);
        if (unknown == null) {
            return given;
        }
        unknown.addSuppressed(given);
        return unknown;
    }

    /** Returns whether {@code error} is one that a stopped statement throws. */
    private static boolean isStop(Throwable error) {
        return Causes.of(error).stream()
                .anyMatch(one -> one instanceof SQLTimeoutException
                        || (one instanceof SQLException e
                                && CANCELLED_STATES.contains(String.valueOf(e.getSQLState()))));
    }

    /** The work of one attempt. */
    interface Step<T extends @Nullable Object, X extends Exception> {
        T attempt(int number, Stop stop) throws SQLException, X;
    }
}
