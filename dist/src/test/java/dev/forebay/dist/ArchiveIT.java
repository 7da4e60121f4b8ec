// SPDX-License-Identifier: Apache-2.0
package dev.forebay.dist;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.jar.JarFile;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import java.util.zip.ZipFile;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The archive as a stranger has it: unpacked somewhere, and run from somewhere else. */
@Timeout(value = 180, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class ArchiveIT {

    private static final Path TARGET = Path.of("target").toAbsolutePath();
    private static final Pattern PURL = Pattern.compile("\"purl\" : \"pkg:maven/([^/]+)/([^@]+)@([^?\"]+)");

    /** Those that another jar has shaded, here Netty, and for which that one stands. */
    private static final Set<String> INSIDE_OTHERS =
            Set.of("org.jctools:jctools-core", "org.jctools:jctools-core-jdk11");

    @TempDir
    private static Path somewhere;

    @TempDir
    private Path elsewhere;

    private static Path home;

    @BeforeAll
    static void unpack() throws Exception {
        Path directory = Files.createDirectory(somewhere.resolve("a directory"));
        Path archive = only(".tar.gz");
        Process tar = new ProcessBuilder("tar", "-xzf", archive.toString(), "-C", directory.toString())
                .inheritIO()
                .start();
        assertEquals(0, tar.waitFor());
        home = directory.resolve(archive.getFileName().toString().replace(".tar.gz", ""));
    }

    private static Path only(String ending) throws IOException {
        try (Stream<Path> files = Files.list(TARGET)) {
            List<Path> found = files.filter(
                            file -> file.getFileName().toString().startsWith("forebay-")
                                    && file.getFileName().toString().endsWith(ending))
                    .toList();
            assertEquals(1, found.size(), found.toString());
            return found.get(0);
        }
    }

    // ---- what is in it

    @Test
    void holdsWhatOneNeedsInBothForms() throws Exception {
        Set<String> names = files(home);
        for (String name : List.of(
                "bin/forebay",
                "bin/forebay.cmd",
                "lib/forebay.jar",
                "scenarios/local.yaml",
                "dashboards/forebay.json",
                "dashboards/alerts.yaml",
                "docs/operating.md",
                "README.md",
                "LICENSE",
                "NOTICE",
                "THIRD-PARTY.txt",
                "bom.json")) {
            assertTrue(names.contains(name), name + " is missing in " + names);
        }
        try (ZipFile zip = new ZipFile(only(".zip").toFile())) {
            Set<String> zipped = zip.stream()
                    .filter(entry -> !entry.isDirectory())
                    .map(entry -> entry.getName().substring(entry.getName().indexOf('/') + 1))
                    .collect(Collectors.toCollection(TreeSet::new));
            assertEquals(names, zipped);
        }
    }

    private static Set<String> files(Path directory) throws IOException {
        try (Stream<Path> files = Files.walk(directory)) {
            return files.filter(Files::isRegularFile)
                    .map(file -> directory.relativize(file).toString())
                    .collect(Collectors.toCollection(TreeSet::new));
        }
    }

    /** Each jar leaves its pom.properties in the runnable jar; those who leave none are on the class path of this test. */
    @Test
    void theBillOfMaterialsNamesAllThatIsInTheRunnableJar() throws Exception {
        Set<String> billed = new TreeSet<>();
        Matcher purl = PURL.matcher(Files.readString(home.resolve("bom.json")));
        while (purl.find()) {
            billed.add(purl.group(1) + ":" + purl.group(2));
        }
        Set<String> shipped = new TreeSet<>();
        try (JarFile jar = new JarFile(home.resolve("lib/forebay.jar").toFile())) {
            jar.stream()
                    .map(entry -> entry.getName().split("/"))
                    .filter(path -> path.length == 5 && path[1].equals("maven") && path[4].equals("pom.properties"))
                    .forEach(path -> shipped.add(path[2] + ":" + path[3]));
        }
        assertTrue(shipped.contains("com.zaxxer:HikariCP"), shipped.toString());
        Set<String> unnamed = new TreeSet<>(shipped);
        unnamed.removeAll(billed);
        unnamed.removeAll(INSIDE_OTHERS);
        assertEquals(Set.of(), unnamed);
        assertTrue(billed.contains("software.amazon.awssdk:dsql"), billed.toString());
        assertTrue(billed.contains("org.postgresql:postgresql"), billed.toString());
    }

    @Test
    void nothingProprietaryAndNothingOfTheTestsIsShipped() throws Exception {
        String bill = Files.readString(home.resolve("bom.json"));
        for (String name : List.of("DynamoDBLocal", "sqlite4java", "junit", "lincheck")) {
            assertFalse(bill.contains(name), name);
        }
        try (JarFile jar = new JarFile(home.resolve("lib/forebay.jar").toFile())) {
            List<String> wrong = jar.stream()
                    .map(entry -> entry.getName())
                    .filter(name -> name.startsWith("com/amazonaws/services/dynamodbv2/local")
                            || name.startsWith("org/junit")
                            || name.startsWith("com/almworks"))
                    .toList();
            assertEquals(List.of(), wrong);
        }
    }

    @Test
    void theNoticesNameEachPartWithItsLicence() throws Exception {
        String notices = Files.readString(home.resolve("THIRD-PARTY.txt"));
        assertTrue(notices.contains("\nch.qos.logback:logback-classic 1.5."), notices.substring(0, 3_000));
        assertTrue(notices.contains(": EPL-2.0 (offered under EPL-2.0 or LGPL-2.1-only)"), notices.substring(0, 3_000));
        assertTrue(notices.contains("Eclipse Public License - v 2.0"));
        assertTrue(notices.contains("Mozilla Public License Version 2.0"));
        assertTrue(notices.contains("PostgreSQL Global Development Group"));
        assertTrue(notices.contains("AWS SDK for Java 2.0"), "Apache's licence asks for the notices");
        assertTrue(
                notices.contains("uPlot\n\nThe MIT License"),
                "the page's charts are no jar, and asked for all the same");
        assertTrue(notices.contains("The Netty Project") || notices.contains("io.netty:netty-handler"));
        try (JarFile jar = new JarFile(home.resolve("lib/forebay.jar").toFile())) {
            String inside = new String(
                    jar.getInputStream(jar.getEntry("META-INF/NOTICE.txt")).readAllBytes(), StandardCharsets.UTF_8);
            assertTrue(inside.contains("AWS SDK for Java 2.0"), inside);
            assertTrue(inside.contains("Apache Commons Compress"), inside);
        }
    }

    // ---- how it runs

    @Test
    void saysItsVersionFromAnywhere() throws Exception {
        Path version = home.getFileName();
        End end = run(Map.of(), "--version");
        assertEquals(0, end.code, end.toString());
        assertEquals("Forebay " + version.toString().replace("forebay-", ""), end.out.strip());
    }

    @Test
    void runsThroughALink() throws Exception {
        Path link = Files.createSymbolicLink(elsewhere.resolve("fb"), home.resolve("bin/forebay"));
        End end = runProgram(link, Map.of(), "sim", "--quiet", "local", "--duration", "1m");
        assertEquals(0, end.code, end.toString());
    }

    @Test
    void findsTheScenariosThatComeWithIt() throws Exception {
        End end = run(Map.of(), "sim", "local", "--duration", "1m");
        assertEquals(0, end.code, end.toString());
        assertTrue(end.out.contains("assertions held"), end.toString());
    }

    @Test
    void helpsWithTheDemo() throws Exception {
        End end = run(Map.of(), "demo", "--help");
        assertEquals(0, end.code, end.toString());
        assertTrue(end.out.contains("--seconds"), end.toString());
    }

    @Test
    void usesTheJavaOnThePathWithoutJavaHome() throws Exception {
        Path java = Path.of(System.getProperty("java.home"), "bin");
        End end = run(Map.of("JAVA_HOME", "", "PATH", java + ":/usr/bin:/bin"), "--version");
        assertEquals(0, end.code, end.toString());
    }

    @Test
    void aWrongJavaHomeIsNamed() throws Exception {
        End end = run(Map.of("JAVA_HOME", "/no such place"), "--version");
        assertEquals(
                new End(
                        1,
                        "",
                        "forebay: JAVA_HOME is /no such place, but there is no bin/java: set it to a Java 17 or later, or unset it\n"),
                end);
    }

    @Test
    void withoutAnyJavaItSaysSo() throws Exception {
        Path tools = Files.createDirectory(elsewhere.resolve("tools"));
        for (String tool : List.of("ls", "dirname", "readlink", "sed")) {
            Path found = Stream.of("/bin/", "/usr/bin/")
                    .map(directory -> Path.of(directory + tool))
                    .filter(Files::isExecutable)
                    .findFirst()
                    .orElseThrow();
            Files.createSymbolicLink(tools.resolve(tool), found);
        }
        End end = run(Map.of("JAVA_HOME", "", "PATH", tools.toString()), "--version");
        assertEquals(new End(1, "", "forebay: no java on the PATH: install Java 17 or later, or set JAVA_HOME\n"), end);
    }

    @Test
    void aJavaThatIsTooOldIsNamedByWhatItsFileSays() throws Exception {
        Path old = java("exit 3");
        Files.writeString(old.resolve("release"), "JAVA_RUNTIME=\"x\"\nJAVA_VERSION=\"1.8.0_392\"\n");
        End end = run(Map.of("JAVA_HOME", old.toString()), "--version");
        assertEquals(
                new End(
                        1,
                        "",
                        "forebay: " + old
                                + "/bin/java is Java 1.8.0_392, and Forebay needs Java 17 or later: set JAVA_HOME to one\n"),
                end);
    }

    @Test
    void aJavaThatIsTooOldIsNamedByWhatItSays() throws Exception {
        Path old = java("echo 'openjdk version \"11.0.2\" 2019-01-15' >&2");
        End end = run(Map.of("JAVA_HOME", old.toString()), "--version");
        assertEquals(1, end.code, end.toString());
        assertTrue(end.err.contains("is Java 11.0.2, and Forebay needs Java 17 or later"), end.toString());
    }

    private Path java(String script) throws IOException {
        Path old = Files.createDirectories(elsewhere.resolve("an old java"));
        Path java = Files.createDirectory(old.resolve("bin")).resolve("java");
        Files.writeString(java, "#!/bin/sh\n" + script + "\n");
        Files.setPosixFilePermissions(java, PosixFilePermissions.fromString("rwxr-xr-x"));
        return old;
    }

    private record End(int code, String out, String err) {}

    private End run(Map<String, String> variables, String... arguments) throws Exception {
        return runProgram(home.resolve("bin/forebay"), variables, arguments);
    }

    private End runProgram(Path program, Map<String, String> variables, String... arguments) throws Exception {
        List<String> command = new ArrayList<>(List.of("/bin/sh", "-c", "exec \"$0\" \"$@\"", program.toString()));
        command.addAll(List.of(arguments));
        Path out = elsewhere.resolve("out");
        Path err = elsewhere.resolve("err");
        ProcessBuilder builder = new ProcessBuilder(command)
                .directory(elsewhere.toFile())
                .redirectOutput(out.toFile())
                .redirectError(err.toFile());
        builder.environment().put("JAVA_HOME", System.getProperty("java.home"));
        builder.environment().putAll(variables);
        Process process = builder.start();
        process.getOutputStream().close();
        assertTrue(process.waitFor(120, TimeUnit.SECONDS));
        return new End(process.exitValue(), Files.readString(out), Files.readString(err));
    }
}
