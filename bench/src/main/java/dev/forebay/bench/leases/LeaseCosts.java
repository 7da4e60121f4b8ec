// SPDX-License-Identifier: Apache-2.0
package dev.forebay.bench.leases;

import dev.forebay.bench.Comparison;
import dev.forebay.bench.Options;
import dev.forebay.engine.Admission;
import dev.forebay.engine.Connector;
import dev.forebay.engine.DiscardReason;
import dev.forebay.engine.OpenFailure;
import dev.forebay.engine.Pool;
import dev.forebay.engine.PoolConfig;
import dev.forebay.engine.PoolListener;
import dev.forebay.engine.Supply;
import dev.forebay.engine.TokenBucket;
import dev.forebay.fleet.FleetConfig;
import dev.forebay.fleet.FleetLimits;
import dev.forebay.fleet.FleetListener;
import dev.forebay.time.VirtualTime;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import java.util.stream.Stream;

/** Fills a fleet from nothing in virtual time, keeps it for an hour, and counts the requests; then asks DynamoDB Local. */
public final class LeaseCosts implements Comparison {

    private static final int INSTANCES = 44;
    private static final int CONNECTIONS = 500;
    private static final int LIMIT = INSTANCES * CONNECTIONS;
    private static final double RATE = 100;
    private static final int BURST = 1_000;

    /** The burst of the permits, lower so that late ones find room in the cluster's bucket. */
    private static final int SHARED_BURST = 800;

    private static final String ENDPOINT = "cluster";

    @Override
    public String name() {
        return "leases";
    }

    @Override
    public String purpose() {
        return "what leases and permits cost a fleet of 44 x 500 connections";
    }

    @Override
    public List<Options.Option> options() {
        return List.of();
    }

    @Override
    public void run(Options options) throws Exception {
        Fleet fleet = new Fleet(1);
        fleet.fill();
        fleet.keep(Duration.ofMinutes(options.quick() ? 15 : 60));
        LocalTable.measure(Duration.ofSeconds(options.quick() ? 5 : 20));
    }

    private static final class Fleet {
        private final VirtualTime time = new VirtualTime();
        private final Random random;
        private final DistantStore store;
        private final Cluster cluster = new Cluster();
        private final List<Pool<Long>> pools = new ArrayList<>();

        Fleet(long seed) {
            random = new Random(seed);
            store = new DistantStore(time, random);
            for (int i = 0; i < INSTANCES; i++) {
                pools.add(pool());
            }
        }

        private Pool<Long> pool() {
            long skew = random.nextLong(-50_000_000, 50_000_000);
            FleetConfig config = FleetConfig.builder()
                    .connectionLease(true)
                    .leaseTable(ENDPOINT)
                    .leaseLimit(LIMIT)
                    .leaseOutage(FleetConfig.Outage.BLOCK)
                    .rateLimiter(true)
                    .rateTable(ENDPOINT)
                    .rateLimit((int) RATE)
                    .rateBurst(SHARED_BURST)
                    .rateOutage(FleetConfig.Outage.BLOCK)
                    .build();
            Instant start = Instant.parse("2026-09-01T00:00:00Z");
            FleetLimits limits = new FleetLimits(
                    config,
                    ENDPOINT,
                    "bench",
                    table -> store,
                    time,
                    () -> start.plusNanos(time.nanos() + skew),
                    random,
                    random,
                    FleetListener.NONE);
            List<Admission> admissions = Stream.of(limits.leases(), limits.rateLimit())
                    .filter(Objects::nonNull)
                    .toList();
            PoolConfig pool = PoolConfig.builder(Supply.reservoir(CONNECTIONS), CONNECTIONS)
                    .lifetime(Duration.ofMinutes(55), Duration.ofMinutes(8), Duration.ofSeconds(45))
                    .spare(0)
                    .inFlightLimit(32)
                    .build();
            return new Pool<>(pool, cluster, admissions, time, random, PoolListener.NONE);
        }

        void fill() {
            pools.forEach(Pool::start);
            int open = 0;
            while (open < LIMIT && time.nanos() < Duration.ofMinutes(20).toNanos()) {
                time.advance(Duration.ofMillis(100));
                open = pools.stream().mapToInt(Pool::openCount).sum();
            }
            double seconds = time.nanos() / 1e9;
            double bound = (LIMIT - BURST) / RATE;
            System.out.printf(
                    "leases fleet: %d instances x %d connections, limit %d: %d open%n",
                    INSTANCES, CONNECTIONS, LIMIT, open);
            System.out.printf("leases requests per connection: %.4f%n", (double) store.leaseRequests / open);
            System.out.printf("leases permit requests per connection: %.3f%n", (double) store.permitRequests / open);
            System.out.printf(
                    "leases conditional failures per grant: %.3f, transaction conflicts: %.3f%n",
                    (double) store.conditionsFailed / open, (double) store.conflicts / open);
            System.out.printf(
                    "leases cold start to full: %.1f s, bound by rate and burst %.1f s, ratio %.3f%n",
                    seconds, bound, seconds / bound);
            System.out.printf(
                    "leases refused by the cluster: %d as too fast, %d above the limit%n",
                    cluster.tooFast, cluster.tooMany);
        }

        void keep(Duration duration) {
            long before = store.leaseRequests;
            long opened = cluster.opened;
            time.advance(duration);
            System.out.printf(
                    "leases kept for %d min: %.2f lease requests a second by the whole fleet, %d connections opened,"
                            + " counter %d%n",
                    duration.toMinutes(),
                    (store.leaseRequests - before) / (double) duration.toSeconds(),
                    cluster.opened - opened,
                    store.active(ENDPOINT));
        }

        /** The server's side of the limits. */
        private final class Cluster implements Connector<Long> {
            private final TokenBucket bucket = new TokenBucket(RATE, BURST);
            private long state = bucket.full(0);
            private int open;
            private long opened;
            private long tooFast;
            private long tooMany;

            @Override
            public void open(Opening<Long> opening) {
                long took = 20_000_000 + random.nextLong(100_000_000);
                if (bucket.available(state, time.nanos()) < 1) {
                    tooFast++;
                    refuse(opening, OpenFailure.Cause.RATE_LIMIT);
                } else if (open >= LIMIT) {
                    tooMany++;
                    refuse(opening, OpenFailure.Cause.CONNECTION_COUNT);
                } else {
                    state = bucket.take(state, time.nanos(), 1);
                    open++;
                    opened++;
                    time.schedule(time.nanos() + took, () -> opening.opened(opened));
                }
            }

            private void refuse(Opening<Long> opening, OpenFailure.Cause cause) {
                IllegalStateException error = new IllegalStateException("refused");
                time.schedule(time.nanos() + 5_000_000, () -> opening.failed(new OpenFailure(cause, error)));
            }

            @Override
            public void check(Long value, Checking checking) {
                checking.checked(true);
            }

            @Override
            public void close(Long value, DiscardReason reason, Runnable closed) {
                open--;
                closed.run();
            }
        }
    }
}
