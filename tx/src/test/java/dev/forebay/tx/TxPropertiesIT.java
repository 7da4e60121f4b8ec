// SPDX-License-Identifier: Apache-2.0
package dev.forebay.tx;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import dev.forebay.testkit.Postgres;
import dev.forebay.time.SystemTime;
import dev.forebay.tx.TxListener.Outcome;
import dev.forebay.tx.TxWorld.Call;
import dev.forebay.tx.TxWorld.Report;
import dev.forebay.tx.TxWorld.Verdict;
import dev.forebay.tx.TxWorld.Wrapping;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.postgresql.core.BaseConnection;
import org.postgresql.core.TransactionState;

/**
 * Properties 2 to 7 of transactions on a real PostgreSQL in REPEATABLE READ, with real threads and conflicts. A function and a
 * deferred trigger raise what SQLSTATE they are told to, at a statement and at COMMIT.
 */
@Timeout(120)
class TxPropertiesIT {

    private static final int RUNS = 50;
    private static final int THREADS = 4;
    private static final String SWAP = "UPDATE shards SET range_id = ? WHERE shard_id = ? AND range_id = ?";
    private static final TxRetryPolicy QUICK =
            new TxRetryPolicy(50, Duration.ofMillis(1), Duration.ofMillis(20), TxRetryPolicy.Jitter.FULL);

    private static final Postgres server = Postgres.shared();
    private static final List<String> complaints = new CopyOnWriteArrayList<>();
    private static HikariDataSource pool;
    private static DataSource source;
    private static ExecutorService threads;

    private final Tally tally = new Tally(false);
    private final Transactions tx =
            Transactions.builder(source).policy(QUICK).listener(tally).build();

    @BeforeAll
    static void prepare() throws SQLException {
        server.ask("DROP SCHEMA IF EXISTS tx_properties CASCADE");
        for (String sql : List.of(
                "CREATE SCHEMA tx_properties",
                "SET search_path = tx_properties;"
                        + "CREATE TABLE shards (shard_id bigint PRIMARY KEY, range_id bigint NOT NULL);"
                        + "CREATE TABLE links (tag text, shard_id bigint, expected bigint, written bigint);"
                        + "CREATE TABLE accounts (id bigint PRIMARY KEY, balance bigint NOT NULL);"
                        + "CREATE TABLE transfers (id bigint PRIMARY KEY, source bigint, target bigint, amount bigint);"
                        + "CREATE TABLE bombs (state text);"
                        + "CREATE FUNCTION fail(state text) RETURNS int LANGUAGE plpgsql AS"
                        + " $$BEGIN RAISE 'injected' USING ERRCODE = state; END$$;"
                        + "CREATE FUNCTION explode() RETURNS trigger LANGUAGE plpgsql AS"
                        + " $$BEGIN RAISE 'injected' USING ERRCODE = NEW.state; END$$;"
                        + "CREATE CONSTRAINT TRIGGER explode AFTER INSERT ON bombs DEFERRABLE INITIALLY DEFERRED"
                        + " FOR EACH ROW EXECUTE FUNCTION explode()")) {
            server.ask(sql);
        }
        HikariConfig config = new HikariConfig();
        config.setDataSource(server.dataSource());
        config.setSchema("tx_properties");
        config.setTransactionIsolation("TRANSACTION_REPEATABLE_READ");
        config.setMaximumPoolSize(THREADS);
        pool = new HikariDataSource(config);
        source = watched(pool);
        threads = Executors.newFixedThreadPool(THREADS);
    }

    @AfterAll
    static void end() throws SQLException {
        threads.shutdownNow();
        pool.close();
        server.ask("DROP SCHEMA tx_properties CASCADE");
    }

    /** Looks at each connection when it is given back, before the pool cleans it. */
    private static DataSource watched(DataSource source) {
        return (DataSource) Proxy.newProxyInstance(
                TxPropertiesIT.class.getClassLoader(), new Class<?>[] {DataSource.class}, (self, method, arguments) -> {
                    Object answer = method.invoke(source, arguments);
                    return answer instanceof Connection connection ? watched(connection) : answer;
                });
    }

    private static Connection watched(Connection connection) {
        return (Connection) Proxy.newProxyInstance(
                TxPropertiesIT.class.getClassLoader(), new Class<?>[] {Connection.class}, (self, method, arguments) -> {
                    if (method.getName().equals("close") && !connection.isClosed()) {
                        TransactionState state =
                                connection.unwrap(BaseConnection.class).getTransactionState();
                        if (state != TransactionState.IDLE || !connection.getAutoCommit()) {
                            complaints.add("given back " + state + ", autocommit " + connection.getAutoCommit());
                        }
                    }
                    try {
                        return method.invoke(connection, arguments);
                    } catch (InvocationTargetException e) {
                        throw e.getCause();
                    }
                });
    }

    private static void together(int count, java.util.function.IntFunction<Call> each) throws Exception {
        List<Future<?>> all = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            Call call = each.apply(i);
            all.add(threads.submit(() -> {
                call.run();
                return null;
            }));
        }
        for (Future<?> one : all) {
            one.get(60, TimeUnit.SECONDS);
        }
        assertEquals(List.of(), complaints);
    }

    private static void reset(String... statements) throws SQLException {
        try (Connection c = pool.getConnection()) {
            TxWorld.update(c, "TRUNCATE shards, links, accounts, transfers, bombs");
            for (String statement : statements) {
                TxWorld.update(c, statement);
            }
        }
    }

    private static long number(String sql, Object... arguments) throws SQLException {
        try (Connection c = pool.getConnection()) {
            return ((Number) TxWorld.query(c, sql, arguments)).longValue();
        }
    }

    // ---- Property 2

    /** Property 2, Conditional Update Atomicity: each swap leaves a link, and the links of a shard must form a chain. */
    @Test
    void property2FencedUpdatesFormAChainAndBatchesAreAllOrNothing() {
        AtomicLong lastToken = new AtomicLong(100);
        TxWorld.forEachSeed(RUNS, seed -> {
            reset("INSERT INTO shards VALUES (1, 1), (2, 2), (3, 3)");
            Map<String, Integer> committed = new ConcurrentHashMap<>();
            together(3, actor -> () -> {
                Random random = new Random(seed * 10 + actor);
                for (int n = 0; n < 4; n++) {
                    String tag = actor + "/" + n;
                    Map<Long, Long> expected = anyTokens(random);
                    Report report = TxWorld.report(() -> swap(tag, expected, lastToken));
                    if (report.verdict() == Verdict.COMMITTED) {
                        committed.put(tag, expected.size());
                    } else {
                        assertEquals(Verdict.CONDITION_FAILED, report.verdict(), report::toString);
                        assertNotEquals(expected, tokens(expected), "nothing had moved on");
                    }
                }
            });
            for (long shard = 1; shard <= 3; shard++) {
                long token = shard;
                long links = number("SELECT count(*) FROM links WHERE shard_id = ?", shard);
                for (long n = 0; n < links; n++) {
                    token = number("SELECT written FROM links WHERE shard_id = ? AND expected = ?", shard, token);
                }
                assertEquals(number("SELECT range_id FROM shards WHERE shard_id = ?", shard), token);
            }
            for (Map.Entry<String, Integer> swap : committed.entrySet()) {
                assertEquals((int) swap.getValue(), number("SELECT count(*) FROM links WHERE tag = ?", swap.getKey()));
            }
            assertEquals(
                    committed.values().stream().mapToInt(Integer::intValue).sum(),
                    number("SELECT count(*) FROM links"));
        });
        tally.ended();
    }

    private static Map<Long, Long> anyTokens(Random random) throws SQLException {
        Map<Long, Long> expected = new TreeMap<>();
        for (long shard = 1; shard <= 3; shard++) {
            if (random.nextBoolean() || shard == 3 && expected.isEmpty()) {
                expected.put(shard, 0L);
            }
        }
        expected.putAll(tokens(expected));
        if (random.nextInt(6) == 0) {
            expected.replaceAll((shard, token) -> 99L);
        }
        return expected;
    }

    private static Map<Long, Long> tokens(Map<Long, Long> like) throws SQLException {
        Map<Long, Long> tokens = new TreeMap<>();
        for (long shard : like.keySet()) {
            tokens.put(shard, number("SELECT range_id FROM shards WHERE shard_id = ?", shard));
        }
        return tokens;
    }

    private void swap(String tag, Map<Long, Long> expected, AtomicLong lastToken) throws SQLException {
        tx.run("swap", c -> {
            Fenced.Batch batch = Fenced.on(c).batch(SWAP);
            for (Map.Entry<Long, Long> one : expected.entrySet()) {
                long token = lastToken.incrementAndGet();
                TxWorld.update(c, "INSERT INTO links VALUES (?, ?, ?, ?)", tag, one.getKey(), one.getValue(), token);
                batch.add(token, one.getKey()).expecting(one.getValue());
            }
            batch.execute();
        });
    }

    // ---- Property 3

    /** Property 3, Serialization Conflict Retry: what is raised is drawn for each attempt. */
    @Test
    void property3TheWholeBodyIsRetriedExactlyOn40001WithBackoff() {
        List<String> others = List.of("40P01", "57014", "23505", "0A000", "54000", "XX000", "P0001", "55P03");
        TxWorld.forEachSeed(RUNS, seed -> {
            Random random = new Random(seed);
            TxRetryPolicy policy = QUICK.withMaxRetries(random.nextInt(5));
            reset("INSERT INTO accounts VALUES (1, 0)");
            List<String> raised = new ArrayList<>();
            long began = SystemTime.shared().nanos();
            Wrapping wrapping = Wrapping.values()[random.nextInt(4)];
            Report report = TxWorld.report(() -> tx.policy(policy).run("retried", c -> {
                TxWorld.update(c, "UPDATE accounts SET balance = balance + 1 WHERE id = 1");
                int drawn = random.nextInt(10);
                String state = drawn < 6 ? "40001" : drawn < 8 ? "" : others.get(random.nextInt(others.size()));
                raised.add(state);
                raise(c, state, random.nextBoolean(), wrapping);
            }));
            int conflicts = 0;
            while (conflicts < raised.size() && raised.get(conflicts).equals("40001")) {
                conflicts++;
            }
            assertTrue(conflicts <= policy.maxRetries() + 1, () -> "too often: " + raised);
            boolean exhausted = conflicts == policy.maxRetries() + 1;
            assertEquals(conflicts + (exhausted ? 0 : 1), raised.size(), () -> "after another error: " + raised);
            assertEquals(raised.size(), tally.last().attempts);
            boolean committed = raised.get(raised.size() - 1).isEmpty();
            assertEquals(committed, report.verdict() == Verdict.COMMITTED, report::toString);
            assertEquals(committed ? 1 : 0, number("SELECT balance FROM accounts"), "applied");
            if (exhausted) {
                GivenUpException given = assertInstanceOf(GivenUpException.class, report.error());
                assertEquals(conflicts, given.attempts().size());
            }
            long waited =
                    tally.last().delaysNanos.stream().mapToLong(nanos -> nanos).sum();
            assertTrue(SystemTime.shared().nanos() - began >= waited, "it waits as long as it says");
            assertEquals(List.of(), complaints);
        });
        tally.ended();
    }

    /** Raises {@code state} now or at COMMIT; nothing if it is empty. */
    private static void raise(Connection c, String state, boolean atCommit, Wrapping wrapping) throws Exception {
        if (state.isEmpty()) {
            return;
        }
        try {
            if (atCommit) {
                TxWorld.update(c, "INSERT INTO bombs VALUES (?)", state);
            } else {
                TxWorld.query(c, "SELECT fail(?)", state);
            }
        } catch (SQLException e) {
            throw wrapping.wrap(e);
        }
    }

    // ---- Property 4

    /** Property 4, Concurrency Safety: everyone wants the same token at once. */
    @Test
    void property4EachTokenHasOneWinnerAndTheLosersAreToldAndNeverRetried() {
        TxWorld.forEachSeed(RUNS, seed -> {
            reset("INSERT INTO shards VALUES (7, 0)");
            CyclicBarrier start = new CyclicBarrier(THREADS);
            AtomicInteger[] winners = {new AtomicInteger(), new AtomicInteger()};
            AtomicInteger losers = new AtomicInteger();
            together(THREADS, actor -> () -> {
                for (int n = 0; n < winners.length; n++) {
                    long token = n;
                    AtomicInteger refusals = new AtomicInteger();
                    start.await(30, TimeUnit.SECONDS);
                    Report report = TxWorld.report(() -> tx.run("acquire", c -> {
                        assertEquals(0, refusals.get(), "ran again after its condition had failed");
                        try {
                            Fenced.on(c).update(SWAP, token + 1, 7L).expecting(token);
                        } catch (ConditionFailedException e) {
                            refusals.incrementAndGet();
                            throw e;
                        }
                    }));
                    if (report.verdict() == Verdict.COMMITTED) {
                        winners[n].incrementAndGet();
                    } else {
                        assertInstanceOf(ConditionFailedException.class, report.error());
                        losers.incrementAndGet();
                    }
                }
            });
            assertEquals(1, winners[0].get());
            assertEquals(1, winners[1].get());
            assertEquals(winners.length * (THREADS - 1), losers.get());
            assertEquals(winners.length, number("SELECT range_id FROM shards"));
        });
        tally.ended();
        assertTrue(tally.failures(ErrorMeaning.CONFLICT) > 0, "they met");
    }

    // ---- Property 5

    /** Property 5, Error Handling Robustness. */
    @Test
    void property5EachKindOfErrorEndsAsTheRightExceptionAndLeavesACleanConnection() {
        List<String> states =
                List.of("40001", "40P01", "57014", "23505", "0A000", "54000", "XX000", "08006", "P0001", "own");
        TxWorld.forEachSeed(RUNS, seed -> {
            String state = states.get((int) (seed % states.size()));
            boolean atCommit = !state.equals("own") && seed / states.size() % 2 == 1;
            Wrapping wrapping = Wrapping.values()[(int) (seed % 4)];
            reset("INSERT INTO accounts VALUES (1, 0)");
            Exception[] thrown = {null};
            Report report =
                    TxWorld.report(() -> tx.policy(QUICK.withMaxRetries(2)).run("erring", c -> {
                        TxWorld.update(c, "UPDATE accounts SET balance = 1 WHERE id = 1");
                        try {
                            if (state.equals("own")) {
                                throw new InstantiationException("the body's own");
                            }
                            raise(c, state, atCommit, wrapping);
                        } catch (Exception e) {
                            thrown[0] = e;
                            throw e;
                        }
                    }));
            Tally.Heard heard = tally.last();
            ErrorMeaning last = heard.failures.get(heard.failures.size() - 1);
            if (state.equals("40001")) {
                assertInstanceOf(GivenUpException.class, report.error());
                assertEquals(Outcome.EXHAUSTED, heard.outcome);
                assertEquals(3, heard.attempts);
            } else if (atCommit && (state.equals("XX000") || state.equals("08006"))) {
                assertEquals(Verdict.UNKNOWN, report.verdict());
                assertEquals(ErrorMeaning.OUTCOME_UNKNOWN, last);
            } else {
                assertEquals(state.equals("0A000") ? "unsupported_feature" : "permanent", last.label());
                assertEquals(Verdict.FAILED, report.verdict());
                assertEquals(1, heard.attempts);
                if (atCommit) {
                    assertEquals(
                            state,
                            assertInstanceOf(SQLException.class, report.error()).getSQLState());
                } else {
                    assertSame(thrown[0], report.error());
                }
            }
            assertEquals(0, number("SELECT balance FROM accounts"), state);
            assertEquals(List.of(), complaints);
        });
        tally.ended();
    }

    // ---- Properties 6 and 7

    /** Random transfers with random errors, and what was raised and met. */
    private final class Bank {
        private static final int ACCOUNTS = 4;
        private static final int TRANSFERS = 6;
        private final Map<Long, Report> reports = new ConcurrentHashMap<>();
        private final AtomicInteger conflicts = new AtomicInteger();
        private final AtomicInteger unknown = new AtomicInteger();
        private final AtomicInteger unsupported = new AtomicInteger();

        void run(long seed) throws Exception {
            reset("INSERT INTO accounts SELECT n, 100 FROM generate_series(0, " + (ACCOUNTS - 1) + ") n");
            together(THREADS, teller -> () -> {
                Random random = new Random(seed * 100 + teller);
                for (int n = 0; n < TRANSFERS; n++) {
                    transfer(teller * 100L + n, random);
                }
            });
        }

        private void transfer(long id, Random random) {
            long from = random.nextInt(ACCOUNTS);
            long to = (from + 1 + random.nextInt(ACCOUNTS - 1)) % ACCOUNTS;
            long amount = 1 + random.nextInt(20);
            Wrapping wrapping = Wrapping.values()[random.nextInt(4)];
            reports.put(
                    id,
                    TxWorld.report(() -> tx.run("transfer", c -> {
                        try {
                            TxWorld.update(c, "INSERT INTO transfers VALUES (?, ?, ?, ?)", id, from, to, amount);
                            long first = Math.min(from, to);
                            long change = first == from ? -amount : amount;
                            TxWorld.update(c, "UPDATE accounts SET balance = balance + ? WHERE id = ?", change, first);
                            String planted = maybeRaise(c, random);
                            long second = Math.max(from, to);
                            TxWorld.update(c, "UPDATE accounts SET balance = balance - ? WHERE id = ?", change, second);
                            conflicts.addAndGet(planted.equals("40001") ? 1 : 0);
                            unknown.addAndGet(planted.equals("XX000") ? 1 : 0);
                        } catch (SQLException e) {
                            conflicts.addAndGet("40001".equals(e.getSQLState()) ? 1 : 0);
                            throw wrapping.wrap(e);
                        }
                    })));
        }

        /** Raises something, or plants what COMMIT will raise, or mostly neither; tells what was planted. */
        private String maybeRaise(Connection c, Random random) throws SQLException {
            List<String> states = List.of("40001", "57014", "0A000", "XX000", "54000");
            String state = states.get(random.nextInt(states.size()));
            int drawn = random.nextInt(10);
            if (drawn == 0) {
                unsupported.addAndGet(state.equals("0A000") ? 1 : 0);
                TxWorld.query(c, "SELECT fail(?)", state);
            } else if (drawn == 1 && !state.equals("0A000")) {
                TxWorld.update(c, "INSERT INTO bombs VALUES (?)", state);
                return state;
            }
            return "";
        }

        private long reported(Verdict verdict) {
            return reports.values().stream()
                    .filter(report -> report.verdict() == verdict)
                    .count();
        }
    }

    /** Property 6, Data Integrity Under Failures. */
    @Test
    void property6MoneyIsNeitherMadeNorLostAndEveryTransferIsWhatItsCallerWasTold() {
        TxWorld.forEachSeed(RUNS, seed -> {
            Bank bank = new Bank();
            bank.run(seed);
            assertEquals(Bank.ACCOUNTS * 100, number("SELECT sum(balance) FROM accounts"));
            for (Map.Entry<Long, Report> entry : bank.reports.entrySet()) {
                long applied = number("SELECT count(*) FROM transfers WHERE id = ?", entry.getKey());
                Report report = entry.getValue();
                assertTrue(
                        report.verdict() == Verdict.UNKNOWN
                                || (report.verdict() == Verdict.COMMITTED) == (applied == 1),
                        () -> entry.getKey() + " applied " + applied + ": " + report);
            }
            assertEquals(
                    0,
                    number("SELECT count(*) FROM accounts a WHERE balance <> 100"
                            + " - (SELECT coalesce(sum(amount), 0) FROM transfers WHERE source = a.id)"
                            + " + (SELECT coalesce(sum(amount), 0) FROM transfers WHERE target = a.id)"));
        });
        tally.ended();
    }

    /** Property 7, Metrics and Observability. */
    @Test
    void property7WhatAListenerHearsAddsUpWithWhatTheDatabaseAnswered() {
        AtomicInteger conflicts = new AtomicInteger();
        AtomicInteger unsupported = new AtomicInteger();
        AtomicInteger unknown = new AtomicInteger();
        AtomicInteger committed = new AtomicInteger();
        AtomicInteger runs = new AtomicInteger();
        TxWorld.forEachSeed(RUNS, seed -> {
            Bank bank = new Bank();
            bank.run(seed);
            assertEquals(bank.unknown.get(), bank.reported(Verdict.UNKNOWN));
            assertEquals(conflicts.addAndGet(bank.conflicts.get()), tally.failures(ErrorMeaning.CONFLICT), "conflicts");
            assertEquals(unsupported.addAndGet(bank.unsupported.get()), tally.failures(ErrorMeaning.UNSUPPORTED));
            assertEquals(unknown.addAndGet(bank.unknown.get()), tally.failures(ErrorMeaning.OUTCOME_UNKNOWN));
            assertEquals(
                    committed.addAndGet((int) bank.reported(Verdict.COMMITTED)), tally.outcomes(Outcome.COMMITTED));
            assertEquals(
                    runs.incrementAndGet() * THREADS * Bank.TRANSFERS,
                    tally.ended().size(),
                    "ends");
            assertEquals(conflicts.get(), tally.retries() + tally.outcomes(Outcome.EXHAUSTED), "retries");
        });
    }
}
