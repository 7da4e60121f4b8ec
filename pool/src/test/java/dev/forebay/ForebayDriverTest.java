// SPDX-License-Identifier: Apache-2.0
package dev.forebay;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.Driver;
import java.sql.DriverManager;
import java.sql.DriverPropertyInfo;
import java.sql.SQLException;
import java.util.List;
import java.util.Properties;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.logging.Logger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The driver for {@code jdbc:forebay:} URLs in front of one that takes its time. */
@Timeout(60)
class ForebayDriverTest {

    private static final String URL =
            "jdbc:forebay:toll:x?forebay.mode=on-demand&forebay.max-open=2&forebay.connection-timeout=5s";

    private final Toll toll = new Toll();
    private final ExecutorService threads = Executors.newCachedThreadPool();

    @BeforeEach
    void register() throws SQLException {
        DriverManager.registerDriver(toll);
    }

    @AfterEach
    void deregister() throws SQLException {
        toll.opened.countDown();
        threads.shutdownNow();
        ForebayDriver.closeAll();
        DriverManager.deregisterDriver(toll);
    }

    @Test
    void nobodyWaitsForTheProofOfAnothersPassword() throws Exception {
        connect("old").close();
        Future<Boolean> proving = threads.submit(() -> connect("slow").isClosed());
        toll.asked.await();
        threads.submit(() -> {
                    connect("old").close();
                    return true;
                })
                .get(20, TimeUnit.SECONDS);
        assertFalse(proving.isDone());
        toll.opened.countDown();
        assertFalse(proving.get(20, TimeUnit.SECONDS));
    }

    @Test
    void aCallerWithoutAPasswordConnectsWithoutOne() throws Exception {
        try (Connection held = connect("old");
                Connection without = connect(null);
                Connection more = connect(null)) {
            assertEquals("none", toll.passwords.get(toll.passwords.size() - 1));
        }
        connect("old").close();
    }

    @Test
    void whoGivesNoPasswordIsNotLentWhatOneHasOpened() throws Exception {
        connect("old").close();
        connect(null).close();
        assertEquals(List.of("old", "none"), toll.passwords, "the first was idle, and is not lent");
        connect("old").close();
        connect(null).close();
        assertEquals(List.of("old", "none"), toll.passwords, "each has a pool");
    }

    @Test
    void aPasswordAfterNoneIsUsedByLaterOpens() throws Exception {
        try (Connection held = connect(null);
                Connection with = connect("new")) {
            assertEquals("new", toll.passwords.get(toll.passwords.size() - 1));
        }
    }

    @Test
    void aPoolAskedForDuringCloseAllCanBeClosed() throws Exception {
        connect("old").close();
        Future<Connection> proving = threads.submit(() -> connect("slow"));
        toll.asked.await();
        ForebayDriver.closeAll();
        toll.opened.countDown();
        proving.get(20, TimeUnit.SECONDS).close();
        ForebayDriver.closeAll();
        assertEquals(0, toll.live.get());
    }

    private static Connection connect(@Nullable String password) throws SQLException {
        Properties properties = new Properties();
        properties.setProperty("user", "u");
        if (password != null) {
            properties.setProperty("password", password);
        }
        return DriverManager.getConnection(URL, properties);
    }

    /** Lets the password "slow" wait. */
    private static final class Toll implements Driver {
        private final CountDownLatch asked = new CountDownLatch(1);
        private final CountDownLatch opened = new CountDownLatch(1);
        private final List<String> passwords = new CopyOnWriteArrayList<>();
        private final AtomicInteger live = new AtomicInteger();

        @Override
        public Connection connect(String url, Properties properties) throws SQLException {
            if (!acceptsURL(url)) {
                return null;
            }
            if ("slow".equals(properties.getProperty("password"))) {
                asked.countDown();
                try {
                    opened.await();
                } catch (InterruptedException e) {
                    throw new SQLException(e);
                }
            }
            passwords.add(properties.getProperty("password", "none"));
            live.incrementAndGet();
            AtomicBoolean gone = new AtomicBoolean();
            return (Connection) Proxy.newProxyInstance(
                    Toll.class.getClassLoader(), new Class<?>[] {Connection.class}, (proxy, method, arguments) -> {
                        Class<?> type = method.getReturnType();
                        if (method.getName().equals("equals")) {
                            return proxy == arguments[0];
                        }
                        if (method.getName().equals("hashCode")) {
                            return System.identityHashCode(proxy);
                        }
                        boolean ends = method.getName().equals("close")
                                || method.getName().equals("abort");
                        if (ends && gone.compareAndSet(false, true)) {
                            live.decrementAndGet();
                        }
                        if (method.getName().equals("getAutoCommit")
                                || method.getName().equals("isValid")) {
                            return true;
                        }
                        return type == boolean.class ? (Object) false : type == int.class ? (Object) 2 : null;
                    });
        }

        @Override
        public boolean acceptsURL(String url) {
            return url.startsWith("jdbc:toll:");
        }

        @Override
        public DriverPropertyInfo[] getPropertyInfo(String url, Properties properties) {
            return new DriverPropertyInfo[0];
        }

        @Override
        public int getMajorVersion() {
            return 1;
        }

        @Override
        public int getMinorVersion() {
            return 0;
        }

        @Override
        public boolean jdbcCompliant() {
            return false;
        }

        @Override
        public Logger getParentLogger() {
            return Logger.getGlobal();
        }
    }
}
