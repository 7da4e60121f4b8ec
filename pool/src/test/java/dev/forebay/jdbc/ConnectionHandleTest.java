// SPDX-License-Identifier: Apache-2.0
package dev.forebay.jdbc;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import org.junit.jupiter.api.Test;

class ConnectionHandleTest {

    @Test
    void aCleanReturnCallsNothingOnTheDriver() throws SQLException {
        FakePool pool = FakePool.ofOne();
        Connection connection = pool.borrow();
        connection.close();
        assertEquals(List.of(), pool.database.take());
        assertEquals(1, pool.pool.stats().ready());
    }

    @Test
    void aClosedHandleIsInvalid() throws SQLException {
        FakePool pool = FakePool.ofOne();
        Connection connection = pool.borrow();
        connection.close();
        connection.close();
        assertTrue(connection.isClosed());
        SQLException error = assertThrows(SQLException.class, connection::createStatement);
        assertEquals("08003", error.getSQLState());
        assertEquals(List.of(), pool.database.take());
    }
}
