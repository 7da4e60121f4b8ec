// SPDX-License-Identifier: Apache-2.0
package dev.forebay.console;

import dev.forebay.sim.Result;
import dev.forebay.sim.Scenario;
import dev.forebay.sim.Simulation;
import dev.forebay.sim.report.Summary;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * One scenario with many seeds, on all cores. Only a line is kept of a run that failed, so memory does not grow with the
 * seeds. Not thread-safe, its own threads aside.
 */
final class SeedSweep {

    private static final int MOST_KEPT = 1_000;

    private final Scenario scenario;
    private final Range seeds;
    private final Interrupt interrupt;
    private final AtomicLong taken = new AtomicLong();
    private final AtomicLong done = new AtomicLong();
    private final AtomicLong failed = new AtomicLong();
    private final TreeMap<Long, String> failures = new TreeMap<>(); // guarded by itself
    private volatile @Nullable Throwable broken;

    SeedSweep(Scenario scenario, Range seeds, Interrupt interrupt) {
        this.scenario = scenario;
        this.seeds = seeds;
        this.interrupt = interrupt;
    }

    /**
     * Seeds from the first to the last.
     *
     * @param first the first
     * @param last the last
     */
    record Range(long first, long last) {

        private static final long MOST = 10_000_000;

        /** Reads {@code 1..1000}. */
        static Range parse(String text) {
            String[] ends = text.split("\\.\\.", -1);
            try {
                if (ends.length == 2) {
                    Range range = new Range(Long.parseLong(ends[0].strip()), Long.parseLong(ends[1].strip()));
                    if (range.first <= range.last && Math.subtractExact(range.last, range.first) < MOST) {
                        return range;
                    }
                }
            } catch (ArithmeticException | NumberFormatException e) {
                throw new IllegalArgumentException(wrong(text), e);
            }
            throw new IllegalArgumentException(wrong(text));
        }

        private static String wrong(String text) {
            return "\"" + text + "\" is not a range of seeds such as 1..1000, with at most ten million of them";
        }

        long count() {
            return last - first + 1;
        }
    }

    /** Runs them all, or until it is time to stop. */
    void run(ProgressBar bar) throws InterruptedException {
        int threads = (int) Math.min(Runtime.getRuntime().availableProcessors(), seeds.count());
        CountDownLatch ended = new CountDownLatch(threads);
        for (int i = 0; i < threads; i++) {
            Thread thread = new Thread(() -> work(ended), "forebay-seeds-" + (i + 1));
            thread.setDaemon(true);
            thread.start();
        }
        while (!ended.await(100, TimeUnit.MILLISECONDS)) {
            bar.show(
                    done.get(),
                    seeds.count(),
                    done.get() + " of " + seeds.count() + " seeds, " + failed.get() + " failed");
        }
        Throwable error = broken;
        if (error != null) {
            throw new IllegalStateException("a run could not go on: " + error, error);
        }
    }

    private void work(CountDownLatch ended) {
        try {
            for (long i = taken.getAndIncrement(); i < seeds.count() && broken == null; i = taken.getAndIncrement()) {
                interrupt.check();
                one(seeds.first() + i);
            }
        } catch (Interrupt.Stopped e) {
            // the caller that waits for us reports the results so far
        } catch (Throwable e) {
            broken = e;
        } finally {
            ended.countDown();
        }
    }

    private void one(long seed) {
        String failure;
        try {
            Result result = Simulation.run(scenario.withSeed(seed), sample -> {}, nanos -> interrupt.check());
            failure = Summary.ofFirstFailure(result);
        } catch (Interrupt.Stopped e) {
            throw e;
        } catch (RuntimeException | AssertionError e) {
            failure = "the simulation broke off: " + e;
        }
        if (!failure.isEmpty()) {
            failed.incrementAndGet();
            synchronized (failures) {
                failures.put(seed, failure);
                if (failures.size() > MOST_KEPT) {
                    failures.pollLastEntry();
                }
            }
        }
        done.incrementAndGet();
    }

    long done() {
        return done.get();
    }

    long failed() {
        return failed.get();
    }

    /** The first seeds that failed, in their order, each with its first failure. */
    Map<Long, String> failures() {
        synchronized (failures) {
            return new TreeMap<>(failures);
        }
    }
}
