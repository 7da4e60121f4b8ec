// SPDX-License-Identifier: Apache-2.0
package dev.forebay;

import dev.forebay.engine.TokenBucket;
import dev.forebay.fleet.Fallback;
import dev.forebay.fleet.FleetListener;
import dev.forebay.fleet.FleetRateLimit;
import dev.forebay.fleet.GuardedStore;
import dev.forebay.fleet.LeasePerConnection;
import dev.forebay.fleet.Leases;
import dev.forebay.fleet.Ledger;
import dev.forebay.fleet.LedgerConfig;
import dev.forebay.time.Time;
import java.time.InstantSource;
import java.util.random.RandomGenerator;

/** The limits that a fleet shares, put together from one configuration. Stateless. */
public final class FleetLimits {

    private FleetLimits() {}

    /**
     * The limit on open connections.
     *
     * @param ids what the ids of leases come from; no two instances may share it
     */
    public static Leases leases(
            ForebayConfig config,
            String endpoint,
            GuardedStore store,
            Time time,
            InstantSource wall,
            RandomGenerator ids,
            FleetListener listener) {
        LedgerConfig settings = new LedgerConfig(
                endpoint,
                config.serviceName(),
                config.leaseLimit(),
                config.leaseTtl(),
                config.leaseRenewal(),
                config.leaseOutage());
        return switch (config.leasePer()) {
            case INSTANCE -> new Ledger(settings, store, time, wall, ids, listener);
            case CONNECTION -> new LeasePerConnection(settings, store, time, wall, ids, listener);
        };
    }

    /** The limit on new connections. */
    public static FleetRateLimit rateLimit(
            ForebayConfig config,
            String endpoint,
            GuardedStore store,
            Time time,
            InstantSource wall,
            RandomGenerator random,
            FleetListener listener) {
        Fallback whenLost = switch (config.fleetRateOutage()) {
            case LOCAL ->
                Fallback.share(
                        endpoint,
                        config.fleetRateLimit(),
                        config.fleetRateOutageMinimum(),
                        store,
                        time,
                        random,
                        listener);
            case BLOCK -> Fallback.refusing(store);
        };
        return switch (config.fleetRateKind()) {
            case BUCKET ->
                FleetRateLimit.bucket(
                        endpoint,
                        new TokenBucket(config.fleetRateLimit(), config.fleetRateBurst()),
                        config.fleetRateMaxWait(),
                        store,
                        whenLost,
                        time,
                        wall,
                        random);
            case WINDOW ->
                FleetRateLimit.window(
                        endpoint,
                        config.fleetRateLimit(),
                        config.fleetRateMaxWait(),
                        store,
                        whenLost,
                        time,
                        wall,
                        random);
        };
    }
}
