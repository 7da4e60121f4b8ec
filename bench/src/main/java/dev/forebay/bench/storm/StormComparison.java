// SPDX-License-Identifier: Apache-2.0
package dev.forebay.bench.storm;

import dev.forebay.ForebayConfig;
import dev.forebay.bench.Comparison;
import dev.forebay.bench.Options;
import dev.forebay.bench.Options.Option;
import dev.forebay.bench.pools.Contestant;
import dev.forebay.bench.pools.PoolUnderTest;
import dev.forebay.bench.pools.Terms;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.concurrent.TimeUnit;

/**
 * A wave of expiring connections, then a sudden loss of half of them, on a server that admits few new ones a second.
 *
 * <p>The quick form shortens lifetimes and raises the rate by the same factor: as many connections fall due for each one
 * that may be opened.
 */
public final class StormComparison implements Comparison {

    private static final int SIZE = 200;
    private static final int BURST = 10;
    private static final int CHECKOUTS_PER_SECOND = 500;
    private static final Duration HOLD = Duration.ofMillis(240);
    private static final Duration CHECKOUT_TIMEOUT = Duration.ofSeconds(2);
    private static final Duration SAMPLE = Duration.ofMillis(5);

    /** The times of a run. */
    private record Script(
            Duration connectTime,
            double connectsPerSecond,
            Duration lifetime,
            Duration spread,
            Duration guard,
            Duration maxAge,
            Duration expiry,
            Duration longestRecovery) {

        static Script of(int speed) {
            return new Script(
                    Duration.ofMillis(30).dividedBy(speed),
                    10.0 * speed,
                    Duration.ofSeconds(40).dividedBy(speed),
                    Duration.ofSeconds(4).dividedBy(speed),
                    Duration.ofSeconds(2).dividedBy(speed),
                    Duration.ofSeconds(44).dividedBy(speed),
                    Duration.ofSeconds(120).dividedBy(speed),
                    Duration.ofSeconds(60).dividedBy(speed));
        }

        /** Returns the time of an undisturbed refill of {@code missing}, and a tenth more. */
        double recoverySeconds(int missing) {
            double churn = SIZE / (lifetime.minus(guard).toNanos() / 1e9);
            return 1.1 * missing / (connectsPerSecond - churn);
        }
    }

    @Override
    public String name() {
        return "storm";
    }

    @Override
    public String purpose() {
        return "200 connections expire together, then half die, at 10 connects a second";
    }

    @Override
    public List<Option> options() {
        return List.of(
                new Option("--refuse", null, "the server refuses connects beyond its rate instead of delaying them"),
                new Option("--seed", Option.NUMBER, "which half dies"),
                Options.MODE);
    }

    @Override
    public void run(Options options) throws Exception {
        Script script = Script.of(options.quick() ? 4 : 1);
        ForebayConfig.Mode mode = Objects.requireNonNullElse(options.mode(), ForebayConfig.Mode.RESERVOIR);
        String name = mode == ForebayConfig.Mode.RESERVOIR ? "storm" : "storm mode=" + Options.word(mode);
        List<String> parts = new ArrayList<>();
        for (Contestant contestant : options.pools()) {
            parts.add(run(name, contestant, script, mode, options.has("--refuse"), options.number("--seed", 1)));
        }
        System.out.println(name + ": " + String.join(", ", parts));
    }

    private static String run(
            String name, Contestant contestant, Script script, ForebayConfig.Mode mode, boolean refuses, long seed)
            throws Exception {
        StormServer server =
                new StormServer(script.connectTime, script.maxAge, script.connectsPerSecond, BURST, refuses);
        Terms terms = new Terms(
                server,
                SIZE,
                CHECKOUT_TIMEOUT,
                script.lifetime,
                script.spread,
                script.guard,
                script.connectsPerSecond,
                BURST,
                false,
                mode,
                false);
        try (PoolUnderTest pool = contestant.open(terms);
                HiccupMeter hiccups = new HiccupMeter()) {
            fill(server);
            server.limit();
            pool.filled();
            try (Load load = new Load(pool.dataSource(), CHECKOUTS_PER_SECOND, HOLD)) {
                return storm(name, contestant, script, server, load, hiccups, seed);
            }
        }
    }

    private static void fill(StormServer server) throws InterruptedException {
        for (int waited = 0; server.serviceable() < SIZE; waited++) {
            if (waited == 30_000) {
                throw new IllegalStateException("only " + server.serviceable() + " of " + SIZE + " were opened");
            }
            TimeUnit.MILLISECONDS.sleep(1);
        }
    }

    private static String storm(
            String name,
            Contestant contestant,
            Script script,
            StormServer server,
            Load load,
            HiccupMeter hiccups,
            long seed)
            throws InterruptedException {
        int least = SIZE;
        long end = System.nanoTime() + script.expiry.toNanos();
        while (System.nanoTime() - end < 0) {
            least = Math.min(least, server.serviceable());
            sleep();
        }
        Load.Tally expiry = load.turnPage();
        long opensBefore = server.opened() - SIZE;

        long dropped = System.nanoTime();
        int killed = server.killHalf(seed);
        int missing = SIZE - server.serviceable();
        long giveUp = dropped + script.longestRecovery.toNanos();
        while (server.serviceable() < SIZE && System.nanoTime() - giveUp < 0) {
            sleep();
        }
        boolean recovered = server.serviceable() >= SIZE;
        double seconds = (System.nanoTime() - dropped) / 1e9;
        Load.Tally drop = load.turnPage();

        String label = name + " " + contestant.label();
        print("%s expiry: %s, opened %d, refused %d", label, describe(expiry, hiccups), opensBefore, server.refused());
        print(
                "%s drop: %s, %d killed, %d missing, %d handed out dead more than once, recovery %s%.1f s, aim %.1f s",
                label,
                describe(drop, hiccups),
                killed,
                missing,
                drop.deadTwice(),
                recovered ? "" : ">",
                seconds,
                script.recoverySeconds(missing));
        return String.format(
                Locale.ROOT,
                "%s p99 %s ms max %s ms stalls %d dead %d dip %d recovery %s%.1f s",
                contestant.label(),
                millis(expiry.waits.getValueAtPercentile(99)),
                millis(expiry.waits.getMaxValue()),
                expiry.stalls(hiccups),
                expiry.dead(),
                SIZE - least,
                recovered ? "" : ">",
                seconds);
    }

    private static String describe(Load.Tally tally, HiccupMeter hiccups) {
        return String.format(
                Locale.ROOT,
                "%d checkouts, p99 %s ms max %s ms (since due p99 %s ms), %d over 10 ms, %d stalls, %d failed,"
                        + " %d handed out dead, longest hiccup %s ms",
                tally.waits.getTotalCount(),
                millis(tally.waits.getValueAtPercentile(99)),
                millis(tally.waits.getMaxValue()),
                millis(tally.sinceDue.getValueAtPercentile(99)),
                tally.slow.size(),
                tally.stalls(hiccups),
                tally.failed.sum(),
                tally.dead(),
                millis(hiccups.longestNanos()));
    }

    /** Returns milliseconds: two digits below ten, whole ones above. */
    private static String millis(long nanos) {
        double millis = nanos / 1e6;
        return String.format(Locale.ROOT, millis < 1 ? "%.2f" : millis < 10 ? "%.1f" : "%.0f", millis);
    }

    private static void print(String format, Object... arguments) {
        System.out.println(String.format(Locale.ROOT, format, arguments));
    }

    private static void sleep() throws InterruptedException {
        TimeUnit.NANOSECONDS.sleep(SAMPLE.toNanos());
    }
}
