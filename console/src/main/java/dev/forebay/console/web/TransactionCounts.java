// SPDX-License-Identifier: Apache-2.0
package dev.forebay.console.web;

import dev.forebay.tx.ErrorMeaning;
import dev.forebay.tx.TxListener;
import java.util.concurrent.atomic.LongAdder;

/** Counts the outcomes of a group's transactions, and reports the notable ones. Thread-safe. */
public final class TransactionCounts implements TxListener {

    private final String group;
    private final Happenings happenings;
    private final LongAdder committed = new LongAdder();
    private final LongAdder conflicts = new LongAdder();
    private final LongAdder givenUp = new LongAdder();
    private final LongAdder unknown = new LongAdder();
    private final LongAdder failed = new LongAdder();

    public TransactionCounts(String group, Happenings happenings) {
        this.group = group;
        this.happenings = happenings;
    }

    /** The counts of this moment. */
    public Source.Transactions now() {
        return new Source.Transactions(committed.sum(), conflicts.sum(), givenUp.sum(), unknown.sum(), failed.sum());
    }

    @Override
    public void attemptFailed(String operation, ErrorMeaning meaning, String sqlState, Throwable error) {
        if (meaning == ErrorMeaning.CONFLICT) {
            conflicts.increment();
        } else if (meaning == ErrorMeaning.OUTCOME_UNKNOWN) {
            unknown.increment();
            happenings.add(group, Event.UNKNOWN_OUTCOME, operation);
        }
    }

    @Override
    public void ended(String operation, Outcome outcome, int attempts, long nanos) {
        switch (outcome) {
            case COMMITTED -> committed.increment();
            case EXHAUSTED -> {
                givenUp.increment();
                happenings.add(group, Event.GIVEN_UP, operation + " after " + attempts + " attempts");
            }
            case FAILED, STOPPED -> failed.increment();
        }
    }
}
