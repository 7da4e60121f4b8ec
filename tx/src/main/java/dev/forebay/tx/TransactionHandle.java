// SPDX-License-Identifier: Apache-2.0
package dev.forebay.tx;

import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.sql.CallableStatement;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.SQLFeatureNotSupportedException;
import java.sql.SQLNonTransientConnectionException;
import java.sql.Savepoint;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The handle between a body and its connection, for one attempt.
 *
 * <h2>What it prevents</h2>
 *
 * <ul>
 *   <li>A body that ends the transaction by itself: {@code commit}, {@code rollback}, {@code setAutoCommit(true)}.
 *   <li>An error that the body swallows although it has ended the transaction. PostgreSQL's driver knows that it has, and
 *       returns from COMMIT as if it had not; elsewhere a conflict ends the transaction, and what comes after it would be
 *       committed without what came before. The attempt fails with that error.
 *   <li>A setting that outlives the transaction: each is read before its first change and restored.
 *   <li>A body that goes on after its deadline or cancellation: every statement asks first.
 *   <li>A connection that is used after the attempt, when it may be another borrower's.
 * </ul>
 *
 * <p>Connection and statements are proxies: a call costs some tens of nanoseconds, and a round trip a thousand times that.
 */
final class TransactionHandle implements InvocationHandler {

    private static final Logger log = LoggerFactory.getLogger(TransactionHandle.class);
    private static final String INVALID_TERMINATION = "2D000";
    private static final String CLOSED = "08003";
    private static final Object[] NOTHING = {};
    private static final int GRACE_MILLIS = 3_000;

    private final String name;
    private final int attempt;
    private final Connection connection;
    private final Stop stop;
    private final Transaction proxy;
    private final List<Runnable> afterCommit = new ArrayList<>();

    /** The steps that restore the settings the body has changed, by the method that changed them. */
    private final Map<String, Restore> restores = new LinkedHashMap<>();

    /** The first error since the last savepoint, or the first conflict, kept in case the body swallows it. */
    private @Nullable SQLException error;

    /** The error with which the attempt fails even if the body swallows it. */
    private @Nullable Throwable doom;

    /** The statement that a cancellation cancels. */
    private volatile @Nullable Statement running;

    private volatile boolean ended;

    TransactionHandle(String name, int attempt, Connection connection, Stop stop) {
        this.name = name;
        this.attempt = attempt;
        this.connection = connection;
        this.stop = stop;
        this.proxy = newProxy(Transaction.class, this);
    }

    /** Returns the connection that the body gets. */
    Transaction proxy() {
        return proxy;
    }

    /** Returns the handle of the transaction that {@code connection} belongs to, null if it belongs to none of ours. */
    static @Nullable TransactionHandle of(Connection connection) throws SQLException {
        if (!connection.isWrapperFor(Transaction.class)) {
            return null;
        }
        Transaction transaction = connection.unwrap(Transaction.class);
        return Proxy.isProxyClass(transaction.getClass())
                        && Proxy.getInvocationHandler(transaction) instanceof TransactionHandle handle
                ? handle
                : null;
    }

    String name() {
        return name;
    }

    /** Makes this attempt fail with {@code error}, even if the body swallows it. */
    void doom(Throwable error) {
        if (doom == null) {
            doom = error;
        }
    }

    /** Returns an error that the body has swallowed and that forbids a commit; null if there is none. */
    @Nullable
    Throwable swallowed() throws SQLException {
        if (doom != null) {
            return doom;
        }
        PgState state = PgState.of(connection);
        if (state == PgState.ENDED) {
            return error != null ? error : new SQLException("an error has ended the transaction", "25P02");
        }
        return state == PgState.UNKNOWN && error != null && (isConflict(error) || abortsOnError()) ? error : null;
    }

    /** Returns whether an error ends the transaction, as in PostgreSQL and databases with its protocol. */
    private boolean abortsOnError() throws SQLException {
        return "PostgreSQL".equals(connection.getMetaData().getDatabaseProductName());
    }

    private static boolean isConflict(SQLException error) {
        return ErrorMeaning.of(error) == ErrorMeaning.CONFLICT;
    }

    List<Runnable> afterCommit() {
        return afterCommit;
    }

    /** Cancels the statement in progress, if there is one. */
    void cancelStatement() {
        Statement statement = running;
        if (statement == null) {
            return;
        }
        try {
            statement.cancel();
        } catch (SQLException | RuntimeException e) {
            log.debug("a statement of transaction {} could not be cancelled and goes on to its end", name, e);
        }
    }

    /** Ends the body's access: its connection and statements work no more. */
    void end() {
        ended = true;
    }

    /** Restores as many of the changed settings as it can; returns whether there were any. */
    boolean restore() throws SQLException {
        SQLException failure = null;
        for (Restore restore : restores.values()) {
            try {
                restore.run();
            } catch (SQLException e) {
                if (failure == null) {
                    failure = e;
                } else {
                    failure.addSuppressed(e);
                }
            }
        }
        if (failure != null) {
            throw failure;
        }
        return !restores.isEmpty();
    }

    /** Limits the wait for an answer to a little beyond the deadline; a server that is silent then costs the connection. */
    void limitNetwork() throws SQLException {
        if (!stop.hasDeadline()) {
            return;
        }
        try {
            int before = connection.getNetworkTimeout();
            int millis = (int) Math.min(Integer.MAX_VALUE, stop.secondsLeft() * 1_000L + GRACE_MILLIS);
            if (before == 0 || before > millis) {
                connection.setNetworkTimeout(Runnable::run, millis);
                restores.put("setNetworkTimeout", () -> connection.setNetworkTimeout(Runnable::run, before));
            }
        } catch (SQLFeatureNotSupportedException e) {
            log.debug("the driver has no network timeout, so a server that hangs holds transaction {}", name, e);
        }
    }

    // ---- the connection

    @Override
    public @Nullable Object invoke(Object self, Method method, Object @Nullable [] arguments) throws Throwable {
        Object[] given = arguments == null ? NOTHING : arguments;
        return switch (method.getName()) {
            case "equals" -> self == given[0];
            case "hashCode" -> System.identityHashCode(self);
            case "toString" -> "transaction " + name + ", attempt " + attempt + (ended ? ", ended" : "");
            case "name" -> name;
            case "attempt" -> attempt;
            case "close" -> null;
            case "isClosed" -> ended || connection.isClosed();
            case "afterCommit" -> {
                if (ended) {
                    throw new IllegalStateException("transaction " + name + " has ended");
                }
                afterCommit.add((Runnable) given[0]);
                yield null;
            }
            default -> {
                checkOpen();
                yield invokeOpen(self, method, given);
            }
        };
    }

    private @Nullable Object invokeOpen(Object self, Method method, Object[] given) throws Throwable {
        return switch (method.getName()) {
            case "commit" -> throw refuse("commit");
            case "rollback" -> rollback(given);
            case "setAutoCommit" -> setAutoCommit((boolean) given[0]);
            case "isWrapperFor" -> {
                Class<?> type = (Class<?>) given[0];
                yield type.isInstance(self) || type.isInstance(connection) || connection.isWrapperFor(type);
            }
            case "unwrap" -> {
                Class<?> type = (Class<?>) given[0];
                yield type.isInstance(self) ? self : type.isInstance(connection) ? connection : connection.unwrap(type);
            }
            default -> {
                keepSetting(method.getName(), given);
                yield wrapped(noting(connection, method, given));
            }
        };
    }

    private void checkOpen() throws SQLException {
        if (ended) {
            throw new SQLNonTransientConnectionException("transaction " + name + " has ended", CLOSED);
        }
    }

    private SQLException refuse(String deed) {
        return new SQLException(
                "the body of transaction " + name + " must not " + deed
                        + ": it is committed when the body returns and rolled back when it throws",
                INVALID_TERMINATION);
    }

    /** Rolls back to a savepoint only, which undoes the error of a statement after it where the database allows that. */
    private @Nullable Object rollback(Object[] given) throws SQLException {
        if (given.length == 0) {
            throw refuse("roll back");
        }
        connection.rollback((Savepoint) given[0]);
        error = null;
        return null;
    }

    private @Nullable Object setAutoCommit(boolean on) throws SQLException {
        if (on) {
            throw refuse("set autocommit on");
        }
        return null;
    }

    private @Nullable Object wrapped(@Nullable Object result) {
        if (result instanceof CallableStatement statement) {
            return newProxy(CallableStatement.class, new StatementGuard(statement));
        } else if (result instanceof PreparedStatement statement) {
            return newProxy(PreparedStatement.class, new StatementGuard(statement));
        } else if (result instanceof Statement statement) {
            return newProxy(Statement.class, new StatementGuard(statement));
        }
        return result;
    }

    // ---- settings

    /** Notes, before the first change of a setting, the step that restores it. */
    private void keepSetting(String method, Object[] given) throws SQLException {
        if (method.startsWith("set") && !restores.containsKey(method)) {
            Restore restore = restore(method, given);
            if (restore != null) {
                restores.put(method, restore);
            }
        }
    }

    private @Nullable Restore restore(String method, Object[] given) throws SQLException {
        return switch (method) {
            case "setTransactionIsolation" -> {
                int isolation = connection.getTransactionIsolation();
                yield () -> connection.setTransactionIsolation(isolation);
            }
            case "setReadOnly" -> {
                boolean readOnly = connection.isReadOnly();
                yield () -> connection.setReadOnly(readOnly);
            }
            case "setCatalog" -> {
                String catalog = connection.getCatalog();
                yield () -> connection.setCatalog(catalog);
            }
            case "setSchema" -> {
                String schema = connection.getSchema();
                String path = searchPath();
                yield path == null ? () -> connection.setSchema(schema) : () -> run("SET search_path = " + path);
            }
            case "setHoldability" -> {
                int holdability = connection.getHoldability();
                yield () -> connection.setHoldability(holdability);
            }
            case "setTypeMap" -> {
                Map<String, Class<?>> types = connection.getTypeMap();
                yield () -> connection.setTypeMap(types);
            }
            case "setClientInfo" -> {
                Properties info = new Properties();
                info.putAll(connection.getClientInfo());
                yield () -> connection.setClientInfo(info);
            }
            case "setNetworkTimeout" -> {
                int millis = connection.getNetworkTimeout();
                yield () -> connection.setNetworkTimeout((Executor) given[0], millis);
            }
            default -> null;
        };
    }

    /** Returns PostgreSQL's search path, of which the driver shows only the first schema; null for other databases. */
    private @Nullable String searchPath() throws SQLException {
        if (PgState.of(connection) == PgState.UNKNOWN) {
            return null;
        }
        try (Statement statement = connection.createStatement();
                ResultSet result = statement.executeQuery("SHOW search_path")) {
            return result.next() ? result.getString(1) : null;
        }
    }

    private void run(String sql) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }

    private interface Restore {
        void run() throws SQLException;
    }

    // ---- statements

    /** A statement that checks for a stop before it is executed, and notes its error afterwards. */
    private final class StatementGuard implements InvocationHandler {

        private final Statement statement;

        StatementGuard(Statement statement) {
            this.statement = statement;
        }

        @Override
        public @Nullable Object invoke(Object self, Method method, Object @Nullable [] arguments) throws Throwable {
            return switch (method.getName()) {
                case "equals" -> arguments != null && self == arguments[0];
                case "hashCode" -> System.identityHashCode(self);
                case "getConnection" -> proxy;
                case "close" -> forward(statement, method, arguments);
                case "isClosed" -> ended || statement.isClosed();
                default -> {
                    checkOpen();
                    yield method.getName().startsWith("execute") ? execute(method, arguments) : pass(method, arguments);
                }
            };
        }

        private @Nullable Object execute(Method method, Object @Nullable [] arguments) throws Throwable {
            running = statement;
            try {
                stop.check();
                if (stop.hasDeadline()) {
                    limit();
                }
                return pass(method, arguments);
            } finally {
                running = null;
            }
        }

        /** Watches a result too, since it may be fetched bit by bit or written through. */
        private @Nullable Object pass(Method method, Object @Nullable [] arguments) throws Throwable {
            Object answer = noting(statement, method, arguments);
            return answer instanceof ResultSet result
                            && (statement.getFetchSize() > 0
                                    || statement.getResultSetConcurrency() == ResultSet.CONCUR_UPDATABLE)
                    ? newProxy(
                            ResultSet.class,
                            (self, called, given) -> called.getName().equals("equals")
                                    ? Boolean.valueOf(given != null && self == given[0])
                                    : noting(result, called, given))
                    : answer;
        }

        /** Lets the driver end the statement at the deadline, in its whole seconds, or earlier if the body said so. */
        private void limit() throws SQLException {
            int seconds = stop.secondsLeft();
            int own = statement.getQueryTimeout();
            if (own == 0 || own > seconds) {
                statement.setQueryTimeout(seconds);
            }
        }
    }

    /** Forwards a call and notes its error. */
    private @Nullable Object noting(Object target, Method method, Object @Nullable [] arguments) throws Throwable {
        try {
            return forward(target, method, arguments);
        } catch (SQLException e) {
            if (error == null || (!isConflict(error) && isConflict(e))) {
                error = e;
            }
            throw e;
        }
    }

    private static @Nullable Object forward(Object target, Method method, Object @Nullable [] arguments)
            throws Throwable {
        try {
            return method.invoke(target, arguments);
        } catch (InvocationTargetException e) {
            throw e.getCause() == null ? e : e.getCause();
        }
    }

    private static <T> T newProxy(Class<T> type, InvocationHandler handler) {
        return type.cast(
                Proxy.newProxyInstance(TransactionHandle.class.getClassLoader(), new Class<?>[] {type}, handler));
    }
}
