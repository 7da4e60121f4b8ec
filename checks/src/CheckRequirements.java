// SPDX-License-Identifier: Apache-2.0
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import javax.xml.parsers.DocumentBuilder;
import javax.xml.parsers.DocumentBuilderFactory;
import org.w3c.dom.Element;

/**
 * Checks that every row of {@code docs/requirements.md} names tests, and that each of them ran and passed in this build.
 *
 * <p>Run as {@code java CheckRequirements.java ROOT [BUILD_START]}. A test counts if a report of Surefire or Failsafe
 * says that it passed, its class is still compiled, and the report is older neither than that class nor than the start
 * of the build. One with {@code (needs PROGRAM, …)} behind it may be skipped where one of these programs is missing, and
 * only there; {@code root} stands for being that user.
 */
final class CheckRequirements {
    /** A test, and what has to be there for it to run. */
    private static final Pattern ENTRY = Pattern.compile("`([^`]*)`(?: \\(needs ([^)]*)\\))?");

    private static final Pattern TEST = Pattern.compile("([A-Za-z_][\\w.$]*)\\.([A-Za-z_]\\w*)");
    private static final Pattern SEPARATOR = Pattern.compile("\\|[\\s:|-]*-[\\s:|-]*");
    /** What JUnit and Surefire append to the name of a parameterized or repeated test. */
    private static final Pattern INVOCATION = Pattern.compile("[({\\[ ].*", Pattern.DOTALL);

    private final Path root;
    private final Instant buildStart;
    private final List<String> errors = new ArrayList<>();
    /** Counts of the skipped tests, by what was missing. */
    private final Map<String, Integer> wanting = new TreeMap<>();

    private final Set<String> skipped = new HashSet<>();

    private CheckRequirements(Path root, Instant buildStart) {
        this.root = root;
        this.buildStart = buildStart;
    }

    public static void main(String[] args) throws Exception {
        Path root = Path.of(args[0]).toRealPath();
        System.exit(
                new CheckRequirements(root, args.length > 1 ? Instant.parse(args[1]) : Instant.EPOCH).run() ? 0 : 1);
    }

    private boolean run() throws Exception {
        List<Row> rows = rows(Files.readAllLines(root.resolve("docs/requirements.md")));
        List<TestCase> cases = testCases();
        Set<String> ids = new HashSet<>();
        Set<String> tests = new HashSet<>();
        for (Row row : rows) {
            if (!ids.add(row.id)) {
                row.report("appears twice");
            }
            if (row.tests.isEmpty()) {
                row.report("names no test");
            }
            if (!row.rest.isEmpty()) {
                row.report("says \"" + row.rest + "\" among its tests");
            }
            for (Entry entry : row.tests) {
                tests.add(entry.test);
                problem(entry, cases).ifPresent(problem -> row.report("`" + entry.test + "` " + problem));
            }
        }
        if (rows.isEmpty()) {
            errors.add("docs/requirements.md has no rows");
        }
        if (errors.isEmpty()) {
            String but = wanting.entrySet().stream()
                    .map(missing -> missing.getKey() + " (" + missing.getValue() + ")")
                    .collect(Collectors.joining(", "));
            System.out.printf(
                    "requirements: %d entries, %d tests, all ran%s%n",
                    rows.size(), tests.size(), but.isEmpty() ? "" : " but " + skipped.size() + ", for want of " + but);
            return true;
        }
        errors.forEach(error -> System.err.println("requirements: " + error));
        System.err.printf(
                "requirements: %d entries, %d tests, %d problems%n", rows.size(), tests.size(), errors.size());
        return false;
    }

    /** Why the test of {@code entry} does not show its requirement, if so. */
    private Optional<String> problem(Entry entry, List<TestCase> cases) {
        var matcher = TEST.matcher(entry.test);
        if (!matcher.matches()) {
            return Optional.of("is not of the form Class.method");
        }
        List<TestCase> ofClass =
                cases.stream().filter(c -> c.isIn(matcher.group(1))).toList();
        if (ofClass.isEmpty()) {
            return Optional.of("did not run: no report of that class");
        }
        List<TestCase> found =
                ofClass.stream().filter(c -> c.method.equals(matcher.group(2))).toList();
        if (found.isEmpty()) {
            return Optional.of("did not run: its class has a report, but not this method");
        }
        Optional<String> problem =
                found.stream().flatMap(c -> c.problem.stream()).findFirst();
        return problem.isEmpty() && found.stream().anyMatch(c -> c.skipped) ? skip(entry) : problem;
    }

    /** Notes that a test was skipped; why that is a problem, if so. */
    private Optional<String> skip(Entry entry) {
        List<String> missing =
                entry.needs.stream().filter(need -> !isThere(need)).toList();
        if (missing.isEmpty()) {
            return Optional.of("did not pass: skipped"
                    + (entry.needs.isEmpty() ? "" : ", although there is " + String.join(", ", entry.needs)));
        }
        if (skipped.add(entry.test)) {
            missing.forEach(need -> wanting.merge(need, 1, Integer::sum));
        }
        return Optional.empty();
    }

    private static boolean isThere(String need) {
        if (need.equals("root")) {
            return "root".equals(System.getProperty("user.name"));
        }
        String path = System.getenv().getOrDefault("PATH", "") + File.pathSeparator + "/usr/sbin";
        return Arrays.stream(path.split(File.pathSeparator))
                .anyMatch(directory -> Files.isExecutable(Path.of(directory, need)));
    }

    private List<Row> rows(List<String> lines) {
        List<Row> rows = new ArrayList<>();
        boolean fenced = false;
        for (int i = 0; i < lines.size(); i++) {
            String line = lines.get(i).strip();
            if (line.startsWith("```")) {
                fenced = !fenced;
            }
            boolean header = i + 1 < lines.size()
                    && SEPARATOR.matcher(lines.get(i + 1).strip()).matches();
            if (fenced
                    || !line.startsWith("|")
                    || header
                    || SEPARATOR.matcher(line).matches()) {
                continue;
            }
            String[] cells = line.substring(1).replaceFirst("\\|$", "").split("(?<!\\\\)\\|", -1);
            String cell = cells[cells.length - 1];
            List<Entry> tests = ENTRY.matcher(cell).results().map(Entry::of).toList();
            String rest = ENTRY.matcher(cell).replaceAll("").replace(",", "").strip();
            rows.add(new Row(cells[0].strip(), i + 1, tests, rest));
        }
        return rows;
    }

    private List<TestCase> testCases() throws Exception {
        DocumentBuilder parser = DocumentBuilderFactory.newInstance().newDocumentBuilder();
        List<TestCase> cases = new ArrayList<>();
        List<Path> modules = new ArrayList<>(list(root));
        modules.addAll(list(root.resolve("samples")));
        for (Path module : modules) {
            Path target = module.resolve("target");
            for (String reports : List.of("surefire-reports", "failsafe-reports")) {
                for (Path report : list(target.resolve(reports))) {
                    if (report.getFileName().toString().matches("TEST-.*\\.xml")) {
                        read(parser, report, target.resolve("test-classes"), cases);
                    }
                }
            }
        }
        return cases;
    }

    private void read(DocumentBuilder parser, Path report, Path classes, List<TestCase> cases) throws Exception {
        var elements = parser.parse(report.toFile()).getElementsByTagName("testcase");
        for (int i = 0; i < elements.getLength(); i++) {
            Element element = (Element) elements.item(i);
            String type = element.getAttribute("classname");
            String method = INVOCATION.matcher(element.getAttribute("name")).replaceFirst("");
            Path compiled = classes.resolve(type.replace('.', '/') + ".class");
            boolean isSkipped = element.getElementsByTagName("skipped").getLength() > 0;
            cases.add(new TestCase(type, method, isSkipped, problem(element, report, compiled)));
        }
    }

    private Optional<String> problem(Element testCase, Path report, Path compiled) throws IOException {
        for (String bad : List.of("failure", "error")) {
            if (testCase.getElementsByTagName(bad).getLength() > 0) {
                return Optional.of("did not pass: " + bad);
            }
        }
        if (!Files.exists(compiled)) {
            return Optional.of("has a stale report: there is no " + root.relativize(compiled));
        }
        Instant reported = Files.getLastModifiedTime(report).toInstant();
        if (reported.isBefore(Files.getLastModifiedTime(compiled).toInstant())) {
            return Optional.of("has a stale report, older than its class: " + root.relativize(report));
        }
        if (reported.isBefore(buildStart)) {
            return Optional.of("did not run in this build: the report is older, " + root.relativize(report));
        }
        return Optional.empty();
    }

    private static List<Path> list(Path directory) throws IOException {
        if (!Files.isDirectory(directory)) {
            return List.of();
        }
        try (Stream<Path> entries = Files.list(directory)) {
            return entries.sorted().toList();
        }
    }

    private final class Row {
        final String id;
        final int line;
        final List<Entry> tests;
        /** The rest of its last cell, which is to be empty. */
        final String rest;

        Row(String id, int line, List<Entry> tests, String rest) {
            this.id = id;
            this.line = line;
            this.tests = tests;
            this.rest = rest;
        }

        void report(String problem) {
            errors.add("row " + id + " (docs/requirements.md:" + line + ") " + problem);
        }
    }

    private record Entry(String test, List<String> needs) {
        static Entry of(MatchResult match) {
            String needs = match.group(2);
            return new Entry(
                    match.group(1).strip(),
                    needs == null ? List.of() : List.of(needs.strip().split("\\s*,\\s*")));
        }
    }

    private record TestCase(String type, String method, boolean skipped, Optional<String> problem) {
        /** Whether {@code name}, simple or qualified, means this case's class or one that encloses it. */
        boolean isIn(String name) {
            String simple = type.substring(type.lastIndexOf('.') + 1);
            return type.equals(name)
                    || simple.equals(name)
                    || type.startsWith(name + "$")
                    || Arrays.asList(simple.split("\\$")).contains(name);
        }
    }
}
