// SPDX-License-Identifier: Apache-2.0
package dev.forebay.testkit;

import dev.forebay.testkit.Faults.Kind;
import dev.forebay.testkit.Faults.Point;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.sql.BatchUpdateException;
import java.sql.Connection;
import java.sql.DatabaseMetaData;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.ResultSetMetaData;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;

/** A session with a {@link SimDatabase}, and the JDBC objects that stand for it while it is handed out. */
final class SimSession {

    private static final Object[] NOTHING = {};

    private final SimDatabase database;
    private final SimPool pool;
    private final String name;
    private final Map<String, Object> defaults;
    private Map<String, Object> state;
    private SimDatabase.Tx tx;
    private boolean dead;
    private boolean cancelled;

    /** Whether a transaction could not be rolled back; then nothing better can be done than to give it back as it is. */
    private boolean isStuck;

    SimSession(SimDatabase database, SimPool pool, String name) {
        this.database = database;
        this.pool = pool;
        this.name = name;
        this.defaults = Map.of(
                "AutoCommit",
                database.sessionsAutoCommit(),
                "ReadOnly",
                false,
                "TransactionIsolation",
                Connection.TRANSACTION_REPEATABLE_READ,
                "Schema",
                "public",
                "Catalog",
                "postgres",
                "NetworkTimeout",
                0,
                "Holdability",
                ResultSet.CLOSE_CURSORS_AT_COMMIT);
        this.state = new HashMap<>(defaults);
    }

    Connection handOut() {
        return proxy(Connection.class, new Handle());
    }

    boolean isDead() {
        return dead;
    }

    @Override
    public String toString() {
        return name;
    }

    private static <T> T proxy(Class<T> type, InvocationHandler handler) {
        return type.cast(Proxy.newProxyInstance(SimSession.class.getClassLoader(), new Class<?>[] {type}, handler));
    }

    private static Object ofObject(Object proxy, Method method, Object[] arguments, String text) {
        return switch (method.getName()) {
            case "hashCode" -> System.identityHashCode(proxy);
            case "equals" -> proxy == arguments[0];
            default -> text;
        };
    }

    /** An error ends a transaction here as it does in PostgreSQL, so that is what it says it is. */
    private static Object metadata(Method method) {
        if (method.getName().equals("getDatabaseProductName")) {
            return "PostgreSQL";
        }
        throw unknown(method);
    }

    private static UnsupportedOperationException unknown(Method method) {
        return new UnsupportedOperationException("bug: the simulated driver has no " + method);
    }

    // ---- what a session does

    private SimDatabase.Result execute(String sql, Object[] parameters) throws SQLException {
        checkAlive();
        cancelled = false;
        database.travel();
        boolean alone = (Boolean) state.get("AutoCommit");
        if (tx == null) {
            tx = database.new Tx();
        }
        try {
            SimDatabase.Result result = database.execute(tx, sql, parameters, cancelled);
            if (alone) {
                SimDatabase.Tx ending = tx;
                tx = null;
                database.commit(ending);
            }
            return result;
        } catch (SQLException e) {
            if ("08006".equals(e.getSQLState())) {
                die();
            } else if (alone && tx != null) {
                database.rollback(tx);
                tx = null;
            }
            throw e;
        }
    }

    private void commit() throws SQLException {
        checkAlive();
        if ((Boolean) state.get("AutoCommit")) {
            throw database.answer(Point.COMMIT, "25P01", "cannot commit when autoCommit is enabled", null);
        }
        end();
    }

    /** COMMIT; after a failed statement the server rolls back, and the driver says nothing. */
    private void end() throws SQLException {
        if (tx == null) {
            return;
        }
        database.travel();
        SimDatabase.Tx ending = tx;
        tx = null;
        Kind fault = database.draw(Point.COMMIT);
        if (fault != null && fault.losesTheConnection()) {
            dead = true;
        }
        if (ending.hasFailed() || (fault != null && !fault.isApplied())) {
            database.rollback(ending);
        } else {
            database.commit(ending);
        }
        if (fault != null) {
            throw database.answer(Point.COMMIT, fault);
        }
    }

    private void rollback() throws SQLException {
        checkAlive();
        if ((Boolean) state.get("AutoCommit")) {
            throw database.answer(Point.ROLLBACK, "25P01", "cannot roll back when autoCommit is enabled", null);
        }
        if (tx == null) {
            return;
        }
        database.travel();
        Kind fault = database.draw(Point.ROLLBACK);
        if (fault == null) {
            database.rollback(tx);
            tx = null;
            return;
        }
        if (fault.losesTheConnection()) {
            die();
        }
        isStuck = true;
        throw database.answer(Point.ROLLBACK, fault);
    }

    private void set(String what, Object value) throws SQLException {
        checkAlive();
        if (what.equals("AutoCommit") && !value.equals(state.get(what))) {
            end();
        } else if ((what.equals("ReadOnly") || what.equals("TransactionIsolation")) && tx != null) {
            throw database.answer(Point.STATEMENT, "25001", "cannot change it in the middle of a transaction", null);
        }
        state.put(what, value);
    }

    private void checkAlive() throws SQLException {
        if (dead) {
            throw database.answer(Point.STATEMENT, "08003", "This connection has been closed.", null);
        }
    }

    private void die() {
        dead = true;
        if (tx != null) {
            database.rollback(tx);
            tx = null;
        }
    }

    private void giveBack() {
        if (isStuck) {
            die();
        }
        if (tx != null) {
            database.complaints.add(name + " was given back with an open transaction");
            database.rollback(tx);
            tx = null;
        }
        if (!dead && !state.equals(defaults)) {
            Map<String, Object> changed = new TreeMap<>(state);
            changed.entrySet().removeAll(defaults.entrySet());
            database.complaints.add(name + " was given back with " + changed);
        }
        state = new HashMap<>(defaults);
        pool.takeBack(this);
    }

    // ---- the driver's objects

    private final class Handle implements InvocationHandler {
        private boolean closed;

        @Override
        public Object invoke(Object proxy, Method method, Object[] arguments) throws Throwable {
            String called = method.getName();
            if (method.getDeclaringClass() == Object.class) {
                return ofObject(proxy, method, arguments, name);
            }
            if (called.equals("close") || called.equals("abort")) {
                if (!closed) {
                    closed = true;
                    dead |= called.equals("abort");
                    giveBack();
                }
                return null;
            }
            if (called.equals("isClosed") || called.equals("isValid")) {
                return called.equals("isClosed") ? closed : !closed && !dead;
            }
            if (called.equals("isWrapperFor")) {
                return false;
            }
            checkOpen(called);
            return answer((Connection) proxy, method, arguments);
        }

        private void checkOpen(String called) throws SQLException {
            if (closed) {
                database.complaints.add(name + ": " + called + " after it was given back");
                throw new SQLException(called + " on a closed connection", "08003");
            }
        }

        private Object answer(Connection proxy, Method method, Object[] arguments) throws SQLException {
            String called = method.getName();
            switch (called) {
                case "commit" -> commit();
                case "rollback" -> {
                    if (arguments != null) {
                        throw unknown(method);
                    }
                    rollback();
                }
                case "createStatement" -> {
                    checkAlive();
                    return proxy(Statement.class, new StatementFace(this, proxy, null));
                }
                case "prepareStatement" -> {
                    checkAlive();
                    return proxy(PreparedStatement.class, new StatementFace(this, proxy, (String) arguments[0]));
                }
                case "clearWarnings" -> checkAlive();
                case "getWarnings" -> {
                    return null;
                }
                case "unwrap" -> throw new SQLException("not a wrapper");
                case "getMetaData" -> {
                    return proxy(DatabaseMetaData.class, (self, asked, given) -> metadata(asked));
                }
                default -> {
                    return setting(method, arguments);
                }
            }
            return null;
        }

        private Object setting(Method method, Object[] arguments) throws SQLException {
            String called = method.getName();
            String what = called.substring(called.startsWith("is") ? 2 : 3);
            if (!defaults.containsKey(what)) {
                throw unknown(method);
            }
            if (called.startsWith("set")) {
                set(what, arguments[arguments.length - 1]);
                return null;
            }
            checkAlive();
            return state.get(what);
        }
    }

    private final class StatementFace implements InvocationHandler {
        private final Handle handle;
        private final Connection connection;
        private final String prepared;
        private final Map<Integer, Object> parameters = new TreeMap<>();
        private final List<Map.Entry<String, Object[]>> batch = new ArrayList<>();
        private SimDatabase.Result result;
        private boolean closed;

        StatementFace(Handle handle, Connection connection, String prepared) {
            this.handle = handle;
            this.connection = connection;
            this.prepared = prepared;
        }

        @Override
        public Object invoke(Object proxy, Method method, Object[] arguments) throws Throwable {
            String called = method.getName();
            if (method.getDeclaringClass() == Object.class) {
                return ofObject(proxy, method, arguments, name + ": " + prepared);
            }
            if (called.equals("close")) {
                closed = true;
                return null;
            }
            if (called.equals("isClosed")) {
                return closed;
            }
            handle.checkOpen(called);
            if (closed) {
                throw new SQLException("the statement is closed", "55000");
            }
            if (called.startsWith("execute") || called.equals("addBatch")) {
                return run((Statement) proxy, method, arguments);
            }
            if (called.startsWith("set") && method.getDeclaringClass() == PreparedStatement.class) {
                parameters.put((Integer) arguments[0], called.equals("setNull") ? null : arguments[1]);
                return null;
            }
            return switch (called) {
                case "getConnection" -> connection;
                case "getResultSet" -> result == null || result.count() >= 0 ? null : results((Statement) proxy);
                case "getUpdateCount" -> result == null ? -1 : result.count();
                case "getLargeUpdateCount" -> result == null ? -1L : (long) result.count();
                case "clearParameters" -> {
                    parameters.clear();
                    yield null;
                }
                case "clearBatch" -> {
                    batch.clear();
                    yield null;
                }
                case "getMoreResults" -> {
                    result = null;
                    yield false;
                }
                case "setQueryTimeout", "setFetchSize", "setMaxRows", "closeOnCompletion", "clearWarnings" -> null;
                case "cancel" -> {
                    cancelled = true;
                    yield null;
                }
                case "getQueryTimeout", "getFetchSize", "getMaxRows" -> 0;
                case "getResultSetConcurrency" -> ResultSet.CONCUR_READ_ONLY;
                case "isWrapperFor" -> false;
                case "getWarnings" -> null;
                default -> throw unknown(method);
            };
        }

        private Object run(Statement proxy, Method method, Object[] arguments) throws SQLException {
            String sql = arguments == null ? prepared : (String) arguments[0];
            switch (method.getName()) {
                case "addBatch" -> batch.add(Map.entry(sql, arguments == null ? bound() : NOTHING));
                case "executeBatch" -> {
                    return runBatch();
                }
                case "executeLargeBatch" -> throw unknown(method);
                default -> {
                    result = SimSession.this.execute(sql, arguments == null ? bound() : NOTHING);
                    return switch (method.getName()) {
                        case "executeQuery" -> results(proxy);
                        case "executeUpdate" -> result.count();
                        case "executeLargeUpdate" -> (long) result.count();
                        default -> result.count() < 0;
                    };
                }
            }
            return null;
        }

        private Object[] bound() {
            return parameters.values().toArray();
        }

        /** As PostgreSQL's driver fails: the cause comes as the next exception and as the cause. */
        private int[] runBatch() throws SQLException {
            int[] counts = new int[batch.size()];
            for (int i = 0; i < counts.length; i++) {
                try {
                    Map.Entry<String, Object[]> one = batch.get(i);
                    counts[i] = SimSession.this
                            .execute(one.getKey(), one.getValue())
                            .count();
                } catch (SQLException e) {
                    batch.clear();
                    BatchUpdateException failed = new BatchUpdateException(
                            "batch entry " + i + ": " + e.getMessage(), e.getSQLState(), counts, e);
                    failed.setNextException(e);
                    throw failed;
                }
            }
            batch.clear();
            return counts;
        }

        private ResultSet results(Statement statement) {
            return proxy(ResultSet.class, new ResultFace(handle, statement, result));
        }
    }

    private static final class ResultFace implements InvocationHandler {
        private final Handle handle;
        private final Statement statement;
        private final SimDatabase.Result result;
        private int at = -1;
        private boolean wasNull;
        private boolean closed;

        ResultFace(Handle handle, Statement statement, SimDatabase.Result result) {
            this.handle = handle;
            this.statement = statement;
            this.result = result;
        }

        @Override
        public Object invoke(Object proxy, Method method, Object[] arguments) throws Throwable {
            String called = method.getName();
            if (method.getDeclaringClass() == Object.class) {
                return ofObject(proxy, method, arguments, result.toString());
            }
            if (called.equals("close")) {
                closed = true;
                return null;
            }
            if (called.equals("isClosed")) {
                return closed;
            }
            handle.checkOpen(called);
            return switch (called) {
                case "next" -> ++at < result.rows().size();
                case "wasNull" -> wasNull;
                case "getStatement" -> statement;
                case "getMetaData" -> proxy(ResultSetMetaData.class, this::describe);
                case "isWrapperFor" -> false;
                default -> value(method, arguments);
            };
        }

        private Object describe(Object proxy, Method method, Object[] arguments) {
            return switch (method.getName()) {
                case "getColumnCount" -> result.columns().size();
                case "getColumnLabel", "getColumnName" -> result.columns().get((Integer) arguments[0] - 1);
                default -> throw unknown(method);
            };
        }

        private Object value(Method method, Object[] arguments) throws SQLException {
            int column = arguments[0] instanceof Integer number
                    ? number - 1
                    : result.columns().indexOf((String) arguments[0]);
            Object value = result.rows().get(at).get(column);
            wasNull = value == null;
            return switch (method.getName()) {
                case "getLong" -> wasNull ? 0L : value;
                case "getInt" -> wasNull ? 0 : Math.toIntExact((Long) value);
                case "getString" -> wasNull ? null : Objects.toString(value);
                case "getObject" -> value;
                default -> throw unknown(method);
            };
        }
    }
}
