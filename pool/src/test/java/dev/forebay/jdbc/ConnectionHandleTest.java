// SPDX-License-Identifier: Apache-2.0
package dev.forebay.jdbc;

import static org.junit.jupiter.api.Assertions.assertDoesNotThrow;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNotSame;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.forebay.engine.DiscardReason;
import dev.forebay.jdbc.FakeDatabase.FakeLink;
import dev.forebay.spi.ErrorPolicy;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.sql.Connection;
import java.sql.SQLClientInfoException;
import java.sql.SQLException;
import java.sql.SQLFeatureNotSupportedException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

@Timeout(60)
class ConnectionHandleTest {

    private static final SessionConfig MANUAL_COMMIT =
            SessionConfig.builder().autoCommit(false).build();

    @Test
    void aCleanReturnCallsNothingOnTheDriver() throws SQLException {
        FakePool pool = FakePool.ofOne();
        Connection connection = pool.borrow();
        connection.close();
        assertEquals(List.of(), pool.database.take());
        assertEquals(1, pool.pool.stats().ready());
    }

    @Test
    void aReturnAfterStatementsInAutocommitSendsNothing() throws SQLException {
        FakePool pool = FakePool.ofOne();
        Connection connection = pool.borrow();
        try (Statement statement = connection.createStatement()) {
            statement.execute("select 1");
        }
        pool.database.take();
        connection.close();
        assertEquals(List.of("c1.clearWarnings()"), pool.database.take()); // which no driver sends
    }

    @Test
    void aReturnAfterACommitSendsNothing() throws SQLException {
        FakePool pool = FakePool.ofOne(MANUAL_COMMIT);
        Connection connection = pool.borrow();
        try (Statement statement = connection.createStatement()) {
            statement.execute("insert");
        }
        connection.commit();
        pool.database.take();
        connection.close();
        assertEquals(List.of("c1.clearWarnings()"), pool.database.take());
    }

    // ---- after close

    static Stream<Method> methods() {
        Set<String> harmless = Set.of("close", "isClosed", "isValid", "abort", "unwrap", "isWrapperFor");
        return Stream.of(Connection.class.getMethods())
                .filter(method -> !Modifier.isStatic(method.getModifiers()))
                .filter(method -> !harmless.contains(method.getName()));
    }

    @ParameterizedTest
    @MethodSource("methods")
    void aClosedHandleReachesNothing(Method method) throws Exception {
        FakePool pool = FakePool.ofOne();
        Connection connection = pool.borrow();
        connection.close();
        Connection next = pool.borrow();
        InvocationTargetException thrown = assertThrows(
                InvocationTargetException.class, () -> method.invoke(connection, Arguments.zeroes(method)));
        SQLException error = assertInstanceOf(SQLException.class, thrown.getCause());
        assertEquals("08003", error.getSQLState());
        assertEquals(List.of(), pool.database.take());
        assertFalse(next.isClosed());
    }

    @Test
    void closingTwiceReturnsOnce() throws SQLException {
        FakePool pool = FakePool.ofOne();
        Connection first = pool.borrow();
        first.close();
        Connection second = pool.borrow();
        first.close();
        assertTrue(first.isClosed());
        assertFalse(second.isClosed());
        assertEquals(1, pool.pool.stats().borrowed());
    }

    @Test
    void ofTwoThreadsThatCloseAtOnceOneCleansUp() throws Exception {
        FakePool pool = FakePool.ofOne(MANUAL_COMMIT);
        Connection connection = pool.borrow();
        connection.createStatement().execute("insert");
        CountDownLatch inRollback = new CountDownLatch(1);
        CountDownLatch goOn = new CountDownLatch(1);
        pool.database.before.put("rollback", () -> {
            inRollback.countDown();
            goOn.await();
            return null;
        });
        Thread first = new Thread(() -> assertDoesNotThrow(connection::close));
        first.start();
        inRollback.await();
        pool.database.take();
        connection.close();
        assertEquals(List.of(), pool.database.take());
        assertEquals(1, pool.pool.stats().borrowed(), "not back before it is clean");
        goOn.countDown();
        first.join();
        assertEquals(1, pool.pool.stats().ready());
    }

    @Test
    void aClosedHandleIsNotValidAndCannotBeAborted() throws SQLException {
        FakePool pool = FakePool.ofOne();
        Connection connection = pool.borrow();
        connection.close();
        assertFalse(connection.isValid(1));
        connection.abort(Runnable::run);
        assertEquals(List.of(), pool.database.take());
        assertEquals(1, pool.pool.stats().ready());
    }

    // ---- what is undone

    @Test
    void anOpenTransactionIsRolledBack() throws SQLException {
        FakePool pool = FakePool.ofOne();
        Connection connection = pool.borrow();
        connection.setAutoCommit(false);
        connection.createStatement().execute("insert");
        pool.database.take();
        connection.close();
        assertEquals(
                List.of("c1.s1.close()", "c1.rollback()", "c1.setAutoCommit(true)", "c1.clearWarnings()"),
                pool.database.takeUnbounded());
    }

    /** Finding F7: a server that does not answer held up the one who returned a connection. */
    @Test
    void aReturnThatSendsWaitsNoLongerThanTheResetTimeout() throws SQLException {
        FakePool pool = FakePool.ofOne(SessionConfig.builder()
                .autoCommit(false)
                .networkTimeout(Duration.ofSeconds(9))
                .resetTimeout(Duration.ofMillis(700))
                .build());
        pool.database.defaults.put("getNetworkTimeout", 9000);
        Connection connection = pool.borrow();
        try (Statement statement = connection.createStatement()) {
            statement.execute("insert");
        }
        pool.database.take();
        connection.close();
        List<String> calls = pool.database.take().stream()
                .map(call -> call.replaceAll("setNetworkTimeout\\(.*, ", "setNetworkTimeout("))
                .toList();
        assertEquals(
                List.of(
                        "c1.getNetworkTimeout()",
                        "c1.setNetworkTimeout(700)",
                        "c1.rollback()",
                        "c1.clearWarnings()",
                        "c1.setNetworkTimeout(9000)"),
                calls);
    }

    @Test
    void aDriverWithoutANetworkTimeoutIsReturnedUnbounded() throws SQLException {
        FakePool pool = FakePool.ofOne(MANUAL_COMMIT);
        pool.database.failures.put("setNetworkTimeout", new SQLFeatureNotSupportedException("no"));
        Connection connection = pool.borrow();
        try (Statement statement = connection.createStatement()) {
            statement.execute("insert");
        }
        connection.close();
        assertEquals(1, pool.pool.stats().ready());
    }

    @Test
    void aTransactionThatMayHaveBegunWithoutAStatementOfTheCallersIsRolledBack() throws SQLException {
        FakePool pool = FakePool.ofOne(MANUAL_COMMIT);
        Connection connection = pool.borrow();
        connection.getMetaData().getTables(null, null, null, null);
        pool.database.take();
        connection.close();
        assertTrue(pool.database.take().contains("c1.rollback()"));
    }

    @Test
    void aCommitThatFailedIsFollowedByARollback() throws SQLException {
        FakePool pool = FakePool.ofOne(MANUAL_COMMIT);
        Connection connection = pool.borrow();
        connection.createStatement().execute("insert");
        pool.database.failures.put("commit", new SQLException("conflict", "40001"));
        assertThrows(SQLException.class, connection::commit);
        pool.database.take();
        connection.close();
        assertTrue(pool.database.take().contains("c1.rollback()"));
        assertEquals(1, pool.pool.stats().ready());
    }

    @Test
    void everySettingIsRestored() throws SQLException {
        FakePool pool = FakePool.ofOne();
        pool.database.supportsSharding = true;
        FakeDatabase.Link link = pool.database.links.get(0);
        link.clientInfo.setProperty("ApplicationName", "pool");
        Connection connection = pool.borrow();
        connection.setAutoCommit(false);
        connection.setReadOnly(true);
        connection.setTransactionIsolation(Connection.TRANSACTION_SERIALIZABLE);
        connection.setCatalog("other");
        connection.setSchema("private");
        connection.setNetworkTimeout(Runnable::run, 77);
        connection.setHoldability(2);
        connection.setTypeMap(Map.of("a", String.class));
        connection.setClientInfo("ApplicationName", "mine");
        connection.setClientInfo("ClientUser", "me");
        connection.setShardingKey(null);
        connection.beginRequest();
        connection.close();

        assertEquals(true, link.state.get("getAutoCommit"));
        assertEquals(false, link.state.get("isReadOnly"));
        assertEquals(Connection.TRANSACTION_READ_COMMITTED, link.state.get("getTransactionIsolation"));
        assertEquals("db", link.state.get("getCatalog"));
        assertEquals("public", link.state.get("getSchema"));
        assertEquals(0, link.state.get("getNetworkTimeout"));
        assertEquals(1, link.state.get("getHoldability"));
        assertEquals(Map.of(), link.state.get("getTypeMap"));
        Properties pools = new Properties();
        pools.setProperty("ApplicationName", "pool");
        assertEquals(pools, link.clientInfo);
        assertTrue(pool.database.take().containsAll(List.of("c1.endRequest()", "c1.setShardingKey(null, null)")));

        pool.borrow().close();
        assertEquals(List.of(), pool.database.take());
    }

    @Test
    void whatRestoresASettingIsNotPartOfATransaction() throws SQLException {
        FakePool pool = FakePool.ofOne(MANUAL_COMMIT);
        Connection connection = pool.borrow();
        connection.setSchema("private");
        pool.database.take();
        connection.close();
        assertEquals(
                List.of(
                        "c1.rollback()",
                        "c1.setAutoCommit(true)",
                        "c1.setSchema(public)",
                        "c1.setAutoCommit(false)",
                        "c1.clearWarnings()"),
                pool.database.takeUnbounded());
    }

    @Test
    void aDefaultIsReadOnceAndOnlyWhenItIsChanged() throws SQLException {
        FakePool pool = FakePool.ofOne();
        for (int i = 0; i < 2; i++) {
            try (Connection connection = pool.borrow()) {
                connection.setTransactionIsolation(8);
                assertEquals(i == 0, pool.database.take().contains("c1.getTransactionIsolation()"));
            }
        }
    }

    @Test
    void aSettingPutBackByTheBorrowerCostsNothing() throws SQLException {
        FakePool pool = FakePool.ofOne();
        Connection connection = pool.borrow();
        connection.setAutoCommit(false);
        connection.setReadOnly(true);
        connection.setReadOnly(false);
        connection.setAutoCommit(true);
        pool.database.take();
        connection.close();
        assertEquals(List.of(), pool.database.take());
    }

    @Test
    void aConnectionThatCannotBeResetIsDiscarded() throws SQLException {
        FakePool pool = FakePool.ofOne();
        Connection connection = pool.borrow();
        connection.setSchema("private");
        pool.database.failures.put("setSchema", new SQLException("no", "42000"));
        connection.close();
        pool.settle();
        assertEquals(1, pool.pool.stats().discards(DiscardReason.FAILED_VALIDATION));
        assertTrue(pool.database.links.get(0).closed);
    }

    // ---- bad connections

    @ParameterizedTest
    @ValueSource(strings = {"08006", "08003", "08P01", "57P01", "57P02", "57P03"})
    void anErrorOfTheConnectionDiscardsIt(String state) throws SQLException {
        FakePool pool = FakePool.ofOne();
        Connection connection = pool.borrow();
        Statement statement = connection.createStatement();
        pool.database.failures.put("execute", new SQLException("lost", state));
        assertThrows(SQLException.class, () -> statement.execute("select 1"));
        pool.database.take();
        connection.close();
        assertEquals(List.of(), pool.database.take(), "a broken connection is not talked to");
        pool.settle();
        assertEquals(1, pool.pool.stats().discards(DiscardReason.BAD_CONNECTION));
    }

    @ParameterizedTest
    @ValueSource(strings = {"0A000", "40001", "42601", "23505", "25P02", "57014", "53400", "XX000"})
    void anErrorOfTheStatementKeepsTheConnection(String state) throws SQLException {
        FakePool pool = FakePool.ofOne();
        Connection connection = pool.borrow();
        Statement statement = connection.createStatement();
        pool.database.failures.put("execute", new SQLException("refused", state));
        assertThrows(SQLException.class, () -> statement.execute("select 1"));
        connection.close();
        pool.settle();
        assertEquals(1, pool.pool.stats().ready());
        assertEquals(0, pool.pool.stats().discards(DiscardReason.BAD_CONNECTION));
    }

    @Test
    void thePolicyDecidesTheRestButNeverAbout0A000() throws SQLException {
        SessionConfig everythingIsBad = SessionConfig.builder()
                .errorPolicy(e -> ErrorPolicy.Verdict.BAD)
                .build();
        assertEquals(1, discardsAfter(everythingIsBad, "42601"));
        assertEquals(0, discardsAfter(everythingIsBad, "0A000"));
        SessionConfig nothingIsBad = SessionConfig.builder()
                .errorPolicy(e -> ErrorPolicy.Verdict.GOOD)
                .build();
        assertEquals(0, discardsAfter(nothingIsBad, "08P01"));
    }

    private static long discardsAfter(SessionConfig config, String state) throws SQLException {
        FakePool pool = FakePool.ofOne(config);
        Connection connection = pool.borrow();
        pool.database.failures.put("nativeSQL", new SQLException("failed", state));
        assertThrows(SQLException.class, () -> connection.nativeSQL("x"));
        connection.close();
        pool.settle();
        return pool.pool.stats().discards(DiscardReason.BAD_CONNECTION);
    }

    @Test
    void anAbortedConnectionIsGone() throws SQLException {
        FakePool pool = FakePool.ofOne();
        Connection connection = pool.borrow();
        assertThrows(SQLException.class, () -> connection.abort(null));
        connection.abort(Runnable::run);
        assertTrue(connection.isClosed());
        pool.settle();
        assertTrue(pool.database.links.get(0).aborted);
        assertTrue(pool.database.links.get(0).closed);
        assertNotSame(
                pool.database.links.get(0), pool.borrow().unwrap(FakeLink.class).link());
    }

    // ---- isValid

    @Test
    void aConnectionPastItsLifetimeIsNotValid() throws SQLException {
        FakePool pool = new FakePool(
                new FakeDatabase(),
                1,
                SessionConfig.DEFAULT,
                config -> config.lifetime(Duration.ofMinutes(10), Duration.ZERO, Duration.ofMinutes(1)));
        Connection connection = pool.borrow();
        pool.time.advance(Duration.ofMinutes(10).minusNanos(1));
        assertTrue(connection.isValid(1));
        pool.time.advance(Duration.ofNanos(1));
        pool.database.take();
        assertFalse(connection.isValid(1));
        assertEquals(List.of(), pool.database.take());
    }

    @Test
    void aConnectionTheDriverFindsInvalidIsDiscarded() throws SQLException {
        FakePool pool = FakePool.ofOne();
        Connection connection = pool.borrow();
        assertTrue(connection.isValid(1));
        pool.database.links.get(0).valid = false;
        assertFalse(connection.isValid(1));
        connection.close();
        pool.settle();
        assertEquals(1, pool.pool.stats().discards(DiscardReason.BAD_CONNECTION));
    }

    @Test
    void aNegativeValidationTimeoutIsAnError() throws SQLException {
        Connection connection = FakePool.ofOne().borrow();
        assertThrows(SQLException.class, () -> connection.isValid(-1));
    }

    // ---- default methods and wrappers

    @Test
    void whatTheDriverDoesNotSupportItSays() throws SQLException {
        FakePool pool = FakePool.ofOne();
        Connection connection = pool.borrow();
        assertThrows(SQLFeatureNotSupportedException.class, () -> connection.setShardingKey(null));
        assertThrows(SQLFeatureNotSupportedException.class, () -> connection.setShardingKeyIfValid(null, 1));
        connection.close();
        assertEquals(1, pool.pool.stats().ready());
    }

    @Test
    void aRequestTheBorrowerEndsIsNotEndedTwice() throws SQLException {
        FakePool pool = FakePool.ofOne();
        Connection connection = pool.borrow();
        connection.beginRequest();
        connection.endRequest();
        connection.close();
        assertEquals(List.of("c1.beginRequest()", "c1.endRequest()"), pool.database.take());
    }

    @Test
    void unwrapGivesTheDriversOwnInterface() throws SQLException {
        FakePool pool = FakePool.ofOne();
        Connection connection = pool.borrow();
        assertTrue(connection.isWrapperFor(FakeLink.class));
        assertFalse(connection.isWrapperFor(Runnable.class));
        assertSame(pool.database.links.get(0), connection.unwrap(FakeLink.class).link());
        assertSame(connection, connection.unwrap(Connection.class));
        assertThrows(SQLException.class, () -> connection.unwrap(Runnable.class));
    }

    @Test
    void clientInfoOnAClosedHandleFailsAsJdbcSays() throws SQLException {
        Connection connection = FakePool.ofOne().borrow();
        connection.close();
        assertThrows(SQLClientInfoException.class, () -> connection.setClientInfo("a", "b"));
        assertThrows(SQLClientInfoException.class, () -> connection.setClientInfo(new Properties()));
    }

    @Test
    void itsNameHoldsNoSecret() throws SQLException {
        Connection connection = FakePool.ofOne().borrow();
        assertEquals("connection 1 of fake", connection.toString());
        connection.close();
        assertEquals("a closed connection", connection.toString());
    }
}
