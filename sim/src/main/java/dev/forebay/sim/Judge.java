// SPDX-License-Identifier: Apache-2.0
package dev.forebay.sim;

import dev.forebay.engine.internal.GoDuration;
import dev.forebay.model.ClusterSettings;
import dev.forebay.model.ConnectRefusal;
import dev.forebay.time.VirtualTime;
import java.time.Duration;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Watches the cluster and says what held and what did not. Not thread-safe. Of what processes have at the cluster it leaves
 * the judgement to {@link Levels}.
 */
final class Judge {

    private final Scenario scenario;
    private final Scenario.Asserts asserts;
    private final VirtualTime time;
    private final Claims claims;
    private final Levels levels;
    private final PerSecond attempts = new PerSecond();
    private final PerSecond refusals = new PerSecond();
    private final PerSecond closures = new PerSecond();
    private final Map<ConnectRefusal, Long> refused = new EnumMap<>(ConnectRefusal.class);
    private final Histogram waits = new Histogram();
    private final Histogram recentWaits = new Histogram();
    private final Claims.Claim rate;
    private final Claims.Claim count;
    private final Claims.Claim sliding;
    private final Claims.@Nullable Claim clockSecond;
    private final Claims.@Nullable Claim closing;
    private final Claims.@Nullable Claim empty;
    private final Claims.@Nullable Claim wait;
    private final Claims.@Nullable Claim mostOpenClaim;
    private final Claims.@Nullable Claim cover;
    private final int mostPerSecond;
    private long admitted;
    private int open;
    private int mostOpen;
    private long empties;
    private long mostUncovered;
    private int coverExcuses;
    private Claims.@Nullable Claim longWait;
    private LongSupplier leased = () -> 0;

    Judge(Scenario scenario, VirtualTime time, Journal journal) {
        this.scenario = scenario;
        this.asserts = scenario.asserts();
        this.time = time;
        this.claims = new Claims(time, journal);
        ClusterSettings limits = scenario.server().settings();
        this.mostPerSecond = (int) limits.connectsPerSecond() + (int) limits.connectBurst();
        this.rate = claims.add(
                "no 53400", "no connect refused as too fast", () -> refused(ConnectRefusal.RATE) + " refused");
        this.count = claims.add(
                "no 53300", "no connect refused as too many", () -> refused(ConnectRefusal.COUNT) + " refused");
        this.sliding = claims.add(
                "rate + burst",
                "at most " + mostPerSecond + " connects in any second",
                () -> attempts.mostSliding() + " at most");
        this.clockSecond = claims.add(
                "assertMaxConnectsPerSec",
                asserts.maxConnectsPerSec(),
                value -> "at most " + value + " connects in a second of the clock",
                () -> attempts.most() + " at most");
        this.levels = new Levels(asserts, claims, time, journal);
        this.closing = claims.add(
                "assertMaxClosurePerSec",
                asserts.maxClosurePerSec(),
                value -> "at most " + value + " closes in a second of the clock",
                () -> closures.most() + " at most");
        this.empty = claims.add(
                "assertZeroEmptyEvents",
                watchesEmpties(scenario) ? Boolean.TRUE : null,
                value -> "no checkout finds nothing ready",
                () -> empties + " did");
        this.wait = claims.add(
                "assertMaxWaitP99",
                asserts.maxWaitP99(),
                value -> "99 of 100 checkouts wait at most " + GoDuration.format(value),
                () -> millis(waits.quantile(0.99)));
        this.mostOpenClaim = claims.add(
                "assertMaxOpen",
                asserts.maxOpen(),
                value -> "at most " + value + " sessions at the cluster",
                () -> mostOpen + " at most");
        this.cover = claims.add(
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

    /** The judge of the levels of processes. */
    Levels levels() {
        return levels;
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
        checkCover(instance);
        levels.changed(process, 1);
    }

    void refused(Instance instance, ConnectRefusal reason) {
        refusals.count(time.nanos());
        refused.merge(reason, 1L, Long::sum);
        String what = reason.sqlState() + " for " + instance.name() + ": " + reason.message();
        if (reason == ConnectRefusal.RATE) {
            rate.fail("cluster", what + " It was connect " + attempts.inSlidingSecond() + " within a second.");
        } else if (reason == ConnectRefusal.COUNT) {
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
        checkCover(instance);
        levels.changed(process, -1);
    }

    // ---- leases

    /** The supplier of the number of sessions that the leases cover. */
    void leases(LongSupplier source) {
        leased = source;
    }

    private void checkCover(Instance instance) {
        if (cover == null) {
            return;
        }
        long uncovered = open - leased.getAsLong();
        if (uncovered > 0 && coverExcuses == 0) {
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
                empty.fail(
                        instance.name(),
                        "nothing ready, with " + instance.level().live() + " of "
                                + instance.service().targetReady() + " connections at the cluster");
            }
        }
    }

    void waited(Instance instance, long nanos) {
        waits.add(nanos);
        recentWaits.add(nanos);
        Duration most = asserts.maxWaitP99();
        if (wait != null && most != null && nanos > most.toNanos() && longWait == null) {
            longWait = claims.aside();
            longWait.fail(instance.name(), "the first longer wait took " + millis(nanos));
        }
    }

    // ---- the end

    List<Result.Verdict> verdicts() {
        levels.judgeEnd();
        Duration most = asserts.maxWaitP99();
        if (wait != null && most != null && longWait != null && waits.quantile(0.99) > most.toNanos()) {
            wait.failAs(longWait);
        }
        return claims.verdicts();
    }

    long admitted() {
        return admitted;
    }

    long refused(ConnectRefusal reason) {
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

    /** The waits since it was last cleared. */
    Histogram recentWaits() {
        return recentWaits;
    }

    int mostOpen() {
        return mostOpen;
    }

    private static String millis(long nanos) {
        return String.format(Locale.ROOT, "%.3f ms", nanos / 1e6);
    }
}
