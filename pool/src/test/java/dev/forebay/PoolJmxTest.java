// SPDX-License-Identifier: Apache-2.0
package dev.forebay;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.forebay.engine.DiscardReason;
import dev.forebay.engine.OpenFailure;
import dev.forebay.engine.Pool;
import dev.forebay.engine.PoolConfig;
import dev.forebay.engine.PoolListener;
import dev.forebay.engine.PoolStats;
import dev.forebay.engine.Supply;
import dev.forebay.testkit.SimServer;
import dev.forebay.testkit.SimServer.Session;
import dev.forebay.time.VirtualTime;
import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Random;
import javax.management.JMX;
import javax.management.MBeanServer;
import javax.management.MBeanServerFactory;
import javax.management.ObjectName;
import org.junit.jupiter.api.Test;

class PoolJmxTest {

    private static final PoolStats STATS = new PoolStats(
            40,
            9,
            1,
            2,
            3,
            50,
            60,
            1000,
            7,
            6,
            1_500_000_000L,
            4,
            250_000_000L,
            77,
            Map.of(OpenFailure.Cause.CONNECT, 5L),
            Map.of(DiscardReason.REPLACED, 11L),
            PoolStats.Times.NONE);

    private final MBeanServer server = MBeanServerFactory.newMBeanServer();
    private final VirtualTime time = new VirtualTime();
    private final Pool<Session> engine = new Pool<>(
            PoolConfig.builder(Supply.reservoir(1), 1).build(),
            new SimServer(time),
            List.of(),
            time,
            new Random(1),
            PoolListener.NONE);

    @Test
    void aClientReadsTheNumbersAndActsOnThePool() throws Exception {
        PoolJmx jmx = PoolJmx.register(server, "history", () -> STATS, engine);
        ObjectName name = new ObjectName("dev.forebay:type=Pool,name=history");
        assertEquals(name.toString(), jmx.name());

        PoolMXBean pool = JMX.newMXBeanProxy(server, name, PoolMXBean.class);
        assertEquals(40, pool.getReady());
        assertEquals(9, pool.getLeased());
        assertEquals(49, pool.getSize());
        assertEquals(1, pool.getOpening());
        assertEquals(2, pool.getClosing());
        assertEquals(3, pool.getWaiting());
        assertEquals(50, pool.getTarget());
        assertEquals(60, pool.getMaxOpen());
        assertEquals(1000, pool.getCheckouts());
        assertEquals(7, pool.getEmpties());
        assertEquals(6, pool.getWaits());
        assertEquals(1.5, pool.getWaitDurationSeconds());
        assertEquals(4, pool.getTimeouts());
        assertEquals(0.25, pool.getMaxwaitSeconds());
        assertEquals(77, pool.getRefills());
        assertEquals(Map.of("connect", 5L), pool.getRefillFailures());
        assertEquals(Map.of("replaced", 11L), pool.getDiscards());

        pool.suspend();
        assertTrue(engine.isSuspended());
        pool.resume();
        assertFalse(engine.isSuspended());
        engine.start();
        time.advance(Duration.ofSeconds(1));
        pool.evictAll();
        assertEquals(1, engine.stats().discards(DiscardReason.EVICTED));
    }

    @Test
    void aSecondPoolOfTheSameNameGetsASuffixAndClosingFreesTheName() throws Exception {
        PoolJmx first = PoolJmx.register(server, "history", () -> STATS, engine);
        PoolJmx second = PoolJmx.register(server, "history", () -> STATS, engine);
        assertEquals("dev.forebay:type=Pool,name=history-2", second.name());

        first.close();
        first.close();
        assertFalse(server.isRegistered(new ObjectName("dev.forebay:type=Pool,name=history")));
        assertTrue(server.isRegistered(new ObjectName("dev.forebay:type=Pool,name=history-2")));
        assertEquals(
                "dev.forebay:type=Pool,name=history",
                PoolJmx.register(server, "history", () -> STATS, engine).name());
    }

    @Test
    void anOddNameIsQuoted() throws Exception {
        PoolJmx jmx = PoolJmx.register(server, "a=b,c*", () -> STATS, engine);
        assertTrue(server.isRegistered(new ObjectName(jmx.name())));
    }

    @Test
    void thePlatformsServerIsTheDefault() throws Exception {
        try (PoolJmx jmx = PoolJmx.register("platform", () -> STATS, engine)) {
            assertTrue(ManagementFactory.getPlatformMBeanServer().isRegistered(new ObjectName(jmx.name())));
        }
    }
}
