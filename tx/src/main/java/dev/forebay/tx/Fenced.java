// SPDX-License-Identifier: Apache-2.0
package dev.forebay.tx;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Updates that take place only if the row still has the token that each names, as the last condition of its WHERE. A
 * lock keeps others out; a fence detects that they were there. Not thread-safe.
 *
 * <pre>{@code
 * Fenced.on(c)
 *         .entity("shard 7")
 *         .update("UPDATE shards SET range_id = ?, owner = ? WHERE shard_id = ? AND range_id = ?", 43, me, 7)
 *         .expecting(42);
 * }</pre>
 *
 * <p>One row is success. None is a {@link ConditionFailedException}, which is never retried. More than one is a fault
 * in the statement: an {@link IllegalStateException}. After that, and after a batch that failed in part, a transaction of
 * {@link Transactions} is rolled back even if the body swallows the exception; any other is its owner's to roll back.
 */
public final class Fenced {

    private static final Pattern TABLE = Pattern.compile(
            "\\s*(?:UPDATE|DELETE\\s+FROM|INSERT\\s+INTO)\\s+(?:ONLY\\s+)?([\\w.\"]+).*",
            Pattern.CASE_INSENSITIVE | Pattern.DOTALL);

    private final Connection connection;
    private final @Nullable String entity;

    private Fenced(Connection connection, @Nullable String entity) {
        this.connection = connection;
        this.entity = entity;
    }

    /** Returns fenced updates in the transaction of {@code connection}, ours or not, which must be open. */
    public static Fenced on(Connection connection) throws SQLException {
        if (connection.getAutoCommit()) {
            throw new IllegalStateException("a fence needs a transaction, and this connection commits by itself");
        }
        return new Fenced(connection, null);
    }

    /** Returns the same, with {@code name} for the fenced row in errors; by default the table's. */
    public Fenced entity(String name) {
        return new Fenced(connection, name);
    }

    /**
     * Returns an UPDATE or DELETE whose last parameters are the tokens.
     *
     * @param arguments the parameters before the tokens
     */
    public Update update(String sql, @Nullable Object... arguments) {
        return new Update(sql, arguments);
    }

    /** Begins a batch: many rows through one UPDATE or DELETE whose last parameters are the tokens. */
    public Batch batch(String sql) {
        return new Batch(sql);
    }

    /** One update, which takes place when its token is named. */
    public final class Update {

        private final String sql;
        private final @Nullable Object[] arguments;
        private @Nullable String actualSql;
        private @Nullable Object[] actualArguments = {};

        private Update(String sql, @Nullable Object[] arguments) {
            this.sql = sql;
            this.arguments = arguments;
        }

        /** Names the query that reads the present token, for the exception, if the fence has moved on. */
        public Update orReading(String sql, @Nullable Object... arguments) {
            this.actualSql = sql;
            this.actualArguments = arguments;
            return this;
        }

        /**
         * Updates the row if it still has these tokens.
         *
         * @throws ConditionFailedException if it has not
         */
        public void expecting(Object... tokens) throws SQLException {
            try (PreparedStatement statement = connection.prepareStatement(sql)) {
                bind(statement, arguments, checked(tokens));
                int rows = statement.executeUpdate();
                if (rows == 0) {
                    throw failed(one(tokens));
                }
                requireOne(sql, rows);
            }
        }

        /**
         * Reads the tokens that the row has now, all the columns of {@code sql}, and updates the row if it still has them.
         *
         * @return the tokens that were read
         * @throws ConditionFailedException if there is no such row, or it has changed since
         */
        public List<Object> expectingCurrent(String sql, @Nullable Object... arguments) throws SQLException {
            List<Object> tokens = read(sql, arguments);
            if (tokens.isEmpty()) {
                throw new ConditionFailedException(name(this.sql), null, null);
            }
            expecting(tokens.toArray());
            return tokens;
        }

        /** Returns the failure of the condition, even if the attempt to explain it fails. */
        private ConditionFailedException failed(Object expected) {
            if (actualSql == null) {
                return new ConditionFailedException(name(sql), expected, null);
            }
            try {
                List<Object> tokens = read(actualSql, actualArguments);
                Object actual = tokens.isEmpty() ? null : one(tokens.toArray());
                return new ConditionFailedException(name(sql), expected, actual);
            } catch (SQLException e) {
                ConditionFailedException failure = new ConditionFailedException(name(sql), expected, null);
                failure.addSuppressed(e);
                return failure;
            }
        }
    }

    /** Many updates through one statement, all of which take place or none. */
    public final class Batch {

        private final String sql;
        private final List<Row> rows = new ArrayList<>();

        private Batch(String sql) {
            this.sql = sql;
        }

        /** Adds a row. */
        public Row add(@Nullable Object... arguments) {
            Row row = new Row(this, arguments);
            rows.add(row);
            return row;
        }

        /**
         * Updates all rows.
         *
         * @throws ConditionFailedException for the first that does not have its token any more
         */
        public void execute() throws SQLException {
            if (rows.isEmpty()) {
                return;
            }
            try (PreparedStatement statement = connection.prepareStatement(sql)) {
                for (Row row : rows) {
                    bind(statement, row.arguments, checked(row.tokens));
                    statement.addBatch();
                }
                int[] counts = statement.executeBatch();
                for (int i = 0; i < rows.size(); i++) {
                    if (counts[i] == 0) {
                        Row lost = rows.get(i);
                        throw doomed(new ConditionFailedException(
                                name(sql) + " (row " + (i + 1) + ")", one(lost.tokens), null));
                    }
                    requireOne(sql, counts[i]);
                }
            }
        }
    }

    /** One row of a batch, which is in it when its token is named. */
    public static final class Row {

        private final Batch batch;
        private final @Nullable Object[] arguments;
        private Object[] tokens = {};

        private Row(Batch batch, @Nullable Object[] arguments) {
            this.batch = batch;
            this.arguments = arguments;
        }

        /** Names the tokens that the row should still have. */
        public Batch expecting(Object... tokens) {
            this.tokens = checked(tokens);
            return batch;
        }
    }

    private List<Object> read(String sql, @Nullable Object[] arguments) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(sql)) {
            bind(statement, arguments);
            try (ResultSet result = statement.executeQuery()) {
                List<Object> tokens = new ArrayList<>();
                if (result.next()) {
                    for (int i = 1; i <= result.getMetaData().getColumnCount(); i++) {
                        tokens.add(result.getObject(i));
                    }
                }
                return Collections.unmodifiableList(tokens);
            }
        }
    }

    private static void bind(PreparedStatement statement, @Nullable Object[]... groups) throws SQLException {
        int index = 0;
        for (@Nullable Object[] group : groups) {
            for (Object value : group) {
                statement.setObject(++index, value);
            }
        }
    }

    private void requireOne(String sql, int rows) throws SQLException {
        if (rows == 1) {
            return;
        }
        IllegalStateException bug = new IllegalStateException(
                rows > 1
                        ? "bug: a fence matched " + rows + " rows; its WHERE has to name one: " + sql
                        : "the driver does not tell how many rows a fence matched (" + rows + "): " + sql);
        throw doomed(bug);
    }

    /** Returns {@code failure}, which dooms a transaction of ours, even if swallowed: its writes must not stay. */
    private <E extends Exception> E doomed(E failure) throws SQLException {
        TransactionHandle handle = TransactionHandle.of(connection);
        if (handle != null) {
            handle.doom(failure);
        }
        return failure;
    }

    private static Object[] checked(Object[] tokens) {
        if (tokens.length == 0 || Arrays.asList(tokens).contains(null)) {
            throw new IllegalArgumentException(
                    "a fence needs a token, and null is equal to nothing in SQL: " + Arrays.toString(tokens));
        }
        return tokens;
    }

    private static Object one(Object[] tokens) {
        return tokens.length == 1 ? tokens[0] : List.of(tokens);
    }

    private String name(String sql) {
        if (entity != null) {
            return entity;
        }
        Matcher table = TABLE.matcher(sql);
        return table.matches() ? table.group(1) : "a row";
    }
}
