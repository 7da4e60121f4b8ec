// SPDX-License-Identifier: Apache-2.0
package dev.forebay.local.sql;

import dev.forebay.local.sql.TransactionRules.State;
import dev.forebay.time.Time;
import java.lang.reflect.Method;
import java.sql.CallableStatement;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** A connection that asks the rules before it asks PostgreSQL; see {@link DsqlGuard}. Not thread-safe. */
final class GuardedConnection {

    private final Connection connection;
    private final Profile profile;
    private final TransactionRules rules;
    private final Time time;
    private final Connection handle;

    GuardedConnection(Connection connection, Profile profile, TransactionRules rules, Time time) {
        this.connection = connection;
        this.profile = profile;
        this.rules = rules;
        this.time = time;
        this.handle =
                DsqlGuard.proxy(Connection.class, connection, (self, method, arguments) -> invoke(method, arguments));
    }

    Connection handle() {
        return handle;
    }

    private @Nullable Object invoke(Method method, Object @Nullable [] arguments) throws Throwable {
        String sql = arguments != null && arguments.length > 0 && arguments[0] instanceof String text ? text : "";
        switch (method.getName()) {
            case "createStatement" -> {
                return guarded(java.sql.Statement.class, method, arguments, "");
            }
            case "prepareStatement", "prepareCall" -> {
                Object[] sent = Objects.requireNonNull(arguments).clone();
                sent[0] = rewritten(sql);
                boolean call = method.getName().equals("prepareCall");
                return guarded(call ? CallableStatement.class : PreparedStatement.class, method, sent, sql);
            }
            case "commit" -> commit();
            case "rollback" -> {
                refuseSavepoint(arguments);
                rules.end();
            }
            case "setSavepoint" -> admit(Script.of("SAVEPOINT s"));
            case "releaseSavepoint" -> admit(Script.of("RELEASE SAVEPOINT s"));
            case "setTransactionIsolation" ->
                admit(Script.of(isolation((Integer) Objects.requireNonNull(arguments)[0])));
            case "setAutoCommit" -> {
                if (rules.state() != State.IDLE && Boolean.TRUE.equals(Objects.requireNonNull(arguments)[0])) {
                    commit();
                }
            }
            default -> {}
        }
        return DsqlGuard.call(connection, method, arguments);
    }

    private Object guarded(
            Class<? extends java.sql.Statement> type, Method method, Object @Nullable [] arguments, String sql)
            throws Throwable {
        java.sql.Statement statement =
                (java.sql.Statement) Objects.requireNonNull(DsqlGuard.call(connection, method, arguments));
        return new GuardedStatement(this, statement, type, sql).handle();
    }

    static String rewritten(String sql) {
        return Script.of(sql).stream().map(Statement::rewritten).collect(Collectors.joining(";"));
    }

    /** Runs the execution of these statements, if the rules let it, and reports its outcome to the rules. */
    @Nullable
    Object execute(List<Statement> statements, Execution execution) throws Throwable {
        boolean held = connection.getAutoCommit()
                && rules.state() == State.IDLE
                && statements.stream().anyMatch(Statement::writes)
                && statements.stream().noneMatch(GuardedConnection::controls);
        if (!connection.getAutoCommit() && statements.stream().noneMatch(each -> each.kind() == Kind.EMPTY)) {
            rules.begin(time.nanos());
        }
        admit(statements);
        if (!held) {
            return ran(statements, execution);
        }
        connection.setAutoCommit(false); // so that what goes too far can be undone
        Object result;
        try {
            result = ran(statements, execution);
            refuse(rules.atCommit(time.nanos()));
            connection.commit();
        } catch (Throwable e) {
            rules.end();
            undo(e);
            throw e;
        }
        rules.end();
        connection.setAutoCommit(true);
        return result;
    }

    private void undo(Throwable because) {
        try {
            connection.rollback();
            connection.setAutoCommit(true);
        } catch (SQLException e) {
            because.addSuppressed(e);
        }
    }

    /** Lets the statements of a string run one after the other in mind, before the first of them runs. */
    private void admit(List<Statement> statements) throws SQLException {
        boolean ended = false;
        for (Statement statement : statements) {
            rules.beginImplicit(time.nanos());
            refuse(rules.state() == State.FAILED ? rules.before(statement, time.nanos()) : Optional.empty());
            Judgement judgement = profile.judge(statement);
            refuse(judgement.refusal());
            refuse(ended ? Optional.empty() : rules.before(statement, time.nanos()));
            if (!ended && statement.kind() == Kind.COMMIT) {
                refuseCommit();
            }
            for (Check check : judgement.checks()) {
                refuse(answer(check) ? Optional.of(check.ifTrue()) : Optional.empty());
            }
            ended |= statement.kind() == Kind.COMMIT || statement.kind() == Kind.ROLLBACK;
            rules.after(statement, 0, 0);
        }
    }

    private @Nullable Object ran(List<Statement> statements, Execution execution) throws Throwable {
        Object result;
        try {
            result = execution.run();
        } catch (Throwable e) {
            rules.fail();
            throw e;
        }
        boolean first = true;
        for (Statement statement : statements) {
            Optional<SqlRefusal> limit =
                    rules.after(statement, first ? execution.modified() : 0, first ? execution.written() : 0);
            first = false;
            refuse(limit);
            switch (statement.kind()) {
                case BEGIN -> rules.begin(time.nanos());
                case COMMIT, ROLLBACK -> rules.end();
                default -> {}
            }
        }
        if (rules.state() == State.IMPLICIT && connection.getAutoCommit()) {
            rules.end();
        }
        return result;
    }

    private static boolean controls(Statement statement) {
        return statement.kind() == Kind.BEGIN || statement.kind() == Kind.COMMIT || statement.kind() == Kind.ROLLBACK;
    }

    private boolean answer(Check check) throws SQLException {
        try (java.sql.Statement asking = connection.createStatement();
                ResultSet answer = asking.executeQuery(check.sql())) {
            return answer.next() && answer.getBoolean(1);
        }
    }

    private void commit() throws SQLException {
        refuseCommit();
        rules.end();
    }

    /** A COMMIT that is refused ends its transaction. */
    private void refuseCommit() throws SQLException {
        Optional<SqlRefusal> refusal = rules.atCommit(time.nanos());
        if (refusal.isPresent()) {
            rules.end();
            try (java.sql.Statement ending = connection.createStatement()) {
                ending.execute("ROLLBACK");
            }
            throw exception(refusal.get());
        }
    }

    private void refuseSavepoint(Object @Nullable [] arguments) throws SQLException {
        if (arguments != null && arguments.length > 0) {
            admit(Script.of("ROLLBACK TO SAVEPOINT s"));
        }
    }

    private static String isolation(int level) {
        String name = switch (level) {
            case Connection.TRANSACTION_READ_UNCOMMITTED -> "READ UNCOMMITTED";
            case Connection.TRANSACTION_READ_COMMITTED -> "READ COMMITTED";
            case Connection.TRANSACTION_REPEATABLE_READ -> "REPEATABLE READ";
            default -> "SERIALIZABLE";
        };
        return "SET SESSION CHARACTERISTICS AS TRANSACTION ISOLATION LEVEL " + name;
    }

    /** Throws the refusal, and fails the transaction in PostgreSQL as the error would have. */
    private void refuse(Optional<SqlRefusal> refusal) throws SQLException {
        if (refusal.isEmpty()) {
            return;
        }
        SQLException thrown = exception(refusal.get());
        boolean open = rules.state() == State.OPEN;
        rules.fail();
        if (open) {
            try (java.sql.Statement failing = connection.createStatement()) {
                failing.execute("ROLLBACK TO SAVEPOINT refused_by_the_guard"); // there is none: the transaction fails
            } catch (SQLException expected) {
                thrown.addSuppressed(expected);
            }
        }
        throw thrown;
    }

    private static SQLException exception(SqlRefusal refusal) {
        String hint = refusal.hint().isEmpty() ? "" : "\n  Hint: " + refusal.hint();
        return new SQLException("ERROR: " + refusal.message() + hint, refusal.sqlState());
    }

    /** An execution of statements, and the rows it changed. */
    interface Execution {
        @Nullable
        Object run() throws Throwable;

        long modified() throws SQLException;

        long written();
    }
}
