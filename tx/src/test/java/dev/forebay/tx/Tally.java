// SPDX-License-Identifier: Apache-2.0
package dev.forebay.tx;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;

/** Hears transactions, checks that what it hears of each makes sense, and keeps it. Thread-safe. */
final class Tally implements TxListener {

    /** What was heard of one transaction. */
    static final class Heard {
        final String operation;
        final List<ErrorMeaning> failures = new ArrayList<>();
        final List<String> states = new ArrayList<>();
        final List<Long> delaysNanos = new ArrayList<>();
        Outcome outcome;
        int attempts;
        long nanos;

        Heard(String operation) {
            this.operation = operation;
        }

        @Override
        public String toString() {
            return operation + " " + failures + states + ", delays " + delaysNanos + ", " + outcome + " after "
                    + attempts;
        }
    }

    private final Map<Thread, Heard> underWay = new ConcurrentHashMap<>();
    private final List<Heard> ended = new CopyOnWriteArrayList<>();
    private final List<String> wrong = new CopyOnWriteArrayList<>(); // what a listener throws is not heard
    private final boolean idempotent;

    /** {@code idempotent} if an unknown outcome may be followed by another attempt. */
    Tally(boolean idempotent) {
        this.idempotent = idempotent;
    }

    /** What was heard of all that have ended, if it made sense. */
    List<Heard> ended() {
        assertEquals(List.of(), wrong);
        assertEquals(Map.of(), underWay, "what began has ended");
        return ended;
    }

    private void expect(boolean holds, Object what) {
        if (!holds) {
            wrong.add(what.toString());
        }
    }

    Heard last() {
        return ended.get(ended.size() - 1);
    }

    long failures(ErrorMeaning failure) {
        return ended.stream()
                .flatMap(heard -> heard.failures.stream())
                .filter(failure::equals)
                .count();
    }

    long outcomes(Outcome outcome) {
        return ended.stream().filter(heard -> heard.outcome == outcome).count();
    }

    long retries() {
        return ended.stream().mapToLong(heard -> heard.delaysNanos.size()).sum();
    }

    @Override
    public void began(String operation) {
        expect(underWay.put(Thread.currentThread(), new Heard(operation)) == null, operation + " began within another");
    }

    private Heard heard(String operation) {
        Heard heard = underWay.computeIfAbsent(Thread.currentThread(), thread -> new Heard("nothing"));
        expect(heard.operation.equals(operation), operation + " was heard of in " + heard);
        return heard;
    }

    @Override
    public void attemptFailed(String operation, ErrorMeaning failure, String sqlState, Throwable error) {
        Heard heard = heard(operation);
        expect(heard.delaysNanos.size() == heard.failures.size(), "no retry between two failures: " + heard);
        heard.failures.add(failure);
        heard.states.add(sqlState);
    }

    @Override
    public void retrying(String operation, String sqlState, int attempt, long delayNanos) {
        Heard heard = heard(operation);
        heard.delaysNanos.add(delayNanos);
        expect(attempt == heard.failures.size() && attempt == heard.delaysNanos.size(), "miscounted: " + heard);
        expect(heard.states.get(attempt - 1).equals(sqlState), "retried after another state: " + heard);
        ErrorMeaning why = heard.failures.get(attempt - 1);
        boolean mayBe = why == ErrorMeaning.CONFLICT
                ? sqlState.equals("40001")
                : idempotent && why == ErrorMeaning.OUTCOME_UNKNOWN;
        expect(mayBe, "retried after " + why + " " + sqlState);
    }

    @Override
    public void ended(String operation, Outcome outcome, int attempts, long nanos) {
        Heard heard = heard(operation);
        underWay.remove(Thread.currentThread());
        heard.outcome = outcome;
        heard.attempts = attempts;
        heard.nanos = nanos;
        int retries = heard.delaysNanos.size();
        expect(attempts == heard.failures.size() + (outcome == Outcome.COMMITTED ? 1 : 0), "attempts: " + heard);
        expect(retries == attempts - 1 || (outcome == Outcome.STOPPED && retries == attempts), "retries: " + heard);
        ended.add(heard);
    }
}
