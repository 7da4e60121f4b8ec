// SPDX-License-Identifier: Apache-2.0
package dev.forebay.bench.expiry;

import dev.forebay.bench.Comparison;
import dev.forebay.bench.Options;
import dev.forebay.engine.Connector;
import dev.forebay.engine.DiscardReason;
import dev.forebay.engine.Pool;
import dev.forebay.engine.PoolConfig;
import dev.forebay.engine.PoolConfig.Exhaustion;
import dev.forebay.engine.PoolListener;
import dev.forebay.engine.Supply;
import dev.forebay.time.VirtualTime;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Random;

/** Times the step in which connections of a pool of ten thousand expire: all of them, a hundred, or none. */
public final class ExpiryPass implements Comparison {

    private static final int SIZE = 10_000;
    private static final Duration LIFETIME = Duration.ofMinutes(10);

    @Override
    public String name() {
        return "expiry";
    }

    @Override
    public String purpose() {
        return "how long one step takes in which connections of 10,000 expire";
    }

    @Override
    public List<Options.Option> options() {
        return List.of();
    }

    @Override
    public void run(Options options) {
        int rounds = options.quick() ? 30 : 200;
        for (int due : new int[] {0, 100, SIZE}) {
            double[] millis = new double[rounds];
            for (int round = 0; round < rounds; round++) {
                millis[round] = pass(due, round) / 1e6;
            }
            double first = millis[0];
            Arrays.sort(millis);
            System.out.printf(
                    "expiry size=%d due=%d: median %.2f ms, p90 %.2f ms, first of this JVM %.1f ms%n",
                    SIZE, due, millis[rounds / 2], millis[rounds * 9 / 10], first);
        }
    }

    /** Fills a pool, moves to just before the first expiry, and times the step in which {@code due} expire. */
    private static long pass(int due, long seed) {
        VirtualTime time = new VirtualTime();
        Duration spread = Duration.ofMinutes(2);
        PoolConfig config = PoolConfig.builder(Supply.onDemand(SIZE, SIZE, Exhaustion.WAIT), SIZE)
                .lifetime(LIFETIME, spread, Duration.ofSeconds(45))
                .inFlightLimit(SIZE)
                .build();
        Pool<Integer> pool = new Pool<>(config, new Instant(), List.of(), time, new Random(seed), PoolListener.NONE);
        pool.start();
        time.runDue();
        pool.resize(Supply.onDemand(0, SIZE, Exhaustion.WAIT), SIZE, 0);
        time.runDue();
        long shortest = LIFETIME.minus(spread.dividedBy(2)).minusSeconds(45).toNanos();
        // Lifetimes are spread evenly, so this share of the spread makes about that many due, all in one step.
        time.jumpTo(shortest + spread.toNanos() * due / SIZE);
        long began = System.nanoTime();
        time.runDue();
        long took = System.nanoTime() - began;
        pool.close();
        time.advance(Duration.ofSeconds(1));
        return took;
    }

    /** Opens and closes at once: only the pool is timed. */
    private static final class Instant implements Connector<Integer> {
        private int opened;

        @Override
        public void open(Opening<Integer> opening) {
            opening.opened(++opened);
        }

        @Override
        public void check(Integer value, Checking checking) {
            checking.checked(true);
        }

        @Override
        public void close(Integer value, DiscardReason reason, Runnable closed) {
            closed.run();
        }
    }
}
