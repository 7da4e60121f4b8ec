// SPDX-License-Identifier: Apache-2.0
package dev.forebay.jdbc;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.forebay.engine.Pool;
import dev.forebay.engine.PoolConfig;
import dev.forebay.engine.Supply;
import dev.forebay.spi.NoConnection;
import dev.forebay.time.SystemTime;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.SQLTransientConnectionException;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What a borrower, or the pool above, hears from a reservoir that has nothing ready. */
@Timeout(60)
class EmptyReservoirTest {

    private static final long LONG = TimeUnit.SECONDS.toNanos(30);

    private final FakeDatabase database = new FakeDatabase();
    private final JdbcListener listener = new JdbcListener();
    private final Pool<PhysicalConnection> pool = new Pool<>(
            PoolConfig.builder(Supply.reservoir(1), 1).build(),
            new JdbcConnector("test", ConnectionSource.of(database), SessionConfig.DEFAULT, SystemTime.shared()),
            List.of(),
            SystemTime.shared(),
            new SplittableRandom(1),
            listener);
    private final Borrowing borrowing = new Borrowing(pool, SystemTime.shared(), listener, SessionConfig.DEFAULT);

    @AfterEach
    void close() {
        pool.close();
    }

    /**
     * The exception says "try again", not "your connections are broken": whoever is above keeps what it has, and the
     * reservoir keeps its own.
     */
    @ParameterizedTest
    @ValueSource(longs = {0, 1_000_000})
    void sayingSoIsTransientAndDisturbsNothing(long waitNanos) throws SQLException {
        pool.start();
        long before;
        try (Connection held = borrowing.borrow(LONG)) {
            before = pool.stats().empties();
            for (int i = 0; i < 20; i++) {
                SQLException empty =
                        assertThrows(SQLTransientConnectionException.class, () -> borrowing.borrow(waitNanos));
                assertEquals("08001", empty.getSQLState());
                assertEquals(NoConnection.TIMED_OUT.vendorCode(), empty.getErrorCode());
            }
            assertFalse(held.isClosed());
        }
        assertEquals(before + 20, pool.stats().empties());
        assertEquals(20, pool.stats().timeouts());
        borrowing.borrow(LONG).close();
        assertEquals(1, database.links.size(), "nothing was opened because of it");
        assertFalse(database.links.get(0).closed, "and nothing closed");
    }

    @Test
    void aConnectionReadyInTimeIsHandedOutInstead() throws SQLException {
        database.failures.put("getConnection", new SQLException("not yet", "08001"));
        pool.start();
        assertThrows(SQLTransientConnectionException.class, () -> borrowing.borrow(0));
        database.failures.clear();
        assertTrue(borrowing.borrow(LONG).isValid(0));
    }
}
