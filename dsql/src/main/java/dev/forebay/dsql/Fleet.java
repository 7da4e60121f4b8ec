// SPDX-License-Identifier: Apache-2.0
package dev.forebay.dsql;

import dev.forebay.ForebayDataSource;
import dev.forebay.engine.internal.GoDuration;
import dev.forebay.fleet.FleetConfig;
import dev.forebay.fleet.FleetLimits;
import dev.forebay.fleet.FleetListener;
import dev.forebay.fleet.FleetStats;
import dev.forebay.fleet.FleetStore;
import dev.forebay.time.SystemTime;
import java.net.URI;
import java.security.SecureRandom;
import java.time.Duration;
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

    private final FleetConfig config;
    private final @Nullable ExecutorService executor;
    private final @Nullable DynamoDbClient client;
    private final FleetLimits limits;

    Fleet(
            FleetConfig config,
            String serviceName,
            DsqlEndpoint endpoint,
            AwsCredentialsProvider credentials,
            @Nullable URI dynamoEndpoint,
            @Nullable FleetStore given,
            FleetListener listener) {
        this.config = config;
        config.notices().forEach(log::warn);
        if (given == null && (config.connectionLease() || config.rateLimiter())) {
            this.executor = Threads.few("forebay-dynamodb-", CALLS_AT_ONCE);
            this.client = DynamoStore.client(Region.of(endpoint.region()), credentials, dynamoEndpoint);
        } else {
            this.executor = null;
            this.client = null;
        }
        this.limits = new FleetLimits(
                config,
                endpoint.signedHost(),
                serviceName,
                table -> given != null ? given : dynamo(table),
                SystemTime.shared(),
                SystemTime.wallClock(),
                RandomGenerator.getDefault(),
                new SecureRandom(),
                listener);
    }

    private FleetStore dynamo(String table) {
        DynamoDbClient caller = client;
        ExecutorService threads = executor;
        if (caller == null || threads == null) {
            throw new IllegalStateException("bug: a table without its client");
        }
        return new DynamoStore(caller, table, threads);
    }

    /** Makes every open of {@code pool} ask for a lease, for a token and last for a permit, which nothing may hold up. */
    void join(ForebayDataSource.Builder pool, TokenCache tokens) {
        if (limits.leases() != null) {
            pool.admission(limits.leases());
        }
        pool.admission(tokens);
        if (limits.rateLimit() != null) {
            pool.rateLimit(limits.rateLimit());
        }
    }

    FleetLimits limits() {
        return limits;
    }

    /**
     * Gives the lease back, waiting a few seconds for that, and ends the client. Call it when no connection is left, on
     * a thread that may block: the clock's own has to run the attempts that this waits for.
     */
    @Override
    public void close() {
        limits.close();
        awaitRelease();
        if (client != null) {
            client.close();
        }
        if (executor != null) {
            executor.shutdown();
        }
    }

    private void awaitRelease() {
        CountDownLatch released = new CountDownLatch(1);
        limits.whenReleased(released::countDown);
        try {
            Duration left = RELEASE_PATIENCE;
            while (!left.isNegative() && !left.isZero()) {
                if (released.await(LOST_PATIENCE.toMillis(), TimeUnit.MILLISECONDS)) {
                    return;
                }
                left = limits.stats().store().equals(FleetStats.UP) ? left.minus(LOST_PATIENCE) : Duration.ZERO;
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        log.warn(
                "Connection lease was not given back; it ends by itself after {}",
                GoDuration.format(config.leaseTtl()));
    }
}
