// SPDX-License-Identifier: Apache-2.0
package dev.forebay.testkit;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.forebay.testkit.Faults.Kind;
import dev.forebay.testkit.SimDatabase.Mode;
import java.sql.BatchUpdateException;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Random;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The database that the properties of transactions are tried on: it must be right before they can be. */
@Timeout(60)
class SimDatabaseTest {

    private final Turns turns = new Turns(1);

    private static SimDatabase bank(Turns turns, Mode mode) {
        return new SimDatabase(turns, mode)
                .table("accounts", "id", "balance")
                .row("accounts", 1, 100)
                .row("accounts", 2, 100);
    }

    private static Connection begin(DataSource source) throws SQLException {
        Connection connection = source.getConnection();
        connection.setAutoCommit(false);
        return connection;
    }

    private static int add(Connection connection, int id, int amount) throws SQLException {
        try (PreparedStatement update =
                connection.prepareStatement("UPDATE accounts SET balance = balance + ? WHERE id = ?")) {
            update.setInt(1, amount);
            update.setInt(2, id);
            return update.executeUpdate();
        }
    }

    private static long balance(Connection connection, int id, String suffix) throws SQLException {
        try (PreparedStatement query =
                connection.prepareStatement("SELECT balance FROM accounts WHERE id = ?" + suffix)) {
            query.setInt(1, id);
            try (ResultSet result = query.executeQuery()) {
                assertTrue(result.next());
                return result.getLong("balance");
            }
        }
    }

    private static void end(Connection connection) throws SQLException {
        connection.setAutoCommit(true);
        connection.close();
    }

    private static String stateOf(org.junit.jupiter.api.function.Executable call) {
        return assertThrows(SQLException.class, call).getSQLState();
    }

    @ParameterizedTest
    @EnumSource(Mode.class)
    void aTransactionSeesItsSnapshotAndItsOwnWritesOnly(Mode mode) throws SQLException {
        DataSource source = bank(turns, mode).dataSource(2);
        Connection reader = begin(source);
        assertEquals(100, balance(reader, 1, ""));
        Connection writer = begin(source);
        add(writer, 1, 5);
        assertEquals(105, balance(writer, 1, ""));
        writer.commit();
        assertEquals(100, balance(reader, 1, ""));
        reader.commit();
        assertEquals(105, balance(reader, 1, ""));
        reader.rollback();
        end(reader);
        end(writer);
    }

    @Test
    void inDsqlOneOfTwoWritersLosesAtCommit() throws SQLException {
        SimDatabase database = bank(turns, Mode.DSQL);
        DataSource source = database.dataSource(2);
        Connection winner = begin(source);
        Connection loser = begin(source);
        assertEquals(1, add(winner, 1, 5));
        assertEquals(1, add(loser, 1, 7));
        winner.commit();
        assertEquals("40001", stateOf(loser::commit));
        assertEquals(105, database.number("accounts", 1, "balance"));
        assertEquals(1, database.history().size());
        end(winner);
        end(loser);
        assertEquals(List.of(), database.complaints());
    }

    @Test
    void inPostgresOneOfTwoWritersLosesAtTheStatement() throws SQLException {
        SimDatabase database = bank(turns, Mode.POSTGRES);
        DataSource source = database.dataSource(2);
        Connection winner = begin(source);
        Connection loser = begin(source);
        balance(loser, 1, "");
        add(winner, 1, 5);
        assertEquals("40001", stateOf(() -> add(loser, 1, 7)), "not committed yet");
        loser.rollback();
        balance(loser, 1, "");
        winner.commit();
        assertEquals("40001", stateOf(() -> add(loser, 1, 7)), "committed since");
        assertEquals("25P02", stateOf(() -> balance(loser, 2, "")));
        loser.commit();
        assertEquals(105, database.number("accounts", 1, "balance"));
        end(winner);
        end(loser);
    }

    @ParameterizedTest
    @EnumSource(Mode.class)
    void writeSkewCommitsBoth(Mode mode) throws SQLException {
        SimDatabase database = bank(turns, mode);
        DataSource source = database.dataSource(2);
        Connection one = begin(source);
        Connection other = begin(source);
        balance(one, 2, "");
        balance(other, 1, "");
        add(one, 1, -1);
        add(other, 2, -1);
        one.commit();
        other.commit();
        assertEquals(198, database.sum("accounts", "balance"));
        end(one);
        end(other);
    }

    @ParameterizedTest
    @EnumSource(Mode.class)
    void aReaderForUpdateConflictsWithAWriter(Mode mode) throws SQLException {
        SimDatabase database = bank(turns, mode);
        DataSource source = database.dataSource(2);
        Connection reader = begin(source);
        Connection writer = begin(source);
        balance(reader, 1, " FOR UPDATE");
        if (mode == Mode.POSTGRES) {
            assertEquals("40001", stateOf(() -> add(writer, 1, 5)));
        } else {
            add(writer, 1, 5);
            writer.commit();
            assertEquals("40001", stateOf(reader::commit));
        }
        end(reader);
        end(writer);
    }

    @ParameterizedTest
    @EnumSource(Mode.class)
    void insertsOfTheSameKeyMeet(Mode mode) throws SQLException {
        SimDatabase database = bank(turns, mode);
        DataSource source = database.dataSource(2);
        Connection one = begin(source);
        Connection other = begin(source);
        String insert = "INSERT INTO accounts (id, balance) VALUES (3, 0)";
        balance(other, 1, "");
        assertEquals(1, one.createStatement().executeUpdate(insert));
        one.commit();
        if (mode == Mode.POSTGRES) {
            assertEquals("23505", stateOf(() -> other.createStatement().executeUpdate(insert)));
        } else {
            other.createStatement().executeUpdate(insert);
            assertEquals("40001", stateOf(other::commit));
            assertEquals("23505", stateOf(() -> other.createStatement().executeUpdate(insert)));
        }
        other.rollback();
        assertEquals(1, other.createStatement().executeUpdate("DELETE FROM accounts WHERE id = 3"));
        other.commit();
        assertFalse(database.rows("accounts").containsKey(3L));
        end(one);
        end(other);
    }

    @Test
    void aBatchFailsWithTheCauseAsTheNextException() throws SQLException {
        DataSource source = bank(turns, Mode.DSQL).dataSource(1);
        Connection connection = begin(source);
        PreparedStatement insert = connection.prepareStatement("INSERT INTO accounts (id, balance) VALUES (?, 1)");
        for (int id : new int[] {3, 1, 4}) {
            insert.setInt(1, id);
            insert.addBatch();
        }
        BatchUpdateException failed = assertThrows(BatchUpdateException.class, insert::executeBatch);
        assertEquals("23505", failed.getNextException().getSQLState());
        connection.rollback();
        assertEquals(200, sum(connection));
        connection.rollback();
        end(connection);
    }

    private static long sum(Connection connection) throws SQLException {
        ResultSet result = connection.createStatement().executeQuery("SELECT sum(balance) FROM accounts");
        assertTrue(result.next());
        return result.getLong(1);
    }

    @Test
    void whatIsNotItsSqlIsASyntaxError() throws SQLException {
        Connection connection = bank(turns, Mode.DSQL).dataSource(1).getConnection();
        for (String sql : List.of("TRUNCATE accounts", "SELECT * FROM accounts", "UPDATE accounts SET", "", "SELECT")) {
            assertEquals("42601", stateOf(() -> connection.createStatement().execute(sql)), sql);
        }
        connection.close();
    }

    @Test
    void turningAutoCommitOnCommitsWhatIsOpen() throws SQLException {
        SimDatabase database = bank(turns, Mode.DSQL);
        Connection connection = begin(database.dataSource(1));
        add(connection, 1, 5);
        connection.setAutoCommit(true);
        assertEquals(105, database.number("accounts", 1, "balance"));
        connection.close();
        assertEquals(List.of(), database.complaints());
    }

    @Test
    void complaintsNameWhatWasGivenBackChangedOpenOrUsedAfterwards() throws SQLException {
        SimDatabase database = bank(turns, Mode.DSQL);
        DataSource source = database.dataSource(1);
        Connection connection = begin(source);
        add(connection, 1, 5);
        connection.close();
        assertEquals("08003", stateOf(connection::commit));
        assertEquals(
                List.of(
                        "session 1 was given back with an open transaction",
                        "session 1 was given back with {AutoCommit=false}",
                        "session 1: commit after it was given back"),
                database.complaints());
        source.getConnection().setSchema("elsewhere");
        assertEquals("session 1 was never given back", database.complaints().get(3));
        assertEquals(100, database.number("accounts", 1, "balance"));
    }

    @ParameterizedTest
    @EnumSource(
            value = Kind.class,
            names = {"UNAVAILABLE_APPLIED", "UNAVAILABLE_UNDONE", "LOST_APPLIED", "LOST_UNDONE", "CONFLICT_AT_COMMIT"})
    void aFaultAtCommitAppliesTheTransactionOrDoesNot(Kind kind) throws SQLException {
        SimDatabase database = bank(turns, Mode.DSQL).faults(Faults.of(1, kind));
        Connection connection = begin(database.dataSource(1));
        add(connection, 1, 5);
        assertEquals(kind.sqlState(), stateOf(connection::commit));
        assertEquals(kind.isApplied() ? 105 : 100, database.number("accounts", 1, "balance"));
        assertEquals(!kind.losesTheConnection(), connection.isValid(1));
        assertEquals(kind, database.faults().get(0).fault());
        database.faults(Faults.NONE);
        if (kind.losesTheConnection()) {
            assertEquals("08003", stateOf(connection::rollback));
        } else {
            connection.setAutoCommit(true);
        }
        connection.close();
        assertEquals(List.of(), database.complaints());
    }

    /** Random transfers with every fault there is, by hand; the whole story must come out the same twice. */
    private static String story(long seed, Mode mode) {
        Turns turns = new Turns(seed);
        SimDatabase database = bank(turns, mode).faults(Faults.all(0.02).latency(Duration.ofMillis(2)));
        DataSource source = database.dataSource(2);
        for (int i = 0; i < 3; i++) {
            Random random = new Random(seed * 10 + i);
            turns.actor("actor " + i, () -> {
                for (int n = 0; n < 5; n++) {
                    try (Connection connection = source.getConnection()) {
                        connection.setAutoCommit(false);
                        int amount = random.nextInt(10);
                        add(connection, 1, amount);
                        add(connection, 2, -amount);
                        connection.commit();
                    } catch (SQLException e) {
                        turns.yield(); // what went wrong is in errors()
                    }
                }
            });
        }
        turns.run();
        assertEquals(200, database.sum("accounts", "balance"));
        return turns.fingerprint() + " " + database.history() + database.errors()
                + turns.time().nanos();
    }

    @ParameterizedTest
    @EnumSource(Mode.class)
    void aRunWithFaultsIsReproducibleFromItsSeed(Mode mode) {
        for (long seed = 0; seed < 100; seed++) {
            assertEquals(story(seed, mode), story(seed, mode));
            assertNotEquals(story(seed, mode), story(seed + 1, mode));
        }
    }
}
