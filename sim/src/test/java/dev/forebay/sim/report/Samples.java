// SPDX-License-Identifier: Apache-2.0
package dev.forebay.sim.report;

import dev.forebay.ForebayConfig;
import dev.forebay.model.Fault;
import dev.forebay.sim.Result;
import dev.forebay.sim.Scenario;
import dev.forebay.sim.Traffic;
import java.time.Duration;
import java.util.List;
import java.util.Map;

/** Runs made by hand. */
final class Samples {

    private static final long SECOND = 1_000_000_000;

    private Samples() {}

    static Result.Line line(String name, double... values) {
        return new Result.Line(name, values);
    }

    static Scenario scenario(String name, Duration duration, ForebayConfig.Mode mode) {
        Scenario.Workload work = new Scenario.Workload(
                30,
                Duration.ofMillis(10),
                Duration.ZERO,
                Duration.ofMillis(200),
                5,
                Duration.ofSeconds(10),
                0,
                Traffic.STEADY);
        Scenario.Service service = new Scenario.Service(
                name + "-service",
                2,
                mode,
                50,
                Duration.ofSeconds(45),
                Duration.ofMinutes(11),
                Duration.ofMinutes(2),
                Duration.ZERO,
                Duration.ofMillis(50),
                Duration.ZERO,
                null,
                Map.of("forebay.max-open", name),
                work);
        return new Scenario(
                name,
                "What is asked: " + name,
                42,
                name + ".example",
                duration,
                Duration.ofSeconds(1),
                Scenario.Server.DSQL,
                Scenario.Limits.DEFAULT,
                Scenario.Store.DEFAULT,
                Scenario.Asserts.DEFAULT,
                List.of(
                        new Scenario.ClusterFault(Duration.ofSeconds(4), new Fault.Drop(0.5)),
                        new Scenario.Crash(Duration.ofSeconds(6), name + "-service", 1, null)),
                List.of(service));
    }

    /** Nothing has happened, and nothing was asked. */
    static Result empty() {
        Scenario scenario = new Scenario(
                "empty",
                "",
                1,
                "none",
                Duration.ofSeconds(10),
                Duration.ofSeconds(1),
                Scenario.Server.DSQL,
                Scenario.Limits.DEFAULT,
                Scenario.Store.DEFAULT,
                Scenario.Asserts.DEFAULT,
                List.of(),
                List.of());
        Result.Waits none = new Result.Waits(0, 0, 0, 0);
        Result.Totals totals = new Result.Totals(0, 0, 0, 0, 0, 0, 0, 0, -1, 0, none, 0);
        return new Result(scenario, totals, List.of(), Duration.ofSeconds(1), List.of(), List.of(), List.of());
    }

    /** A run in which {@code name} stands wherever a name or a text can. */
    static Result result(String name, ForebayConfig.Mode mode, double height) {
        Scenario scenario = scenario(name, Duration.ofSeconds(10), mode);
        Result.Waits waits = new Result.Waits(1_234, 0, 12_300_000, 4_560_000_000L);
        Result.Note incident = new Result.Note(4 * SECOND, "cluster", "drop 0.5 " + name, true);
        Result.Note note = new Result.Note(4 * SECOND + 250_000_000, name, "noticed " + name, false);
        Result.Failure failure =
                new Result.Failure(5 * SECOND, name, "nothing ready for " + name, List.of(incident, note));
        List<Result.Chart> charts = List.of(
                new Result.Chart(
                        "level",
                        "Level " + name,
                        "connections",
                        false,
                        List.of(
                                line("open " + name, 0, height, height, height, height / 2, height, Double.NaN, height),
                                line("in use", 1, 2, 3, 4, 3, 2, 1, Double.POSITIVE_INFINITY)),
                        List.of(new Result.Rule("target " + name, height), new Result.Rule("cap", 10_000))),
                new Result.Chart(
                        "discards",
                        "Discards",
                        "a second",
                        true,
                        List.of(line("expired", 0, 0, 2, 1, 0, 0), line("broken", 0, 0, 1, 0, 3, Double.NaN, 0, 1)),
                        List.of()),
                new Result.Chart(
                        "waits", "Waits", "ms", false, List.of(line("p99", 0, 0, 0, 0, 12.5, 0.25, 0, 0)), List.of()));
        return new Result(
                scenario,
                new Result.Totals(12_345, 0, 1, 2, 100, 103, 202, 7, 2_030_000_000L, 798, waits, 19_740),
                List.of(new Result.ServiceTotals(name, 2, 100, 98, 1_234, 5, 1, 150, 2, 50, 1_300, 1_290, 3, waits)),
                Duration.ofSeconds(1),
                charts,
                List.of(incident, note),
                List.of(
                        new Result.Verdict("no 53400", "no connect refused as too fast", "0 refused", null),
                        new Result.Verdict("assertZeroEmptyEvents", "none for " + name, "5 " + name, failure)));
    }

    static Run run(String label) {
        return new Run(label, result(label, ForebayConfig.Mode.RESERVOIR, 50), "./forebay sim " + label + " --seed 42");
    }

    /** Two runs of one scenario. */
    static List<Run> two() {
        return List.of(
                new Run(
                        "reservoir",
                        result("local", ForebayConfig.Mode.RESERVOIR, 50),
                        "./forebay sim local --seed 42"),
                new Run(
                        "standard",
                        result("local", ForebayConfig.Mode.STANDARD, 40),
                        "./forebay sim local --mode standard --seed 42"));
    }
}
