// SPDX-License-Identifier: Apache-2.0
package dev.forebay.temporal;

import dev.forebay.tx.ConditionFailedException;
import dev.forebay.tx.GivenUpException;
import dev.forebay.tx.Timestamps;
import dev.forebay.tx.Transactions;
import dev.forebay.tx.internal.Causes;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.SQLIntegrityConstraintViolationException;
import java.sql.SQLTransactionRollbackException;
import java.sql.Types;
import java.time.Instant;
import java.time.LocalDateTime;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * The stores' way to run statements: each operation in a transaction of its own, or as a part of the one that its caller
 * runs on this thread. Thread-safe.
 */
final class Database {

    /** Maximum rows that DSQL lets one transaction change. */
    static final int MOST_ROWS = 3_000;

    private static final String DUPLICATE_KEY = "23505";
    private static final String CONFLICT = "40001";

    private final Transactions transactions;
    private final Transactions joining;

    Database(Transactions transactions) {
        this.transactions = transactions;
        this.joining = transactions.joining();
    }

    /** Runs {@code body} as the operation {@code name}. */
    void run(String name, Transactions.Body<SQLException> body) throws SQLException {
        call(name, c -> {
            body.run(c);
            return name;
        });
    }

    /** Runs {@code body} as the operation {@code name}, and returns its value. */
    <T extends @Nullable Object> T call(String name, Transactions.ValueBody<T, SQLException> body) throws SQLException {
        return call(joining, name, body);
    }

    /** Runs {@code body}, of which operations are parts, and returns its value. */
    <T extends @Nullable Object> T whole(String name, Transactions.ValueBody<T, SQLException> body)
            throws SQLException {
        return call(transactions, name, body);
    }

    private static <T extends @Nullable Object> T call(
            Transactions transactions, String name, Transactions.ValueBody<T, SQLException> body) throws SQLException {
        try {
            return transactions.call(name, body);
        } catch (GivenUpException e) {
            throw e.reason() == GivenUpException.Reason.RETRIES_EXHAUSTED ? lostBy(transactions, body, e) : e;
        }
    }

    /**
     * The reason to give a loser of the last conflict: the condition that has failed by now, if one has. What it was beaten by was
     * committed after its last attempt had begun, so that no attempt has seen it. The body runs once more for this and is rolled back.
     */
    private static SQLException lostBy(
            Transactions transactions, Transactions.ValueBody<?, SQLException> body, GivenUpException given) {
        try {
            transactions.policy(transactions.policy().withMaxRetries(0)).run("LookWhatHasFailed", c -> {
                body.run(c);
                throw given;
            });
            throw new IllegalStateException("bug: a look that ended well");
        } catch (ConditionFailedException | TemporalException e) {
            e.addSuppressed(given);
            return e;
        } catch (SQLException e) {
            return given;
        }
    }

    // ---- statements

    /** Makes a row into a value. */
    @FunctionalInterface
    interface Reader<T> {
        T read(ResultSet row) throws SQLException;
    }

    static int update(Connection c, String sql, @Nullable Object... arguments) throws SQLException {
        try (PreparedStatement statement = c.prepareStatement(sql)) {
            bind(statement, arguments);
            return statement.executeUpdate();
        }
    }

    /** Runs {@code sql} once for each of {@code rows}, in one round trip, and returns how many rows were changed. */
    static int batch(Connection c, String sql, List<@Nullable Object[]> rows) throws SQLException {
        if (rows.isEmpty()) {
            return 0;
        }
        try (PreparedStatement statement = c.prepareStatement(sql)) {
            for (@Nullable Object[] row : rows) {
                bind(statement, row);
                statement.addBatch();
            }
            int changed = 0;
            for (int one : statement.executeBatch()) {
                changed += one;
            }
            return changed;
        }
    }

    static <T> List<T> query(Connection c, String sql, Reader<T> reader, @Nullable Object... arguments)
            throws SQLException {
        try (PreparedStatement statement = c.prepareStatement(sql)) {
            bind(statement, arguments);
            try (ResultSet row = statement.executeQuery()) {
                List<T> found = new ArrayList<>();
                while (row.next()) {
                    found.add(reader.read(row));
                }
                return found;
            }
        }
    }

    static <T> Optional<T> one(Connection c, String sql, Reader<T> reader, @Nullable Object... arguments)
            throws SQLException {
        List<T> found = query(c, sql, reader, arguments);
        if (found.size() > 1) {
            throw new IllegalStateException("bug: a key with " + found.size() + " rows: " + sql);
        }
        return found.stream().findFirst();
    }

    private static void bind(PreparedStatement statement, @Nullable Object[] arguments) throws SQLException {
        for (int i = 0; i < arguments.length; i++) {
            Object argument = arguments[i];
            if (argument instanceof byte[] bytes) {
                statement.setBytes(i + 1, bytes);
            } else if (argument instanceof Instant time) {
                statement.setObject(i + 1, Timestamps.toTimestamp(time));
            } else if (argument == null) {
                statement.setNull(i + 1, Types.NULL);
            } else {
                statement.setObject(i + 1, argument);
            }
        }
    }

    /** The parameters of several parts of a statement, in order. */
    static @Nullable Object[] join(@Nullable Object[]... parts) {
        return Arrays.stream(parts).flatMap(Arrays::stream).toArray();
    }

    /** Changes at most {@code most} rows and returns how many. */
    @FunctionalInterface
    interface Slice {
        int change(int most) throws SQLException;
    }

    /** Changes rows in slices that fit into a transaction, until there are no more, and returns how many there were. */
    static long inSlices(Slice slice) throws SQLException {
        long all = 0;
        while (true) {
            int changed = slice.change(MOST_ROWS);
            all += changed;
            if (changed < MOST_ROWS) {
                return all;
            }
        }
    }

    static void requirePageSize(int rows) {
        if (rows < 1) {
            throw new IllegalArgumentException("a page has at least one row, not " + rows);
        }
    }

    // ---- columns

    static UUID uuid(ResultSet row, String column) throws SQLException {
        return row.getObject(column, UUID.class);
    }

    static Blob blob(ResultSet row, String column) throws SQLException {
        return new Blob(row.getBytes(column), row.getString(column + "_encoding"));
    }

    static @Nullable Blob blobOrNull(ResultSet row, String column) throws SQLException {
        return Blob.orNull(row.getBytes(column), row.getString(column + "_encoding"));
    }

    static Instant time(ResultSet row, String column) throws SQLException {
        return Timestamps.fromTimestamp(row.getObject(column, LocalDateTime.class));
    }

    static @Nullable Instant timeOrNull(ResultSet row, String column) throws SQLException {
        LocalDateTime time = row.getObject(column, LocalDateTime.class);
        return time == null ? null : Timestamps.fromTimestamp(time);
    }

    // ---- errors

    /** The exception to throw for {@code e}: a conflict, which is retried, if a row with the same key was there. */
    static SQLException conflictIfDuplicate(SQLException e, String message) {
        return isDuplicate(e) ? new SQLTransactionRollbackException(message, CONFLICT, e) : e;
    }

    /** Whether a row with the same key was there. */
    static boolean isDuplicate(SQLException e) {
        return Causes.of(e).stream()
                .anyMatch(one -> one instanceof SQLIntegrityConstraintViolationException
                        || (one instanceof SQLException sql && DUPLICATE_KEY.equals(sql.getSQLState())));
    }
}
