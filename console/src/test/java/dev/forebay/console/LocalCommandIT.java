// SPDX-License-Identifier: Apache-2.0
package dev.forebay.console;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.io.Writer;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** {@code forebay local} as a program of its own: the jar that is shipped. */
@Timeout(value = 120, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class LocalCommandIT {

    /** In a process group of its own; and tests that run in the background may have had SIGINT ignored, which is inherited. */
    static final List<String> ALONE = List.of("/usr/bin/env", "--default-signal=INT", "/usr/bin/setsid");

    private static final Path JAR = Path.of("target", "forebay.jar").toAbsolutePath();
    private static final long LONGEST_SECONDS = 60;

    private final List<Process> started = new ArrayList<>();

    /** Temporary files of the programs, so that what they leave is seen. */
    @TempDir
    private Path temporary;

    @TempDir
    private Path directory;

    @AfterEach
    void noProgramIsLeft() throws InterruptedException {
        for (Process process : started) {
            process.destroy();
            assertTrue(process.waitFor(LONGEST_SECONDS, TimeUnit.SECONDS));
        }
    }

    @ParameterizedTest
    @CsvSource({
        "local --port many, --port",
        "local --port 65536, --port must lie between 0 and 65535",
        "local --metrics-port 65536, --metrics-port must lie between 0 and 65535",
        "local --endpoint a/b, an endpoint is a host name",
        "local --identity me, an identity is an ARN",
        "local --lifetime soon, --lifetime: not a duration: soon",
        "local --burst 0, a connect burst must lie between 1 and a million",
        "local --nonsense, --nonsense",
        "local --access-key-id AKIAEXAMPLE, FOREBAY_SECRET_ACCESS_KEY",
        "nonsense, nonsense"
    })
    void wrongArgumentsAreNamed(String arguments, String word) throws Exception {
        Process process = start(arguments.split(" "));
        assertEnds(process, 2, word);
    }

    @Test
    void aPortThatIsTakenIsNamed() throws Exception {
        try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            Path ready = Files.writeString(directory.resolve("ready"), "of another");
            Process process =
                    start("local", "--port", Integer.toString(taken.getLocalPort()), "--ready-file", ready.toString());
            assertEnds(process, 1, "cannot listen on localhost/127.0.0.1:" + taken.getLocalPort());
            assertEquals("of another", Files.readString(ready));
            assertEquals(Set.of(), left());
        }
    }

    /** Files that may not grow stand for a disk that is full. */
    @Test
    void aFullDiskIsNamed() throws Exception {
        List<String> limited = List.of("/bin/sh", "-c", "ulimit -f 4096; exec \"$@\"", "sh");
        Process process = startWith(limited, "local");
        assertEnds(process, 1, "forebay local: setting PostgreSQL up in " + temporary);
        String err = Files.readString(directory.resolve("err" + started.indexOf(process)));
        assertEquals(1, err.lines().count(), err);
        assertEquals(Set.of(), left());
    }

    @Test
    void ctrlCWhileItStartsLeavesNothing() throws Exception {
        assumeTrue(Files.isExecutable(Path.of("/usr/bin/setsid")), "skipped: setsid is not installed");
        Process process = startWith(ALONE, "local");
        while (left().isEmpty()) {
            assertFalse(process.waitFor(5, TimeUnit.MILLISECONDS)); // the test's own limit ends this
        }
        assertStopsSilently(process, "kill -INT -" + process.pid());
    }

    /** Where the signal reaches the program alone, nothing ends by itself what it is starting. */
    @Test
    void aSignalWhileItStartsIsObeyedBeforeItHasStarted() throws Exception {
        assumeTrue(Files.isExecutable(Path.of("/usr/bin/setsid")), "skipped: setsid is not installed");
        Process process = startWith(ALONE, "local");
        while (left().isEmpty()) {
            assertFalse(process.waitFor(5, TimeUnit.MILLISECONDS)); // the test's own limit ends this
        }
        assertStopsSilently(process, "kill -INT " + process.pid());
    }

    private void assertStopsSilently(Process process, String kill) throws Exception {
        assertEquals(0, new ProcessBuilder("/bin/sh", "-c", kill).start().waitFor());
        assertTrue(process.waitFor(LONGEST_SECONDS, TimeUnit.SECONDS));
        assertEquals("", Files.readString(directory.resolve("err" + started.indexOf(process))));
        assertEquals("", new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8));
        assertEquals(Set.of(), left());
    }

    @Test
    void dataOfAGroupThatWasKilledGoAtTheNextStart() throws Exception {
        assumeTrue(Files.isExecutable(Path.of("/usr/bin/setsid")), "skipped: setsid is not installed");
        Path first = directory.resolve("first");
        Path second = directory.resolve("second");
        Path third = directory.resolve("third");
        Process living = start("local", "--ready-file", first.toString());
        Map<String, String> ofLiving = facts(living, first);
        Set<String> ofTheLiving = left();
        Process killed = startWith(ALONE, "local", "--ready-file", second.toString());
        facts(killed, second);
        List<ProcessHandle> behind = killed.descendants().toList();
        Process kill = new ProcessBuilder("/bin/sh", "-c", "kill -KILL -" + killed.pid()).start();
        assertEquals(0, kill.waitFor());
        behind.forEach(ProcessHandle::destroyForcibly); // PostgreSQL makes groups of its own
        awaitEnd(behind);
        Set<String> ofTheKilled = left();
        ofTheKilled.removeAll(ofTheLiving);
        assertEquals(1, ofTheKilled.size());
        assertServes(facts(start("local", "--ready-file", third.toString()), third));
        assertTrue(left().stream().noneMatch(ofTheKilled::contains), () -> "left: " + left());
        assertTrue(left().containsAll(ofTheLiving));
        assertServes(ofLiving);
    }

    @Test
    void aReadyFileInNoDirectoryIsNamed() throws Exception {
        Path ready = directory.resolve("missing/ready");
        assertEnds(
                start("local", "--ready-file", ready.toString()),
                1,
                ready + ": there is no directory " + directory.resolve("missing"));
        assertEquals(Set.of(), left());
    }

    @Test
    void aRegionWithoutANameIsRefused() throws Exception {
        assertEnds(start("local", "--region", ""), 2, "--region must be like us-east-1: ''");
    }

    @Test
    void theReadyFileTellsHowToConnectAndGoesWithTheServer() throws Exception {
        Path ready = directory.resolve("ready");
        Process process = start("local", "--ready-file", ready.toString());
        Map<String, String> facts = facts(process, ready);
        assertEquals(
                List.of(
                        "host",
                        "port",
                        "user",
                        "database",
                        "ca",
                        "token",
                        "access_key_id",
                        "secret_access_key",
                        "region",
                        "jdbc_url"),
                List.copyOf(facts.keySet()));
        assertEquals("rw-------", PosixFilePermissions.toString(Files.getPosixFilePermissions(ready)));
        assertServes(facts);
        List<ProcessHandle> behind = process.descendants().toList();
        assertFalse(behind.isEmpty());
        process.destroy();
        assertTrue(process.waitFor(LONGEST_SECONDS, TimeUnit.SECONDS));
        assertFalse(Files.exists(ready));
        assertEquals(Set.of(), left());
        awaitEnd(behind);
    }

    @Test
    void aCrashLeavesNoProcessAndNoData() throws Exception {
        Path ready = directory.resolve("ready");
        Process process = start("local", "--ready-file", ready.toString());
        assertServes(facts(process, ready));
        List<ProcessHandle> behind = process.descendants().toList();
        assertFalse(behind.isEmpty());
        process.destroyForcibly();
        awaitEnd(behind);
        assertEquals(Set.of(), left());
    }

    /** A terminal sends the signal to all of its processes, not to the first alone. */
    @Test
    void ctrlCLeavesNoProcessAndNoData() throws Exception {
        assumeTrue(Files.isExecutable(Path.of("/usr/bin/setsid")), "skipped: setsid is not installed");
        Path ready = directory.resolve("ready");
        Process process = startWith(ALONE, "local", "--ready-file", ready.toString());
        assertServes(facts(process, ready));
        List<ProcessHandle> behind = process.descendants().toList();
        assertFalse(behind.isEmpty());
        Process signal = new ProcessBuilder("/bin/sh", "-c", "kill -INT -" + process.pid()).start();
        assertEquals(0, signal.waitFor());
        assertTrue(process.waitFor(LONGEST_SECONDS, TimeUnit.SECONDS));
        awaitEnd(behind);
        assertEquals(Set.of(), left());
        assertFalse(Files.exists(ready));
    }

    @Test
    void twoRunAtOnce() throws Exception {
        Path one = directory.resolve("one");
        Path two = directory.resolve("two");
        Process first = start("local", "--ready-file", one.toString());
        Process second = start("local", "--ready-file", two.toString());
        Map<String, String> ofFirst = facts(first, one);
        Map<String, String> ofSecond = facts(second, two);
        assertNotEquals(ofFirst.get("port"), ofSecond.get("port"));
        assertServes(ofFirst);
        assertServes(ofSecond);
    }

    @Test
    void commandsAreTakenFromStandardInput() throws Exception {
        Path ready = directory.resolve("ready");
        Process process = start("local", "--ready-file", ready.toString());
        Map<String, String> facts = facts(process, ready);
        try (Writer in = process.outputWriter(StandardCharsets.UTF_8);
                BufferedReader out = process.inputReader(StandardCharsets.UTF_8)) {
            assertEquals(
                    "  key    " + facts.get("access_key_id") + ", its secret is in " + ready
                            + ", for ./forebay token, doctor and the samples",
                    awaitLine(out, "  key "));
            say(in, "status");
            assertTrue(awaitLine(out, "sessions=").contains("sessions=0 "));
            say(in, "refuse connects 1h");
            awaitLine(out, "done: refuse connects 1h");
            SQLException refused = refusal(facts);
            assertTrue(refused.getMessage().contains("unable to accept connection"), refused.getMessage());
            say(in, "make it rain");
            awaitLine(out, "\"make\" begins no fault");
            say(in, "clear");
            awaitLine(out, "done: clear");
            assertServes(facts);
            do { // the test's own limit ends this
                say(in, "status");
            } while (!awaitLine(out, "sessions=").startsWith("sessions=0 "));
            try (Connection one = connect(facts);
                    Connection two = connect(facts)) {
                say(in, "drop 100%");
                awaitLine(out, "done: drop 100%, 2 sessions closed");
            }
        }
        assertTrue(process.isAlive(), "the end of its input is not the end of the server");
    }

    @Test
    void metricsAreShownToWhoHasTheToken() throws Exception {
        Path ready = directory.resolve("ready");
        Map<String, String> facts =
                facts(start("local", "--metrics-port", "0", "--ready-file", ready.toString()), ready);
        assertServes(facts);
        URI metrics = URI.create(facts.get("metrics_url"));
        HttpClient http = HttpClient.newHttpClient();
        HttpResponse<String> shown = http.send(
                HttpRequest.newBuilder(metrics)
                        .header("Authorization", "Bearer " + facts.get("metrics_token"))
                        .build(),
                HttpResponse.BodyHandlers.ofString());
        assertEquals(200, shown.statusCode());
        assertTrue(shown.body().contains("\nforebay_local_connects_admitted_total 1\n"), shown.body());
        HttpResponse<String> hidden =
                http.send(HttpRequest.newBuilder(metrics).build(), HttpResponse.BodyHandlers.ofString());
        assertEquals(401, hidden.statusCode());
        assertEquals("", hidden.body());
    }

    // ---- helpers

    private Process start(String... arguments) throws IOException {
        return startWith(List.of(), arguments);
    }

    private Process startWith(List<String> prefix, String... arguments) throws IOException {
        List<String> command = new ArrayList<>(prefix);
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(List.of(
                "-Xmx256m", "-XX:TieredStopAtLevel=1", "-Djava.io.tmpdir=" + temporary, "-jar", JAR.toString()));
        command.addAll(List.of(arguments));
        ProcessBuilder builder = new ProcessBuilder(command)
                .redirectError(directory.resolve("err" + started.size()).toFile());
        builder.environment().remove("FOREBAY_SECRET_ACCESS_KEY");
        Process process = builder.start();
        started.add(process);
        return process;
    }

    private void assertEnds(Process process, int code, String word) throws Exception {
        assertTrue(process.waitFor(LONGEST_SECONDS, TimeUnit.SECONDS));
        String err = Files.readString(directory.resolve("err" + started.indexOf(process)));
        assertEquals(code, process.exitValue(), err);
        assertTrue(err.contains(word), err);
        assertFalse(err.contains("\tat "), err);
    }

    /** The program's leftovers in its directory for temporary files, without the JVM's own. */
    private Set<String> left() {
        try (Stream<Path> files = Files.list(temporary)) {
            return files.map(file -> file.getFileName().toString())
                    .filter(name -> !name.startsWith("hsperfdata"))
                    .collect(Collectors.toSet());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private Map<String, String> facts(Process process, Path ready) throws Exception {
        while (!Files.exists(ready) && !process.waitFor(20, TimeUnit.MILLISECONDS)) {
            continue; // the test's own limit ends this
        }
        assertTrue(process.isAlive(), Files.readString(directory.resolve("err" + started.indexOf(process))));
        Map<String, String> facts = new LinkedHashMap<>();
        for (String line : Files.readAllLines(ready)) {
            int at = line.indexOf('=');
            facts.put(line.substring(0, at), line.substring(at + 1));
        }
        return facts;
    }

    private static void awaitEnd(List<ProcessHandle> processes) throws Exception {
        for (ProcessHandle process : processes) {
            process.onExit().get(LONGEST_SECONDS, TimeUnit.SECONDS);
        }
    }

    private static void assertServes(Map<String, String> facts) throws SQLException {
        try (Connection connection = connect(facts);
                Statement statement = connection.createStatement();
                ResultSet result = statement.executeQuery("SELECT 1")) {
            assertTrue(result.next());
        }
    }

    private static SQLException refusal(Map<String, String> facts) {
        try (Connection connection = connect(facts)) {
            throw new AssertionError("was let in: " + connection);
        } catch (SQLException e) {
            return e;
        }
    }

    private static Connection connect(Map<String, String> facts) throws SQLException {
        return DriverManager.getConnection(facts.get("jdbc_url"), facts.get("user"), facts.get("token"));
    }

    private static void say(Writer in, String command) throws IOException {
        in.write(command + "\n");
        in.flush();
    }

    private static String awaitLine(BufferedReader out, String start) throws IOException {
        for (String line = out.readLine(); line != null; line = out.readLine()) {
            if (line.startsWith(start)) {
                return line;
            }
        }
        throw new AssertionError("no line begins with " + start);
    }
}
