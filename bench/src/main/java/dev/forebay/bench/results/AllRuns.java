// SPDX-License-Identifier: Apache-2.0
package dev.forebay.bench.results;

import dev.forebay.bench.Bench;
import dev.forebay.bench.Comparison;
import dev.forebay.bench.Jvm;
import dev.forebay.bench.Options;
import dev.forebay.bench.Options.Option;
import dev.forebay.bench.Threads;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.Reader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Properties;
import java.util.function.Predicate;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Every comparison that docs/performance.md shows, one after the other, and a file with their lines.
 *
 * <p>A run that is quick, or beside which others worked, is a trial: its name says so, and no table is made of it.
 */
public final class AllRuns implements Comparison {

    private static final String VIRTUAL = " " + Options.THREADS.flag() + " " + Threads.VIRTUAL;
    private static final String JDK = "--jdk";
    private static final String RESUME = "--resume";

    static final List<String> COMMANDS = List.of(
            "checkout",
            "wait",
            "wait" + VIRTUAL,
            "storm",
            "storm --mode standard --pools forebay",
            "cold",
            "cold" + VIRTUAL,
            "occ",
            "registry",
            "sim");

    private static final String TRIAL = "-trial";
    private static final Pattern RIVAL = Pattern.compile("(HikariCP|agroal-pool)-([0-9.]+)\\.jar");

    @Override
    public String name() {
        return "all";
    }

    @Override
    public String purpose() {
        return "every comparison of docs/performance.md, into a file of bench/results; about an hour";
    }

    @Override
    public List<Option> options() {
        return List.of(
                new Option("--busy", null, "begins although others use the machine: a trial, for no table"),
                new Option(RESUME, null, "goes on with a run that was broken off, at the comparison that it was at"),
                new Option(JDK, "HOME", "a JDK of 21 or later, for virtual threads, if this one is older"));
    }

    @Override
    public void run(Options options) throws Exception {
        if (options.get("--pools") != null) {
            throw new Refusal("--pools: a table needs all of them");
        }
        Path home = Path.of(System.getProperty("java.home"));
        Path homeForVirtual = homeForVirtual(options, home);
        Load load = Load.now();
        boolean trial = options.quick() || options.has("--busy");
        if (trial && options.has(RESUME)) {
            throw new Refusal(RESUME + ": a trial is begun anew");
        }
        if (!options.has("--busy") && (load.isBusy() || load.wasBusy())) {
            throw new Refusal("the machine does other work (" + load
                    + "): wait a minute after a build, or take --busy for a trial");
        }
        Files.createDirectories(Results.FOLDER);
        Path part = Results.FOLDER.resolve("unfinished" + (trial ? TRIAL : "") + ".part");
        String machine = machine(homeForVirtual);
        Unfinished run = options.has(RESUME)
                ? unfinished(part, machine)
                : new Unfinished(List.of(Results.COMMENT + machine), COMMANDS);
        trial |= run.isTrial();
        try (PrintWriter file = new PrintWriter(Files.newBufferedWriter(part), true)) {
            run.lines().forEach(file::println);
            for (String command : run.left()) {
                load = Load.now();
                trial |= load.isBusy();
                Path jdk = command.endsWith(VIRTUAL) ? homeForVirtual : home;
                run(jdk, command + (options.quick() ? " --quick" : ""), load, file);
            }
        }
        Path results = free(LocalDate.now(ZoneOffset.UTC), trial ? TRIAL : "", Files::exists);
        Files.move(part, results);
        System.out.println("the lines are in " + results);
    }

    private static Unfinished unfinished(Path part, String machine) throws IOException, Refusal {
        if (!Files.exists(part)) {
            throw new Refusal(RESUME + ": there is no " + part);
        }
        try {
            Unfinished run = Unfinished.of(Files.readAllLines(part), COMMANDS);
            if (!run.machine().equals(machine)) {
                throw new Refusal(RESUME + ": that run is of another machine: " + run.machine());
            }
            return run;
        } catch (IllegalArgumentException e) {
            throw new Refusal(RESUME + ": " + part + ": " + e.getMessage());
        }
    }

    private static Path homeForVirtual(Options options, Path home) throws Refusal {
        String given = options.get(JDK);
        if (given == null && !Options.hasVirtualThreads()) {
            throw new Refusal("virtual threads need JDK 21 or later: " + JDK + " HOME");
        }
        Path jdk = given == null ? home : Path.of(given);
        if (!Files.isExecutable(jdk.resolve(Path.of("bin", "java")))) {
            throw new Refusal(JDK + ": no JDK is at " + jdk);
        }
        return jdk;
    }

    private static void run(Path jdk, String command, Load load, PrintWriter file)
            throws IOException, InterruptedException {
        String before = Results.COMMENT + command + ": " + load;
        System.out.println(before);
        file.println(before);
        Jvm.run(
                jdk,
                line -> {
                    System.out.println(line);
                    file.println(line);
                },
                Bench.class,
                command.split(" "));
    }

    /** Returns the first name of that day that is not in use, by a trial or otherwise. */
    static Path free(LocalDate day, String suffix, Predicate<Path> exists) {
        for (int n = 1; ; n++) {
            String name = day + "-" + n;
            if (!exists.test(Results.FOLDER.resolve(name + ".txt"))
                    && !exists.test(Results.FOLDER.resolve(name + TRIAL + ".txt"))) {
                return Results.FOLDER.resolve(name + suffix + ".txt");
            }
        }
    }

    /** Returns everything in which runs that are compared must agree. */
    private static String machine(Path homeForVirtual) throws IOException {
        List<String> parts = new ArrayList<>();
        int processors = Runtime.getRuntime().availableProcessors();
        parts.add(processors + (processors == 1 ? " processor" : " processors"));
        parts.add(System.getProperty("os.arch"));
        parts.add("JDK " + System.getProperty("java.version"));
        parts.add("for virtual threads JDK " + version(homeForVirtual));
        Arrays.stream(System.getProperty("java.class.path").split(Pattern.quote(System.getProperty("path.separator"))))
                .map(RIVAL::matcher)
                .filter(Matcher::find)
                .map(jar -> (jar.group(1).startsWith("agroal") ? "Agroal" : "HikariCP") + " " + jar.group(2))
                .sorted(Comparator.reverseOrder())
                .forEach(parts::add);
        return String.join(", ", parts);
    }

    private static String version(Path jdk) throws IOException {
        Properties release = new Properties();
        try (Reader file = Files.newBufferedReader(jdk.resolve("release"))) {
            release.load(file);
        }
        return release.getProperty("JAVA_VERSION", "?").replace("\"", "");
    }
}
