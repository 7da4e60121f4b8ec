// SPDX-License-Identifier: Apache-2.0
package dev.forebay.sim;

import dev.forebay.engine.DiscardReason;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.function.DoubleBinaryOperator;

/**
 * Keeps what there is to draw, a few hundred values for each line, however long the simulation runs: the worst of each
 * bucket of time, so that no dip and no peak is smoothed away. Not thread-safe.
 */
final class Recorder {

    private static final int MOST_BUCKETS = 600;
    private static final double MILLI = 1e6;

    private final Scenario scenario;
    private final World world;
    private final List<Instance> instances;
    private final long bucketNanos;
    private final int buckets;
    private final Track level = new Track("connections", Math::min);
    private final Track inUse = new Track("in use", Math::max);
    private final List<Track> fill = new ArrayList<>();
    private final Track attempts = new Track("connects", Math::max);
    private final Track refusals = new Track("refused", Math::max);
    private final Map<DiscardReason, Track> discards = new EnumMap<>(DiscardReason.class);
    private final Track p99 = new Track("99 of 100 waited less", Math::max);
    private final Track longest = new Track("longest wait", Math::max);
    private final Track done = new Track("done", Double::sum);
    private final Track failed = new Track("failed", Double::sum);
    private final Track leased = new Track("leased", Math::max);
    private final Track open = new Track("open at the cluster", Math::max);
    private Discards discardsBefore = new Discards();
    private long doneBefore;
    private long failedBefore;

    Recorder(World world, List<Instance> instances) {
        this.world = world;
        this.scenario = world.scenario();
        this.instances = instances;
        long every = scenario.sampleEvery().toNanos();
        long samples = Math.max(1, (scenario.duration().toNanos() + every - 1) / every);
        this.bucketNanos = every * ((samples + MOST_BUCKETS - 1) / MOST_BUCKETS);
        this.buckets = (int) ((scenario.duration().toNanos() + bucketNanos - 1) / bucketNanos);
        scenario.services().forEach(service -> fill.add(new Track(service.name(), Math::min)));
        for (DiscardReason reason : DiscardReason.values()) {
            discards.put(reason, new Track(reason.label(), Double::sum));
        }
        List.of(level, inUse, attempts, refusals, p99, longest, done, failed, leased, open)
                .forEach(Track::begin);
        fill.forEach(Track::begin);
        discards.values().forEach(Track::begin);
    }

    /** Takes the figures of this moment; each bucket is of the samples up to its end. */
    void sample(long now) {
        int bucket = (int) Math.min(buckets - 1, Math.max(0, (now - 1) / bucketNanos));
        takeLevels(bucket);
        attempts.add(bucket, world.judge().attempts().takeMost());
        refusals.add(bucket, world.judge().refusals().takeMost());
        leased.add(bucket, (double) world.table().leased());
        open.add(bucket, world.cluster().open());
        takeDiscards(bucket);
        takeWork(bucket);
        takeWaits(bucket, now);
    }

    private void takeLevels(int bucket) {
        int live = 0;
        int used = 0;
        int at = 0;
        for (int service = 0; service < fill.size(); service++) {
            for (int count = scenario.services().get(service).count(); count > 0; count--) {
                Instance instance = instances.get(at++);
                Levels.Level itsLevel = instance.level();
                live += itsLevel.live();
                used += instance.inUse();
                if (itsLevel.target() > 0 && instance.isUp()) {
                    fill.get(service).add(bucket, Math.min(100, 100.0 * itsLevel.live() / itsLevel.target()));
                }
            }
        }
        level.add(bucket, live);
        inUse.add(bucket, used);
    }

    private void takeDiscards(int bucket) {
        Discards now = new Discards();
        instances.forEach(instance -> now.addAll(instance.discards()));
        discards.forEach(
                (reason, track) -> track.add(bucket, perSecond(bucket, now.of(reason) - discardsBefore.of(reason))));
        discardsBefore = now;
    }

    private void takeWork(int bucket) {
        long nowDone = 0;
        long nowFailed = 0;
        for (Instance instance : instances) {
            nowDone += instance.work.completed;
            nowFailed += instance.work.failed + instance.work.refused;
        }
        done.add(bucket, perSecond(bucket, nowDone - doneBefore));
        failed.add(bucket, perSecond(bucket, nowFailed - failedBefore));
        doneBefore = nowDone;
        failedBefore = nowFailed;
    }

    /** The waits since the bucket began; with the sample at its end the next one begins. */
    private void takeWaits(int bucket, long now) {
        Histogram recent = world.judge().recentWaits();
        if (recent.total() > 0) {
            p99.add(bucket, recent.quantile(0.99) / MILLI);
            longest.add(bucket, recent.most() / MILLI);
        }
        if (now % bucketNanos == 0) {
            recent.clear();
        }
    }

    /** The last bucket may be shorter than the others. */
    private double perSecond(int bucket, long count) {
        long length = Math.min(bucketNanos, scenario.duration().toNanos() - bucket * bucketNanos);
        return count * 1e9 / length;
    }

    Duration bucket() {
        return Duration.ofNanos(bucketNanos);
    }

    List<Result.Chart> charts() {
        double target = instances.stream()
                .mapToInt(instance -> instance.level().target())
                .sum();
        List<Result.Chart> charts = new ArrayList<>();
        charts.add(chart(
                "level",
                "Connections of the fleet",
                "connections",
                List.of(level, inUse),
                target > 0 ? List.of(new Result.Rule("target", target)) : List.of()));
        List<Track> services = fill.stream().filter(Track::hasAny).toList();
        if (!services.isEmpty()) {
            charts.add(chart("fill", "Share of the target, the process that has least", "%", services, List.of()));
        }
        List<Result.Rule> rates = new ArrayList<>();
        if (scenario.limits().rateShared()) {
            rates.add(new Result.Rule("limit of the fleet", scenario.limits().perSecond()));
        }
        double clusterRate = scenario.server().settings().connectsPerSecond();
        if (!scenario.limits().rateShared() || clusterRate != scenario.limits().perSecond()) {
            rates.add(new Result.Rule("limit of the cluster", clusterRate));
        }
        charts.add(chart(
                "connects",
                "Connects in the busiest second",
                "a second",
                refusals.isZero() ? List.of(attempts) : List.of(attempts, refusals),
                rates));
        charts.add(new Result.Chart(
                "discards",
                "Connections let go, by reason",
                "a second",
                true,
                discards.values().stream()
                        .filter(track -> !track.isZero())
                        .map(Track::line)
                        .toList(),
                List.of()));
        if (p99.hasAny()) {
            charts.add(chart("waits", "Waiting for a connection", "ms", List.of(p99, longest), List.of()));
            charts.add(chart(
                    "work", "Work", "a second", failed.isZero() ? List.of(done) : List.of(done, failed), List.of()));
        }
        charts.add(chart(
                "leases",
                scenario.limits().leases() ? "Leases and sessions" : "Sessions",
                "connections",
                scenario.limits().leases() ? List.of(leased, open) : List.of(open),
                List.of(new Result.Rule("cap", scenario.server().settings().mostSessions()))));
        return charts;
    }

    private static Result.Chart chart(
            String id, String title, String unit, List<Track> tracks, List<Result.Rule> rules) {
        return new Result.Chart(
                id, title, unit, false, tracks.stream().map(Track::line).toList(), rules);
    }

    /** One line, with what becomes of several samples in one bucket. */
    private final class Track {
        private final String name;
        private final DoubleBinaryOperator merge;
        private double[] values = {};

        Track(String name, DoubleBinaryOperator merge) {
            this.name = name;
            this.merge = merge;
        }

        void begin() {
            values = new double[buckets];
            Arrays.fill(values, Double.NaN);
        }

        void add(int bucket, double value) {
            double before = values[bucket];
            values[bucket] = Double.isNaN(before) ? value : merge.applyAsDouble(before, value);
        }

        boolean hasAny() {
            return Arrays.stream(values).anyMatch(value -> !Double.isNaN(value));
        }

        boolean isZero() {
            return Arrays.stream(values).allMatch(value -> Double.isNaN(value) || value == 0);
        }

        Result.Line line() {
            return new Result.Line(name, values);
        }
    }
}
