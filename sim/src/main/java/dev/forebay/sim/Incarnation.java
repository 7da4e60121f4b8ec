// SPDX-License-Identifier: Apache-2.0
package dev.forebay.sim;

import dev.forebay.ConfiguredPool;
import dev.forebay.ForebayConfig;
import dev.forebay.engine.Admission;
import dev.forebay.engine.Connector;
import dev.forebay.engine.DiscardReason;
import dev.forebay.engine.RateLimit;
import dev.forebay.engine.internal.GoDuration;
import dev.forebay.fleet.FleetLimits;
import dev.forebay.fleet.FleetListener;
import java.time.Duration;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.function.LongSupplier;

/**
 * A process from its start to its end: the pool, the leases and the limiter of production, put together as production
 * does, on a machine of its own. Not thread-safe.
 */
final class Incarnation implements Connector<Link>, FleetListener {

    private final World world;
    private final Instance instance;
    private final Machine machine;
    private final ConfiguredPool<Link> configured;
    private final FleetLimits limits;
    private final LongSupplier limiterDenies;
    private final Load load;
    private final Set<Link> links = new LinkedHashSet<>();
    private boolean drained;

    Incarnation(World world, Instance instance, Dice dice) {
        this.world = world;
        this.instance = instance;
        Scenario scenario = world.scenario();
        Scenario.Service service = instance.service();
        long skew = service.clockSkew().toNanos();
        this.machine = new Machine(world.time(), skew == 0 ? 0 : dice.nextLong(-skew, skew + 1));
        ForebayConfig config = ServiceConfig.of(scenario, service, instance.name());
        this.limits = new FleetLimits(
                ServiceConfig.fleet(scenario, service),
                scenario.endpoint(),
                instance.name(),
                table -> new SimStore(world.table(), machine, dice),
                machine,
                machine,
                dice,
                dice,
                this);
        Admission leases = limits.leases();
        Admission rate = limits.rateLimit();
        if (rate != null) {
            this.limiterDenies = () -> limits.stats().permits().postponed();
        } else {
            RateLimit own = ConfiguredPool.localRateLimit(config, machine);
            rate = own;
            this.limiterDenies = own::postponed;
        }
        this.configured = new ConfiguredPool<>(
                config,
                this,
                leases == null ? List.of() : List.of(world.tampering().apply(leases)),
                world.tampering().apply(rate),
                List.of(instance),
                machine,
                dice);
        limits.whenDraining(configured.pool()::evictAll);
        this.load = new Load(world, instance, configured.pool(), machine, dice);
    }

    Instance instance() {
        return instance;
    }

    /** Returns its connections at the cluster. */
    Set<Link> links() {
        return links;
    }

    Load load() {
        return load;
    }

    int size() {
        return configured.pool().openCount();
    }

    /** The number of opens that the rate limit delayed. */
    long limiterDenies() {
        return limiterDenies.getAsLong();
    }

    // ---- its life

    /** It takes work when its pool is ready, as a service does that builds its data source first. */
    void start() {
        configured.start(outcome -> load.start());
    }

    void shutDown() {
        load.stop();
        configured.pool().whenDrained(() -> {
            drained = true;
            limits.close();
        });
        configured.pool().close();
    }

    void crash() {
        machine.die();
        List.copyOf(links).forEach(world.cluster()::hangUp);
    }

    boolean isDead() {
        return machine.isDead();
    }

    /** Whether nothing of it is left. */
    boolean isGone() {
        return machine.isDead() || drained;
    }

    /** Runs {@code task} unless the process has ended by then. */
    void schedule(long atNanos, Runnable task) {
        machine.schedule(atNanos, task);
    }

    // ---- its way to the cluster

    @Override
    public void open(Opening<Link> opening) {
        world.cluster().connect(this, opening);
    }

    @Override
    public void check(Link link, Checking checking) {
        long at = machine.nanos() + world.cluster().statementNanos();
        machine.schedule(at, () -> checking.checked(!link.dead));
    }

    @Override
    public void close(Link link, DiscardReason reason, Runnable closed) {
        world.cluster().close(link, closed);
    }

    // ---- what its leases say

    @Override
    public void storeLost(String trouble, String message) {
        world.journal().note(instance.name(), "store", "the store is lost: " + message);
    }

    @Override
    public void storeFound(long outageNanos) {
        world.journal().note(instance.name(), "found", "the store answers again");
    }

    @Override
    public void limitReached(long active, long limit, int missing) {
        world.journal()
                .note(
                        instance.name(),
                        "limit",
                        active + " of " + limit + " connections are leased, " + missing + " more are wanted");
    }

    @Override
    public void leaseLost(int held) {
        world.journal().note(instance.name(), "lost", "its lease was given up for dead with " + held + " connections");
    }

    @Override
    public void reaped(String lease, long slots) {
        world.journal().note(instance.name(), "reaped", "ended a dead lease of " + slots + " connections");
    }

    @Override
    public void draining(int held, long leftNanos) {
        world.journal()
                .note(
                        instance.name(),
                        "draining",
                        "lets " + held + " connections go, since its lease ends in "
                                + GoDuration.format(Duration.ofNanos(leftNanos)));
    }
}
