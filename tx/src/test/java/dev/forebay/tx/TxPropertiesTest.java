// SPDX-License-Identifier: Apache-2.0
package dev.forebay.tx;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.forebay.testkit.Faults;
import dev.forebay.testkit.Faults.Kind;
import dev.forebay.testkit.Faults.Point;
import dev.forebay.testkit.SimDatabase.Answered;
import dev.forebay.testkit.SimDatabase.Commit;
import dev.forebay.testkit.SimDatabase.Write;
import dev.forebay.testkit.Turns.Actor;
import dev.forebay.tx.TxListener.Outcome;
import dev.forebay.tx.TxWorld.Report;
import dev.forebay.tx.TxWorld.Verdict;
import dev.forebay.tx.TxWorld.Wrapping;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Properties 2 to 6 of transactions, each on a thousand seeds: in virtual time, before a database of either mode that
 * injects faults and knows what became of every transaction.
 */
@Timeout(300)
class TxPropertiesTest {

    private static final int RUNS = 1_000;
    private static final String SWAP = "UPDATE shards SET range_id = ? WHERE shard_id = ? AND range_id = ?";
    private static final String CURRENT = "SELECT range_id FROM shards WHERE shard_id = ?";
    private static final Kind[] CONFLICTS = {
        Kind.CONFLICT_AT_STATEMENT,
        Kind.SCHEMA_CHANGED_AT_STATEMENT,
        Kind.CONFLICT_AT_COMMIT,
        Kind.SCHEMA_CHANGED_AT_COMMIT
    };

    // ---- Property 2: Conditional Update Atomicity

    /** Fenced updates of a few shards, single, automatic and in batches, with tokens that are current, stale or from nowhere. */
    private static final class Fences {
        private static final int SHARDS = 3;
        private final TxWorld world;
        private final Transactions tx;
        private final boolean faultless;
        private final Map<String, Map<Long, Long>> expectations = new HashMap<>();
        private final Map<String, Report> reports = new TreeMap<>();
        private long lastToken = 100;

        Fences(long seed) {
            world = new TxWorld(seed, false);
            world.database.table("shards", "shard_id", "range_id");
            for (long shard = 1; shard <= SHARDS; shard++) {
                world.database.row("shards", shard, shard);
            }
            faultless = world.random.nextBoolean();
            Faults faults = faultless ? Faults.NONE : Faults.all(0.01).with(Kind.CONFLICT_AT_COMMIT, 0.1);
            world.database.faults(world.latency(faults));
            tx = world.transactions(TxRetryPolicy.PATIENT.withMaxRetries(20));
        }

        void run() {
            for (int a = 0; a < 3; a++) {
                Random random = new Random(world.random.nextLong());
                String actor = "actor " + a;
                world.turns.actor(actor, () -> {
                    for (int n = 0; n < 4; n++) {
                        swap(actor + " swap " + n, random);
                    }
                });
            }
            world.turns.run();
            assertEquals(List.of(), world.database.complaints());
            world.tally.ended();
            verify();
        }

        private long tokenOf(long shard) {
            return world.database.number("shards", shard, "range_id");
        }

        private void swap(String tag, Random random) {
            Map<Long, Long> expected = new TreeMap<>();
            expectations.put(tag, expected);
            world.database.tag(tag);
            boolean automatic = random.nextInt(4) == 0;
            long shards = automatic ? 1 : 1 + random.nextInt(SHARDS);
            long first = random.nextInt(SHARDS);
            for (long i = 0; i < shards; i++) {
                long shard = 1 + (first + i) % SHARDS;
                expected.put(shard, random.nextInt(6) == 0 ? 50 + random.nextInt(50) : tokenOf(shard));
            }
            world.turns.yield();
            Map<Long, Long> before = tokens(expected.keySet());
            Report report = TxWorld.report(() -> tx.run("swap", c -> {
                if (automatic) {
                    swapAutomatically(c, expected);
                } else if (expected.size() == 1 && random.nextBoolean()) {
                    long shard = expected.keySet().iterator().next();
                    Fenced.on(c).update(SWAP, ++lastToken, shard).expecting(expected.get(shard));
                } else {
                    Fenced.Batch batch = Fenced.on(c).batch(SWAP);
                    expected.forEach(
                            (shard, token) -> batch.add(++lastToken, shard).expecting(token));
                    batch.execute();
                }
            }));
            reports.put(tag, report);
            judge(tag, report, expected, before, automatic);
        }

        private void swapAutomatically(Connection c, Map<Long, Long> expected) throws SQLException {
            long shard = expected.keySet().iterator().next();
            List<Object> read = Fenced.on(c).update(SWAP, ++lastToken, shard).expectingCurrent(CURRENT, shard);
            expected.put(shard, (Long) read.get(0));
        }

        private Map<Long, Long> tokens(Set<Long> shards) {
            Map<Long, Long> tokens = new TreeMap<>();
            shards.forEach(shard -> tokens.put(shard, tokenOf(shard)));
            return tokens;
        }

        /** A token never comes again, so one that had moved on has moved on still. */
        private void judge(
                String tag, Report report, Map<Long, Long> expected, Map<Long, Long> before, boolean automatic) {
            Map<Long, Long> after = tokens(expected.keySet());
            if (report.verdict() == Verdict.CONDITION_FAILED) {
                assertNotEquals(expected, after, tag + ": condition failed although nothing had moved on");
                assertFalse(automatic, tag + ": nothing moves between a read and a write of one snapshot");
            }
            if (!automatic && !expected.equals(before)) {
                assertNotEquals(
                        Verdict.COMMITTED, report.verdict(), tag + ": " + expected + " had moved on: " + before);
                assertTrue(!faultless || report.verdict() == Verdict.CONDITION_FAILED, () -> tag + ": " + report);
            }
            if (faultless) {
                assertTrue(
                        report.verdict() == Verdict.CONDITION_FAILED || report.verdict() == Verdict.COMMITTED,
                        () -> tag + ": " + report);
            }
        }

        private void verify() {
            Map<Long, Long> tokens = new HashMap<>();
            for (long shard = 1; shard <= SHARDS; shard++) {
                tokens.put(shard, shard);
            }
            for (Commit commit : world.database.history()) {
                Map<Long, Long> expected = expectations.get(commit.tag());
                assertEquals(expected.size(), commit.writes().size(), "all or nothing");
                for (Write write : commit.writes()) {
                    Long shard = (Long) write.key();
                    assertEquals(tokens.get(shard), write.before().get("range_id"));
                    assertEquals(expected.get(shard), tokens.get(shard), commit + " expected another token");
                    tokens.put(shard, (Long) write.after().get("range_id"));
                }
            }
            reports.forEach((tag, report) -> {
                int applied = world.database.history(tag).size();
                assertTrue(applied <= 1, tag + " was applied " + applied + " times");
                assertTrue(
                        report.verdict() == Verdict.UNKNOWN
                                || (report.verdict() == Verdict.COMMITTED) == (applied == 1),
                        () -> tag + " was applied " + applied + " times: " + report);
            });
        }
    }

    /** Property 2, Conditional Update Atomicity. */
    @Test
    void property2FencedUpdatesFormAChainAndBatchesAreAllOrNothing() {
        TxWorld.forEachSeed(RUNS, seed -> new Fences(seed).run());
    }

    // ---- Property 3: Serialization Conflict Retry

    private static final class Retries {
        private final TxWorld world;
        private final TxRetryPolicy policy;
        private final Transactions tx;
        private final List<Double> multiples;

        Retries(long seed, List<Double> multiples) {
            this.world = new TxWorld(seed, false);
            this.multiples = multiples;
            world.database
                    .table("accounts", "id", "balance")
                    .row("accounts", 1, 0)
                    .row("accounts", 2, 0);
            Faults faults = Faults.all(0.02);
            for (Kind kind : CONFLICTS) {
                faults = faults.with(kind, 0.2);
            }
            world.database.faults(faults);
            policy = world.random.nextInt(4) == 0 ? TxRetryPolicy.PATIENT : world.anyPolicy();
            tx = world.transactions(policy);
        }

        void call(String tag) {
            world.database.tag(tag);
            List<Long> began = new ArrayList<>();
            Wrapping wrapping = world.anyWrapping();
            boolean swallows = world.random.nextInt(4) == 0;
            Report report = TxWorld.report(() -> tx.run("retried", c -> {
                began.add(world.turns.time().nanos());
                assertEquals(began.size(), c.attempt());
                try {
                    TxWorld.update(c, "UPDATE accounts SET balance = balance + 1 WHERE id = 1");
                    TxWorld.update(c, "UPDATE accounts SET balance = balance + 1 WHERE id = 2");
                } catch (SQLException e) {
                    if (!swallows) {
                        throw wrapping.wrap(e);
                    }
                }
            }));
            verify(tag, report, began);
        }

        private void verify(String tag, Report report, List<Long> began) {
            List<Answered> errors = world.database.errors(tag).stream()
                    .filter(error ->
                            error.point() != Point.ROLLBACK && !error.sqlState().equals("08003"))
                    .toList();
            int conflicts = 0;
            while (conflicts < errors.size()
                    && conflicts <= policy.maxRetries()
                    && errors.get(conflicts).sqlState().equals("40001")) {
                conflicts++;
            }
            boolean exhausted = conflicts == policy.maxRetries() + 1;
            boolean failed = !exhausted && conflicts < errors.size();
            int attempts = conflicts + (exhausted ? 0 : 1);
            assertEquals(attempts, world.tally.last().attempts, () -> tag + ": " + errors);
            assertEquals(conflicts + (failed ? 1 : 0), errors.size(), "nothing is tried after " + errors);
            boolean refused = failed && errors.get(conflicts).point() == Point.CONNECT;
            assertEquals(attempts, began.size() + (refused ? 1 : 0), "the whole body runs in each attempt");
            assertEquals(!exhausted && !failed, report.verdict() == Verdict.COMMITTED, () -> tag + ": " + report);
            if (exhausted) {
                verifyGivenUp(assertInstanceOf(GivenUpException.class, report.error()), errors);
            }
            verifyDelays(errors, began);
            for (Commit commit : world.database.history(tag)) {
                assertEquals(2, commit.writes().size(), "the whole body is applied");
            }
        }

        private void verifyGivenUp(GivenUpException given, List<Answered> errors) {
            assertEquals(GivenUpException.Reason.RETRIES_EXHAUSTED, given.reason());
            assertEquals(errors.size(), given.attempts().size());
            long start = errors.get(0).atNanos();
            for (int i = 0; i < errors.size(); i++) {
                GivenUpException.Attempt attempt = given.attempts().get(i);
                assertEquals(i + 1, attempt.number());
                assertEquals(errors.get(i).atNanos() - start, attempt.began().toNanos());
                assertEquals("40001", ErrorMeaning.stateOf(attempt.cause()));
            }
            assertSame(given.attempts().get(errors.size() - 1).cause(), given.getCause());
        }

        /** Round trips take no time here, so between two attempts lies the wait and nothing else. */
        private void verifyDelays(List<Answered> errors, List<Long> began) {
            List<Long> delays = world.tally.last().delaysNanos;
            double nominal = policy.baseDelay().toNanos();
            for (int i = 0; i < delays.size(); i++) {
                long most = policy.maxDelay().toNanos();
                double capped = Math.min(nominal, most);
                long delay = delays.get(i);
                assertTrue(
                        delay >= Math.floor(capped * policy.jitter().least())
                                && delay
                                        <= Math.min(
                                                most,
                                                Math.ceil(
                                                        capped * policy.jitter().most())),
                        "delay " + (i + 1) + " of " + policy + ": " + delay);
                if (i + 1 < began.size()) {
                    assertEquals(delay, began.get(i + 1) - errors.get(i).atNanos(), "it waits as long as it says");
                }
                if (policy.equals(TxRetryPolicy.PATIENT) && i < 3) {
                    multiples.add(delay / nominal);
                }
                nominal *= 2;
            }
        }
    }

    /** Property 3, Serialization Conflict Retry. */
    @Test
    void property3TheWholeBodyIsRetriedExactlyOn40001WithExponentialBackoffAndJitter() {
        List<Double> multiples = new ArrayList<>();
        TxWorld.forEachSeed(RUNS, seed -> {
            Retries retries = new Retries(seed, multiples);
            for (int n = 0; n < 4; n++) {
                retries.call("call " + n);
            }
            assertEquals(List.of(), retries.world.database.complaints());
            retries.world.tally.ended();
        });
        if (multiples.size() > 100) {
            double mean = multiples.stream()
                    .mapToDouble(Double::doubleValue)
                    .average()
                    .orElseThrow();
            assertTrue(mean > 0.97 && mean < 1.03, "mean multiple " + mean);
            assertTrue(multiples.stream().anyMatch(multiple -> multiple < 0.78), "none is much shorter");
            assertTrue(multiples.stream().anyMatch(multiple -> multiple > 1.22), "none is much longer");
        }
    }

    // ---- Property 4: Concurrency Safety

    /** Everyone wants the same token, round after round. */
    private static final class Contest {
        private static final int ROUNDS = 3;
        private final TxWorld world;
        private final Transactions tx;
        private final int actors;
        private final int[] winners = new int[ROUNDS];
        private final int[] arrived = new int[ROUNDS];

        Contest(long seed) {
            world = new TxWorld(seed, false);
            world.database.table("shards", "shard_id", "range_id", "owner").row("shards", 7, 0, "nobody");
            boolean conflicts = world.random.nextBoolean();
            world.database.faults(world.latency(conflicts ? Faults.of(0.1, CONFLICTS) : Faults.NONE));
            actors = 2 + world.random.nextInt(4);
            tx = world.transactions(TxRetryPolicy.PATIENT.withMaxRetries(50));
        }

        void run() {
            for (int a = 0; a < actors; a++) {
                String name = "actor " + a;
                world.turns.actor(name, () -> {
                    world.database.tag(name);
                    for (int round = 0; round < ROUNDS; round++) {
                        contend(name, round);
                    }
                });
            }
            world.turns.run();
            for (int round = 0; round < ROUNDS; round++) {
                assertEquals(1, winners[round], "winners of round " + round);
            }
            assertEquals(ROUNDS, world.database.history().size());
            assertEquals(ROUNDS, world.database.number("shards", 7, "range_id"));
            assertEquals((long) ROUNDS * (actors - 1), world.tally.failures(ErrorMeaning.CONDITION_FAILED));
            assertEquals(List.of(), world.database.complaints());
            world.tally.ended();
        }

        private void contend(String name, int round) throws InterruptedException {
            arrived[round]++;
            world.turns.await("waits for the others", () -> arrived[round] == actors, Long.MAX_VALUE);
            int[] refusals = {0};
            Report report = TxWorld.report(() -> tx.run("acquire", c -> {
                assertEquals(0, refusals[0], "ran again after its condition had failed");
                try {
                    Fenced.on(c)
                            .entity("shard 7")
                            .update(
                                    "UPDATE shards SET range_id = ?, owner = ? WHERE shard_id = ? AND range_id = ?",
                                    round + 1L,
                                    name,
                                    7)
                            .orReading(CURRENT, 7)
                            .expecting((long) round);
                } catch (ConditionFailedException e) {
                    refusals[0]++;
                    throw e;
                }
            }));
            if (report.verdict() == Verdict.COMMITTED) {
                winners[round]++;
                assertEquals(name, world.database.history().get(round).tag(), "the one who was told so has won");
            } else {
                ConditionFailedException lost = assertInstanceOf(ConditionFailedException.class, report.error());
                assertEquals("shard 7", lost.entity());
                assertEquals((long) round, lost.expected());
                boolean read = lost.getSuppressed().length == 0; // a conflict may keep it from that
                assertEquals(read ? round + 1L : null, lost.actual());
            }
        }
    }

    /** Property 4, Concurrency Safety. */
    @Test
    void property4EachTokenHasOneWinnerAndTheLosersAreToldAndNeverRetried() {
        TxWorld.forEachSeed(RUNS, seed -> new Contest(seed).run());
    }

    // ---- Property 5: Error Handling Robustness

    /** One error of one kind, from whatever depth, and what becomes of it. */
    private static void oneError(long seed) {
        TxWorld world = new TxWorld(seed, false);
        world.database.table("accounts", "id", "balance").row("accounts", 1, 0);
        Kind kind = Kind.values()[(int) (seed % Kind.values().length)];
        int conflictsFirst = world.random.nextInt(3);
        Wrapping wrapping = world.anyWrapping();
        Exception[] thrown = {null};
        int[] runs = {0};
        Transactions tx = world.transactions(TxRetryPolicy.PATIENT);
        Faults now = Faults.of(1, kind);
        world.database.faults(conflictsFirst > 0 ? Faults.of(1, Kind.CONFLICT_AT_STATEMENT) : now);
        boolean ownError = kind.point() == Point.ROLLBACK;
        Report report = TxWorld.report(() -> tx.run("erring", c -> {
            world.database.faults(runs[0]++ < conflictsFirst ? Faults.of(1, Kind.CONFLICT_AT_STATEMENT) : now);
            try {
                TxWorld.update(c, "UPDATE accounts SET balance = balance + 1 WHERE id = 1");
            } catch (SQLException e) {
                throw thrown[0] = wrapping.wrap(e);
            } finally {
                if (runs[0] == conflictsFirst) {
                    world.database.faults(now); // a refusal strikes before the body
                }
            }
            if (ownError) {
                throw thrown[0] = new InstantiationException("the body's own");
            }
        }));
        verifyError(world, kind, report, thrown[0], conflictsFirst);
        world.database.faults(Faults.NONE);
        assertEquals(
                Verdict.COMMITTED,
                TxWorld.report(() -> tx.run(
                                "next",
                                c -> TxWorld.update(c, "UPDATE accounts SET balance = balance + 1 WHERE id = 1")))
                        .verdict(),
                "the next one is not disturbed");
        assertEquals(List.of(), world.database.complaints());
        assertEquals(2, world.tally.ended().size(), "one end for each");
    }

    private static void verifyError(TxWorld world, Kind kind, Report report, Exception thrown, int conflictsFirst) {
        Tally.Heard heard = world.tally.last();
        boolean conflict = kind.sqlState().equals("40001");
        assertEquals(conflict ? 6 : conflictsFirst + 1, heard.attempts, () -> kind + ": " + heard);
        ErrorMeaning last = heard.failures.get(heard.failures.size() - 1);
        if (conflict) {
            GivenUpException given = assertInstanceOf(GivenUpException.class, report.error());
            assertEquals(GivenUpException.Reason.RETRIES_EXHAUSTED, given.reason());
            assertEquals(Outcome.EXHAUSTED, heard.outcome);
            assertEquals(ErrorMeaning.CONFLICT, last);
        } else if (kind.leavesTheOutcomeUnknown()) {
            assertEquals(kind.sqlState(), ((SQLException) report.error().getCause()).getSQLState());
            assertEquals(Verdict.UNKNOWN, report.verdict());
            assertEquals(ErrorMeaning.OUTCOME_UNKNOWN, last);
        } else {
            String expected = kind == Kind.UNSUPPORTED ? "unsupported_feature" : "permanent";
            assertEquals(expected, last.label(), () -> kind + ": " + heard);
            assertEquals(Verdict.FAILED, report.verdict());
            assertEquals(Outcome.FAILED, heard.outcome);
            if (kind.point() == Point.STATEMENT || kind.point() == Point.ROLLBACK) {
                assertSame(thrown, report.error(), "what the body threw, and nothing around it");
            } else {
                assertEquals(kind.sqlState(), ((SQLException) report.error()).getSQLState());
            }
        }
        assertEquals(kind.isApplied() ? 1 : 0, world.database.history().size(), () -> kind + " and what was applied");
    }

    /** Property 5, Error Handling Robustness. */
    @Test
    void property5EachKindOfErrorEndsAsTheRightExceptionHeardOnceAndLeavesACleanConnection() {
        TxWorld.forEachSeed(RUNS, TxPropertiesTest::oneError);
    }

    // ---- Property 6: Data Integrity Under Failures

    /** Tellers who transfer, and someone who cancels and interrupts them. */
    private static final class Bank {
        private static final int ACCOUNTS = 4;
        private static final int TELLERS = 3;
        private static final int TRANSFERS = 4;
        private final TxWorld world;
        private final Transactions tx;
        private final boolean idempotent;
        private final Map<String, Report> reports = new TreeMap<>();
        private final List<Actor> tellers = new ArrayList<>();
        private final List<Cancellation> cancellations = new ArrayList<>();
        private final int[] told = new int[TELLERS];

        Bank(long seed) {
            boolean second = seed % 2 == 1;
            world = new TxWorld(seed, second);
            idempotent = second;
            world.database.table("accounts", "id", "balance").table("transfers", "id");
            for (int i = 0; i < ACCOUNTS; i++) {
                world.database.row("accounts", i, 100);
            }
            double chance = new double[] {0, 0.01, 0.03}[world.random.nextInt(3)];
            Faults faults = Faults.all(chance);
            for (Kind kind : Kind.values()) {
                boolean unknown = kind.leavesTheOutcomeUnknown();
                faults = unknown ? faults.with(kind, chance * 3) : faults;
            }
            world.database.faults(world.latency(faults));
            Transactions all = world.transactions(world.anyPolicy().withMaxRetries(8));
            tx = idempotent ? all.idempotent() : all;
        }

        void run() {
            for (int t = 0; t < TELLERS; t++) {
                int teller = t;
                Random random = new Random(world.random.nextLong());
                tellers.add(world.turns.actor("teller " + t, () -> {
                    for (int n = 0; n < TRANSFERS; n++) {
                        transfer(teller, n, random);
                    }
                }));
            }
            Random random = new Random(world.random.nextLong());
            world.turns.actor("troublemaker", () -> {
                for (int n = 0; n < 6; n++) {
                    world.turns.pauseUntil(world.turns.time().nanos() + random.nextInt(100_000_000));
                    world.turns.yield();
                    if (random.nextBoolean()) {
                        world.turns.interrupt(tellers.get(random.nextInt(TELLERS)));
                    } else if (!cancellations.isEmpty()) {
                        cancellations.get(cancellations.size() - 1).cancel();
                    }
                }
            });
            world.turns.run();
            verify();
        }

        private void transfer(int teller, int n, Random random) {
            long id = teller * 100L + n;
            String tag = "transfer " + id;
            world.database.tag(tag);
            Cancellation cancellation = new Cancellation();
            cancellations.add(cancellation);
            Transactions mine = tx.cancelledBy(cancellation);
            long deadline = Long.MAX_VALUE;
            if (random.nextInt(3) == 0) {
                Duration limit = Duration.ofMillis(1 + random.nextInt(300));
                mine = mine.within(limit);
                deadline = world.turns.time().nanos() + limit.toNanos();
            }
            if (random.nextInt(20) == 0) {
                cancellation.cancel();
            }
            long from = random.nextInt(ACCOUNTS);
            long to = (from + 1 + random.nextInt(ACCOUNTS - 1)) % ACCOUNTS;
            long amount = 1 + random.nextInt(20);
            Wrapping wrapping = Wrapping.values()[random.nextInt(4)];
            Stops stops = new Stops(cancellation, deadline);
            Transactions chosen = mine;
            Report report = TxWorld.report(() -> chosen.run("transfer", c -> {
                assertFalse(stops.wasCancelledFirst, "begun although it was cancelled");
                try {
                    move(c, id, from, to, amount);
                } catch (SQLException e) {
                    throw wrapping.wrap(e);
                }
                c.afterCommit(() -> told[teller]++);
                stops.bodyReturns();
            }));
            stops.verify(report);
            reports.put(tag, report);
        }

        /** What should have stopped a transfer, and what it did then. */
        private final class Stops {
            private final Cancellation cancellation;
            private final long deadlineNanos;
            private final boolean wasCancelledFirst;
            private boolean mustNotCommit;

            Stops(Cancellation cancellation, long deadlineNanos) {
                this.cancellation = cancellation;
                this.deadlineNanos = deadlineNanos;
                this.wasCancelledFirst = cancellation.isCancelled();
                world.pausedUntil.remove(Thread.currentThread());
            }

            /** From here to COMMIT nobody else has a turn. */
            void bodyReturns() {
                mustNotCommit = cancellation.isCancelled()
                        || Thread.currentThread().isInterrupted()
                        || world.turns.time().nanos() >= deadlineNanos;
            }

            void verify(Report report) {
                Thread me = Thread.currentThread();
                boolean interrupted = Thread.interrupted();
                assertFalse(
                        mustNotCommit && report.verdict() == Verdict.COMMITTED, "committed although it had to stop");
                assertTrue(world.pausedUntil.getOrDefault(me, 0L) < deadlineNanos, "a wait beyond the deadline");
                if (world.interruptedPauses.remove(me)) {
                    assertTrue(interrupted, "the caller does not learn of the interrupt");
                    boolean stopped = report.error() instanceof GivenUpException given
                            && given.reason() == GivenUpException.Reason.INTERRUPTED;
                    assertTrue(stopped || report.verdict() == Verdict.UNKNOWN, () -> "not stopped: " + report);
                }
            }
        }

        private void move(Connection c, long id, long from, long to, long amount) throws SQLException {
            if (idempotent && TxWorld.query(c, "SELECT id FROM transfers WHERE id = ?", id) != null) {
                return;
            }
            TxWorld.update(c, "INSERT INTO transfers (id) VALUES (?)", id);
            long balance = (Long) TxWorld.query(c, "SELECT balance FROM accounts WHERE id = ?", from);
            TxWorld.update(c, "UPDATE accounts SET balance = ? WHERE id = ?", balance - amount, from);
            TxWorld.update(c, "UPDATE accounts SET balance = balance + ? WHERE id = ?", amount, to);
        }

        private void verify() {
            for (Commit commit : world.database.history()) {
                long change = 0;
                for (Write write : commit.writes()) {
                    if (write.table().equals("accounts")) {
                        change += (Long) write.after().get("balance")
                                - (Long) write.before().get("balance");
                    }
                }
                assertEquals(0, change, () -> "money was made by " + commit);
                assertEquals(3, commit.writes().size(), () -> "half a transfer: " + commit);
            }
            assertEquals(ACCOUNTS * 100, world.database.sum("accounts", "balance"));
            int committed = 0;
            for (Map.Entry<String, Report> entry : reports.entrySet()) {
                int applied = world.database.history(entry.getKey()).size();
                Report report = entry.getValue();
                committed += report.verdict() == Verdict.COMMITTED ? 1 : 0;
                String told = entry.getKey() + " was applied " + applied + " times: " + report;
                switch (report.verdict()) {
                    case COMMITTED -> assertEquals(1, applied, told);
                    case FAILED, CONDITION_FAILED -> assertEquals(0, applied, told);
                    case UNKNOWN -> assertTrue(applied <= 1, told);
                }
            }
            assertEquals(TELLERS * TRANSFERS, reports.size());
            assertEquals(committed, told[0] + told[1] + told[2], "actions after a commit");
            assertEquals(List.of(), world.database.complaints());
            assertEquals(TELLERS * TRANSFERS, world.tally.ended().size());
        }
    }

    /** Property 6, Data Integrity Under Failures. */
    @Test
    void property6MoneyIsNeitherMadeNorLostAndEveryTransferIsWhatItsCallerWasTold() {
        TxWorld.forEachSeed(RUNS, seed -> new Bank(seed * 2).run());
    }

    /** Property 6, Data Integrity Under Failures, where an unknown outcome is followed by another attempt. */
    @Test
    void property6AnIdempotentTransferIsAppliedOnceHoweverOftenItIsTried() {
        TxWorld.forEachSeed(RUNS, seed -> new Bank(seed * 2 + 1).run());
    }
}
