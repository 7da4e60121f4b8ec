// SPDX-License-Identifier: Apache-2.0
package dev.forebay.registry;

import dev.forebay.engine.Observer;
import dev.forebay.engine.OpenFailure;
import dev.forebay.engine.PoolStats;
import dev.forebay.jdbc.Borrowing;
import dev.forebay.jdbc.PhysicalConnection;
import dev.forebay.jdbc.SessionConfig;
import dev.forebay.spi.NoConnection;
import dev.forebay.time.SystemTime;
import dev.forebay.time.Time;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BiPredicate;
import java.util.function.Supplier;
import java.util.random.RandomGenerator;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Connections to many servers for many users. Thread-safe; a process may have several.
 *
 * <p>A server is registered, its users are mapped, and from then on a local user {@linkplain #acquire acquires}
 * connections as the remote user he is mapped to. Each local user of a server has a pool of his own, which comes with the
 * first acquire and goes when it has not been used for a while.
 *
 * <h2>What always holds</h2>
 *
 * <ul>
 *   <li>All users of a server together have no more connections than its cap, whatever is registered, changed or dropped
 *       meanwhile.
 *   <li>Whoever waits is served, refused or timed out: every change that ends a pool sends those who wait there to its
 *       successor.
 *   <li>A connection is in one hand. It returns to the pool that opened it, and that pool ends when what it was opened
 *       with changes; so a server that was altered, or dropped and made anew, never hands out an old connection.
 *   <li>When the registry is closed and everything has been given back, nothing is open.
 * </ul>
 *
 * Errors are {@link RegistryException}s, with the SQLSTATEs of {@link RegistryError}.
 */
public final class Registry implements AutoCloseable {

    private static final Logger log = LoggerFactory.getLogger(Registry.class);

    /** How long {@link #close} waits for connections to be closed before it leaves the rest to the background. */
    private static final Duration CLOSE_PATIENCE = Duration.ofSeconds(5);

    /** The time a probe may take on top of its timeout before its caller goes on without it. */
    private static final Duration PROBE_GRACE = Duration.ofSeconds(1);

    private final Servers<PhysicalConnection> servers;
    private final Time time;
    private final RegistryListener listener;
    private final @Nullable ObservedServers observed;
    private final BiPredicate<String, Integer> allowed;
    private final @Nullable BiPredicate<String, String> authenticator;
    private final Supplier<@Nullable String> currentUser;

    /** Who acts on a thread, for as long as a scope lasts. */
    private final Map<Thread, String> acting = new ConcurrentHashMap<>();

    private Registry(Builder builder) {
        this.time = builder.time;
        this.observed = builder.observer == null ? null : new ObservedServers(builder.observer);
        this.listener = RegistryListeners.all(
                observed == null ? List.of(builder.listener) : List.of(observed, builder.listener));
        this.allowed = builder.allowed;
        this.authenticator = builder.authenticator;
        this.currentUser = builder.currentUser;
        Drivers drivers = builder.drivers;
        this.servers = new Servers<>(
                () -> new JdbcWiring(drivers, builder.time, builder.observer != null),
                new ServerPool.Surroundings(
                        builder.time, builder.wall, builder.random, this.listener, new AtomicLong()));
    }

    public static Builder builder() {
        return new Builder();
    }

    // ---- servers and mappings

    /**
     * Registers a server.
     *
     * @throws RegistryException RD032 if there is one of that name, or its host and port are not allowed
     */
    public void register(ServerDefinition definition) throws RegistryException {
        checkAllowed(definition);
        servers.register(definition);
        observe(definition.name());
        log.info("registered {}", definition);
    }

    /**
     * Changes a server under its users: new sizes hold at once; with another host, TLS setting or anything else that makes
     * a connection what it is, the old connections are closed, those in use when they come back, and new ones are opened.
     */
    public void update(ServerDefinition definition) throws RegistryException {
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
    public void rename(String server, String newName) throws RegistryException {
        servers.rename(server, newName);
        forget(server);
        observe(newName);
        log.info("renamed server {} to {}", server, newName);
    }

    /**
     * Drops a server with its mappings. Those who wait are refused, what is idle is closed, and borrowed connections go on
     * until they are given back.
     */
    public void unregister(String server) throws RegistryException {
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
        ServerPool<PhysicalConnection> pool = servers.find(server);
        if (pool == null) {
            return new RemoteStats(false, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, -1, -1);
        }
        ServerPoolStats stats = pool.stats();
        HealthStatus health = pool.health().status();
        Traffic traffic = pool.traffic();
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
                traffic == null ? -1 : traffic.received());
    }

    /** The servers there are, by name. */
    public List<ServerDefinition> servers() {
        return servers.all().values().stream().map(ServerPool::definition).toList();
    }

    /** The server of that name. */
    public ServerDefinition server(String server) throws RegistryException {
        return servers.get(server).definition();
    }

    /** Adds a mapping, or puts it in the place of that user's: his old connections are closed, those in use when they come back. */
    public void map(String server, UserMapping mapping) throws RegistryException {
        if (mapping.auth() == UserMapping.Auth.KERBEROS) {
            throw RegistryException.invalid(
                    List.of("auth"), "auth kerberos is not supported by any type: use password or certificate");
        }
        servers.get(server).map(mapping.localUser(), mapping);
        log.info("server {}: {}", server, mapping);
    }

    /** Removes the mapping of {@code localUser}, or {@link UserMapping#PUBLIC}; false if there is none. */
    public boolean unmap(String server, String localUser) throws RegistryException {
        ServerPool<PhysicalConnection> pool = servers.get(server);
        boolean known = pool.mappings().containsKey(localUser);
        pool.map(localUser, null);
        log.info("server {}: no user mapping for {}", server, localUser);
        return known;
    }

    /** The mappings of a server, by local user. */
    public Collection<UserMapping> mappings(String server) throws RegistryException {
        return servers.get(server).mappings().values();
    }

    // ---- acquiring

    /** As {@link #acquire(String, String, Duration)}, with the server's acquire timeout. */
    public RemoteConnection acquire(String server, String localUser) throws RegistryException {
        ServerPool<PhysicalConnection> pool = servers.get(server);
        return acquire(
                server, localUser, pool.definition().settings().acquireTimeout().toNanos());
    }

    /**
     * A connection to {@code server} as the remote user that {@code localUser} is mapped to, or everyone is.
     *
     * @param timeout how long to wait; zero takes what is ready and waits for nothing
     * @throws RegistryException RD030, RD031 without waiting; RD006 at once if the server is unhealthy; RD002, RD003 and
     *     others that trying again will not mend, as soon as they are known; RD005, RD004 or what kept connections from
     *     being opened, when the time is over. If the thread is interrupted while it waits it still is afterwards.
     */
    public RemoteConnection acquire(String server, String localUser, Duration timeout) throws RegistryException {
        return acquire(server, localUser, Math.max(0, timeout.toNanos()));
    }

    private RemoteConnection acquire(String server, String localUser, long timeoutNanos) throws RegistryException {
        long began = time.coarseNanos();
        long left = timeoutNanos;
        try {
            while (true) {
                ServerPool<PhysicalConnection> pool = servers.get(server);
                UserPool<PhysicalConnection> user = pool.user(localUser);
                try {
                    Connection connection = borrowing(user).borrow(user.within(left));
                    return new RemoteConnection(connection, pool.cap(), server, localUser);
                } catch (SQLException e) {
                    left = timeoutNanos - (time.coarseNanos() - began);
                    // A pool that was closed has a successor, unless the server has gone: then that is what is thrown.
                    if (e.getErrorCode() != NoConnection.CLOSED.vendorCode() || left <= 0) {
                        throw failure(e, pool, user);
                    }
                }
            }
        } catch (RegistryException e) {
            listener.refused(server, localUser, e.error());
            throw e;
        }
    }

    private Borrowing borrowing(UserPool<PhysicalConnection> user) {
        Borrowing known = user.borrowing();
        if (known == null) {
            known = new Borrowing(user.pool(), time, user.failures(), SessionConfig.DEFAULT);
            user.borrowing(known);
        }
        return known;
    }

    private static RegistryException failure(
            SQLException why, ServerPool<PhysicalConnection> pool, UserPool<PhysicalConnection> user) {
        if (!pool.health().isHealthy()) {
            return pool.unhealthy();
        }
        String who = "server " + pool.definition().name() + ", user " + user.localUser() + ": ";
        int code = why.getErrorCode();
        if (pool.isPaused()) {
            return new RegistryException(
                    RegistryError.TIMEOUT, who + "the server is paused; " + why.getMessage(), why, true);
        }
        OpenFailure failure = user.failures().lastFailure();
        if (code == NoConnection.EXHAUSTED.vendorCode() || code == NoConnection.TOO_MANY_WAITING.vendorCode()) {
            return new RegistryException(RegistryError.POOL_EXHAUSTED, who + why.getMessage(), why, true);
        }
        if (code == NoConnection.INTERRUPTED.vendorCode()) {
            return new RegistryException(RegistryError.TIMEOUT, who + why.getMessage(), why, true);
        }
        if (failure != null) {
            return pool.failed(user.localUser(), failure.error());
        }
        PoolStats stats = user.pool().stats();
        boolean full = stats.open() >= stats.maxOpen()
                || pool.cap().held() >= pool.cap().limit();
        return new RegistryException(
                full ? RegistryError.POOL_EXHAUSTED : RegistryError.TIMEOUT, who + why.getMessage(), why, true);
    }

    // ---- a data source

    /**
     * A data source for {@code server}, which need not exist yet. {@link DataSource#getConnection()} acquires for the
     * local user who {@linkplain #actAs acts} on the calling thread, or whom the application's supplier names; with a user
     * and a password it acquires for that local user, if the password is right.
     */
    public DataSource dataSource(String server) {
        return new RemoteDataSource(this, server);
    }

    /** Lets {@code localUser} act on this thread until the scope is closed, on this thread as well; scopes may be nested. */
    public Scope actAs(String localUser) {
        Thread thread = Thread.currentThread();
        String before = acting.put(thread, Objects.requireNonNull(localUser));
        return () -> {
            if (before == null) {
                acting.remove(thread);
            } else {
                acting.put(thread, before);
            }
        };
    }

    /** How long a local user acts. */
    @FunctionalInterface
    public interface Scope extends AutoCloseable {
        @Override
        void close();
    }

    Connection connectionFor(String server, long mostNanos) throws RegistryException {
        String user = acting.get(Thread.currentThread());
        if (user == null) {
            user = currentUser.get();
        }
        if (user == null) {
            throw new RegistryException(
                    RegistryError.USER_MAPPING_MISSING, "no local user acts on this thread: use Registry.actAs");
        }
        return connectionFor(server, user, mostNanos);
    }

    Connection connectionFor(String server, String user, long mostNanos) throws RegistryException {
        long timeout =
                servers.get(server).definition().settings().acquireTimeout().toNanos();
        return acquire(server, user, Math.min(mostNanos, timeout)).connection();
    }

    /** Who a local user is, is the application's to say; unless it does, the password is that of the mapping. */
    void authenticate(String server, String user, String password) throws RegistryException {
        boolean known;
        if (authenticator != null) {
            known = authenticator.test(user, password);
        } else {
            UserMapping mapping = servers.get(server).mapping(user);
            if (mapping == null) {
                throw new RegistryException(
                        RegistryError.USER_MAPPING_MISSING, "server " + server + " has no user mapping for " + user);
            }
            known = mapping.secret() != null && mapping.secret().matches(password);
        }
        if (!known) {
            throw new RegistryException(RegistryError.AUTH_FAILED, "wrong password for the local user " + user);
        }
    }

    // ---- operations

    /**
     * Opens connections ahead, until {@code count} are open for each user who has a mapping of his own and each who has a
     * pool; waits for that, but not beyond the connect timeout. Tells how many are open then.
     */
    public int warmUp(String server, int count) throws RegistryException {
        return warmUp(servers.get(server), count, servers.get(server).everyone());
    }

    /** The same for one user. */
    public int warmUp(String server, String localUser, int count) throws RegistryException {
        ServerPool<PhysicalConnection> pool = servers.get(server);
        return warmUp(pool, count, List.of(pool.user(localUser)));
    }

    private static int warmUp(
            ServerPool<PhysicalConnection> server, int count, Collection<UserPool<PhysicalConnection>> users) {
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

    /** Closes idle connections down to each user pool's minimum; tells how many. */
    public int evictIdle(String server) throws RegistryException {
        return servers.get(server).evictIdle();
    }

    /** Closes all connections: idle ones now, those in use when they come back. New ones are opened as they are needed. */
    public void closeAll(String server) throws RegistryException {
        servers.get(server).evictAll();
    }

    /** Changes how many connections each user may have. */
    public void resize(String server, int min, int max) throws RegistryException {
        update(server(server).toBuilder()
                .option(ServerOption.MIN_CONNECTIONS, min)
                .option(ServerOption.MAX_CONNECTIONS, max)
                .build());
    }

    /** Has every idle connection checked before it is handed out again; those that fail are closed. Does not wait for it. */
    public void validateAll(String server) throws RegistryException {
        servers.get(server).validateAll();
    }

    /** Hands out nothing until {@link #resume}: those who acquire wait, those who have a connection go on. */
    public void pause(String server) throws RegistryException {
        servers.get(server).pause(true);
    }

    /** Goes on after {@link #pause}. */
    public void resume(String server) throws RegistryException {
        servers.get(server).pause(false);
    }

    /** As {@link #closeAll}: what PgBouncer calls it. */
    public void reconnect(String server) throws RegistryException {
        closeAll(server);
    }

    // ---- health

    public boolean isHealthy(String server) throws RegistryException {
        return servers.get(server).health().isHealthy();
    }

    /** Declares a server unhealthy until {@link #markHealthy}, whatever its probes say: acquires fail with RD006. */
    public void markUnhealthy(String server, String reason) throws RegistryException {
        servers.get(server).health().mark(false, reason);
    }

    /** Declares a server healthy; from then on its probes decide again. */
    public void markHealthy(String server) throws RegistryException {
        servers.get(server).health().mark(true, null);
    }

    /** Probes a server now, waits for the outcome, and tells what is known then. It counts as any other probe. */
    public HealthStatus checkNow(String server) throws RegistryException {
        ServerPool<PhysicalConnection> pool = servers.get(server);
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
    public HealthStatus health(String server) throws RegistryException {
        return servers.get(server).health().status();
    }

    // ---- what there is to see

    /** The numbers of all servers together. Walks all pools: for a console, not for every request. */
    public RegistryStats stats() {
        return servers.stats();
    }

    /** The numbers of one server. */
    public ServerPoolStats serverStats(String server) throws RegistryException {
        return servers.get(server).stats();
    }

    /** The numbers of each server, by name. */
    public List<ServerPoolStats> serverStats() {
        return servers.all().values().stream().map(ServerPool::stats).toList();
    }

    /** The numbers of each user pool of a server, by local user. */
    public List<UserPoolStats> userStats(String server) throws RegistryException {
        return servers.get(server).userStats();
    }

    /** The open connections of a server, the oldest first. */
    public List<ConnectionInfo> connections(String server) throws RegistryException {
        return servers.get(server).connections();
    }

    /**
     * Drops every server. Waits a few seconds for what can be closed now; what is borrowed is closed when it comes back.
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

    /** Collects what a registry is made of. Not thread-safe. */
    public static final class Builder {
        private Time time = SystemTime.shared();
        private InstantSource wall = SystemTime.wallClock();
        private RandomGenerator random = RandomGenerator.getDefault();
        private Drivers drivers = Drivers.onClassPath();
        private RegistryListener listener = RegistryListener.NONE;
        private @Nullable Observer observer;
        private BiPredicate<String, Integer> allowed = (host, port) -> true;
        private @Nullable BiPredicate<String, String> authenticator;
        private Supplier<@Nullable String> currentUser = () -> null;

        private Builder() {}

        /** Where drivers come from; without this, the class path. */
        public Builder drivers(Drivers drivers) {
            this.drivers = drivers;
            return this;
        }

        /** Who hears what happens. */
        public Builder listener(RegistryListener listener) {
            this.listener = listener;
            return this;
        }

        /** An observer that each server is shown to until it is dropped, such as metrics. */
        public Builder observer(Observer observer) {
            this.observer = observer;
            return this;
        }

        /** Which hosts and ports may be registered; without this, all. */
        public Builder allow(BiPredicate<String, Integer> allowed) {
            this.allowed = allowed;
            return this;
        }

        /** Tells whether a local user's password is right; without this, it is that of his mapping. */
        public Builder authenticator(BiPredicate<String, String> authenticator) {
            this.authenticator = authenticator;
            return this;
        }

        /** Names the local user who acts on the calling thread where no scope does; null for nobody. */
        public Builder currentUser(Supplier<@Nullable String> currentUser) {
            this.currentUser = currentUser;
            return this;
        }

        /** The clocks; without this, the system's. */
        Builder time(Time time, InstantSource wall) {
            this.time = time;
            this.wall = wall;
            return this;
        }

        public Registry build() {
            return new Registry(this);
        }
    }
}
