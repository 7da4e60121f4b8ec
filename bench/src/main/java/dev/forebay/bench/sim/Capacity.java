// SPDX-License-Identifier: Apache-2.0
package dev.forebay.bench.sim;

import dev.forebay.bench.Comparison;
import dev.forebay.bench.Options;
import dev.forebay.sim.Result;
import dev.forebay.sim.ScenarioFile;
import dev.forebay.sim.Simulation;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Prints the tables of docs/capacity.md, each line of them a simulation. */
public final class Capacity implements Comparison {

    @Override
    public String name() {
        return "capacity";
    }

    @Override
    public String purpose() {
        return "the tables of docs/capacity.md, by simulation";
    }

    @Override
    public List<Options.Option> options() {
        return List.of();
    }

    @Override
    public void run(Options options) {
        fleets();
        fills();
        churn();
        headroom();
        sizes();
    }

    private static void fleets() {
        heading(
                "Deployments",
                "Deployment | Processes | Each | Connections | Headroom | Filled in | With a burst of 800 | Most open | Lowest in the first wave: all | one process");
        fleet("Small", 16, 25);
        fleet("Medium", 40, 50);
        fleet("Large", 80, 50);
        fleet("Very large", 160, 50);
    }

    private static void fleet(String name, int processes, int each) {
        String service = "[{name: s, count: %d, targetReady: %d, startEvery: 50ms}]".formatted(processes, each);
        String asserts = "assertConvergeWithin: 10m\nduration: 20m\n";
        Result steady = run(asserts + "services: " + service);
        Result burst = run(asserts + "limiterBurst: 800\nservices: " + service);
        int total = processes * each;
        row(
                "%s | %d | %d | %,d | %d %% | %s | %s | %,d | %s | %s",
                name,
                processes,
                each,
                total,
                100 - total / 100,
                seconds(steady.totals().convergedNanos()),
                seconds(burst.totals().convergedNanos()),
                steady.totals().mostOpen(),
                lowest(steady),
                measured(steady, "assertMinFill").replace("lowest ", ""));
    }

    private static void fills() {
        heading(
                "Filling one process",
                "Connections | Shared limit, 100 a second | Own limit, 10 a second and a burst of 100");
        for (int size : new int[] {10, 50, 100, 500}) {
            String rest =
                    "duration: 5m\nassertConvergeWithin: 5m\nservices: [{name: s, targetReady: %d}]".formatted(size);
            row(
                    "%d | %s | %s",
                    size,
                    seconds(run(rest).totals().convergedNanos()),
                    seconds(run("limiter: local\n" + rest).totals().convergedNanos()));
        }
    }

    private static void churn() {
        heading(
                "What lifetimes cost, with 8,000 connections",
                "Lifetime | Jitter | Connects a second, the second hour | Busiest second | Lowest in two hours: all | one process");
        String[][] lifetimes = {{"5m", "1m"}, {"11m", "2m"}, {"30m", "6m"}, {"55m", "8m"}};
        for (String[] lifetime : lifetimes) {
            String service =
                    "services: [{name: s, count: 80, targetReady: 100, startEvery: 50ms, baseLifetime: %s, jitter: %s}]"
                            .formatted(lifetime[0], lifetime[1]);
            String rest = "assertConvergeWithin: 10m\nassertMinFill: 0.01\n" + service;
            Result one = run("duration: 1h\n" + rest);
            Result two = run("duration: 2h\n" + rest);
            row(
                    "%s | %s | %.1f | %d | %s | %s",
                    lifetime[0],
                    lifetime[1],
                    (two.totals().admitted() - one.totals().admitted()) / 3_600.0,
                    two.totals().busiestSecond(),
                    lowest(two),
                    measured(two, "assertMinFill").replace("lowest ", ""));
        }
    }

    private static void headroom() {
        heading(
                "A fifth of the processes crash and start again after ten seconds; and all are restarted one by one",
                "Share of the cap in use | Back after the crash | Refused as too many | Opens that failed in the deployment");
        for (int share : new int[] {70, 80, 84, 90, 95}) {
            String fleet = """
                    assertConvergeWithin: 10m
                    assertMinFill: 0.01
                    server: {cap: 10000}
                    services: [{name: s, count: 20, targetReady: %d, startEvery: 50ms}]
                    """.formatted(5 * share);
            Result crash =
                    run("duration: 20m\ncrashes: [{at: 5m, service: s, instances: 4, restartAfter: 10s}]\n" + fleet);
            Result deployment =
                    run("duration: 35m\nscenario: {kind: rolling_restart, rollEvery: 90s, downtime: 5s}\n" + fleet);
            row(
                    "%d %% | %s | %d | %d",
                    share,
                    afterRestart(crash),
                    crash.totals().refusedForCount() + deployment.totals().refusedForCount(),
                    deployment.services().get(0).refillFailures());
        }
    }

    private static void sizes() {
        heading(
                "25 connections in use on average, in waves",
                "Target | Found nothing ready | Waited at most, 99 of 100 | Longest wait");
        for (int target : new int[] {25, 30, 35, 40, 50}) {
            Result result = run("""
                    duration: 30m
                    assertMinFill: 0.01
                    services:
                      - name: s
                        targetReady: %d
                        workload: {enabled: true, maxInUse: 500, holdTime: 125ms, holdJitter: 100ms, spawnEvery: 50ms, arrivalBurst: 10}
                    """.formatted(target));
            Result.ServiceTotals service = result.services().get(0);
            row(
                    "%d | %.2f %% | %.0f ms | %.0f ms",
                    target,
                    100.0 * service.empties() / service.checkouts(),
                    service.waits().p99Nanos() / 1e6,
                    service.waits().mostNanos() / 1e6);
        }
    }

    /** Returns the fewest connections that all processes had together, as a share of their targets. */
    private static String lowest(Result result) {
        Result.ServiceTotals all = result.services().get(0);
        return String.format(Locale.ROOT, "%.1f %%", 100.0 * Math.min(all.lowest(), all.target()) / all.target());
    }

    private static Result run(String text) {
        return Simulation.run(ScenarioFile.parse(Path.of("capacity.yaml"), text), sample -> {}, nanos -> {});
    }

    /** Returns the longest time from a restart of a process to its target. */
    private static String afterRestart(Result result) {
        Pattern note = Pattern.compile("at its target .*, ([0-9.]+) s after its restart");
        double slowest = result.notes().stream()
                .map(one -> note.matcher(one.text()))
                .filter(Matcher::matches)
                .mapToDouble(match -> Double.parseDouble(match.group(1)))
                .max()
                .orElse(Double.NaN);
        return String.format(Locale.ROOT, "%.0f s", slowest);
    }

    private static String measured(Result result, String assertion) {
        return result.verdicts().stream()
                .filter(verdict -> verdict.name().equals(assertion))
                .map(Result.Verdict::measured)
                .findFirst()
                .orElseThrow();
    }

    private static String seconds(long nanos) {
        return nanos < 0 ? "never" : String.format(Locale.ROOT, "%.1f s", nanos / 1e9);
    }

    private static void heading(String title, String columns) {
        System.out.println("\n" + title + "\n");
        System.out.println("| " + columns + " |");
        System.out.println("|" + "---|".repeat(columns.split("\\|").length));
    }

    private static void row(String format, Object... args) {
        System.out.println("| " + String.format(Locale.ROOT, format, args) + " |");
    }
}
