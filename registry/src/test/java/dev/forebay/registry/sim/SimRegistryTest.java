// SPDX-License-Identifier: Apache-2.0
package dev.forebay.registry.sim;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotSame;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.forebay.engine.Checkout;
import dev.forebay.engine.Connector;
import dev.forebay.engine.Refusal;
import dev.forebay.engine.TokenBucket;
import dev.forebay.engine.Waiter;
import dev.forebay.registry.DatabaseType;
import dev.forebay.registry.Registry;
import dev.forebay.registry.RegistryError;
import dev.forebay.registry.RegistryException;
import dev.forebay.registry.Secret;
import dev.forebay.registry.ServerDefinition;
import dev.forebay.registry.UserMapping;
import dev.forebay.registry.Wiring;
import dev.forebay.spi.PasswordSupplier;
import dev.forebay.testkit.SimServer;
import dev.forebay.testkit.SimServer.Session;
import dev.forebay.time.VirtualTime;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.function.LongConsumer;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;

/** A registry of connections that are no JDBC connections, acquired by callback, from another package than its own. */
class SimRegistryTest {

    private static final Duration LONG = Duration.ofSeconds(5);

    private final VirtualTime time = new VirtualTime();
    private final SimServer sim = new SimServer(time);
    private final List<String> passwords = new ArrayList<>();
    private final SimRegistry registry = new SimBuilder().build(SimWiring::new);

    private static ServerDefinition define(String... options) throws RegistryException {
        ServerDefinition.Builder builder = ServerDefinition.builder("s", DatabaseType.POSTGRESQL)
                .option("host", "h")
                .option("dbname", "d")
                .option("warmup_on_create", "false")
                .option("enable_health_check", "false");
        for (int i = 0; i < options.length; i += 2) {
            builder.option(options[i], options[i + 1]);
        }
        return builder.build();
    }

    private void server(String... options) throws RegistryException {
        registry.register(define(options));
        registry.map("s", UserMapping.ofPublic("app", Secret.of("hunter2")));
    }

    private Acquire acquire(String user) {
        Acquire acquire = new Acquire(registry, "s", user, time.nanos() + LONG.toNanos());
        acquire.look();
        return acquire;
    }

    @Test
    void aConnectionIsUsedReturnedAndUsedAgain() throws RegistryException {
        server();
        Acquire first = acquire("ann");
        time.advance(Duration.ofMillis(50));
        Session session = first.session();
        first.giveBack();
        Acquire second = acquire("ann");
        assertSame(session, second.session());
        assertEquals(List.of("hunter2"), passwords);
        assertEquals(2, registry.serverStats("s").totalAcquires());
        assertEquals("ann", registry.connections("s").get(0).localUser());
    }

    @Test
    void aWaiterGoesOnToTheSuccessorOfItsPool() throws RegistryException {
        server("max_connections", "1");
        Acquire holder = acquire("ann");
        time.advance(Duration.ofMillis(50));
        Acquire waiter = acquire("ann");
        registry.update(define("max_connections", "1", "dbname", "other"));
        time.advance(Duration.ofMillis(50));
        assertNotSame(holder.session(), waiter.session());
        holder.giveBack();
        time.advance(Duration.ofMillis(50));
        assertTrue(holder.last.isClosed());
        assertEquals(1, registry.serverStats("s").totalConnections());
    }

    @Test
    void aWaiterOfADroppedServerHearsOfIt() throws RegistryException {
        server("max_connections", "1");
        acquire("ann");
        time.advance(Duration.ofMillis(50));
        Acquire waiter = acquire("ann");
        registry.unregister("s");
        assertEquals(RegistryError.SERVER_NOT_FOUND, waiter.failure.error());
    }

    @Test
    void usersOfTheCapTakeTurns() throws RegistryException {
        server("max_server_connections", "1");
        Acquire ann = acquire("ann");
        time.advance(Duration.ofMillis(50));
        Acquire bob = acquire("bob");
        ann.giveBack();
        time.advance(Duration.ofMillis(50));
        assertTrue(bob.session().isAlive());
        assertEquals(1, sim.mostOpen());
    }

    @Test
    void aRefusalIsAnErrorOfTheRegistry() throws RegistryException {
        server("max_connections", "1");
        acquire("ann");
        time.advance(Duration.ofMillis(50));
        Acquire late = acquire("ann");
        time.advance(LONG.plusMillis(1));
        assertEquals(RegistryError.POOL_EXHAUSTED, late.failure.error());
        registry.unmap("s", UserMapping.PUBLIC);
        assertEquals(RegistryError.USER_MAPPING_MISSING, acquire("ann").failure.error());
        registry.markUnhealthy("s", "out of order");
        assertEquals(RegistryError.SERVER_UNAVAILABLE, acquire("ann").failure.error());
    }

    @Test
    void itIsAdministeredAsAnyRegistry() throws RegistryException {
        server("min_connections", "0");
        acquire("ann");
        time.advance(Duration.ofMillis(50));
        Registry<?> any = registry;
        any.pause("s");
        Acquire paused = acquire("bob");
        time.advance(Duration.ofMillis(50));
        assertNull(paused.checkout.value());
        any.resume("s");
        time.advance(Duration.ofMillis(50));
        paused.giveBack();
        any.rename("s", "t");
        assertEquals(1, any.evictIdle("t"));
        assertEquals(1, any.stats().activeConnections());
    }

    /** One acquire: as an event loop would do it. */
    private static final class Acquire implements Waiter.Turn {
        private final SimRegistry registry;
        private final String server;
        private final String user;
        private final long deadline;
        private Registry.Lender<Session> lender;
        private Checkout<Session> checkout = new Checkout<>();
        private Session last;
        private RegistryException failure;

        Acquire(SimRegistry registry, String server, String user, long deadline) {
            this.registry = registry;
            this.server = server;
            this.user = user;
            this.deadline = deadline;
        }

        private long left() {
            return deadline - registry.time.nanos();
        }

        void look() {
            try {
                lender = registry.find(server, user);
                checkout = new Checkout<>();
                lender.pool().checkout(checkout, 1, registry.time.nanos() + lender.within(left()), this);
            } catch (RegistryException e) {
                failure = e;
            }
        }

        @Override
        public void served() {
            last = checkout.value();
        }

        @Override
        public void refused(Refusal why) {
            failure = lender.failure(why, left(), "refused: " + why, null);
            if (failure == null) {
                look();
            }
        }

        Session session() {
            assertNull(failure, () -> String.valueOf(failure));
            Session held = checkout.value();
            assertTrue(held != null, "it still waits");
            return held;
        }

        void giveBack() {
            session();
            checkout.returnToPool();
            lender.stirred();
        }
    }

    private static final class SimRegistry extends Registry<Session> {
        private final VirtualTime time;

        SimRegistry(SimBuilder builder, VirtualTime time, Supplier<Wiring<Session>> wirings) {
            super(builder, wirings);
            this.time = time;
        }

        Lender<Session> find(String server, String user) throws RegistryException {
            return lender(server, user);
        }

        @Override
        public Tested test(String server, String localUser) throws RegistryException {
            lender(server, localUser);
            return new Tested(true, 0, "simulated");
        }
    }

    private final class SimBuilder extends Registry.Builder<SimBuilder> {
        @Override
        protected SimBuilder self() {
            return this;
        }

        SimRegistry build(Supplier<Wiring<Session>> wirings) {
            time(time, () -> Instant.EPOCH.plusNanos(time.nanos()), new SplittableRandom(1));
            return new SimRegistry(this, time, wirings);
        }
    }

    /** Connects everyone to the one server. */
    private final class SimWiring implements Wiring<Session> {

        @Override
        public Connector<Session> users(
                ServerDefinition server, UserMapping mapping, PasswordSupplier password, LongConsumer queries) {
            try {
                passwords.add(password.password());
            } catch (Exception e) {
                throw new AssertionError(e);
            }
            return sim;
        }

        @Override
        public Connector<Session> probes(ServerDefinition server, UserMapping mapping, PasswordSupplier password) {
            return sim;
        }

        @Override
        public ConnectRate connectRate(ServerDefinition server) {
            return new ConnectRate(server.name(), new TokenBucket(10, 100));
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
        public void end() {}
    }
}
