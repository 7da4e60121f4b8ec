// SPDX-License-Identifier: Apache-2.0
package dev.forebay.registry;

import dev.forebay.engine.Observer;
import dev.forebay.engine.Pool;
import dev.forebay.engine.PoolListener;
import dev.forebay.engine.PoolStats.Times;
import dev.forebay.engine.Refusal;
import dev.forebay.time.SystemTime;
import dev.forebay.time.Time;
import java.sql.SQLException;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BiPredicate;
import java.util.function.Supplier;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Connections to many servers for many users. Thread-safe; a process may have several.
 *
 * <p>A server is registered, its users are mapped, and from then on a local user acquires connections as the remote
 * user of its mapping. Each local user of a server has its own pool, which comes with the first acquire and goes when
 * it has not been used for a while. The subclass defines what a connection is and how one is handed out: it gives each
 * server a {@link Wiring} and checks out of a {@link Lender}.
 *
 * <h2>What always holds</h2>
 *
 * <ul>
 *   <li>All users of a server together have no more connections than its cap, whatever is registered, changed or dropped
 *       meanwhile.
 *   <li>Every waiter is served, refused or timed out: a change that ends a pool sends the waiters there to its successor.
 *   <li>A connection is in one hand. It returns to the pool that opened it, and that pool ends when what it was opened
 *       with changes; so a server that was altered, or dropped and recreated, never hands out an old connection.
 *   <li>When the registry is closed and everything has been given back, nothing is open.
 * </ul>
 *
 * Errors are {@link RegistryException}s, with the SQLSTATEs of {@link RegistryError}.
 *
 * @param <T> the type of the pooled values
 */
public abstract class Registry<T> implements AutoCloseable {

    private static final Logger log = LoggerFactory.getLogger(Registry.class);

    /** The time {@link #close} waits for connections to be closed before it leaves the rest to the background. */
    private static final Duration CLOSE_PATIENCE = Duration.ofSeconds(5);

    /** The time a probe may take on top of its timeout before its caller goes on without it. */
    private static final Duration PROBE_GRACE = Duration.ofSeconds(1);

    private final Servers<T> servers;
    private final RegistryListener listener;
    private final @Nullable ObservedServers observed;
    private final BiPredicate<String, Integer> allowed;

    /** Makes a registry whose servers are each connected by a wiring of their own. */
    protected Registry(Builder<?> builder, Supplier<Wiring<T>> wirings) {
        this.observed = builder.observer == null ? null : new ObservedServers(builder.observer);
        this.listener = RegistryListeners.all(
                observed == null ? List.of(builder.listener) : List.of(observed, builder.listener));
        this.allowed = builder.allowed;
        this.servers = new Servers<>(
                wirings,
                new ServerPool.Surroundings(
                        builder.time,
                        builder.wall,
                        builder.random,
                        this.listener,
                        builder.listener != RegistryListener.NONE,
                        observed != null,
                        new AtomicLong()));
    }

    // ---- servers and mappings

    /**
     * Registers a server.
     *
     * @throws RegistryException RD032 if there is one of that name, or its host and port are not allowed
     */
    public final void register(ServerDefinition definition) throws RegistryException {
        checkAllowed(definition);
        servers.register(definition);
        observe(definition.name());
        log.info("registered {}", definition);
    }

    /**
     * Changes a server under its users: new sizes hold at once; with another host, TLS setting or anything else that
     * connections depend on, the old connections are closed, those in use when they come back, and new ones are opened.
     */
    public final void update(ServerDefinition definition) throws RegistryException {
        checkAllowed(definition);
        servers.update(definition);
        log.info("updated {}", definition);
    }

    private void checkAllowed(ServerDefinition definition) throws RegistryException {
        Settings settings = definition.settings();
        if (!allowed.test(settings.host(), settings.port())) {
            throw RegistryException.invalid(
                    List.of("host", "port"),
                    "connections to " + settings.host() + ":" + settings.port() + " are not allowed");
        }
    }

    /** Gives a server another name; its connections stay. */
    public final void rename(String server, String newName) throws RegistryException {
        servers.rename(server, newName);
        forget(server);
        observe(newName);
        log.info("renamed server {} to {}", server, newName);
    }

    /**
     * Drops a server with its mappings. Waiters are refused, idle connections closed, and borrowed ones go on until
     * they are given back.
     */
    public final void unregister(String server) throws RegistryException {
        servers.unregister(server);
        forget(server);
        log.info("dropped server {}", server);
    }

    private void observe(String server) {
        if (observed != null) {
            observed.show(server, () -> numbers(server));
        }
    }

    private void forget(String server) {
        if (observed != null) {
            observed.hide(server);
        }
    }

    /** Returns the numbers for metrics; none of a server that has just gone. */
    private RemoteStats numbers(String server) {
        ServerPool<T> pool = servers.find(server);
        if (pool == null) {
            return new RemoteStats(false, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, -1, -1, Times.NONE);
        }
        ServerPoolStats stats = pool.stats();
        HealthStatus health = pool.health().status();
        Wiring.Traffic traffic = pool.traffic();
        return new RemoteStats(
                stats.healthy(),
                stats.activeConnections(),
                stats.idleConnections(),
                stats.openingConnections(),
                stats.pendingRequests(),
                stats.cap(),
                stats.totalAcquires(),
                stats.totalReleases(),
                stats.acquireTimeouts(),
                stats.connectionErrors(),
                stats.acquireNanos(),
                stats.queriesExecuted(),
                health.checks(),
                health.failures(),
                health.unknowns(),
                traffic == null ? -1 : traffic.sent(),
                traffic == null ? -1 : traffic.received(),
                pool.times());
    }

    /** The registered servers, by name. */
    public final List<ServerDefinition> servers() {
        return servers.all().values().stream().map(ServerPool::definition).toList();
    }

    /** The server of that name. */
    public final ServerDefinition server(String server) throws RegistryException {
        return servers.get(server).definition();
    }

    /** Adds a mapping, or replaces that user's: its old connections are closed, those in use when they come back. */
    public final void map(String server, UserMapping mapping) throws RegistryException {
        if (mapping.auth() == UserMapping.Auth.KERBEROS) {
            throw RegistryException.invalid(
                    List.of("auth"), "auth kerberos is not supported by any type: use password or certificate");
        }
        servers.get(server).map(mapping.localUser(), mapping);
        log.info("server {}: {}", server, mapping);
    }

    /** Removes the mapping of {@code localUser}, or {@link UserMapping#PUBLIC}; false if there is none. */
    public final boolean unmap(String server, String localUser) throws RegistryException {
        ServerPool<T> pool = servers.get(server);
        boolean known = pool.mappings().containsKey(localUser);
        pool.map(localUser, null);
        log.info("server {}: no user mapping for {}", server, localUser);
        return known;
    }

    /** The mappings of a server, by local user. */
    public final Collection<UserMapping> mappings(String server) throws RegistryException {
        return servers.get(server).mappings().values();
    }

    // ---- acquiring

    /**
     * Finds the pool of {@code localUser} to check a connection out of.
     *
     * @throws RegistryException RD030, RD031, RD006, or the server's known rejection of that user
     */
    protected final Lender<T> lender(String server, String localUser) throws RegistryException {
        try {
            return servers.get(server).user(localUser);
        } catch (RegistryException e) {
            listener.refused(server, localUser, e.error());
            throw e;
        }
    }

    /**
     * One user's current pool, for callers that acquire: they check out of {@link #pool} as they like, blocking or by
     * callback, within the time of {@link #within}. Thread-safe.
     *
     * @param <T> the type of the pooled values
     */
    public interface Lender<T> {

        Pool<T> pool();

        /** The listener that the wiring made for this pool. */
        PoolListener wired();

        /** The server's acquire timeout. */
        long timeoutNanos();

        /** The time to wait if {@code nanos} are left: 0 where waiting cannot help. */
        long within(long nanos);

        /**
         * The error for a checkout that was refused; null if the pool was closed with time left. Then ask the registry
         * for its successor, or fail with its error that the server has gone.
         *
         * @param message describes the pool
         */
        @Nullable
        RegistryException failure(Refusal why, long leftNanos, String message, @Nullable Throwable cause);

        /** To be called after a connection was returned: users that wait at the server's cap may have it. */
        void stirred();
    }

    /** Acquires a connection of {@code localUser}, has the server answer on it and gives it back. */
    public abstract Tested test(String server, String localUser) throws SQLException;

    /**
     * The outcome of {@link #test}.
     *
     * @param answered whether the server answered
     * @param nanos the time that acquiring and answering took
     * @param version the server's version, in its own words
     */
    public record Tested(boolean answered, long nanos, String version) {}

    /** Whether {@code password} is that of the mapping that serves {@code localUser}; RD031 if none does. */
    protected final boolean isPasswordOf(String server, String localUser, String password) throws RegistryException {
        UserMapping mapping = servers.get(server).mapping(localUser);
        if (mapping == null) {
            throw new RegistryException(
                    RegistryError.USER_MAPPING_MISSING, "server " + server + " has no user mapping for " + localUser);
        }
        return mapping.secret() != null && mapping.secret().matches(password);
    }

    // ---- operations

    /**
     * Opens connections ahead, until {@code count} are open for each user that has its own mapping or a pool; waits for
     * that, but not beyond the connect timeout. Returns the number that are open then.
     */
    public final int warmUp(String server, int count) throws RegistryException {
        return warmUp(servers.get(server), count, servers.get(server).everyone());
    }

    /** As {@link #warmUp(String, int)}, for one user. */
    public final int warmUp(String server, String localUser, int count) throws RegistryException {
        ServerPool<T> pool = servers.get(server);
        return warmUp(pool, count, List.of(pool.user(localUser)));
    }

    private static <T> int warmUp(ServerPool<T> server, int count, Collection<UserPool<T>> users) {
        CountDownLatch warm = new CountDownLatch(users.size());
        users.forEach(user -> user.warmUp(count, warm::countDown));
        try {
            long most = server.definition().settings().connectTimeout().toMillis();
            if (!warm.await(most, TimeUnit.MILLISECONDS)) {
                log.info("{} is not as warm as it should be after {} ms", server, most);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        return users.stream().mapToInt(user -> user.pool().openCount()).sum();
    }

    /** Closes idle connections down to each user pool's minimum; returns their number. */
    public final int evictIdle(String server) throws RegistryException {
        return servers.get(server).evictIdle();
    }

    /** Closes all connections: idle ones now, those in use when they come back. New ones are opened as they are needed. */
    public final void closeAll(String server) throws RegistryException {
        servers.get(server).evictAll();
    }

    /** Changes the number of connections each user may have; surplus ones close at once if idle, otherwise on return. */
    public final void resize(String server, int min, int max) throws RegistryException {
        update(server(server).toBuilder()
                .option(ServerOption.MIN_CONNECTIONS, min)
                .option(ServerOption.MAX_CONNECTIONS, max)
                .build());
    }

    /** Has every idle connection checked before it is handed out again; those that fail are closed. Does not wait for it. */
    public final void validateAll(String server) throws RegistryException {
        servers.get(server).validateAll();
    }

    /** Hands out nothing until {@link #resume}: acquires wait, borrowed connections go on. */
    public final void pause(String server) throws RegistryException {
        servers.get(server).pause(true);
    }

    /** Goes on after {@link #pause}. */
    public final void resume(String server) throws RegistryException {
        servers.get(server).pause(false);
    }

    /** As {@link #closeAll}, under PgBouncer's name. */
    public final void reconnect(String server) throws RegistryException {
        closeAll(server);
    }

    // ---- health

    public final boolean isHealthy(String server) throws RegistryException {
        return servers.get(server).health().isHealthy();
    }

    /** Declares a server unhealthy until {@link #markHealthy}, whatever its probes say: acquires fail with RD006. */
    public final void markUnhealthy(String server, String reason) throws RegistryException {
        servers.get(server).health().mark(false, reason);
    }

    /** Declares a server healthy; from then on its probes decide again. */
    public final void markHealthy(String server) throws RegistryException {
        servers.get(server).health().mark(true, null);
    }

    /** Probes a server now, waits for the outcome, and returns the health then. It counts as any other probe. */
    public final HealthStatus checkNow(String server) throws RegistryException {
        ServerPool<T> pool = servers.get(server);
        CompletableFuture<HealthStatus> status = new CompletableFuture<>();
        pool.health().checkNow(status::complete);
        Duration most = pool.definition().settings().probe().timeout().plus(PROBE_GRACE);
        try {
            return status.get(most.toMillis(), TimeUnit.MILLISECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return pool.health().status();
        } catch (TimeoutException e) {
            log.debug("the probe of {} did not end in time", pool, e);
            return pool.health().status();
        } catch (ExecutionException e) {
            throw new IllegalStateException("bug: a probe cannot fail", e);
        }
    }

    /** Returns the known health of a server. */
    public final HealthStatus health(String server) throws RegistryException {
        return servers.get(server).health().status();
    }

    // ---- observing

    /** The numbers of all servers together. Walks all pools: for a console, not for every request. */
    public final RegistryStats stats() {
        return servers.stats();
    }

    /** The numbers of one server. */
    public final ServerPoolStats serverStats(String server) throws RegistryException {
        return servers.get(server).stats();
    }

    /** The numbers of each server, by name. */
    public final List<ServerPoolStats> serverStats() {
        return servers.all().values().stream().map(ServerPool::stats).toList();
    }

    /** The numbers of each user pool of a server, by local user. */
    public final List<UserPoolStats> userStats(String server) throws RegistryException {
        return servers.get(server).userStats();
    }

    /** The open connections of a server, the oldest first. */
    public final List<ConnectionInfo> connections(String server) throws RegistryException {
        return servers.get(server).connections();
    }

    /**
     * Drops every server with its connections. Waits a few seconds for those that can be closed now; borrowed ones are
     * closed when they come back.
     */
    @Override
    public void close() {
        CountDownLatch drained = new CountDownLatch(1);
        servers.close(drained::countDown);
        try {
            long tries = CLOSE_PATIENCE.toMillis() / 20;
            boolean gone = drained.await(20, TimeUnit.MILLISECONDS);
            while (!gone && --tries > 0 && stats().totalConnections() > stats().activeConnections()) {
                gone = drained.await(20, TimeUnit.MILLISECONDS);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        if (observed != null) {
            observed.hideAll();
        }
    }

    /**
     * Collects the parts of any registry. Not thread-safe.
     *
     * @param <B> the builder itself
     */
    public abstract static class Builder<B extends Builder<B>> {
        private Time time = SystemTime.shared();
        private InstantSource wall = SystemTime.wallClock();
        private RandomGenerator random = RandomGenerator.getDefault();
        private RegistryListener listener = RegistryListener.NONE;
        private @Nullable Observer observer;
        private BiPredicate<String, Integer> allowed = (host, port) -> true;

        protected Builder() {}

        protected abstract B self();

        /** The listener of events. */
        public B listener(RegistryListener listener) {
            this.listener = listener;
            return self();
        }

        /** An observer that each server is shown to until it is dropped, such as metrics. */
        public B observer(Observer observer) {
            this.observer = observer;
            return self();
        }

        /** The hosts and ports that may be registered; without this, all. */
        public B allow(BiPredicate<String, Integer> allowed) {
            this.allowed = allowed;
            return self();
        }

        /** The clocks and the chance; without this, the system's. */
        protected B time(Time time, InstantSource wall, RandomGenerator random) {
            this.time = time;
            this.wall = wall;
            this.random = random;
            return self();
        }

        protected final Time time() {
            return time;
        }

        /** Whether an observer was given. */
        protected final boolean isObserved() {
            return observer != null;
        }
    }
}
