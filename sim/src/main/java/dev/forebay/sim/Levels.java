// SPDX-License-Identifier: Apache-2.0
package dev.forebay.sim;

import dev.forebay.ForebayConfig;
import dev.forebay.engine.internal.GoDuration;
import dev.forebay.model.Fault;
import dev.forebay.time.VirtualTime;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Judges the <em>levels</em> of processes: the sessions that each has at the cluster. Not thread-safe.
 *
 * <p>After its start, and after an incident that hit it, a process has to reach its target in time; once it has, it has to
 * keep it until the next incident, however many of its connections expire meanwhile.
 */
final class Levels {

    /** The moment in which connects and closes that a fault held up come through. */
    private static final long AFTERMATH_NANOS = 1_000_000_000;

    private final @Nullable Duration within;
    private final @Nullable Duration forLong;
    private final @Nullable Double least;
    private final VirtualTime time;
    private final Journal journal;
    private final Claims.@Nullable Claim converge;
    private final Claims.@Nullable Claim stable;
    private final Claims.@Nullable Claim fill;
    private final List<Instance> instances = new ArrayList<>();
    private final Map<String, Together> together = new HashMap<>();
    private long slowestNanos;
    private double lowestFill = Double.POSITIVE_INFINITY;
    private long disturbedUntil;

    Levels(Scenario.Asserts asserts, Claims claims, VirtualTime time, Journal journal) {
        this.within = asserts.convergeWithin();
        this.forLong = asserts.stableFor();
        this.least = asserts.minFill();
        this.time = time;
        this.journal = journal;
        this.converge = claims.add(
                "assertConvergeWithin",
                within,
                value -> "every process at its target within " + GoDuration.format(value),
                () -> "the slowest in " + seconds(slowestNanos));
        this.stable = claims.add(
                "assertStableFor",
                forLong,
                value -> "the target held for " + GoDuration.format(value) + " from then on",
                this::fillText);
        this.fill = claims.add(
                "assertMinFill",
                least,
                value -> "never below " + percent(value) + " of the target, incidents apart",
                this::fillText);
    }

    void add(Instance instance) {
        instances.add(instance);
    }

    /** The number of sessions of a process, and the number expected. */
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

        /** The time at which it first was at its target; -1 if it never was. */
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
        if (within != null && level.target > 0) {
            time.schedule(level.since + within.toNanos(), () -> {
                if (level.isAwaited && mine == level.expectations && time.nanos() > disturbedUntil) {
                    late(converge, instance, GoDuration.format(within) + " after " + why);
                }
            });
        }
        reached(instance);
    }

    private static void late(Claims.@Nullable Claim claim, Instance instance, String when) {
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
        // The dropped ones are counted in a moment; only then is there a level to check.
        time.schedule(time.nanos(), () -> {
            if (instance.isUp()) {
                expect(instance, why);
            }
        });
    }

    /** A fault of the cluster lasts: until it ends, no process has to keep a level. */
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

    /** {@code process} has one session more, or one less. */
    void changed(Incarnation process, int by) {
        Instance instance = process.instance();
        Level level = instance.level();
        level.live += by;
        level.leaving += instance.isCurrent(process) ? 0 : by;
        together(instance, by);
        reached(instance);
        if (!level.isHeld || time.nanos() < disturbedUntil) {
            return;
        }
        double share = level.own() / (double) level.target;
        lowestFill = Math.min(lowestFill, share);
        boolean young = forLong != null && time.nanos() - level.since < forLong.toNanos();
        if (stable != null && young && level.own() < level.target) {
            stable.fail(instance.name(), lostText(level));
        }
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

    /** A run that ends while a process is on its way has not shown that it arrives. */
    void judgeEnd() {
        instances.forEach(this::judgeEnd);
    }

    private void judgeEnd(Instance instance) {
        Level level = instance.level();
        if (level.own() >= level.target) {
            return;
        }
        if (level.firstReached < 0) {
            Claims.@Nullable Claim first = converge != null ? converge : stable != null ? stable : fill;
            late(first, instance, "at the end");
        } else if (level.isAwaited && time.nanos() >= disturbedUntil) {
            late(converge, instance, "at the end, " + seconds(time.nanos() - level.since) + " after " + level.why);
        }
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
}
