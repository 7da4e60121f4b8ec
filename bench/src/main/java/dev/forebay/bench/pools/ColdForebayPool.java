// SPDX-License-Identifier: Apache-2.0
package dev.forebay.bench.pools;

import dev.forebay.ConfiguredPool;
import dev.forebay.ForebayConfig;
import dev.forebay.bench.driver.PlainDataSource;
import dev.forebay.engine.Pool;
import dev.forebay.jdbc.Borrowing;
import dev.forebay.jdbc.ConnectionSource;
import dev.forebay.jdbc.JdbcConnector;
import dev.forebay.jdbc.JdbcListener;
import dev.forebay.jdbc.PhysicalConnection;
import dev.forebay.jdbc.SessionConfig;
import dev.forebay.time.SystemTime;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.random.RandomGenerator;
import javax.sql.DataSource;

/**
 * Forebay with its parts put together as its data source does, whose start nothing waits for.
 *
 * <p>The data source itself returns from its build when the warm-up or the initial fill is over: with that, nobody could
 * ask a cold pool.
 */
final class ColdForebayPool implements PoolUnderTest {

    private final Pool<PhysicalConnection> pool;
    private final JdbcConnector connector;
    private final Borrowing borrowing;
    private final long timeoutNanos;

    ColdForebayPool(Terms terms) {
        ForebayConfig config = ForebayPool.config(terms);
        SessionConfig session = SessionConfig.builder()
                .pingOnOpen(config.mode() == ForebayConfig.Mode.STANDARD)
                .build();
        SystemTime time = SystemTime.shared();
        JdbcListener listener = new JdbcListener();
        connector = new JdbcConnector(
                config.serviceName(), ConnectionSource.of(terms.server().dataSource()), session, time);
        ConfiguredPool<PhysicalConnection> configured = new ConfiguredPool<>(
                config,
                connector,
                List.of(),
                ConfiguredPool.localRateLimit(config, time),
                List.of(listener),
                time,
                RandomGenerator.getDefault());
        pool = configured.pool();
        borrowing = new Borrowing(pool, time, listener, session);
        timeoutNanos = terms.timeout().toNanos();
        configured.start(outcome -> {});
    }

    @Override
    public DataSource dataSource() {
        return new PlainDataSource() {
            @Override
            public Connection getConnection() throws SQLException {
                return borrowing.borrow(timeoutNanos);
            }
        };
    }

    @Override
    public void close() {
        pool.close();
        pool.whenDrained(connector::shutdown);
    }
}
