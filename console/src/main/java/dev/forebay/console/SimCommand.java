// SPDX-License-Identifier: Apache-2.0
package dev.forebay.console;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import dev.forebay.ForebayConfig;
import dev.forebay.event.GoDuration;
import dev.forebay.lab.sim.Result;
import dev.forebay.lab.sim.Sample;
import dev.forebay.lab.sim.Scenario;
import dev.forebay.lab.sim.ScenarioException;
import dev.forebay.lab.sim.ScenarioFile;
import dev.forebay.lab.sim.Simulation;
import dev.forebay.lab.sim.report.HtmlReport;
import dev.forebay.lab.sim.report.Run;
import dev.forebay.lab.sim.report.SampleCsv;
import dev.forebay.lab.sim.report.Summary;
import dev.forebay.lab.sim.report.SvgChart;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.slf4j.LoggerFactory;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code forebay sim}: runs scenarios in virtual time, says what held, and draws it. */
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

    private static final Duration LONGEST = Duration.ofDays(31);

    @Spec
    @SuppressWarnings("NullAway.Init") // set by picocli
    private CommandSpec spec;

    @Parameters(
            arity = "1..*",
            paramLabel = "SCENARIO",
            description = "The file of a scenario, or the name of one that is shipped, such as local.")
    private List<String> names = new ArrayList<>();

    @Option(names = "--html", paramLabel = "FILE", description = "Writes a page with plots that needs no network.")
    private @Nullable Path html;

    @Option(names = "--csv", paramLabel = "FILE", description = "Writes the numbers of each process at each sample.")
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

    /**
     * What is to be run.
     *
     * @param label what it is called beside another
     * @param scenario it
     * @param command what runs it again, without the seed
     */
    private record Task(String label, Scenario scenario, String command) {

        String again(long seed) {
            return command + " --seed " + seed;
        }
    }

    @Override
    public Integer call() throws IOException, InterruptedException {
        checkOptions();
        List<Task> tasks = new ArrayList<>();
        Task compared = null;
        try {
            for (String name : names) {
                tasks.add(task(name, mode(mode)));
            }
            if (other != null) {
                compared = compared(tasks.get(0), other);
                tasks.set(0, relabelled(tasks.get(0), compared));
            }
        } catch (ScenarioException e) {
            spec.commandLine().getErr().println(Reason.of(e));
            return 2;
        }
        return execute(tasks, compared);
    }

    /** With the files that are to be written, and with Ctrl-C looked after. */
    private int execute(List<Task> tasks, @Nullable Task compared) throws IOException, InterruptedException {
        List<OutputFile> opened = new ArrayList<>();
        try (Interrupt interrupt = new Interrupt()) {
            try {
                OutputFile page = open("--html", html, opened);
                OutputFile samples = open("--csv", csv, opened);
                OutputFile picture = open("--svg", svg, opened);
                quietLogs();
                if (seeds != null) {
                    return sweepAll(tasks, range(seeds), interrupt);
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

    private int runAll(List<Task> tasks, @Nullable Task compared, Outputs outputs, Interrupt interrupt)
            throws IOException {
        List<String> failed = new ArrayList<>();
        for (Task task : tasks) {
            List<Run> runs = new ArrayList<>();
            runs.add(run(task, outputs.samples(), interrupt));
            if (compared != null) {
                runs.add(run(compared, null, interrupt));
            }
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

    private void tell(Task task, List<Run> runs, boolean passed) {
        PrintWriter out = spec.commandLine().getOut();
        if (!quiet) {
            out.println(Summary.of(runs));
        } else if (!passed) {
            out.println(task.label());
            out.print(Summary.ofFailures(runs.get(0)));
        }
        out.flush();
    }

    private Run run(Task task, @Nullable OutputFile samples, Interrupt interrupt) throws IOException {
        if (samples == null) {
            return simulate(task, sample -> {}, interrupt);
        }
        try (SampleCsv rows = new SampleCsv(samples.writer())) {
            return simulate(task, rows, interrupt);
        } catch (UncheckedIOException e) {
            throw new IOException(samples.file() + " could not be written: " + Reason.of(e), e);
        }
    }

    private Run simulate(Task task, Consumer<Sample> samples, Interrupt interrupt) {
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

    private int sweepAll(List<Task> tasks, SeedSweep.Range range, Interrupt interrupt) throws InterruptedException {
        boolean failed = false;
        for (Task task : tasks) {
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

    private void tell(Task task, SeedSweep sweep, SeedSweep.Range range) {
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

    /** A pool in trouble says so, and here trouble is the point; unless someone asked for the log. */
    private static void quietLogs() {
        if (System.getenv("FOREBAY_LOG") == null && LoggerFactory.getLogger("dev.forebay") instanceof Logger logger) {
            logger.setLevel(Level.ERROR);
        }
    }

    // ---- what is to be run

    private Task task(String name, Optional<ForebayConfig.Mode> inMode) throws IOException {
        Path file;
        try {
            file = ScenarioShelf.shipped().find(name);
        } catch (IllegalArgumentException e) {
            throw wrong(Reason.of(e), e);
        }
        for (Path output : Arrays.asList(html, csv, svg)) {
            if (output != null && Files.exists(output) && Files.isSameFile(output, file)) {
                throw wrong(output + " is the scenario itself and would be overwritten", null);
            }
        }
        Scenario scenario = ScenarioFile.read(file);
        String command = "./forebay sim " + quoted(name);
        if (inMode.isPresent()) {
            scenario = scenario.withMode(inMode.get());
            command += " --mode " + word(inMode.get());
        }
        if (duration != null) {
            scenario = scenario.withDuration(length(duration));
            command += " --duration " + quoted(duration);
        }
        return new Task(scenario.name(), seed == null ? scenario : scenario.withSeed(seed), command);
    }

    private Task compared(Task first, String with) throws IOException {
        Optional<ForebayConfig.Mode> otherMode = modeNamed(with);
        if (otherMode.isEmpty()) {
            Task second = task(with, mode(mode));
            boolean alike = second.label().equals(first.label());
            if (alike && second.command().equals(first.command())) {
                throw wrong("--compare " + with + " is the scenario itself", null);
            }
            return alike ? new Task(with, second.scenario(), second.command()) : second;
        }
        if (modes(first.scenario()).equals(Set.of(otherMode.get()))) {
            throw wrong("--compare " + with + ": " + first.label() + " is in that mode already", null);
        }
        Task second = task(names.get(0), otherMode);
        return new Task(word(otherMode.get()), second.scenario(), second.command());
    }

    /** The first of two runs is called by what tells it from the second. */
    private Task relabelled(Task first, Task second) {
        if (modeNamed(other == null ? "" : other).isEmpty()) {
            boolean alike = first.scenario().name().equals(second.scenario().name());
            return alike ? new Task(names.get(0), first.scenario(), first.command()) : first;
        }
        Set<ForebayConfig.Mode> modes = modes(first.scenario());
        String label = modes.size() == 1 ? word(modes.iterator().next()) : "as written";
        return new Task(label, first.scenario(), first.command());
    }

    private static Set<ForebayConfig.Mode> modes(Scenario scenario) {
        return scenario.services().stream().map(Scenario.Service::mode).collect(Collectors.toSet());
    }

    // ---- options

    private void checkOptions() {
        boolean files = html != null || csv != null || svg != null;
        if (names.size() > 1 && (files || other != null)) {
            throw wrong(
                    "--html, --csv, --svg and --compare are about one scenario, and there are " + names.size(), null);
        }
        if (csv != null && other != null) {
            throw wrong(
                    "--csv has the samples of one run, and --compare makes two; run them one after the other", null);
        }
        if (seeds != null) {
            if (csv != null) {
                throw wrong("--csv has the samples of one run, and --seeds makes many; use --seed", null);
            }
            if (files || other != null || seed != null) {
                throw wrong("--seeds only says which seeds fail; use --seed to look at one of them", null);
            }
            range(seeds);
        }
        List<Path> outputs = new ArrayList<>();
        for (Path output : Arrays.asList(html, csv, svg)) {
            if (output != null) {
                Path file = output.toAbsolutePath().normalize();
                if (outputs.contains(file)) {
                    throw wrong(output + " is to be written twice", null);
                }
                outputs.add(file);
            }
        }
        mode(mode);
        if (duration != null) {
            length(duration);
        }
    }

    private SeedSweep.Range range(String text) {
        try {
            return SeedSweep.Range.parse(text);
        } catch (IllegalArgumentException e) {
            throw wrong("--seeds: " + Reason.of(e), e);
        }
    }

    private Duration length(String text) {
        try {
            Duration length = GoDuration.parse(text);
            if (length.isNegative() || length.isZero() || length.compareTo(LONGEST) > 0) {
                throw wrong("--duration must lie between 0 and 31 days: " + text, null);
            }
            return length;
        } catch (IllegalArgumentException e) {
            throw wrong("--duration: " + Reason.of(e) + ": " + text, e);
        }
    }

    private Optional<ForebayConfig.Mode> mode(@Nullable String text) {
        if (text == null) {
            return Optional.empty();
        }
        Optional<ForebayConfig.Mode> named = modeNamed(text);
        if (named.isEmpty()) {
            throw wrong("--mode is reservoir, standard or on_demand, not " + text, null);
        }
        return named;
    }

    private static Optional<ForebayConfig.Mode> modeNamed(String text) {
        return Arrays.stream(ForebayConfig.Mode.values())
                .filter(mode -> word(mode).equals(text.replace('-', '_')))
                .findFirst();
    }

    private static String word(ForebayConfig.Mode mode) {
        return mode.name().toLowerCase(Locale.ROOT);
    }

    /** As a shell reads it. */
    private static String quoted(String argument) {
        return argument.matches("[A-Za-z0-9_./+:@%=-]+") ? argument : "'" + argument.replace("'", "'\\''") + "'";
    }

    private @Nullable OutputFile open(String option, @Nullable Path path, List<OutputFile> opened) {
        if (path == null) {
            return null;
        }
        try {
            OutputFile file = OutputFile.at(path);
            opened.add(file);
            return file;
        } catch (IllegalArgumentException e) {
            throw wrong(option + ": " + Reason.of(e), e);
        }
    }

    private ParameterException wrong(String what, @Nullable Throwable cause) {
        return new ParameterException(spec.commandLine(), what, cause);
    }
}
