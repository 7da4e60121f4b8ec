// SPDX-License-Identifier: Apache-2.0
package dev.forebay.jdbc;

import dev.forebay.engine.Pool;
import dev.forebay.engine.PoolConfig;
import dev.forebay.engine.Supply;
import dev.forebay.time.VirtualTime;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.SplittableRandom;
import java.util.function.UnaryOperator;

/** A pool on a {@link FakeDatabase} in virtual time, all on one thread. */
final class FakePool {
    final VirtualTime time = new VirtualTime();
    final FakeDatabase database;
    final JdbcListener listener = new JdbcListener();
    final Pool<PhysicalConnection> pool;
    final Borrowing borrowing;

    FakePool(FakeDatabase database, int size, SessionConfig config, UnaryOperator<PoolConfig.Builder> more) {
        this.database = database;
        JdbcConnector connector =
                new JdbcConnector("fake", ConnectionSource.of(database), config, time, Runnable::run, Runnable::run);
        this.pool = new Pool<>(
                more.apply(PoolConfig.builder(Supply.reservoir(size), size)).build(),
                connector,
                List.of(),
                time,
                new SplittableRandom(1),
                listener);
        this.borrowing = new Borrowing(pool, time, listener, config);
        pool.start();
        time.runDue();
    }

    /** One connection, everything as the driver has it. */
    static FakePool ofOne() {
        return new FakePool(new FakeDatabase(), 1, SessionConfig.DEFAULT, config -> config);
    }

    static FakePool ofOne(SessionConfig config) {
        return new FakePool(new FakeDatabase(), 1, config, more -> more);
    }

    /** Borrows what is ready, and forgets the calls made so far. */
    Connection borrow() throws SQLException {
        Connection connection = borrowing.borrow(0);
        database.take();
        return connection;
    }

    /** Lets the pool do what is due. */
    void settle() {
        time.runDue();
    }
}
