// SPDX-License-Identifier: Apache-2.0
package dev.forebay.jdbc;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.sql.CallableStatement;
import java.sql.Connection;
import java.sql.DatabaseMetaData;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class StatementHandleTest {

    private static final Set<String> HARMLESS = Set.of("close", "isClosed", "unwrap", "isWrapperFor");

    static Stream<Method> methods() {
        return Stream.of(Statement.class, PreparedStatement.class, CallableStatement.class, ResultSet.class)
                .flatMap(type -> Stream.of(type.getDeclaredMethods()))
                .filter(method -> !Modifier.isStatic(method.getModifiers()))
                .filter(method -> !HARMLESS.contains(method.getName()));
    }

    /** What {@code method} can be called on, made on {@code connection}. */
    private static Object receiver(Method method, Connection connection) throws SQLException {
        CallableStatement call = connection.prepareCall("call it");
        return method.getDeclaringClass() == ResultSet.class ? call.executeQuery() : call;
    }

    @ParameterizedTest
    @MethodSource("methods")
    void whatAClosedConnectionLeavesBehindReachesNothing(Method method) throws Exception {
        FakePool pool = FakePool.ofOne();
        Connection connection = pool.borrow();
        Object leftover = receiver(method, connection);
        connection.close();
        Connection next = pool.borrow();
        InvocationTargetException thrown =
                assertThrows(InvocationTargetException.class, () -> method.invoke(leftover, Arguments.zeroes(method)));
        assertEquals(
                "08003", assertInstanceOf(SQLException.class, thrown.getCause()).getSQLState());
        assertEquals(List.of(), pool.database.take());
        assertFalse(next.isClosed());
    }

    @ParameterizedTest
    @MethodSource("methods")
    void everyMethodReachesItsNamesakeAndOnlyThat(Method method) throws Exception {
        FakePool pool = FakePool.ofOne();
        Connection connection = pool.borrow();
        Object receiver = receiver(method, connection);
        pool.database.take();
        method.invoke(receiver, Arguments.zeroes(method));
        Set<String> ownAnswer = Set.of("getConnection", "getStatement");
        List<String> expected = new ArrayList<>();
        if (!ownAnswer.contains(method.getName())) {
            String zeroes = java.util.Arrays.toString(Arguments.zeroes(method));
            String name = method.getDeclaringClass() == ResultSet.class ? "c1.s1.r." : "c1.s1.";
            expected.add(name + method.getName() + "(" + zeroes.substring(1, zeroes.length() - 1) + ")");
        }
        assertEquals(expected, pool.database.take());
    }

    @ParameterizedTest
    @MethodSource("methods")
    void anErrorOfTheConnectionIsSeenWhereverItComesUp(Method method) throws Exception {
        if (Set.of("getConnection", "getStatement").contains(method.getName())) {
            return;
        }
        FakePool pool = FakePool.ofOne();
        Connection connection = pool.borrow();
        Object receiver = receiver(method, connection);
        pool.database.failures.put(method.getName(), new SQLException("lost", "08006"));
        assertThrows(InvocationTargetException.class, () -> method.invoke(receiver, Arguments.zeroes(method)));
        connection.close();
        pool.settle();
        assertTrue(pool.database.links.get(0).closed);
    }

    @Test
    void statementsAreClosedWithTheConnection() throws SQLException {
        FakePool pool = FakePool.ofOne();
        Connection connection = pool.borrow();
        Statement statement = connection.createStatement();
        PreparedStatement prepared = connection.prepareStatement("select 1");
        pool.database.take();
        connection.close();
        assertEquals(List.of("c1.s2.close()", "c1.s1.close()", "c1.clearWarnings()"), pool.database.takeUnbounded());
        assertTrue(statement.isClosed());
        assertTrue(prepared.isClosed());
        statement.close();
        assertEquals(List.of(), pool.database.take());
    }

    @Test
    void aStatementThatWillNotCloseDoesNotKeepTheConnectionFromReturning() throws SQLException {
        FakePool pool = FakePool.ofOne();
        Connection connection = pool.borrow();
        connection.createStatement();
        connection.createStatement();
        pool.database.failures.put("close", new SQLException("will not", "XX000"));
        connection.close();
        assertEquals(1, pool.pool.stats().ready());
    }

    @Test
    void aClosedStatementNeverTouchesTheDriversAgain() throws SQLException {
        FakePool pool = FakePool.ofOne();
        Connection connection = pool.borrow();
        PreparedStatement statement = connection.prepareStatement("select 1");
        statement.close();
        pool.database.take();
        statement.close();
        assertThrows(SQLException.class, statement::executeQuery);
        assertTrue(statement.isClosed());
        assertEquals(List.of(), pool.database.take());
        connection.close();
        assertEquals(1, pool.pool.stats().ready());
    }

    @Test
    void aStatementClosedOnCompletionIsForgotten() throws SQLException {
        FakePool pool = FakePool.ofOne();
        Connection connection = pool.borrow();
        Statement statement = connection.createStatement();
        statement.closeOnCompletion();
        ResultSet result = statement.executeQuery("select 1");
        result.close();
        assertTrue(statement.isClosed());
        pool.database.take();
        connection.close();
        assertEquals(List.of("c1.clearWarnings()"), pool.database.take());
    }

    @Test
    void everyWayBackLeadsToTheHandles() throws SQLException {
        FakePool pool = FakePool.ofOne();
        Connection connection = pool.borrow();
        Statement statement = connection.createStatement();
        assertSame(connection, statement.getConnection());
        assertSame(statement, statement.executeQuery("select 1").getStatement());
        assertSame(statement, statement.getResultSet().getStatement());
        assertSame(statement, statement.getGeneratedKeys().getStatement());
        DatabaseMetaData metaData = connection.getMetaData();
        assertSame(connection, metaData.getConnection());
        ResultSet tables = metaData.getTables(null, null, null, null);
        assertInstanceOf(ResultSetHandle.class, tables);
        assertTrue(tables.isWrapperFor(ResultSet.class));
        assertTrue(metaData.isWrapperFor(DatabaseMetaData.class));
        assertSame(metaData, metaData.unwrap(DatabaseMetaData.class));
        connection.close();
        assertEquals(
                "08003",
                assertThrows(SQLException.class, metaData::getConnection).getSQLState());
        assertEquals("08003", assertThrows(SQLException.class, tables::next).getSQLState());
    }

    @Test
    void statementsMayBeClosedInAnyOrderByAnyThread() throws Exception {
        FakePool pool = FakePool.ofOne();
        Connection connection = pool.borrow();
        List<Statement> statements = new ArrayList<>();
        for (int i = 0; i < 200; i++) {
            statements.add(connection.createStatement());
        }
        Collections.shuffle(statements, new Random(1));
        CountDownLatch go = new CountDownLatch(1);
        List<Thread> threads = new ArrayList<>();
        for (int i = 0; i < 2; i++) {
            List<Statement> mine = statements.subList(i * 90, i * 90 + 90);
            Thread thread = new Thread(() -> {
                try {
                    go.await();
                    for (Statement statement : mine) {
                        statement.close();
                        connection.createStatement().close();
                    }
                } catch (InterruptedException | SQLException e) {
                    throw new AssertionError(e);
                }
            });
            thread.start();
            threads.add(thread);
        }
        go.countDown();
        for (Thread thread : threads) {
            thread.join();
        }
        pool.database.take();
        connection.close();
        assertEquals(21, pool.database.takeUnbounded().size(), "the 20 that were left, and the warnings");
    }
}
