// SPDX-License-Identifier: Apache-2.0
package dev.forebay.lab.sim;

import dev.forebay.ForebayConfig;
import dev.forebay.event.GoDuration;
import dev.forebay.lab.model.ClusterSettings;
import dev.forebay.lab.model.Fault;
import dev.forebay.lab.model.Refusal;
import dev.forebay.time.VirtualTime;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.Function;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Watches the cluster and says what held and what did not. Not thread-safe.
 *
 * <p>A process has a <em>level</em>: the sessions it has at the cluster. After its start, and after an incident that hit
 * it, it has to reach its target in time; once it has, it has to keep it until the next incident, however many of its
 * connections expire meanwhile.
 */
final class Judge {

    /** What a fault held up comes through in a moment: connects that nobody waits for any more, and closes. */
    private static final long AFTERMATH_NANOS = 1_000_000_000;

    private final Scenario scenario;
    private final Scenario.Asserts asserts;
    private final VirtualTime time;
    private final Journal journal;
    private final List<Instance> instances = new ArrayList<>();
    private final Map<String, Together> together = new HashMap<>();
    private final PerSecond attempts = new PerSecond();
    private final PerSecond refusals = new PerSecond();
    private final PerSecond closures = new PerSecond();
    private final Map<Refusal, Long> refused = new EnumMap<>(Refusal.class);
    private final Histogram waits = new Histogram();
    private final Histogram recentWaits = new Histogram();
    private final List<Claim> claims = new ArrayList<>();
    private final Claim rate;
    private final Claim count;
    private final Claim sliding;
    private final @Nullable Claim clockSecond;
    private final @Nullable Claim converge;
    private final @Nullable Claim stable;
    private final @Nullable Claim fill;
    private final @Nullable Claim closing;
    private final @Nullable Claim empty;
    private final @Nullable Claim wait;
    private final @Nullable Claim mostOpenClaim;
    private final @Nullable Claim cover;
    private final int mostPerSecond;
    private long admitted;
    private int open;
    private int mostOpen;
    private long empties;
    private long slowestNanos;
    private double lowestFill = Double.POSITIVE_INFINITY;
    private long disturbedUntil;
    private long mostUncovered;
    private int coverExcuses;
    private @Nullable Claim longWait;
    private LongSupplier leased = () -> 0;

    Judge(Scenario scenario, VirtualTime time, Journal journal) {
        this.scenario = scenario;
        this.asserts = scenario.asserts();
        this.time = time;
        this.journal = journal;
        ClusterSettings limits = scenario.server().settings();
        this.mostPerSecond = (int) limits.connectsPerSecond() + (int) limits.connectBurst();
        this.rate = claim("no 53400", "no connect refused as too fast", () -> refused(Refusal.RATE) + " refused");
        this.count = claim("no 53300", "no connect refused as too many", () -> refused(Refusal.COUNT) + " refused");
        this.sliding = claim(
                "rate + burst",
                "at most " + mostPerSecond + " connects in any second",
                () -> attempts.mostSliding() + " at most");
        this.clockSecond = claim(
                "assertMaxConnectsPerSec",
                asserts.maxConnectsPerSec(),
                value -> "at most " + value + " connects in a second of the clock",
                () -> attempts.most() + " at most");
        this.converge = claim(
                "assertConvergeWithin",
                asserts.convergeWithin(),
                value -> "every process at its target within " + GoDuration.format(value),
                () -> "the slowest in " + seconds(slowestNanos));
        this.stable = claim(
                "assertStableFor",
                asserts.stableFor(),
                value -> "the target held for " + GoDuration.format(value) + " from then on",
                this::fillText);
        this.fill = claim(
                "assertMinFill",
                asserts.minFill(),
                value -> "never below " + percent(value) + " of the target, incidents apart",
                this::fillText);
        this.closing = claim(
                "assertMaxClosurePerSec",
                asserts.maxClosurePerSec(),
                value -> "at most " + value + " closes in a second of the clock",
                () -> closures.most() + " at most");
        this.empty = claim(
                "assertZeroEmptyEvents",
                watchesEmpties(scenario) ? Boolean.TRUE : null,
                value -> "no checkout finds nothing ready",
                () -> empties + " did");
        this.wait = claim(
                "assertMaxWaitP99",
                asserts.maxWaitP99(),
                value -> "99 of 100 checkouts wait at most " + GoDuration.format(value),
                () -> millis(waits.quantile(0.99)));
        this.mostOpenClaim = claim(
                "assertMaxOpen",
                asserts.maxOpen(),
                value -> "at most " + value + " sessions at the cluster",
                () -> mostOpen + " at most");
        this.cover = claim(
                "assertLeasesCover",
                (asserts.leasesCover() && scenario.limits().leases()) ? Boolean.TRUE : null,
                value -> "every session covered by a lease, outages of the store apart",
                () -> mostUncovered + " uncovered at most");
    }

    private static boolean watchesEmpties(Scenario scenario) {
        return scenario.services().stream().anyMatch(service -> mayNotBeEmpty(scenario, service));
    }

    private static boolean mayNotBeEmpty(Scenario scenario, Scenario.Service service) {
        Boolean own = service.zeroEmptyEvents();
        return own == null ? scenario.asserts().zeroEmptyEvents() : own;
    }

    private Claim claim(String name, String bound, Supplier<String> measured) {
        Claim claim = new Claim(name, bound, measured);
        claims.add(claim);
        return claim;
    }

    private <V> @Nullable Claim claim(
            String name, @Nullable V value, Function<V, String> bound, Supplier<String> measured) {
        return value == null ? null : claim(name, bound.apply(value), measured);
    }

    void add(Instance instance) {
        instances.add(instance);
    }

    // ---- what the cluster sees

    void attempted(Instance instance) {
        int inSecond = attempts.count(time.nanos());
        Integer most = asserts.maxConnectsPerSec();
        if (clockSecond != null && most != null && inSecond > most) {
            clockSecond.fail("cluster", "connect " + inSecond + " of the same second, from " + instance.name());
        }
        if (attempts.inSlidingSecond() > mostPerSecond) {
            sliding.fail(
                    "cluster", "connect " + attempts.inSlidingSecond() + " within a second, from " + instance.name());
        }
    }

    void admitted(Incarnation process, int nowOpen) {
        Instance instance = process.instance();
        admitted++;
        open = nowOpen;
        mostOpen = Math.max(mostOpen, open);
        Integer most = asserts.maxOpen();
        if (mostOpenClaim != null && most != null && open > most) {
            mostOpenClaim.fail("cluster", open + " sessions, the last from " + instance.name());
        }
        changed(process, 1);
    }

    void refused(Instance instance, Refusal reason) {
        refusals.count(time.nanos());
        refused.merge(reason, 1L, Long::sum);
        String what = reason.sqlState() + " for " + instance.name() + ": " + reason.message();
        if (reason == Refusal.RATE) {
            rate.fail("cluster", what + " It was connect " + attempts.inSlidingSecond() + " within a second.");
        } else if (reason == Refusal.COUNT) {
            count.fail("cluster", what + " There are " + open + " sessions.");
        }
    }

    void closed(Incarnation process) {
        Instance instance = process.instance();
        open--;
        int inSecond = closures.count(time.nanos());
        Integer most = asserts.maxClosurePerSec();
        if (closing != null && most != null && inSecond > most) {
            closing.fail("cluster", "close " + inSecond + " of the same second, of " + instance.name());
        }
        changed(process, -1);
    }

    // ---- levels

    /** How many sessions a process has, and what is expected of that. */
    static final class Level {
        private final int target;
        private int live;

        /** Sessions of a process that was shut down and has not closed them yet: its successor is judged without. */
        private int leaving;

        private boolean isAwaited;
        private boolean isHeld;
        private long since;
        private int expectations;
        private long firstReached = -1;
        private String why = "";

        Level(Scenario.Service service) {
            this.target = service.mode() == ForebayConfig.Mode.ON_DEMAND ? 0 : service.targetReady();
        }

        int live() {
            return live;
        }

        private int own() {
            return live - leaving;
        }

        int target() {
            return target;
        }

        /** When it first was at its target; -1 if it never was. */
        long firstReached() {
            return firstReached;
        }
    }

    /** From now on {@code instance} is on its way to its target. */
    void expect(Instance instance, String why) {
        Level level = instance.level();
        level.isAwaited = true;
        level.isHeld = false;
        level.since = time.nanos();
        level.why = why;
        int mine = ++level.expectations;
        Duration within = asserts.convergeWithin();
        if (converge != null && within != null && level.target > 0) {
            time.schedule(level.since + within.toNanos(), () -> {
                if (level.isAwaited && mine == level.expectations && time.nanos() > disturbedUntil) {
                    late(converge, instance, GoDuration.format(within) + " after " + why);
                }
            });
        }
        reached(instance);
    }

    private static void late(@Nullable Claim claim, Instance instance, String when) {
        if (claim != null) {
            Level level = instance.level();
            claim.fail(instance.name(), level.own() + " of " + level.target + " connections " + when);
        }
    }

    /** Nothing is expected of a process that is not there. */
    void down(Instance instance) {
        Level level = instance.level();
        level.isAwaited = false;
        level.isHeld = false;
        level.expectations++;
        level.leaving = level.live;
    }

    /** An incident took connections of the processes with these numbers. */
    void hit(Collection<Integer> numbers, String why) {
        numbers.stream().map(instances::get).filter(Instance::isUp).forEach(instance -> {
            Level level = instance.level();
            level.isHeld = false;
            expectAgain(instance, why);
        });
    }

    private void expectAgain(Instance instance, String why) {
        Level level = instance.level();
        level.isAwaited = false;
        level.expectations++;
        // What was dropped is counted in a moment; only then is there a level to look at.
        time.schedule(time.nanos(), () -> {
            if (instance.isUp()) {
                expect(instance, why);
            }
        });
    }

    /** A fault of the cluster lasts: until it ends, nobody has to keep a level. */
    void disturbed(Fault fault) {
        Duration length = lengthOf(fault);
        if (length == null) {
            return;
        }
        disturbedUntil = Math.max(disturbedUntil, time.nanos() + length.toNanos() + AFTERMATH_NANOS);
        time.schedule(disturbedUntil, () -> {
            if (time.nanos() >= disturbedUntil) {
                instances.stream().filter(Instance::isUp).forEach(instance -> expect(instance, "the end of a fault"));
            }
        });
    }

    private static @Nullable Duration lengthOf(Fault fault) {
        if (fault instanceof Fault.RefuseConnects refuse) {
            return refuse.length();
        }
        if (fault instanceof Fault.WakingUp waking) {
            return waking.length();
        }
        if (fault instanceof Fault.Freeze freeze) {
            return freeze.length();
        }
        return fault instanceof Fault.Delay delay ? delay.length() : null;
    }

    private void changed(Incarnation process, int by) {
        Instance instance = process.instance();
        Level level = instance.level();
        level.live += by;
        level.leaving += instance.isCurrent(process) ? 0 : by;
        together(instance, by);
        checkCover(instance);
        reached(instance);
        if (!level.isHeld || time.nanos() < disturbedUntil) {
            return;
        }
        double share = level.own() / (double) level.target;
        lowestFill = Math.min(lowestFill, share);
        Duration forLong = asserts.stableFor();
        boolean young = forLong != null && time.nanos() - level.since < forLong.toNanos();
        if (stable != null && young && level.own() < level.target) {
            stable.fail(instance.name(), lostText(level));
        }
        Double least = asserts.minFill();
        if (fill != null && least != null && share < least) {
            fill.fail(instance.name(), lostText(level));
        }
    }

    private String lostText(Level level) {
        return level.own() + " of " + level.target + " connections, " + seconds(time.nanos() - level.since)
                + " after it had reached its target";
    }

    private void reached(Instance instance) {
        Level level = instance.level();
        if (!level.isAwaited || level.target == 0 || level.own() < level.target || time.nanos() < disturbedUntil) {
            return;
        }
        long now = time.nanos();
        long took = now - level.since;
        if (took > 0) {
            journal.note(
                    instance.name(),
                    "reached",
                    "at its target of " + level.target + ", " + seconds(took) + " after " + level.why);
        }
        slowestNanos = Math.max(slowestNanos, took);
        level.isAwaited = false;
        level.isHeld = true;
        level.since = now;
        if (level.firstReached < 0) {
            level.firstReached = now;
            together(instance.service()).waiting--;
            together(instance, 0);
        }
    }

    /** The level of a whole service. */
    private static final class Together {
        private int live;
        private int waiting;
        private int lowest = -1;
    }

    private void together(Instance instance, int by) {
        Together service = together(instance.service());
        service.live += by;
        if (service.waiting == 0) {
            service.lowest = service.lowest < 0 ? service.live : Math.min(service.lowest, service.live);
        }
    }

    private Together together(Scenario.Service service) {
        return together.computeIfAbsent(service.name(), name -> {
            Together fresh = new Together();
            fresh.waiting = service.count();
            return fresh;
        });
    }

    /** The fewest sessions that {@code service} had since all its processes had been at their targets once; -1 before. */
    int lowest(Scenario.Service service) {
        return together(service).lowest;
    }

    // ---- leases

    private long uncovered() {
        return Math.max(0, open - leased.getAsLong());
    }

    /** Where to ask how many sessions the leases cover. */
    void leases(LongSupplier source) {
        leased = source;
    }

    private void checkCover(Instance instance) {
        if (cover == null) {
            return;
        }
        long uncovered = uncovered();
        if (uncovered == 0) {
            return;
        }
        if (coverExcuses == 0) {
            mostUncovered = Math.max(mostUncovered, uncovered);
            cover.fail(
                    "fleet",
                    open + " sessions, " + leased.getAsLong() + " of them leased; last changed by " + instance.name());
        }
    }

    /** The store is out: connections may be opened without a lease, if the settings say so. */
    void storeOut() {
        coverExcuses++;
    }

    /** The store is back: within {@code patienceNanos} everything is leased again. */
    void storeBack(long patienceNanos) {
        time.schedule(time.nanos() + patienceNanos, () -> coverExcuses--);
    }

    // ---- what the work meets

    void empty(Instance instance) {
        if (mayNotBeEmpty(scenario, instance.service())) {
            empties++;
            if (empty != null) {
                Level level = instance.level();
                empty.fail(
                        instance.name(),
                        "nothing ready, with " + level.live + " of "
                                + instance.service().targetReady() + " connections at the cluster");
            }
        }
    }

    void waited(Instance instance, long nanos) {
        waits.add(nanos);
        recentWaits.add(nanos);
        Duration most = asserts.maxWaitP99();
        if (wait != null && most != null && nanos > most.toNanos() && longWait == null) {
            longWait = new Claim("", "", () -> "");
            longWait.fail(instance.name(), "the first longer wait took " + millis(nanos));
        }
    }

    // ---- the end

    List<Result.Verdict> verdicts() {
        instances.forEach(this::judgeEnd);
        Duration most = asserts.maxWaitP99();
        if (wait != null && most != null && longWait != null && waits.quantile(0.99) > most.toNanos()) {
            wait.failure = longWait.failure;
        }
        return claims.stream().map(Claim::verdict).toList();
    }

    /** A run that ends while a process is on its way has not shown that it arrives. */
    private void judgeEnd(Instance instance) {
        Level level = instance.level();
        if (level.own() >= level.target) {
            return;
        }
        if (level.firstReached < 0) {
            Claim first = converge != null ? converge : stable != null ? stable : fill;
            late(first, instance, "at the end");
        } else if (level.isAwaited && time.nanos() >= disturbedUntil) {
            late(converge, instance, "at the end, " + seconds(time.nanos() - level.since) + " after " + level.why);
        }
    }

    long admitted() {
        return admitted;
    }

    long refused(Refusal reason) {
        return refused.getOrDefault(reason, 0L);
    }

    PerSecond attempts() {
        return attempts;
    }

    PerSecond refusals() {
        return refusals;
    }

    PerSecond closures() {
        return closures;
    }

    Histogram waits() {
        return waits;
    }

    /** What was waited since someone cleared it. */
    Histogram recentWaits() {
        return recentWaits;
    }

    int mostOpen() {
        return mostOpen;
    }

    private String fillText() {
        if (instances.stream().noneMatch(instance -> instance.level().firstReached >= 0)) {
            return "never reached";
        }
        return lowestFill == Double.POSITIVE_INFINITY ? "never lost" : "lowest " + percent(Math.min(1, lowestFill));
    }

    private static String percent(double share) {
        return String.format(Locale.ROOT, "%.1f %%", 100 * share);
    }

    private static String seconds(long nanos) {
        return String.format(Locale.ROOT, "%.1f s", nanos / 1e9);
    }

    private static String millis(long nanos) {
        return String.format(Locale.ROOT, "%.3f ms", nanos / 1e6);
    }

    /** Something that has to hold; only the first time that it does not is told. */
    private final class Claim {
        private final String name;
        private final String bound;
        private final Supplier<String> measured;
        private Result.@Nullable Failure failure;

        Claim(String name, String bound, Supplier<String> measured) {
            this.name = name;
            this.bound = bound;
            this.measured = measured;
        }

        void fail(String where, String what) {
            if (failure == null) {
                failure = new Result.Failure(time.nanos(), where, what, journal.latest());
            }
        }

        Result.Verdict verdict() {
            return new Result.Verdict(name, bound, measured.get(), failure);
        }
    }
}
