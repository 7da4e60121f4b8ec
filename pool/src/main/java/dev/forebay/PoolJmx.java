// SPDX-License-Identifier: Apache-2.0
package dev.forebay;

import dev.forebay.engine.Pool;
import dev.forebay.engine.PoolStats;
import java.lang.management.ManagementFactory;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.function.Supplier;
import javax.management.InstanceAlreadyExistsException;
import javax.management.InstanceNotFoundException;
import javax.management.JMException;
import javax.management.MBeanServer;
import javax.management.MalformedObjectNameException;
import javax.management.ObjectName;
import javax.management.StandardMBean;

/**
 * A pool's registration with JMX, as {@code dev.forebay:type=Pool,name=<service>}, until it is closed. Thread-safe.
 *
 * <p>A second pool of the same name is called {@code <service>-2}, and so on: two pools in one process are no mistake.
 */
final class PoolJmx implements AutoCloseable {

    private static final int MOST_OF_ONE_NAME = 1000;

    private final MBeanServer server;
    private final ObjectName name;

    private PoolJmx(MBeanServer server, ObjectName name) {
        this.server = server;
        this.name = name;
    }

    /** Registers a pool with the platform's server. */
    public static PoolJmx register(String service, Supplier<PoolStats> stats, Pool<?> pool) {
        return register(ManagementFactory.getPlatformMBeanServer(), service, stats, pool);
    }

    static PoolJmx register(MBeanServer server, String service, Supplier<PoolStats> stats, Pool<?> pool) {
        for (int i = 1; i <= MOST_OF_ONE_NAME; i++) {
            try {
                ObjectName name = nameOf(i == 1 ? service : service + "-" + i);
                server.registerMBean(new StandardMBean(new Bean(stats, pool), PoolMXBean.class, true), name);
                return new PoolJmx(server, name);
            } catch (InstanceAlreadyExistsException e) {
                // The next name may be free.
            } catch (JMException e) {
                throw new IllegalStateException("the pool " + service + " could not be registered with JMX", e);
            }
        }
        throw new IllegalStateException("JMX has " + MOST_OF_ONE_NAME + " pools named " + service + " already");
    }

    private static ObjectName nameOf(String service) throws MalformedObjectNameException {
        boolean plain = service.chars().noneMatch(c -> ",=:\"*?\\\n".indexOf(c) >= 0);
        return new ObjectName("dev.forebay:type=Pool,name=" + (plain ? service : ObjectName.quote(service)));
    }

    /** Returns the name under which the pool is registered. */
    public String name() {
        return name.toString();
    }

    /** Removes the pool from JMX; does nothing the second time. */
    @Override
    public void close() {
        try {
            server.unregisterMBean(name);
        } catch (InstanceNotFoundException e) {
            // It is gone, which is what was wanted.
        } catch (JMException e) {
            throw new IllegalStateException("bug: " + name + " could not be taken out of JMX", e);
        }
    }

    private record Bean(Supplier<PoolStats> stats, Pool<?> pool) implements PoolMXBean {

        @Override
        public int getReady() {
            return stats.get().ready();
        }

        @Override
        public int getLeased() {
            return stats.get().borrowed();
        }

        @Override
        public int getSize() {
            return stats.get().open();
        }

        @Override
        public int getOpening() {
            return stats.get().opening();
        }

        @Override
        public int getClosing() {
            return stats.get().closing();
        }

        @Override
        public int getWaiting() {
            return stats.get().waiting();
        }

        @Override
        public int getTarget() {
            return stats.get().target();
        }

        @Override
        public int getMaxOpen() {
            return stats.get().maxOpen();
        }

        @Override
        public long getCheckouts() {
            return stats.get().checkouts();
        }

        @Override
        public long getEmpties() {
            return stats.get().empties();
        }

        @Override
        public long getWaits() {
            return stats.get().waits();
        }

        @Override
        public double getWaitDurationSeconds() {
            return stats.get().waitedNanos() / 1e9;
        }

        @Override
        public double getMaxwaitSeconds() {
            return stats.get().oldestWaitNanos() / 1e9;
        }

        @Override
        public long getTimeouts() {
            return stats.get().timeouts();
        }

        @Override
        public long getRefills() {
            return stats.get().opened();
        }

        @Override
        public Map<String, Long> getRefillFailures() {
            return labelled(stats.get().openFailures(), cause -> cause.label());
        }

        @Override
        public Map<String, Long> getDiscards() {
            return labelled(stats.get().discards(), reason -> reason.label());
        }

        private static <K> Map<String, Long> labelled(Map<K, Long> counts, Function<K, String> label) {
            Map<String, Long> labelled = new TreeMap<>();
            counts.forEach((key, count) -> labelled.put(label.apply(key), count));
            return labelled;
        }

        @Override
        public void evictAll() {
            pool.evictAll();
        }

        @Override
        public void suspend() {
            pool.suspend();
        }

        @Override
        public void resume() {
            pool.resume();
        }
    }
}
