// SPDX-License-Identifier: Apache-2.0
package dev.forebay.registry;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import dev.forebay.time.Actions;
import dev.forebay.time.Time;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The servers of a registry by name, and those that were dropped and still have connections in use. Thread-safe.
 *
 * <p>Each registration is a {@link ServerPool} of its own, so a server that is dropped and recreated under the same
 * name never gets a connection of its predecessor. It does take over its predecessor's cap: together they stay within
 * it.
 *
 * @param <T> the type of the pooled values
 */
final class Servers<T> {

    private final Supplier<Wiring<T>> wirings;
    private final ServerPool.Surroundings around;
    private final ReentrantLock lock = new ReentrantLock();

    /** Written under lock. */
    private final Map<String, ServerPool<T>> servers = new ConcurrentHashMap<>();

    /** The servers that were dropped, with connections that have not ended. */
    private final Set<ServerPool<T>> former = ConcurrentHashMap.newKeySet();

    private final LongAdder pastAcquires = new LongAdder();
    private final LongAdder pastReleases = new LongAdder();
    private final LongAdder pastErrors = new LongAdder();

    @GuardedBy("lock")
    private final List<Runnable> onDrained = new ArrayList<>();

    /** Written under lock. */
    private volatile boolean closed;

    Servers(Supplier<Wiring<T>> wirings, ServerPool.Surroundings around) {
        this.wirings = wirings;
        this.around = around;
    }

    ServerPool<T> get(String name) throws RegistryException {
        ServerPool<T> server = servers.get(name);
        if (server == null) {
            throw closed
                    ? new RegistryException(RegistryError.SERVER_UNAVAILABLE, "the registry is closed", null, false)
                    : new RegistryException(RegistryError.SERVER_NOT_FOUND, "there is no server " + name);
        }
        return server;
    }

    @Nullable
    ServerPool<T> find(String name) {
        return servers.get(name);
    }

    Map<String, ServerPool<T>> all() {
        return new TreeMap<>(servers);
    }

    void register(ServerDefinition definition) throws RegistryException {
        try (Actions actions = new Actions()) {
            lock.lock();
            try {
                String name = definition.name();
                if (closed) {
                    throw new RegistryException(
                            RegistryError.SERVER_UNAVAILABLE, "the registry is closed", null, false);
                }
                if (servers.containsKey(name)) {
                    throw RegistryException.invalid("there is a server " + name + " already");
                }
                Time time = around.time();
                ServerCap cap = former.stream()
                        .filter(gone -> gone.definition().name().equals(name))
                        .findFirst()
                        .map(ServerPool::cap)
                        .orElseGet(() ->
                                new ServerCap(definition.settings().sizes().cap(), time));
                servers.put(name, new ServerPool<>(definition, wirings.get(), cap, around, actions));

            } finally {
                lock.unlock();
            }
        }
    }

    void update(ServerDefinition definition) throws RegistryException {
        try (Actions actions = new Actions()) {
            lock.lock();
            try {
                get(definition.name()).update(definition, actions);
            } finally {
                lock.unlock();
            }
        }
    }

    /** Gives a server another name; its connections stay. */
    void rename(String name, String other) throws RegistryException {
        try (Actions actions = new Actions()) {
            lock.lock();
            try {
                ServerPool<T> server = get(name);
                if (servers.containsKey(other)) {
                    throw RegistryException.invalid("there is a server " + other + " already");
                }
                server.update(server.definition().toBuilder().name(other).build(), actions);
                servers.put(other, server);
                servers.remove(name);

            } finally {
                lock.unlock();
            }
        }
    }

    void unregister(String name) throws RegistryException {
        ServerPool<T> server;
        lock.lock();
        try {
            server = get(name);
            former.add(server);
            servers.remove(name);
        } finally {
            lock.unlock();
        }
        server.close(() -> buried(server));
    }

    private void buried(ServerPool<T> server) {
        ServerPoolStats stats = server.stats();
        List<Runnable> drained;
        lock.lock();
        try {
            former.remove(server);
            pastAcquires.add(stats.totalAcquires());
            pastReleases.add(stats.totalReleases());
            pastErrors.add(stats.connectionErrors());
            drained = takeDrained();
        } finally {
            lock.unlock();
        }
        server.end();
        Actions.runAll(drained);
    }

    @GuardedBy("lock")
    private List<Runnable> takeDrained() {
        if (!closed || !former.isEmpty()) {
            return List.of();
        }
        List<Runnable> drained = List.copyOf(onDrained);
        onDrained.clear();
        return drained;
    }

    /** Drops all servers; {@code drained} runs when the last connection is gone. */
    void close(Runnable drained) {
        List<ServerPool<T>> leaving;
        List<Runnable> alreadyDrained;
        lock.lock();
        try {
            closed = true;
            onDrained.add(drained);
            leaving = new ArrayList<>(servers.values());
            former.addAll(leaving);
            servers.clear();
            alreadyDrained = takeDrained();
        } finally {
            lock.unlock();
        }
        leaving.forEach(server -> server.close(() -> buried(server)));
        Actions.runAll(alreadyDrained);
    }

    RegistryStats stats() {
        List<ServerPoolStats> all = new ArrayList<>();
        int registered;
        int healthy = 0;
        long acquires;
        long releases;
        long errors;
        lock.lock();
        try {
            registered = servers.size();
            for (ServerPool<T> server : servers.values()) {
                all.add(server.stats());
                healthy += server.health().isHealthy() ? 1 : 0;
            }
            former.forEach(server -> all.add(server.stats()));
            acquires = pastAcquires.sum();
            releases = pastReleases.sum();
            errors = pastErrors.sum();
        } finally {
            lock.unlock();
        }
        long connections = 0;
        long active = 0;
        for (ServerPoolStats stats : all) {
            connections += stats.totalConnections();
            active += stats.activeConnections();
            acquires += stats.totalAcquires();
            releases += stats.totalReleases();
            errors += stats.connectionErrors();
        }
        return new RegistryStats(
                registered, healthy, registered - healthy, connections, active, acquires, releases, errors);
    }
}
