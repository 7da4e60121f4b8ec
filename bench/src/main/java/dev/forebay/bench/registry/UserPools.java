// SPDX-License-Identifier: Apache-2.0
package dev.forebay.bench.registry;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import dev.forebay.bench.driver.BenchDriver;
import dev.forebay.bench.driver.Server;
import dev.forebay.bench.driver.StubConnection;
import dev.forebay.engine.Pool;
import dev.forebay.engine.PoolConfig;
import dev.forebay.engine.PoolConfig.Exhaustion;
import dev.forebay.engine.PoolConfig.ReuseOrder;
import dev.forebay.engine.PoolListener;
import dev.forebay.engine.Supply;
import dev.forebay.jdbc.Borrowing;
import dev.forebay.jdbc.ConnectionSource;
import dev.forebay.jdbc.JdbcConnector;
import dev.forebay.jdbc.JdbcListener;
import dev.forebay.jdbc.PhysicalConnection;
import dev.forebay.jdbc.SessionConfig;
import dev.forebay.micrometer.MicrometerMetrics;
import dev.forebay.registry.DatabaseType;
import dev.forebay.registry.Secret;
import dev.forebay.registry.ServerDefinition;
import dev.forebay.registry.ServerOption;
import dev.forebay.registry.UserMapping;
import dev.forebay.registry.jdbc.JdbcRegistry;
import dev.forebay.time.SystemTime;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import java.sql.Connection;
import java.sql.Driver;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.concurrent.ConcurrentHashMap;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;

/** Get and close for one user after the other, each with a pool that has a connection ready. */
@State(Scope.Benchmark)
public class UserPools {

    /** The ways to a connection. */
    public enum Way {
        /** An engine's pool for each user, found by index. */
        POOL,
        /** The same, found by the user's name in a map, as an application has to. */
        POOL_BY_NAME,
        /** The registry, by the names of server and user. */
        REGISTRY,
        /** The same, with a Micrometer registry. */
        REGISTRY_METRICS,
        /** A HikariCP for each user, found by index. */
        HIKARICP
    }

    @Param("REGISTRY")
    Way way = Way.REGISTRY;

    @Param("1")
    int users;

    /** The step of a thread through the users, which has no factor in common with their number. */
    private static final int STEP = 37;

    private static final long TIMEOUT_NANOS = 5_000_000_000L;

    private final List<AutoCloseable> opened = new ArrayList<>();
    private @Nullable JdbcRegistry registry;
    private String[] names = {};
    private Borrowing[] pools = {};
    private final Map<String, Borrowing> poolsByName = new ConcurrentHashMap<>();
    private HikariDataSource[] others = {};

    /** The user that a thread is at. */
    @State(Scope.Thread)
    public static class Turn {
        private int next;

        int next(int users) {
            next += STEP;
            if (next >= users) {
                next %= users;
            }
            return next;
        }
    }

    @Setup
    public void open() throws Exception {
        names = new String[users];
        for (int i = 0; i < users; i++) {
            names[i] = "user" + i;
        }
        switch (way) {
            case POOL, POOL_BY_NAME -> openPools();
            case REGISTRY -> openRegistry(JdbcRegistry.builder());
            case REGISTRY_METRICS -> {
                MicrometerMetrics metrics =
                        new MicrometerMetrics(new PrometheusMeterRegistry(PrometheusConfig.DEFAULT));
                openRegistry(JdbcRegistry.builder().observer(metrics));
                opened.add(metrics);
            }
            case HIKARICP -> openOthers();
        }
        if (way == Way.POOL_BY_NAME) {
            for (int i = 0; i < users; i++) {
                poolsByName.put(names[i], pools[i]);
            }
            pools = new Borrowing[0];
        }
        System.gc();
    }

    private static String url() {
        Server server = StubConnection::new;
        return BenchDriver.serve(server);
    }

    private void openPools() throws SQLException {
        DriverManager.registerDriver(new BenchDriver());
        pools = new Borrowing[users];
        String url = url();
        JdbcConnector first = new JdbcConnector(
                "bench", ConnectionSource.of(url, new Properties()), SessionConfig.DEFAULT, SystemTime.shared());
        for (int i = 0; i < users; i++) {
            JdbcListener listener = new JdbcListener();
            Pool<PhysicalConnection> pool = new Pool<>(
                    PoolConfig.builder(Supply.onDemand(1, 10, Exhaustion.WAIT), 10)
                            .reuseOrder(ReuseOrder.NEWEST_FIRST)
                            .build(),
                    first.sibling(names[i], ConnectionSource.of(url, new Properties()), SessionConfig.DEFAULT),
                    List.of(),
                    SystemTime.shared(),
                    RandomGenerator.getDefault(),
                    PoolListener.all(List.of(listener)));
            pool.start();
            pools[i] = new Borrowing(pool, SystemTime.shared(), listener, SessionConfig.DEFAULT);
            pools[i].borrow(Duration.ofSeconds(10).toNanos()).close();
            opened.add(pool);
        }
    }

    private void openRegistry(JdbcRegistry.Builder builder) throws SQLException {
        Driver driver = new BenchDriver();
        String url = url();
        JdbcRegistry made = builder.drivers(type -> new ToOneUrl(driver, url)).build();
        made.register(ServerDefinition.builder("server", DatabaseType.POSTGRESQL)
                .option(ServerOption.HOST, "localhost")
                .option(ServerOption.DBNAME, "bench")
                .option(ServerOption.MAX_SERVER_CONNECTIONS, 10 * users)
                .option(ServerOption.ENABLE_HEALTH_CHECK, false)
                .build());
        made.map("server", UserMapping.ofPublic("bench", Secret.of("bench")));
        for (String name : names) {
            made.acquire("server", name, Duration.ofSeconds(10)).close();
        }
        registry = made;
        opened.add(made);
    }

    private void openOthers() throws SQLException {
        others = new HikariDataSource[users];
        Server server = StubConnection::new;
        for (int i = 0; i < users; i++) {
            HikariConfig config = new HikariConfig();
            config.setDataSource(server.dataSource());
            config.setMaximumPoolSize(10);
            config.setMinimumIdle(1);
            config.setKeepaliveTime(0);
            others[i] = new HikariDataSource(config);
            others[i].getConnection().close();
            opened.add(others[i]);
        }
    }

    @Benchmark
    public Object acquire(Turn turn) throws SQLException {
        int user = turn.next(users);
        JdbcRegistry asked = registry;
        if (asked != null) {
            try (dev.forebay.registry.jdbc.RemoteConnection connection = asked.acquire("server", names[user])) {
                return connection;
            }
        }
        try (Connection connection = connection(user)) {
            return connection;
        }
    }

    private Connection connection(int user) throws SQLException {
        if (pools.length > 0) {
            return pools[user].borrow(TIMEOUT_NANOS);
        }
        Borrowing named = poolsByName.get(names[user]);
        return named != null ? named.borrow(TIMEOUT_NANOS) : others[user].getConnection();
    }

    @TearDown
    public void close() throws Exception {
        for (AutoCloseable one : opened) {
            one.close();
        }
    }
}
