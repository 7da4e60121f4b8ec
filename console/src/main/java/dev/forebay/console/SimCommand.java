// SPDX-License-Identifier: Apache-2.0
package dev.forebay.console;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import dev.forebay.ForebayConfig;
import dev.forebay.sim.Result;
import dev.forebay.sim.Sample;
import dev.forebay.sim.Scenario;
import dev.forebay.sim.ScenarioException;
import dev.forebay.sim.Simulation;
import dev.forebay.sim.report.HtmlReport;
import dev.forebay.sim.report.Run;
import dev.forebay.sim.report.SampleCsv;
import dev.forebay.sim.report.Summary;
import dev.forebay.sim.report.SvgChart;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.LoggerFactory;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code forebay sim}: runs scenarios in virtual time, checks their assertions, and draws them. */
@Command(
        name = "sim",
        description = "Simulates a fleet before a cluster, a day in seconds, and says whether what has to hold did.",
        mixinStandardHelpOptions = true,
        footer = {
            "",
            "Exit code: 0 everything held, 1 something did not, 2 called wrongly or a bad scenario, 130 stopped by Ctrl-C.",
            "With --compare it is that of SCENARIO; the other run is only drawn beside it."
        })
final class SimCommand implements Callable<Integer> {

    @Spec
    @SuppressWarnings("NullAway.Init") // set by picocli
    private CommandSpec spec;

    @Parameters(
            arity = "0..*",
            paramLabel = "SCENARIO",
            description = "The file of a scenario, or the name of one that is shipped; without it these are listed.")
    private List<String> names = new ArrayList<>();

    @Option(names = "--html", paramLabel = "FILE", description = "Writes a page with plots that needs no network.")
    private @Nullable Path html;

    @Option(
            names = "--csv",
            paramLabel = "FILE",
            description = "Writes the numbers of each process at each sample, with --compare those of both runs.")
    private @Nullable Path csv;

    @Option(names = "--svg", paramLabel = "FILE", description = "Writes a picture of the level and the waits.")
    private @Nullable Path svg;

    @Option(
            names = "--compare",
            paramLabel = "OTHER",
            description = "Runs it beside another scenario, or in another mode: reservoir, standard or on_demand.")
    private @Nullable String other;

    @Option(names = "--seed", paramLabel = "N", description = "What all chance comes from, in place of the scenario's.")
    private @Nullable Long seed;

    @Option(names = "--seeds", paramLabel = "A..B", description = "Runs it with each of these seeds, on all cores.")
    private @Nullable String seeds;

    @Option(names = "--mode", paramLabel = "MODE", description = "Has all services in this mode.")
    private @Nullable String mode;

    @Option(names = "--duration", paramLabel = "DURATION", description = "How long it runs, such as 24h.")
    private @Nullable String duration;

    @Option(names = "--quiet", description = "Says only what failed.")
    private boolean quiet;

    @Override
    public Integer call() throws IOException, InterruptedException {
        if (names.isEmpty()) {
            return list();
        }
        checkOptions();
        SimTask.Changes changes = new SimTask.Changes(
                read("--mode", mode, SimCommand::mode), read("--duration", duration, SimTask::duration), seed);
        SeedSweep.Range range = read("--seeds", seeds, SeedSweep.Range::parse);
        List<SimTask> tasks = new ArrayList<>();
        SimTask compared = null;
        try {
            for (String name : names) {
                tasks.add(checked("", name, text -> SimTask.read(text, changes)));
            }
            SimTask first = tasks.get(0);
            compared = read("--compare", other, first::compared);
            if (compared != null) {
                tasks.set(0, first.beside(compared));
            }
        } catch (ScenarioException e) {
            spec.commandLine().getErr().println(Reason.of(e));
            return 2;
        }
        checkOutputs(tasks);
        checkOutputs(compared == null ? List.of() : List.of(compared));
        return execute(tasks, compared, range);
    }

    /** Lists the shipped scenarios, each with its description. */
    private int list() throws IOException {
        if (!spec.commandLine().getParseResult().matchedOptions().isEmpty()) {
            throw wrong("which scenario? " + ScenarioShelf.shipped().offer());
        }
        PrintWriter out = spec.commandLine().getOut();
        Map<String, String> scenarios = ScenarioShelf.shipped().descriptions();
        int width = scenarios.keySet().stream().mapToInt(String::length).max().orElse(0);
        out.println("There are these scenarios; a file of your own does as well (docs/simulator.md):");
        scenarios.forEach((name, what) -> out.println("  " + name + " ".repeat(width - name.length() + 2) + what));
        out.println("To run one: ./forebay sim "
                + scenarios.keySet().stream().findFirst().orElse("FILE"));
        out.flush();
        return 0;
    }

    /** Runs with the files that are to be written, and handles Ctrl-C. */
    private int execute(List<SimTask> tasks, @Nullable SimTask compared, SeedSweep.@Nullable Range range)
            throws IOException, InterruptedException {
        List<OutputFile> opened = new ArrayList<>();
        try (Interrupt interrupt = new Interrupt()) {
            try {
                OutputFile page = open("--html", html, opened);
                OutputFile samples = open("--csv", csv, opened);
                OutputFile picture = open("--svg", svg, opened);
                quietLogs();
                if (range != null) {
                    return sweepAll(tasks, range, interrupt);
                }
                int code = runAll(tasks, compared, new Outputs(page, samples, picture), interrupt);
                for (OutputFile file : opened) {
                    file.done();
                    say("wrote " + file.file());
                }
                return code;
            } catch (Interrupt.Stopped e) {
                say("stopped" + (opened.isEmpty() ? "" : ", nothing was written"));
                return 130;
            } finally {
                for (OutputFile file : opened) {
                    file.close();
                }
                spec.commandLine().getOut().flush();
            }
        }
    }

    private record Outputs(
            @Nullable OutputFile page,
            @Nullable OutputFile samples,
            @Nullable OutputFile picture) {}

    // ---- running

    private int runAll(List<SimTask> tasks, @Nullable SimTask compared, Outputs outputs, Interrupt interrupt)
            throws IOException {
        List<String> failed = new ArrayList<>();
        for (SimTask task : tasks) {
            List<Run> runs = runs(task, compared, outputs.samples(), interrupt);
            if (outputs.page() != null) {
                outputs.page().write(HtmlReport.of(runs));
            }
            if (outputs.picture() != null) {
                outputs.picture().write(SvgChart.picture(runs));
            }
            boolean passed = runs.get(0).result().passed();
            if (!passed) {
                failed.add(task.label());
            }
            tell(task, runs, passed);
        }
        if (tasks.size() > 1) {
            say(
                    failed.isEmpty()
                            ? "all " + tasks.size() + " scenarios held"
                            : failed.size() + " of " + tasks.size() + " scenarios failed: "
                                    + String.join(", ", failed));
        }
        return failed.isEmpty() ? 0 : 1;
    }

    private void tell(SimTask task, List<Run> runs, boolean passed) {
        PrintWriter out = spec.commandLine().getOut();
        if (!quiet) {
            out.println(Summary.of(runs));
        } else if (!passed) {
            out.println(task.label());
            out.print(Summary.ofFailures(runs.get(0)));
        }
        out.flush();
    }

    private List<Run> runs(SimTask task, @Nullable SimTask compared, @Nullable OutputFile samples, Interrupt interrupt)
            throws IOException {
        if (samples == null) {
            return runs(task, compared, sample -> {}, label -> {}, interrupt);
        }
        try (SampleCsv rows =
                compared == null ? new SampleCsv(samples.writer()) : new SampleCsv(samples.writer(), task.label())) {
            return runs(task, compared, rows, rows::run, interrupt);
        } catch (IOException | UncheckedIOException e) {
            throw samples.failed(e);
        }
    }

    private List<Run> runs(
            SimTask task,
            @Nullable SimTask compared,
            Consumer<Sample> samples,
            Consumer<String> next,
            Interrupt interrupt) {
        List<Run> runs = new ArrayList<>();
        runs.add(simulate(task, samples, interrupt));
        if (compared != null) {
            next.accept(compared.label());
            runs.add(simulate(compared, samples, interrupt));
        }
        return runs;
    }

    private Run simulate(SimTask task, Consumer<Sample> samples, Interrupt interrupt) {
        Scenario scenario = task.scenario();
        long end = scenario.duration().toNanos();
        try (ProgressBar bar = bar()) {
            Result result = Simulation.run(scenario, samples, nanos -> {
                interrupt.check();
                bar.show(nanos, end, task.label());
            });
            return new Run(task.label(), result, task.again(scenario.seed()));
        }
    }

    private ProgressBar bar() {
        boolean terminal = Boolean.getBoolean("forebay.terminal") && !quiet;
        return new ProgressBar(spec.commandLine().getErr(), terminal, System::nanoTime);
    }

    private int sweepAll(List<SimTask> tasks, SeedSweep.Range range, Interrupt interrupt) throws InterruptedException {
        boolean failed = false;
        for (SimTask task : tasks) {
            SeedSweep sweep = new SeedSweep(task.scenario(), range, interrupt);
            try (ProgressBar bar = bar()) {
                sweep.run(bar);
            }
            tell(task, sweep, range);
            failed |= sweep.failed() > 0;
            interrupt.check();
        }
        return failed ? 1 : 0;
    }

    private void tell(SimTask task, SeedSweep sweep, SeedSweep.Range range) {
        PrintWriter out = spec.commandLine().getOut();
        boolean whole = sweep.done() == range.count();
        if (!quiet || sweep.failed() > 0) {
            out.println(task.label() + ": "
                    + (whole
                            ? "seeds " + range.first() + " to " + range.last()
                            : sweep.done() + " of the seeds " + range.first() + " to " + range.last())
                    + ", " + (sweep.done() - sweep.failed()) + " held, " + sweep.failed() + " failed");
        }
        Map<Long, String> failures = sweep.failures();
        failures.forEach((seed, failure) -> out.println("FAIL seed " + seed + "  " + failure));
        if (sweep.failed() > failures.size()) {
            out.println("     and " + (sweep.failed() - failures.size()) + " more");
        }
        failures.keySet().stream().findFirst().ifPresent(first -> out.println("     again: " + task.again(first)));
        out.flush();
    }

    private void say(String text) {
        if (!quiet) {
            spec.commandLine().getOut().println(text);
        }
    }

    /** Turns the pools' logs off, unless they were asked for: trouble is the point here, and it is in the report. */
    private static void quietLogs() {
        if (System.getenv("FOREBAY_LOG") == null) {
            setLevel("dev.forebay", Level.ERROR);
            for (String log : List.of("dev.forebay.PoolLog", "dev.forebay.fleet.FleetLog")) {
                setLevel(log, Level.OFF); // the rest would be errors of our own
            }
        }
    }

    private static void setLevel(String name, Level level) {
        if (LoggerFactory.getLogger(name) instanceof Logger logger) {
            logger.setLevel(level);
        }
    }

    // ---- options

    private void checkOptions() {
        boolean files = html != null || csv != null || svg != null;
        if (names.size() > 1 && (files || other != null)) {
            throw wrong("--html, --csv, --svg and --compare are about one scenario, and there are " + names.size());
        }
        if (csv != null && seeds != null) {
            throw wrong("--csv has the samples of one run, and --seeds makes many; use --seed");
        }
        if (seeds != null && (files || other != null || seed != null)) {
            throw wrong("--seeds only says which seeds fail; use --seed to look at one of them");
        }
    }

    /** Checks that no output overwrites an input or another output. */
    private void checkOutputs(List<SimTask> tasks) throws IOException {
        List<Path> outputs = new ArrayList<>();
        for (Path output : Arrays.asList(html, csv, svg)) {
            if (output == null) {
                continue;
            }
            for (SimTask task : tasks) {
                if (Files.exists(output) && Files.isSameFile(output, task.file())) {
                    throw wrong(output + " is the scenario itself and would be overwritten");
                }
            }
            Path file = output.toAbsolutePath().normalize();
            if (outputs.contains(file)) {
                throw wrong(output + " is to be written twice");
            }
            outputs.add(file);
        }
    }

    private static ForebayConfig.Mode mode(String text) {
        return SimTask.mode(text)
                .orElseThrow(() -> new IllegalArgumentException(
                        text + " is not a mode; there are reservoir, standard and on_demand"));
    }

    private <A, T> @Nullable T read(String option, @Nullable A given, Reader<A, T> reader) throws IOException {
        return given == null ? null : checked(option, given, reader);
    }

    /** The value that {@code reader} makes of {@code given}; an error names {@code option}. */
    private <A, T> T checked(String option, A given, Reader<A, T> reader) throws IOException {
        try {
            return reader.read(given);
        } catch (IllegalArgumentException e) {
            String what = option.isEmpty() ? Reason.of(e) : option + ": " + Reason.of(e);
            throw new ParameterException(spec.commandLine(), what, e);
        }
    }

    private interface Reader<A, T> {
        T read(A given) throws IOException;
    }

    private @Nullable OutputFile open(String option, @Nullable Path path, List<OutputFile> opened) throws IOException {
        OutputFile file = read(option, path, OutputFile::at);
        if (file != null) {
            opened.add(file);
        }
        return file;
    }

    private ParameterException wrong(String what) {
        return new ParameterException(spec.commandLine(), what);
    }
}
