// SPDX-License-Identifier: Apache-2.0
package dev.forebay.registry;

import dev.forebay.engine.Checkout;
import dev.forebay.engine.Connector;
import dev.forebay.engine.DiscardReason;
import dev.forebay.engine.OpenFailure;
import dev.forebay.engine.Refusal;
import dev.forebay.engine.TokenBucket;
import dev.forebay.engine.Waiter;
import dev.forebay.spi.PasswordSupplier;
import dev.forebay.testkit.NothingFailedUnseen;
import dev.forebay.testkit.SimServer;
import dev.forebay.testkit.SimServer.Session;
import dev.forebay.time.VirtualTime;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeSet;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongConsumer;

/**
 * Servers of a registry in virtual time: everything is the registry's own but the connections, which are a model's, and
 * the thread that waits, which is a callback.
 */
final class World {
    /** A server whose probes throw before they try. */
    static final String UNTRIED = "untried";

    final VirtualTime time = new VirtualTime();
    final List<String> events = new ArrayList<>();
    final Servers<Session> servers;

    /** By the place that a definition names: what is really there. */
    private final Map<String, SimServer> sims = new HashMap<>();

    /** Remote users whose password is wrong. */
    final Set<String> lockedOut = new TreeSet<>();

    /** By place: the most sessions that the server itself takes. */
    final Map<String, Integer> sessionLimits = new HashMap<>();

    /** The hosts that refuse connects as too fast. */
    final Set<String> throttling = new HashSet<>();

    /** By remote user: how many logins were tried. */
    final Map<String, Integer> logins = new HashMap<>();

    /** Who has which session. */
    final Map<Session, Attempt> holders = new IdentityHashMap<>();

    /** By server: how many connections of users there are for it, from before the connect to after the close. */
    final Map<String, Integer> live = new HashMap<>();

    /** For which place and user each session was opened. */
    final Map<Session, String> openedFor = new IdentityHashMap<>();

    /** Whether the listener throws at all that it is told of servers' health. */
    boolean listenerThrows;

    final List<Attempt> attempts = new ArrayList<>();
    private long affinities;

    World(long seed) {
        servers = new Servers<>(
                SimWiring::new,
                new ServerPool.Surroundings(
                        time,
                        () -> Instant.EPOCH.plusNanos(time.nanos()),
                        new SplittableRandom(seed),
                        new RegistryListener() {
                            @Override
                            public void healthChanged(String server, boolean healthy, String reason) {
                                events.add(server + (healthy ? " is healthy" : " is unhealthy: " + reason));
                                disturb();
                            }

                            @Override
                            public void probed(String server, boolean alive, long nanos) {
                                disturb();
                            }
                        },
                        true,
                        true,
                        new AtomicLong()));
    }

    private void disturb() {
        if (listenerThrows) {
            throw new AssertionError(NothingFailedUnseen.EXPECTED + ", as a listener's mistake");
        }
    }

    SimServer sim(String place) {
        return sims.computeIfAbsent(place, p -> new SimServer(time));
    }

    void advance(Duration duration) {
        time.advance(duration);
    }

    /** Slots held at the caps of all servers. */
    int held() {
        return servers.all().values().stream()
                .mapToInt(server -> server.cap().held())
                .sum();
    }

    static ServerDefinition define(String name, int cap, String... options) {
        return define(DatabaseType.POSTGRESQL, name, cap, options);
    }

    private static ServerDefinition define(DatabaseType type, String name, int cap, String... options) {
        ServerDefinition.Builder builder = ServerDefinition.builder(name, type)
                .option("host", name)
                .option("dbname", "db")
                .option("max_server_connections", Integer.toString(cap))
                .option("warmup_on_create", "false")
                .option("enable_health_check", "false");
        for (int i = 0; i < options.length; i += 2) {
            builder.option(options[i], options[i + 1]);
        }
        try {
            return builder.build();
        } catch (RegistryException e) {
            throw new AssertionError(e);
        }
    }

    /** Registers a server that takes everyone. */
    Server server(String name, int cap, String... options) {
        return server(DatabaseType.POSTGRESQL, name, cap, options);
    }

    Server server(DatabaseType type, String name, int cap, String... options) {
        try {
            servers.register(define(type, name, cap, options));
            servers.get(name).map(UserMapping.PUBLIC, UserMapping.ofPublic("app", Secret.of("secret")));
            return new Server(name);
        } catch (RegistryException e) {
            throw new AssertionError(e);
        }
    }

    /** One registered server, by name. */
    final class Server {
        private final String name;

        Server(String name) {
            this.name = name;
        }

        ServerPool<Session> pool() {
            try {
                return servers.get(name);
            } catch (RegistryException e) {
                throw new AssertionError(e);
            }
        }

        SimServer sim() {
            return World.this.sim(pool().definition().settings().host());
        }

        Attempt acquire(String user, Duration timeout) {
            return new Attempt(name, user, timeout);
        }

        int open(String user) {
            return pool().userStats().stream()
                    .filter(stats -> stats.localUser().equals(user))
                    .mapToInt(UserPoolStats::totalConnections)
                    .sum();
        }

        long acquires(String user) {
            return pool().userStats().stream()
                    .filter(stats -> stats.localUser().equals(user))
                    .mapToLong(UserPoolStats::totalAcquires)
                    .sum();
        }

        long timeouts() {
            return pool().stats().acquireTimeouts();
        }

        void update(String... options) {
            ServerDefinition.Builder builder = pool().definition().toBuilder();
            for (int i = 0; i < options.length; i += 2) {
                builder.option(options[i], options[i + 1]);
            }
            try {
                servers.update(builder.build());
            } catch (RegistryException e) {
                throw new AssertionError(e);
            }
        }

        /** Makes another type of it at the same place. */
        void become(DatabaseType type) {
            try {
                servers.update(define(type, name, 1_000));
            } catch (RegistryException e) {
                throw new AssertionError(e);
            }
        }

        void drop() {
            try {
                servers.unregister(name);
            } catch (RegistryException e) {
                throw new AssertionError(e);
            }
        }

        /** {@code count} borrowers of {@code user} that use a connection for {@code use} and come straight back. */
        void keepBusy(String user, int count, Duration use) {
            for (int i = 0; i < count; i++) {
                again(user, use);
            }
        }

        private void again(String user, Duration use) {
            Attempt attempt = acquire(user, Duration.ofSeconds(30));
            attempt.then = () -> time.schedule(time.nanos() + use.toNanos(), () -> {
                attempt.release();
                again(user, use);
            });
            attempt.begin();
        }
    }

    /** One acquire, as {@link Registry} does it but for the thread. */
    final class Attempt implements Waiter.Turn {
        private final String server;
        private final String user;
        private final long deadline;
        private Checkout<Session> checkout = new Checkout<>();
        private String place = "";
        private Runnable then = () -> {};
        private boolean begun;
        private Object refusal;
        private boolean ended;
        private boolean releaseAtOnce;
        private Session session;

        Attempt(String server, String user, Duration timeout) {
            this.server = server;
            this.user = user;
            this.deadline = time.nanos() + timeout.toNanos();
            attempts.add(this);
            time.schedule(time.nanos(), this::begin);
        }

        void begin() {
            if (!begun) {
                begun = true;
                look();
            }
        }

        private void look() {
            try {
                ServerPool<Session> pool = servers.get(server);
                UserPool<Session> userPool = pool.user(user);
                place = place(pool.definition(), pool.mapping(user));
                checkout = new Checkout<>();
                long until = time.nanos() + userPool.within(deadline - time.nanos());
                userPool.pool().checkout(checkout, affinities++, until, this); // as if each had a thread of its own
            } catch (RegistryException e) {
                refuse(e.error());
            }
        }

        @Override
        public void served() {
            session = checkout.value();
            Attempt other = holders.put(session, this);
            if (other != null) {
                throw new AssertionError(session + " is in two hands");
            }
            if (session.isClosed()) {
                throw new AssertionError(session + " is closed");
            }
            if (!openedFor.get(session).equals(place)) {
                throw new AssertionError(
                        session + " was opened for " + openedFor.get(session) + ", wanted for " + place);
            }
            then.run();
            if (releaseAtOnce) {
                release();
            }
        }

        @Override
        public void refused(Refusal why) {
            if (why == Refusal.CLOSED && time.nanos() < deadline) {
                look();
            } else {
                refuse(why);
            }
        }

        private void refuse(Object why) {
            if (ended || refusal != null || session != null) {
                throw new AssertionError("ended twice");
            }
            refusal = why;
            ended = true;
        }

        void whenServed(Runnable action) {
            then = action;
        }

        Attempt releaseAtOnce() {
            releaseAtOnce = true;
            return this;
        }

        boolean holds() {
            return session != null && checkout.isCurrent();
        }

        boolean isWaiting() {
            return session == null && !ended;
        }

        Object refusal() {
            return refusal;
        }

        Session session() {
            return session;
        }

        long deadline() {
            return deadline;
        }

        void release() {
            if (holds()) {
                holders.remove(session);
                ended = true;
                checkout.returnToPool();
            }
        }

        void markFailed() {
            if (holds()) {
                holders.remove(session);
                ended = true;
                checkout.discard(DiscardReason.BAD_CONNECTION);
            }
        }

        @Override
        public String toString() {
            return user + " at " + server;
        }
    }

    static String place(ServerDefinition server, UserMapping mapping) {
        return server.settings().host() + "/" + mapping.remoteUser();
    }

    /** Connects to the {@link SimServer} at the place that a definition names. */
    final class SimWiring implements Wiring<Session> {
        private int probes;

        @Override
        public Connector<Session> users(
                ServerDefinition server, UserMapping mapping, PasswordSupplier password, LongConsumer queries) {
            return connector(server, mapping, () -> count(server.name(), 1), () -> count(server.name(), -1));
        }

        private void count(String server, int by) {
            live.merge(server, by, Integer::sum);
        }

        @Override
        public Connector<Session> probes(ServerDefinition server, UserMapping mapping, PasswordSupplier password) {
            if (server.settings().host().equals(UNTRIED)) {
                return new Connector<>() {
                    @Override
                    public void open(Opening<Session> opening) {
                        throw new LinkageError("a driver's mistake");
                    }

                    @Override
                    public void check(Session session, Checking checking) {
                        throw new AssertionError("nothing was opened");
                    }

                    @Override
                    public void close(Session session, DiscardReason reason, Runnable closed) {
                        throw new AssertionError("nothing was opened");
                    }
                };
            }
            return connector(server, mapping, () -> probing(1), () -> probing(-1));
        }

        private void probing(int by) {
            probes += by;
            if (probes > 1) {
                throw new AssertionError("two probes at once");
            }
        }

        private Connector<Session> connector(
                ServerDefinition server, UserMapping mapping, Runnable began, Runnable ended) {
            SimServer sim = sim(server.settings().host());
            return new Connector<>() {
                @Override
                public void open(Opening<Session> opening) {
                    began.run();
                    logins.merge(mapping.remoteUser(), 1, Integer::sum);
                    if (sim.open() + sim.connecting()
                            >= sessionLimits.getOrDefault(server.settings().host(), Integer.MAX_VALUE)) {
                        SQLException full = new SQLException("too many clients already", "53300");
                        time.schedule(
                                time.nanos() + 5_000_000,
                                () -> failed(opening, new OpenFailure(OpenFailure.Cause.CONNECTION_COUNT, full)));
                        return;
                    }
                    if (throttling.contains(server.settings().host())) {
                        SQLException fast = new SQLException("unable to accept connection, rate exceeded", "53400");
                        time.schedule(
                                time.nanos() + 5_000_000,
                                () -> failed(opening, new OpenFailure(OpenFailure.Cause.RATE_LIMIT, fast)));
                        return;
                    }
                    if (lockedOut.contains(mapping.remoteUser())) {
                        time.schedule(
                                time.nanos() + 5_000_000,
                                () -> failed(
                                        opening,
                                        new OpenFailure(
                                                OpenFailure.Cause.CONNECT,
                                                new SQLException("password rejected", "28P01"))));
                        return;
                    }
                    sim.open(new Opening<>() {
                        @Override
                        public void opened(Session value) {
                            openedFor.put(value, place(server, mapping));
                            opening.opened(value);
                        }

                        @Override
                        public void failed(OpenFailure failure) {
                            ended.run();
                            opening.failed(failure);
                        }

                        @Override
                        public boolean isAbandoned() {
                            return opening.isAbandoned();
                        }

                        @Override
                        public void onAbandon(Runnable action) {
                            opening.onAbandon(action);
                        }
                    });
                }

                private void failed(Opening<Session> opening, OpenFailure failure) {
                    ended.run();
                    opening.failed(failure);
                }

                @Override
                public void check(Session value, Checking checking) {
                    sim.check(value, checking);
                }

                @Override
                public void close(Session value, DiscardReason reason, Runnable closed) {
                    sim.close(value, reason, () -> {
                        ended.run();
                        closed.run();
                    });
                }
            };
        }

        /** As the pools of the process name it and limit it. */
        @Override
        public ConnectRate connectRate(ServerDefinition server) {
            return new ConnectRate(
                    server.settings().host() + ":" + server.settings().port(), new TokenBucket(10, 100));
        }

        @Override
        public long queries(Session connection) {
            return 0;
        }

        @Override
        public boolean isInTransaction(Session connection) {
            return false;
        }

        @Override
        public void end() {
            events.add("a server has ended");
        }
    }
}
