// SPDX-License-Identifier: Apache-2.0
package dev.forebay.console.demo;

import dev.forebay.tx.ErrorMeaning;
import dev.forebay.tx.TxListener;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.atomic.LongAccumulator;
import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;

/** The outcome of a load: checkouts and transactions, counted. Thread-safe. */
final class Tally implements TxListener {

    /** The longest checkout so far. */
    final LongAccumulator longestNanos = new LongAccumulator(Math::max, 0);

    /** Checkouts that took longer than {@link Plan#STALL}. */
    final LongAdder stalls = new LongAdder();

    final LongAdder checkouts = new LongAdder();

    /** Checkouts that found nothing ready. */
    final LongAdder empties = new LongAdder();

    final LongAdder failedCheckouts = new LongAdder();
    final LongAdder commits = new LongAdder();
    final LongAdder conflicts = new LongAdder();

    /** Transactions that met conflicts until the policy had no more attempts. */
    final LongAdder givenUp = new LongAdder();

    /** Transactions that lost their connection before COMMIT. */
    final LongAdder broken = new LongAdder();

    /** Transactions that lost it during COMMIT. */
    final LongAdder unknown = new LongAdder();

    /** Failures that nothing in the script explains. */
    final LongAdder unexpected = new LongAdder();

    private final AtomicReference<@Nullable String> firstTrouble = new AtomicReference<>();

    /** The first message of a failed checkout, or of an unexplained failure; empty if there was none. */
    String firstTrouble() {
        String said = firstTrouble.get();
        return said == null ? "" : said;
    }

    /** Forgets the waits so far, those of the first transactions of a process that is not warm yet. */
    void forgetWaits() {
        longestNanos.reset();
        stalls.reset();
        empties.reset();
    }

    /** Counts the time of a checkout, whatever its end. */
    void waited(long nanos) {
        longestNanos.accumulate(nanos);
        if (nanos > Plan.STALL.toNanos()) {
            stalls.increment();
        }
    }

    void checkoutFailed(Exception error) {
        failedCheckouts.increment();
        firstTrouble.compareAndSet(null, error.getMessage());
    }

    @Override
    public void attemptFailed(String operation, ErrorMeaning meaning, String sqlState, Throwable error) {
        if (error instanceof CountedDataSource.NoConnection) {
            return; // counted there
        }
        switch (meaning) {
            case CONFLICT -> conflicts.increment();
            case OUTCOME_UNKNOWN -> unknown.increment();
            case CONNECTION_LOST -> broken.increment();
            default -> {
                unexpected.increment();
                firstTrouble.compareAndSet(null, error.toString());
            }
        }
    }

    @Override
    public void ended(String operation, Outcome outcome, int attempts, long nanos) {
        if (outcome == Outcome.COMMITTED) {
            commits.increment();
        } else if (outcome == Outcome.EXHAUSTED) {
            givenUp.increment();
        }
    }
}
