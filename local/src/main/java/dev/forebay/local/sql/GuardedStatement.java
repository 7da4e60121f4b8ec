// SPDX-License-Identifier: Apache-2.0
package dev.forebay.local.sql;

import java.lang.reflect.Method;
import java.nio.charset.StandardCharsets;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** A statement of a {@link GuardedConnection}. Not thread-safe. */
final class GuardedStatement {

    private final GuardedConnection connection;
    private final java.sql.Statement statement;
    private final List<Statement> prepared;
    private final List<Statement> batch = new ArrayList<>();
    private final java.sql.Statement handle;
    private long parameterBytes;
    private long batchBytes;

    GuardedStatement(
            GuardedConnection connection,
            java.sql.Statement statement,
            Class<? extends java.sql.Statement> type,
            String sql) {
        this.connection = connection;
        this.statement = statement;
        this.prepared = sql.isEmpty() ? List.of() : Script.of(sql);
        this.handle = DsqlGuard.proxy(type, statement, (self, method, arguments) -> invoke(method, arguments));
    }

    java.sql.Statement handle() {
        return handle;
    }

    private @Nullable Object invoke(Method method, Object @Nullable [] arguments) throws Throwable {
        String name = method.getName();
        String sql = arguments != null && arguments.length > 0 && arguments[0] instanceof String text ? text : "";
        boolean direct = arguments != null && arguments.length > 0 && arguments[0] instanceof String;
        if (name.equals("getConnection")) {
            return connection.handle();
        }
        if (name.equals("addBatch")) {
            batch.addAll(direct ? Script.of(sql) : prepared);
            batchBytes += direct ? size(sql) : parameterBytes;
        } else if (name.equals("clearBatch")) {
            clearBatch();
        } else if (name.equals("executeBatch") || name.equals("executeLargeBatch")) {
            try {
                return run(List.copyOf(batch), method, arguments, batchBytes);
            } finally {
                clearBatch();
            }
        } else if (name.startsWith("execute") && direct) {
            Object[] sent = Objects.requireNonNull(arguments).clone();
            sent[0] = GuardedConnection.rewritten(sql);
            return run(Script.of(sql), method, sent, size(sql));
        } else if (name.startsWith("execute")) {
            return run(prepared, method, arguments, parameterBytes);
        } else if (name.equals("clearParameters")) {
            parameterBytes = 0;
        } else if (name.startsWith("set") && arguments != null && arguments.length > 1) {
            parameterBytes += size(arguments[1]);
        }
        return DsqlGuard.call(statement, method, arguments);
    }

    private void clearBatch() {
        batch.clear();
        batchBytes = 0;
    }

    private static long size(@Nullable Object value) {
        if (value instanceof String text) {
            return text.getBytes(StandardCharsets.UTF_8).length;
        }
        return value instanceof byte[] bytes ? bytes.length : Long.BYTES;
    }

    private @Nullable Object run(List<Statement> statements, Method method, Object @Nullable [] arguments, long written)
            throws Throwable {
        return connection.execute(statements, new GuardedConnection.Execution() {
            private @Nullable Object result;

            @Override
            public @Nullable Object run() throws Throwable {
                result = DsqlGuard.call(statement, method, arguments);
                return result;
            }

            @Override
            public long modified() throws SQLException {
                return modifiedBy(result);
            }

            @Override
            public long written() {
                return written;
            }
        });
    }

    /** The number of modified rows, from the value that an execute method returned. */
    private long modifiedBy(@Nullable Object result) throws SQLException {
        if (result instanceof Number count) {
            return count.longValue();
        }
        long sum = 0;
        if (result instanceof int[] counts) {
            for (int count : counts) {
                sum += Math.max(0, count);
            }
            return sum;
        }
        if (result instanceof long[] counts) {
            for (long count : counts) {
                sum += Math.max(0, count);
            }
            return sum;
        }
        return Boolean.FALSE.equals(result) ? Math.max(0, statement.getLargeUpdateCount()) : 0;
    }
}
