// SPDX-License-Identifier: Apache-2.0
package dev.forebay.fleet;

import dev.forebay.engine.Admission;
import dev.forebay.engine.TokenBucket;
import dev.forebay.fleet.FleetStats.LeaseStats;
import dev.forebay.fleet.FleetStats.PermitStats;
import dev.forebay.time.Time;
import java.time.InstantSource;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.Function;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * One pool's part in the limits of its fleet, as far as they are enabled; empty if none is. Every open of the pool asks
 * {@link #leases} before anything else and {@link #rateLimit} last. Thread-safe.
 */
public final class FleetLimits implements AutoCloseable {

    private final Function<String, FleetStore> tables;
    private final Time time;
    private final RandomGenerator random;
    private final FleetListener listener;
    private final Map<String, GuardedStore> stores = new LinkedHashMap<>();
    private final @Nullable Leases leases;
    private final @Nullable FleetRateLimit rateLimit;

    /**
     * Makes the limits of {@code config}.
     *
     * @param endpoint the cluster whose connections are counted
     * @param serviceName their holder, for operators
     * @param tables the store of each table
     * @param ids the source of the ids of leases; no two instances may share it
     */
    public FleetLimits(
            FleetConfig config,
            String endpoint,
            String serviceName,
            Function<String, FleetStore> tables,
            Time time,
            InstantSource wall,
            RandomGenerator random,
            RandomGenerator ids,
            FleetListener listener) {
        this.tables = tables;
        this.time = time;
        this.random = random;
        FleetConfig.Outage outage = config.connectionLease() ? config.leaseOutage() : config.rateOutage();
        FleetLog log = new FleetLog(outage.name().toLowerCase(Locale.ROOT), time);
        this.listener = FleetListener.all(List.of(log, listener));
        this.leases = config.connectionLease() ? leases(config, endpoint, serviceName, wall, ids) : null;
        this.rateLimit = config.rateLimiter() ? rateLimit(config, endpoint, wall) : null;
    }

    private Leases leases(
            FleetConfig config, String endpoint, String serviceName, InstantSource wall, RandomGenerator ids) {
        LedgerConfig settings = new LedgerConfig(
                endpoint,
                serviceName,
                config.leaseLimit(),
                config.leaseTtl(),
                config.leaseRenewal(),
                config.leaseOutage());
        GuardedStore store = store(config.leaseTable());
        return switch (config.leasePer()) {
            case INSTANCE -> new Ledger(settings, store, time, wall, ids, listener);
            case CONNECTION -> new LeasePerConnection(settings, store, time, wall, ids, listener);
        };
    }

    private FleetRateLimit rateLimit(FleetConfig config, String endpoint, InstantSource wall) {
        GuardedStore store = store(config.rateTable());
        Fallback whenLost = switch (config.rateOutage()) {
            case LOCAL ->
                new OutageShare(
                        new Instances(endpoint, store, time, random),
                        config.rateLimit(),
                        config.rateOutageMinimum(),
                        time,
                        listener);
            case BLOCK -> new Fallback.Refusing(store);
        };
        return switch (config.rateKind()) {
            case BUCKET ->
                FleetRateLimit.bucket(
                        endpoint,
                        new TokenBucket(config.rateLimit(), config.rateBurst()),
                        config.rateMaxWait(),
                        store,
                        whenLost,
                        time,
                        wall,
                        random);
            case WINDOW ->
                FleetRateLimit.window(
                        endpoint, config.rateLimit(), config.rateMaxWait(), store, whenLost, time, wall, random);
        };
    }

    /** Returns one store for each table, so that trouble is noticed and reported once. */
    private GuardedStore store(@Nullable String name) {
        if (name == null) {
            throw new IllegalStateException("bug: a limit of the fleet without its table");
        }
        return stores.computeIfAbsent(
                name, table -> new GuardedStore(tables.apply(table), FleetStore.TIMEOUT, time, random, listener));
    }

    /** The limit on open connections; null if there is none. */
    public @Nullable Admission leases() {
        return leases;
    }

    /** The limit on new connections; null if there is none. */
    public @Nullable Admission rateLimit() {
        return rateLimit;
    }

    /** Registers {@code drain} to be called when all connections should be closed, because their lease is ending. */
    public void whenDraining(Runnable drain) {
        if (leases != null) {
            leases.whenDraining(drain);
        }
    }

    /** The current numbers; if there are two tables, the state is that of the one in trouble. */
    public FleetStats stats() {
        String state = stores.values().stream()
                .map(GuardedStore::state)
                .filter(one -> !one.equals(FleetStats.UP))
                .findFirst()
                .orElse(FleetStats.UP);
        return new FleetStats(
                leases == null ? LeaseStats.NONE : leases.stats(),
                rateLimit == null ? PermitStats.NONE : rateLimit.stats(),
                state);
    }

    /** Leaves the fleet's count, and begins to give the lease back: slots without a connection now, the others as their connections end. */
    @Override
    public void close() {
        if (rateLimit != null) {
            rateLimit.close();
        }
        if (leases != null) {
            leases.close();
        }
    }

    /**
     * Runs {@code action} once this is closed and has given everything back, or has given up doing so after a minute without
     * the store: on any thread; it must not block.
     */
    public void whenReleased(Runnable action) {
        if (leases == null) {
            action.run();
        } else {
            leases.whenReleased(action);
        }
    }
}
