// SPDX-License-Identifier: Apache-2.0
package dev.forebay.dsql;

import dev.forebay.FleetLimits;
import dev.forebay.ForebayConfig;
import dev.forebay.ForebayDataSource;
import dev.forebay.engine.internal.GoDuration;
import dev.forebay.fleet.FleetListener;
import dev.forebay.fleet.FleetLog;
import dev.forebay.fleet.FleetRateLimit;
import dev.forebay.fleet.FleetStats;
import dev.forebay.fleet.FleetStore;
import dev.forebay.fleet.GuardedStore;
import dev.forebay.fleet.LeaseStats;
import dev.forebay.fleet.Leases;
import dev.forebay.fleet.LedgerConfig;
import dev.forebay.fleet.PermitStats;
import dev.forebay.time.SystemTime;
import dev.forebay.time.Time;
import java.net.URI;
import java.security.SecureRandom;
import java.time.Duration;
import java.time.InstantSource;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import software.amazon.awssdk.auth.credentials.AwsCredentialsProvider;
import software.amazon.awssdk.regions.Region;
import software.amazon.awssdk.services.dynamodb.DynamoDbClient;

/** One pool's part in the limits of its fleet, as far as they are enabled: nothing at all if none is. Thread-safe. */
final class Fleet implements AutoCloseable {

    private static final Logger log = LoggerFactory.getLogger(Fleet.class);
    private static final int CALLS_AT_ONCE = 4;
    /** Longer than the timeout of a call, so that one answer may be lost; less if the store is known to be. */
    private static final Duration RELEASE_PATIENCE = Duration.ofSeconds(10);

    private static final Duration LOST_PATIENCE = Duration.ofSeconds(1);

    private final Time time = SystemTime.shared();
    private final InstantSource wall = SystemTime.wallClock();
    private final ForebayConfig config;
    private final FleetListener listener;
    private final @Nullable ExecutorService executor;
    private final @Nullable DynamoDbClient client;
    private final @Nullable FleetStore given;
    private final Map<String, GuardedStore> stores = new LinkedHashMap<>();
    private final @Nullable Leases leases;
    private final @Nullable FleetRateLimit rateLimit;

    Fleet(
            ForebayConfig config,
            DsqlEndpoint endpoint,
            AwsCredentialsProvider credentials,
            @Nullable URI dynamoEndpoint,
            @Nullable FleetStore given,
            FleetListener listener) {
        this.config = config;
        this.given = given;
        FleetLog said = new FleetLog(outageWords(config), time);
        this.listener = FleetListener.all(List.of(said, listener));
        if (given == null && (config.connectionLease() || config.fleetRateLimiter())) {
            this.executor = Threads.few("forebay-dynamodb-", CALLS_AT_ONCE);
            this.client = DynamoStore.client(Region.of(endpoint.region()), credentials, dynamoEndpoint);
        } else {
            this.executor = null;
            this.client = null;
        }
        String host = endpoint.signedHost();
        this.rateLimit = config.fleetRateLimiter()
                ? FleetLimits.rateLimit(
                        config,
                        host,
                        store(config.fleetRateTable()),
                        time,
                        wall,
                        RandomGenerator.getDefault(),
                        this.listener)
                : null;
        this.leases = config.connectionLease()
                ? FleetLimits.leases(
                        config, host, store(config.leaseTable()), time, wall, new SecureRandom(), this.listener)
                : null;
    }

    private static String outageWords(ForebayConfig config) {
        LedgerConfig.Outage outage = config.connectionLease() ? config.leaseOutage() : config.fleetRateOutage();
        return outage.name().toLowerCase(Locale.ROOT);
    }

    /** One for each table, so that trouble is noticed, and told of, once. */
    private GuardedStore store(@Nullable String name) {
        if (name == null) {
            throw new IllegalStateException("bug: a limit of the fleet without its table");
        }
        return stores.computeIfAbsent(
                name,
                table -> new GuardedStore(
                        given != null ? given : dynamo(table),
                        DynamoStore.TIMEOUT,
                        time,
                        RandomGenerator.getDefault(),
                        listener));
    }

    private FleetStore dynamo(String table) {
        DynamoDbClient caller = client;
        ExecutorService threads = executor;
        if (caller == null || threads == null) {
            throw new IllegalStateException("bug: a table without its client");
        }
        return new DynamoStore(caller, table, threads);
    }

    /** Has every open of {@code pool} ask for a lease, for a token and last for a permit, which nothing may hold up. */
    void join(ForebayDataSource.Builder pool, TokenCache tokens) {
        if (leases != null) {
            pool.admission(leases);
        }
        pool.admission(tokens);
        if (rateLimit != null) {
            pool.rateLimit(rateLimit);
        }
    }

    /** Calls {@code letGo} when the connections have to go before their lease ends. */
    void letGoWhenDraining(Runnable letGo) {
        if (leases != null) {
            leases.whenDraining(letGo);
        }
    }

    /** The numbers of this moment; if there are two tables, the one that is in trouble speaks for both. */
    FleetStats stats() {
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
    void leave() {
        if (rateLimit != null) {
            rateLimit.close();
        }
        if (leases != null) {
            leases.close();
        }
    }

    /**
     * Gives the lease back, waiting a few seconds for that, and ends the client. Call it when no connection is left, on
     * a thread that may block: the clock's own has to run the attempts that this waits for.
     */
    @Override
    public void close() {
        leave();
        if (leases != null) {
            awaitRelease(leases);
        }
        if (client != null) {
            client.close();
        }
        if (executor != null) {
            executor.shutdown();
        }
    }

    private void awaitRelease(Leases closing) {
        CountDownLatch released = new CountDownLatch(1);
        closing.whenReleased(released::countDown);
        try {
            Duration left = RELEASE_PATIENCE;
            while (!left.isNegative() && !left.isZero()) {
                if (released.await(LOST_PATIENCE.toMillis(), TimeUnit.MILLISECONDS)) {
                    return;
                }
                left = stats().store().equals(FleetStats.UP) ? left.minus(LOST_PATIENCE) : Duration.ZERO;
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        log.warn(
                "Connection lease was not given back; it ends by itself after {}",
                GoDuration.format(config.leaseTtl()));
    }
}
