// SPDX-License-Identifier: Apache-2.0
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import javax.xml.parsers.DocumentBuilder;
import javax.xml.parsers.DocumentBuilderFactory;
import org.w3c.dom.Element;

/**
 * Checks that every row of {@code docs/requirements.md} names tests, and that each of them ran and passed in this build.
 *
 * <p>Run as {@code java CheckRequirements.java ROOT [BUILD_START]}. A test counts if a report of Surefire or Failsafe
 * says that it passed, its class is still compiled, and the report is older neither than that class nor than the start
 * of the build.
 */
final class CheckRequirements {
    private static final Pattern CODE = Pattern.compile("`([^`]*)`");
    private static final Pattern TEST = Pattern.compile("([A-Za-z_][\\w.$]*)\\.([A-Za-z_]\\w*)");
    private static final Pattern SEPARATOR = Pattern.compile("\\|[\\s:|-]*-[\\s:|-]*");
    /** What JUnit and Surefire append to the name of a parameterized or repeated test. */
    private static final Pattern INVOCATION = Pattern.compile("[({\\[ ].*", Pattern.DOTALL);

    private final Path root;
    private final Instant buildStart;
    private final List<String> errors = new ArrayList<>();

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
            for (String test : row.tests) {
                tests.add(test);
                problem(test, cases).ifPresent(problem -> row.report("`" + test + "` " + problem));
            }
        }
        if (rows.isEmpty()) {
            errors.add("docs/requirements.md has no rows");
        }
        if (errors.isEmpty()) {
            System.out.printf("requirements: %d entries, %d tests, all ran%n", rows.size(), tests.size());
            return true;
        }
        errors.forEach(error -> System.err.println("requirements: " + error));
        System.err.printf(
                "requirements: %d entries, %d tests, %d problems%n", rows.size(), tests.size(), errors.size());
        return false;
    }

    /** Why {@code test} does not show its requirement, if so. */
    private Optional<String> problem(String test, List<TestCase> cases) {
        var matcher = TEST.matcher(test);
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
        return found.stream().flatMap(c -> c.problem.stream()).findFirst();
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
            List<String> tests = CODE.matcher(cells[cells.length - 1])
                    .results()
                    .map(code -> code.group(1).strip())
                    .toList();
            rows.add(new Row(cells[0].strip(), i + 1, tests));
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
            cases.add(new TestCase(type, method, problem(element, report, compiled)));
        }
    }

    private Optional<String> problem(Element testCase, Path report, Path compiled) throws IOException {
        for (String bad : List.of("failure", "error", "skipped")) {
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
        final List<String> tests;

        Row(String id, int line, List<String> tests) {
            this.id = id;
            this.line = line;
            this.tests = tests;
        }

        void report(String problem) {
            errors.add("row " + id + " (docs/requirements.md:" + line + ") " + problem);
        }
    }

    private record TestCase(String type, String method, Optional<String> problem) {
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
