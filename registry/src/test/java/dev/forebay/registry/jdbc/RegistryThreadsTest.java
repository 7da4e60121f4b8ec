// SPDX-License-Identifier: Apache-2.0
package dev.forebay.registry.jdbc;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.mysql.cj.jdbc.JdbcConnection;
import dev.forebay.registry.DatabaseType;
import dev.forebay.registry.RegistryError;
import dev.forebay.registry.RegistryException;
import dev.forebay.registry.RegistryStats;
import dev.forebay.registry.Secret;
import dev.forebay.registry.ServerDefinition;
import dev.forebay.registry.ServerOption;
import dev.forebay.registry.UserMapping;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What the simulation shows in one thread, with many: races of memory are not to be had in virtual time. */
@Timeout(120)
class RegistryThreadsTest {

    private static final int CAP = 6;
    private static final Set<RegistryError> ALLOWED = Set.of(
            RegistryError.SERVER_NOT_FOUND,
            RegistryError.SERVER_UNAVAILABLE,
            RegistryError.USER_MAPPING_MISSING,
            RegistryError.POOL_EXHAUSTED,
            RegistryError.TIMEOUT);

    private final StubDriver driver = new StubDriver();
    private final JdbcRegistry registry =
            JdbcRegistry.builder().drivers(type -> driver).build();
    private final Map<String, String> wrong = new ConcurrentHashMap<>();
    private final Set<Connection> inHand = ConcurrentHashMap.newKeySet();
    private final AtomicBoolean over = new AtomicBoolean();
    private final AtomicLong served = new AtomicLong();

    @Test
    void administrationUnderLoadKeepsEveryPromise() throws Exception {
        driver.prober = "monitor";
        create();
        List<Thread> threads = new ArrayList<>();
        for (int i = 0; i < 8; i++) {
            int number = i;
            threads.add(new Thread(() -> borrow(new Random(number))));
        }
        for (int i = 0; i < 2; i++) {
            int number = 100 + i;
            threads.add(new Thread(() -> administer(new Random(number))));
        }
        threads.forEach(Thread::start);
        long until = System.nanoTime() + TimeUnit.SECONDS.toNanos(60);
        while (served.get() < 3_000 && wrong.isEmpty() && System.nanoTime() < until) {
            LockSupport.parkNanos(5_000_000);
        }
        over.set(true);
        for (Thread thread : threads) {
            thread.join(TimeUnit.SECONDS.toMillis(30));
            assertTrue(!thread.isAlive(), "a thread waits for ever");
        }
        registry.close();
        while (driver.open.get() > 0 && System.nanoTime() < until) {
            LockSupport.parkNanos(1_000_000);
        }
        assertEquals(Map.of(), wrong);
        assertTrue(served.get() >= 3_000, served + " were served");
        assertEquals(0, driver.open.get(), "open in the end");
        assertTrue(driver.mostOpen.get() <= CAP, driver.mostOpen + " were open at once");
        RegistryStats stats = registry.stats();
        assertEquals(served.get(), stats.totalAcquires());
        assertEquals(served.get(), stats.totalReleases());
    }

    private void borrow(Random random) {
        while (!over.get()) {
            try (RemoteConnection remote =
                    registry.acquire("s", "user" + random.nextInt(4), Duration.ofMillis(random.nextInt(500)))) {
                served.incrementAndGet();
                Connection below = remote.connection().unwrap(JdbcConnection.class);
                if (!inHand.add(below)) {
                    wrong.put("two hands", remote.toString());
                }
                StubDriver.run(remote.connection(), "SELECT 1");
                inHand.remove(below);
                if (random.nextInt(10) == 0) {
                    remote.markFailed();
                }
            } catch (RegistryException e) {
                if (!ALLOWED.contains(e.error())) {
                    wrong.put("error", e.toString());
                }
            } catch (SQLException | RuntimeException e) {
                wrong.put("failure", e.toString());
            }
        }
    }

    private void administer(Random random) {
        while (!over.get()) {
            LockSupport.parkNanos(2_000_000);
            try {
                switch (random.nextInt(8)) {
                    case 0 -> registry.update(define("host" + random.nextInt(3), 1 + random.nextInt(4)));
                    case 1 -> registry.resize("s", 0, 1 + random.nextInt(4));
                    case 2 -> registry.map("s", mapping("user" + random.nextInt(4), random));
                    case 3 -> registry.unmap("s", "user" + random.nextInt(4));
                    case 4 -> registry.closeAll("s");
                    case 5 -> {
                        registry.pause("s");
                        registry.resume("s");
                    }
                    case 6 -> registry.validateAll("s");
                    default -> {
                        registry.unregister("s");
                        create();
                    }
                }
            } catch (RegistryException e) {
                // The other one has dropped it, or made it anew.
                if (e.error() != RegistryError.SERVER_NOT_FOUND && e.error() != RegistryError.INVALID_OPTION) {
                    wrong.put("administration", e.toString());
                }
            }
        }
    }

    private void create() throws RegistryException {
        registry.register(define("host", 3));
        registry.map("s", UserMapping.ofPublic("app", Secret.of("hunter2")));
        registry.map("s", UserMapping.of("prober", "monitor", Secret.of("hunter2")));
    }

    private static UserMapping mapping(String user, Random random) {
        return UserMapping.of(user, "remote" + random.nextInt(3), Secret.of("hunter2"));
    }

    private static ServerDefinition define(String host, int max) throws RegistryException {
        return ServerDefinition.builder("s", DatabaseType.POSTGRESQL)
                .option("host", host)
                .option("dbname", "d")
                .option(ServerOption.MAX_CONNECTIONS, max)
                .option(ServerOption.MIN_CONNECTIONS, 0)
                .option(ServerOption.MAX_SERVER_CONNECTIONS, CAP)
                .option(ServerOption.HEALTH_CHECK_INTERVAL, 20)
                .option(ServerOption.HEALTH_CHECK_USER, "prober")
                .build();
    }
}
