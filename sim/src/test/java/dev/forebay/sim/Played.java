// SPDX-License-Identifier: Apache-2.0
package dev.forebay.sim;

import dev.forebay.engine.Admission;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.ToLongFunction;
import java.util.function.UnaryOperator;

/** A scenario that was run, with all that was read of it. */
record Played(Result result, List<Sample> samples) {

    static Played of(String yaml) {
        return of(yaml, UnaryOperator.identity());
    }

    /** With a condition on opening connections that is not what it should be. */
    static Played of(String yaml, UnaryOperator<Admission> tampering) {
        List<Sample> samples = new ArrayList<>();
        Scenario scenario = ScenarioFile.parse(Path.of("test.yaml"), yaml);
        return new Played(Simulation.run(scenario, samples::add, nanos -> {}, tampering), samples);
    }

    /** The sample of a process at a moment of sampling. */
    Sample at(Duration when, String process) {
        return samples.stream()
                .filter(sample ->
                        sample.atNanos() == when.toNanos() && sample.service().equals(process))
                .findFirst()
                .orElseThrow(() -> new AssertionError("no sample of " + process + " at " + when));
    }

    List<Sample> last() {
        long end = result.scenario().duration().toNanos();
        return samples.stream().filter(sample -> sample.atNanos() == end).toList();
    }

    /** A figure at the end, all processes together. */
    long sum(ToLongFunction<Sample> figure) {
        return last().stream().mapToLong(figure).sum();
    }

    Result.Verdict verdict(String name) {
        return result.verdicts().stream()
                .filter(verdict -> verdict.name().equals(name))
                .findFirst()
                .orElseThrow(() -> new AssertionError("nobody asserts " + name));
    }

    /** The assertions that did not hold. */
    List<String> failed() {
        return result.verdicts().stream()
                .filter(verdict -> !verdict.passed())
                .map(Result.Verdict::name)
                .toList();
    }

    /** The assertions that did not hold, in full. */
    Result.Failure failure(String name) {
        Result.Failure failure = verdict(name).failure();
        if (failure == null) {
            throw new AssertionError(name + " held");
        }
        return failure;
    }

    /** A line of a chart. */
    double[] line(String chart, String line) {
        return result.charts().stream()
                .filter(drawn -> drawn.id().equals(chart))
                .flatMap(drawn -> drawn.lines().stream())
                .filter(drawn -> drawn.name().equals(line))
                .findFirst()
                .orElseThrow(() -> new AssertionError("no line " + line + " in " + chart))
                .values();
    }

    /** The notes of a place. */
    List<String> notes(String where) {
        return result.notes().stream()
                .filter(note -> note.where().equals(where))
                .map(Result.Note::text)
                .toList();
    }
}
