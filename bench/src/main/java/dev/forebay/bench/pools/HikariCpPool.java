// SPDX-License-Identifier: Apache-2.0
package dev.forebay.bench.pools;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import dev.forebay.bench.driver.Server;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import javax.sql.DataSource;

/**
 * HikariCP as its documentation recommends it: a pool of fixed size, validation by {@code isValid} after half a second of
 * idleness, no leak detection.
 *
 * <p>A lifetime here is the longest one; each connection draws its own from the fifth below that, which matches the terms'
 * lifetime and spread less the guard.
 */
final class HikariCpPool implements PoolUnderTest {

    private static final Duration SHORTEST_LIFETIME = Duration.ofSeconds(30);

    private final HikariDataSource dataSource;
    private final Thread opener = Thread.currentThread();
    private volatile boolean filling;

    HikariCpPool(Terms terms) {
        System.setProperty("com.zaxxer.hikari.lifeTimeVarianceFactor", "5");
        filling = !terms.cold();
        HikariConfig config = new HikariConfig();
        Server hurried = () -> connect(terms.server());
        config.setDataSource(hurried.dataSource());
        config.setMaximumPoolSize(terms.size());
        config.setConnectionTimeout(terms.timeout().toMillis());
        config.setValidationTimeout(Math.min(1_000, terms.timeout().toMillis()));
        config.setKeepaliveTime(0);
        if (terms.metrics()) {
            config.setMetricRegistry(new SimpleMeterRegistry());
        }
        if (terms.cold()) {
            config.setInitializationFailTimeout(-1); // otherwise the constructor waits for the first connect
        }
        Duration longest = terms.longestUse();
        if (longest.compareTo(SHORTEST_LIFETIME) >= 0) {
            config.setMaxLifetime(longest.toMillis());
            dataSource = new HikariDataSource(config);
        } else {
            // Its configuration refuses such a short lifetime; its management interface does not.
            config.setMinimumIdle(0);
            config.setInitializationFailTimeout(-1);
            dataSource = new HikariDataSource(config);
            dataSource.getHikariConfigMXBean().setMaxLifetime(longest.toMillis());
            dataSource.getHikariConfigMXBean().setMinimumIdle(terms.size());
        }
    }

    /**
     * Connects; while a pool that is to begin full is filled, also cuts short the 30 ms that HikariCP sleeps after each
     * connect, in which ten thousand would take five minutes.
     */
    private Connection connect(Server server) throws SQLException {
        Connection connection = server.connect();
        if (filling && Thread.currentThread() != opener) { // the first connect is the opener's own
            Thread.currentThread().interrupt();
        }
        return connection;
    }

    @Override
    public void filled() {
        filling = false;
    }

    @Override
    public DataSource dataSource() {
        return dataSource;
    }

    @Override
    public void close() {
        dataSource.close();
    }
}
