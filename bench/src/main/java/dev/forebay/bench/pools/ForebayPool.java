// SPDX-License-Identifier: Apache-2.0
package dev.forebay.bench.pools;

import dev.forebay.bench.driver.PlainDataSource;
import dev.forebay.fleet.RateLimit;
import dev.forebay.fleet.TokenBucket;
import dev.forebay.jdbc.Borrowing;
import dev.forebay.jdbc.ConnectionSource;
import dev.forebay.jdbc.JdbcConnector;
import dev.forebay.jdbc.JdbcListener;
import dev.forebay.jdbc.PhysicalConnection;
import dev.forebay.jdbc.SessionConfig;
import dev.forebay.pool.Admission;
import dev.forebay.pool.Pool;
import dev.forebay.pool.PoolConfig;
import dev.forebay.pool.Supply;
import dev.forebay.time.SystemTime;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.SplittableRandom;
import javax.sql.DataSource;

/** Forebay as a reservoir used directly, with a spare of a tenth. */
final class ForebayPool extends PlainDataSource implements PoolUnderTest {

    private final long timeoutNanos;
    private final JdbcConnector connector;
    private final Pool<PhysicalConnection> pool;
    private final Borrowing borrowing;
    private final LimitOnceFilled limit;

    ForebayPool(Terms terms) {
        SystemTime time = SystemTime.shared();
        JdbcListener listener = new JdbcListener();
        timeoutNanos = terms.timeout().toNanos();
        connector = new JdbcConnector(
                "bench", ConnectionSource.of(terms.server().dataSource()), SessionConfig.DEFAULT, time);
        limit = new LimitOnceFilled(new TokenBucket(terms.connectsPerSecond(), terms.connectBurst()), time);
        PoolConfig config = PoolConfig.builder(Supply.reservoir(terms.size()), terms.size())
                .spare(Math.max(1, terms.size() / 10))
                .lifetime(terms.lifetime(), terms.spread().multipliedBy(2), terms.guard())
                .build();
        pool = new Pool<>(config, connector, List.of(limit), time, new SplittableRandom(1), listener);
        borrowing = new Borrowing(pool, time, listener, SessionConfig.DEFAULT);
        pool.start();
    }

    @Override
    public Connection getConnection() throws SQLException {
        return borrowing.borrow(timeoutNanos);
    }

    @Override
    public DataSource dataSource() {
        return this;
    }

    @Override
    public void filled() {
        limit.begin();
    }

    @Override
    public void close() {
        pool.whenDrained(connector::shutdown);
        pool.close();
    }

    /** Admits everything at first, since all benchmarks begin with a pool that is full. */
    private static final class LimitOnceFilled implements Admission {
        private final TokenBucket bucket;
        private final SystemTime time;
        private volatile Admission current = (now, answer) -> answer.granted(() -> {});

        LimitOnceFilled(TokenBucket bucket, SystemTime time) {
            this.bucket = bucket;
            this.time = time;
        }

        void begin() {
            current = new RateLimit(bucket, time);
        }

        @Override
        public void ask(long nowNanos, Answer answer) {
            current.ask(nowNanos, answer);
        }

        @Override
        public double sustainedPerSecond() {
            return bucket.perSecond();
        }
    }
}
