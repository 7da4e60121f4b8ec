// SPDX-License-Identifier: Apache-2.0
package dev.forebay.testkit;

import dev.forebay.testkit.Faults.Kind;
import dev.forebay.testkit.Faults.Point;
import dev.forebay.testkit.SimSql.Assignment;
import dev.forebay.testkit.SimSql.Condition;
import dev.forebay.testkit.SimSql.Statement;
import java.sql.SQLException;
import java.sql.SQLTransientConnectionException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.Set;
import java.util.function.Function;
import javax.sql.DataSource;

/**
 * A database in memory, with snapshot isolation, a driver in front of it, and faults drawn from the seed of its
 * {@link Turns}. It knows the truth about every transaction, whatever its client was told.
 *
 * <p>Tables are made from Java, and the first column is the primary key. The SQL is that of {@link SimSql}. Every call that
 * would be a round trip ends the turn of its actor.
 */
public final class SimDatabase {

    static final String OC000 = "change conflicts with another transaction (OC000)";

    /** How conflicts come to light. */
    public enum Mode {
        /** At COMMIT only. Rows read FOR UPDATE take part as if they were written, rows merely read do not. */
        DSQL,
        /** REPEATABLE READ: at the statement; where PostgreSQL would wait for another transaction it is a conflict too. */
        POSTGRES
    }

    /** A row that was changed: its columns before, null if it is new, and after, null if it is gone. */
    public record Write(String table, Object key, Map<String, Object> before, Map<String, Object> after) {}

    /** A transaction that was applied, with the tag that its thread had. */
    public record Commit(String tag, List<Write> writes) {}

    /** An error that was answered; {@code fault} is null if it was nobody's doing. */
    public record Answered(String tag, Point point, String sqlState, Kind fault, long atNanos) {}

    private record Ref(String table, Object key) {}

    private record Table(List<String> columns, Map<Object, Map<String, Object>> rows) {}

    /** What a statement brought. */
    record Result(List<String> columns, List<List<Object>> rows, int count) {}

    private final Turns turns;
    private final Mode mode;
    private final Random random;
    private final ThreadLocal<String> tags =
            ThreadLocal.withInitial(() -> Thread.currentThread().getName());

    private Faults faults = Faults.NONE;
    private boolean sessionsAutoCommit = true;

    /** What is committed; a map is never changed once it is here, so that it can be someone's snapshot. */
    private Map<String, Table> committed = new HashMap<>();

    private final Map<Ref, Long> lastChanges = new HashMap<>();
    private final Set<Tx> active = new HashSet<>();
    private final List<Commit> history = new ArrayList<>();
    private final List<Answered> errors = new ArrayList<>();
    private final List<SimPool> pools = new ArrayList<>();
    final List<String> complaints = new ArrayList<>();

    public SimDatabase(Turns turns, Mode mode) {
        this.turns = turns;
        this.mode = mode;
        this.random = new Random(turns.seed() * 31 + 17);
    }

    /** What goes wrong from now on. */
    public SimDatabase faults(Faults now) {
        this.faults = now;
        return this;
    }

    /** What sessions begin with, and must be given back with. */
    public SimDatabase sessionsAutoCommit(boolean on) {
        this.sessionsAutoCommit = on;
        return this;
    }

    /** Makes a table; the first column is its primary key. */
    public SimDatabase table(String name, String... columns) {
        committed.put(name, new Table(List.of(columns), Map.of()));
        return this;
    }

    /** Adds a row behind the back of every transaction. */
    public SimDatabase row(String table, Object... values) {
        Table before = committed.get(table);
        Map<String, Object> row = new LinkedHashMap<>();
        for (int i = 0; i < values.length; i++) {
            row.put(before.columns.get(i), plain(values[i]));
        }
        Map<Object, Map<String, Object>> rows = new LinkedHashMap<>(before.rows);
        rows.put(plain(values[0]), row);
        committed.put(table, new Table(before.columns, rows));
        return this;
    }

    /** The committed rows of {@code table} by their keys. */
    public Map<Object, Map<String, Object>> rows(String table) {
        return committed.get(table).rows;
    }

    /** A committed value. */
    public long number(String table, Object key, String column) {
        return (Long) rows(table).get(plain(key)).get(column);
    }

    /** The sum of a committed column. */
    public long sum(String table, String column) {
        return rows(table).values().stream()
                .mapToLong(row -> (Long) row.get(column))
                .sum();
    }

    /** Names the transactions that the calling thread begins from now on. */
    public void tag(String tag) {
        tags.set(tag);
    }

    /** A pool of {@code size} sessions; who finds none free waits. */
    public DataSource dataSource(int size) {
        SimPool pool = new SimPool(this, size);
        pools.add(pool);
        return pool;
    }

    /** Every transaction that was applied and wrote something, in order. */
    public List<Commit> history() {
        return history;
    }

    /** Those of the transactions tagged {@code tag}. */
    public List<Commit> history(String tag) {
        return history.stream().filter(commit -> commit.tag.equals(tag)).toList();
    }

    /** Every error that was answered, in order. */
    public List<Answered> errors() {
        return errors;
    }

    /** Those answered to {@code tag}. */
    public List<Answered> errors(String tag) {
        return errors.stream().filter(error -> error.tag.equals(tag)).toList();
    }

    /** The errors that were injected. */
    public List<Answered> faults() {
        return errors.stream().filter(error -> error.fault != null).toList();
    }

    /** What was done to connections that is not done: given back in another state, used after that, never given back. */
    public List<String> complaints() {
        List<String> all = new ArrayList<>(complaints);
        pools.forEach(pool -> pool.handedOut().forEach(one -> all.add(one + " was never given back")));
        return all;
    }

    // ---- the server

    /** A transaction of a session. */
    final class Tx {
        private final String tag = tags.get();
        private final Map<String, Table> snapshot = Map.copyOf(committed);
        private final long asOf = history.size();
        private final Map<Ref, Map<String, Object>> writes = new LinkedHashMap<>();
        private final Set<Ref> locks = new HashSet<>();
        private boolean failed;

        Tx() {
            active.add(this);
        }

        boolean hasFailed() {
            return failed;
        }

        private boolean touches(Ref ref) {
            return writes.containsKey(ref) || locks.contains(ref);
        }

        private Map<String, Object> row(Ref ref) {
            return writes.containsKey(ref)
                    ? writes.get(ref)
                    : snapshot.get(ref.table).rows.get(ref.key);
        }
    }

    Turns turns() {
        return turns;
    }

    boolean sessionsAutoCommit() {
        return sessionsAutoCommit;
    }

    /** A request on its way. */
    void travel() {
        turns.yield();
        long most = faults.maxLatency().toNanos();
        if (most > 0) {
            turns.delayUntil(turns.time().nanos() + (long) (random.nextDouble() * most));
        }
    }

    SQLException answer(Point point, Kind fault) {
        return answer(point, fault.sqlState(), fault.message(), fault);
    }

    SQLException answer(Point point, String sqlState, String message, Kind fault) {
        errors.add(new Answered(tags.get(), point, sqlState, fault, turns.time().nanos()));
        return point == Point.CONNECT
                ? new SQLTransientConnectionException(message, sqlState)
                : new SQLException(message, sqlState);
    }

    /** The fault that strikes now, null if none does. */
    Kind draw(Point point) {
        return faults.draw(point, random);
    }

    /** Executes a statement, unless it was {@code cancelled} on its way. */
    Result execute(Tx tx, String sql, Object[] parameters, boolean cancelled) throws SQLException {
        if (tx.failed) {
            throw answer(
                    Point.STATEMENT,
                    "25P02",
                    "current transaction is aborted, commands ignored until end of transaction block",
                    null);
        }
        try {
            Kind fault = draw(Point.STATEMENT);
            if (cancelled) {
                throw answer(Point.STATEMENT, "57014", "canceling statement due to user request", null);
            }
            if (fault != null) {
                throw answer(Point.STATEMENT, fault);
            }
            Statement statement = SimSql.parse(sql);
            if (!tx.snapshot.containsKey(statement.table())) {
                throw answer(Point.STATEMENT, "42P01", "no table " + statement.table(), null);
            }
            if (parameters.length != statement.parameters()) {
                throw answer(Point.STATEMENT, "07001", "wrong number of parameters: " + sql, null);
            }
            return switch (statement.verb()) {
                case SELECT -> select(tx, statement, parameters);
                case INSERT -> insert(tx, statement, parameters);
                case UPDATE -> change(tx, statement, parameters, row -> updated(row, statement, parameters));
                case DELETE -> change(tx, statement, parameters, row -> null);
            };
        } catch (SQLException e) {
            tx.failed = true;
            throw e;
        }
    }

    private Result select(Tx tx, Statement statement, Object[] parameters) throws SQLException {
        List<List<Object>> rows = new ArrayList<>();
        for (Ref ref : matching(tx, statement, parameters)) {
            if (statement.forUpdate()) {
                claim(tx, ref);
                tx.locks.add(ref);
            }
            List<Object> values = new ArrayList<>();
            for (String column : statement.columns()) {
                values.add(value(tx.row(ref), column));
            }
            rows.add(values);
        }
        String first = statement.columns().get(0);
        if (first.startsWith("count(")) {
            rows = List.of(List.of((long) rows.size()));
        } else if (first.startsWith("sum(")) {
            rows = List.of(List.of(
                    rows.stream().mapToLong(values -> (Long) values.get(0)).sum()));
        }
        return new Result(statement.columns(), rows, -1);
    }

    private static Object value(Map<String, Object> row, String column) {
        boolean isSum = column.startsWith("sum(");
        return row.get(isSum ? column.substring(4, column.length() - 1) : column);
    }

    private Result insert(Tx tx, Statement statement, Object[] parameters) throws SQLException {
        Map<String, Object> row = new LinkedHashMap<>();
        for (Assignment assignment : statement.assignments()) {
            row.put(assignment.column(), plain(assignment.operand().value(parameters)));
        }
        Ref ref = new Ref(
                statement.table(),
                row.get(tx.snapshot.get(statement.table()).columns.get(0)));
        boolean isThere = tx.row(ref) != null;
        boolean cameSince = mode == Mode.POSTGRES
                && committed.get(ref.table).rows.containsKey(ref.key)
                && !tx.writes.containsKey(ref);
        if (isThere || cameSince) {
            throw answer(Point.STATEMENT, "23505", "duplicate key " + ref, null);
        }
        claim(tx, ref);
        tx.writes.put(ref, row);
        return new Result(List.of(), List.of(), 1);
    }

    private Result change(
            Tx tx, Statement statement, Object[] parameters, Function<Map<String, Object>, Map<String, Object>> changed)
            throws SQLException {
        List<Ref> refs = matching(tx, statement, parameters);
        for (Ref ref : refs) {
            claim(tx, ref);
            tx.writes.put(ref, changed.apply(tx.row(ref)));
        }
        return new Result(List.of(), List.of(), refs.size());
    }

    private static Map<String, Object> updated(Map<String, Object> row, Statement statement, Object[] parameters) {
        Map<String, Object> updated = new LinkedHashMap<>(row);
        for (Assignment assignment : statement.assignments()) {
            Object value = plain(assignment.operand().value(parameters));
            if (assignment.base() != null) {
                value = (Long) row.get(assignment.base()) + assignment.sign() * (Long) value;
            }
            updated.put(assignment.column(), value);
        }
        return updated;
    }

    private static List<Ref> matching(Tx tx, Statement statement, Object[] parameters) {
        String table = statement.table();
        String keyColumn = tx.snapshot.get(table).columns.get(0);
        Set<Object> keys = new HashSet<>();
        for (Condition condition : statement.conditions()) {
            if (condition.column().equals(keyColumn)) {
                keys = Set.of(plain(condition.operand().value(parameters)));
            }
        }
        if (keys.isEmpty()) {
            keys.addAll(tx.snapshot.get(table).rows.keySet());
            for (Ref ref : tx.writes.keySet()) {
                if (ref.table.equals(table)) {
                    keys.add(ref.key);
                }
            }
        }
        List<Ref> matching = new ArrayList<>();
        for (Object key : keys) {
            Ref ref = new Ref(table, key);
            Map<String, Object> row = tx.row(ref);
            if (row != null
                    && statement.conditions().stream()
                            .allMatch(condition -> Objects.equals(
                                    row.get(condition.column()),
                                    plain(condition.operand().value(parameters))))) {
                matching.add(ref);
            }
        }
        return matching;
    }

    /** PostgreSQL's conflict at the statement. */
    private void claim(Tx tx, Ref ref) throws SQLException {
        if (mode == Mode.DSQL) {
            return;
        }
        boolean changed = lastChanges.getOrDefault(ref, 0L) > tx.asOf;
        boolean taken = active.stream().anyMatch(other -> other != tx && other.touches(ref));
        if (changed || taken) {
            throw answer(Point.STATEMENT, "40001", "could not serialize access due to concurrent update", null);
        }
    }

    /** Ends {@code tx} without a trace. */
    void rollback(Tx tx) {
        active.remove(tx);
    }

    /** Applies {@code tx}, or ends it with a conflict. */
    void commit(Tx tx) throws SQLException {
        active.remove(tx);
        if (mode == Mode.DSQL) {
            Set<Ref> touched = new HashSet<>(tx.writes.keySet());
            touched.addAll(tx.locks);
            if (touched.stream().anyMatch(ref -> lastChanges.getOrDefault(ref, 0L) > tx.asOf)) {
                throw answer(Point.COMMIT, "40001", OC000, null);
            }
            apply(tx, touched);
        } else {
            apply(tx, tx.writes.keySet());
        }
    }

    private void apply(Tx tx, Set<Ref> touched) {
        if (touched.isEmpty()) {
            return;
        }
        List<Write> writes = new ArrayList<>();
        Map<String, Table> after = new HashMap<>(committed);
        tx.writes.forEach((ref, row) -> {
            Table table = after.get(ref.table);
            Map<Object, Map<String, Object>> rows = new LinkedHashMap<>(table.rows);
            Map<String, Object> before = row == null ? rows.remove(ref.key) : rows.put(ref.key, row);
            after.put(ref.table, new Table(table.columns, rows));
            writes.add(new Write(ref.table, ref.key, before, row));
        });
        committed = after;
        history.add(new Commit(tx.tag, writes));
        touched.forEach(ref -> lastChanges.put(ref, (long) history.size()));
    }

    /** Integers of every size are one type here. */
    static Object plain(Object value) {
        return value instanceof Integer || value instanceof Short ? (Object) ((Number) value).longValue() : value;
    }
}
