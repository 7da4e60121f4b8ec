// SPDX-License-Identifier: Apache-2.0
package dev.forebay;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.forebay.engine.DiscardReason;
import dev.forebay.engine.OpenFailure;
import dev.forebay.engine.PoolStats;
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
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
            Map.of(DiscardReason.REPLACED, 11L));

    private final MBeanServer server = MBeanServerFactory.newMBeanServer();
    private final List<String> done = new ArrayList<>();
    private final PoolControl control = new PoolControl() {
        @Override
        public void evictAll() {
            done.add("evictAll");
        }

        @Override
        public void suspend() {
            done.add("suspend");
        }

        @Override
        public void resume() {
            done.add("resume");
        }
    };

    @Test
    void aClientReadsTheNumbersAndActsOnThePool() throws Exception {
        PoolJmx jmx = PoolJmx.register(server, "history", () -> STATS, control);
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
        pool.resume();
        pool.evictAll();
        assertEquals(List.of("suspend", "resume", "evictAll"), done);
    }

    @Test
    void aSecondPoolOfTheSameNameGetsASuffixAndClosingFreesTheName() throws Exception {
        PoolJmx first = PoolJmx.register(server, "history", () -> STATS, control);
        PoolJmx second = PoolJmx.register(server, "history", () -> STATS, control);
        assertEquals("dev.forebay:type=Pool,name=history-2", second.name());

        first.close();
        first.close();
        assertFalse(server.isRegistered(new ObjectName("dev.forebay:type=Pool,name=history")));
        assertTrue(server.isRegistered(new ObjectName("dev.forebay:type=Pool,name=history-2")));
        assertEquals(
                "dev.forebay:type=Pool,name=history",
                PoolJmx.register(server, "history", () -> STATS, control).name());
    }

    @Test
    void anOddNameIsQuoted() throws Exception {
        PoolJmx jmx = PoolJmx.register(server, "a=b,c*", () -> STATS, control);
        assertTrue(server.isRegistered(new ObjectName(jmx.name())));
    }

    @Test
    void thePlatformsServerIsTheDefault() throws Exception {
        try (PoolJmx jmx = PoolJmx.register("platform", () -> STATS, control)) {
            assertTrue(ManagementFactory.getPlatformMBeanServer().isRegistered(new ObjectName(jmx.name())));
        }
    }
}
