// SPDX-License-Identifier: Apache-2.0
package dev.forebay.console;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.forebay.local.testkit.Browser;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** {@code forebay demo} as a program of its own: the jar that is shipped, in its short form. */
@Timeout(value = 180, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class DemoIT {

    private static final Path JAR = Path.of("target", "forebay.jar").toAbsolutePath();
    private static final long LONGEST_SECONDS = 150;

    /** Less than the time after which it would end itself, whatever is still open. */
    private static final long CTRL_C_SECONDS = 8;

    /** Two PostgreSQL have seven each, with the shells that watch over them; the rest serve connections. */
    private static final int PROCESSES_OF_HALF_FILLED_POOLS = 25;

    private static final List<String> WITHOUT_NETWORK =
            List.of("/usr/bin/unshare", "-n", "/bin/sh", "-c", "ip link set lo up && exec \"$@\"", "sh");
    private static final Pattern PAGE = Pattern.compile("The page is at (http://127.0.0.1:\\d+/),");

    /** Temporary files of the program, so that what it leaves is seen. */
    @TempDir
    private Path temporary;

    @TempDir
    private Path directory;

    private final List<ProcessHandle> started = new ArrayList<>();

    @AfterEach
    void noProgramIsLeft() throws Exception {
        for (ProcessHandle process : started) {
            process.destroy();
            process.onExit().get(LONGEST_SECONDS, TimeUnit.SECONDS);
        }
    }

    @Test
    void theShortFormKeepsEveryPromiseShowsItsMetricsAndLeavesNothing() throws Exception {
        Process process = start(List.of(), "--seconds", "30");
        awaitText(process, text -> text.contains("\n 0:02 | "));
        String shown = get("metrics");
        assertTrue(shown.contains("\ndsql_reservoir_size{"), shown);
        assertTrue(shown.contains("service-5"), shown);
        assertEquals("ready\n", get("readyz"));
        String state = get("api/state");
        assertTrue(state.contains("{\"name\":\"Forebay\",\"connectLimit\":10,"), state);
        assertTrue(state.contains("{\"name\":\"HikariCP\",\"connectLimit\":10,"), state);
        assertTrue(
                state.contains("\"note\":\"1/200 of an Aurora DSQL cluster, 20 times as fast: 50 connections"), state);
        assertTrue(state.contains("\"waits\":{\"Forebay\":{\"stalls\":"), state);
        assertTrue(state.contains("\"title\":\"The script\""), state);
        if (PromtoolIT.isInstalled()) {
            PromtoolIT.assertReads(shown);
        }
        List<ProcessHandle> behind = process.descendants().toList();
        assertFalse(behind.isEmpty());
        assertTrue(process.waitFor(LONGEST_SECONDS, TimeUnit.SECONDS), out());
        assertEquals(0, process.exitValue(), out());
        assertTrue(out().contains("* half of the connections are dropped"), out());
        assertTrue(out().contains("* a burst of conflicts"), out());
        assertEquals(7, count(" ok"), out());
        assertTrue(out().contains("Forebay kept every promise."), out());
        assertEquals("", err());
        assertEnded(behind);
    }

    /** In a network of its own, in which there is nothing but loopback. */
    @Test
    void needsNoNetwork() throws Exception {
        Process trial = new ProcessBuilder(with(WITHOUT_NETWORK, "true"))
                .redirectErrorStream(true)
                .redirectOutput(directory.resolve("trial").toFile())
                .start();
        trial.getOutputStream().close();
        assumeTrue(trial.waitFor() == 0, "skipped: no network namespace can be made here");
        Process process = start(WITHOUT_NETWORK, "--seconds", "30", "--break", "limit");
        assertTrue(process.waitFor(LONGEST_SECONDS, TimeUnit.SECONDS), out());
        assertTrue(out().contains("The services take 9 connects/s, but the cluster 5: it refused"), out());
        assertBroken(process, "connects stay within the cluster's limit");
    }

    @Test
    void aPortInUseIsNamed() throws Exception {
        try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            Process process = start(List.of(), "--web-port", Integer.toString(taken.getLocalPort()));
            assertTrue(process.waitFor(LONGEST_SECONDS, TimeUnit.SECONDS), out());
            assertEquals(1, process.exitValue(), out());
            assertEquals("", out());
            assertEquals(
                    "forebay demo: cannot listen on localhost/127.0.0.1:" + taken.getLocalPort()
                            + ": Address already in use\n",
                    err());
            assertEquals(Set.of(), left());
        }
    }

    @Test
    void keptItGoesOnAfterTheVerdictUntilCtrlC() throws Exception {
        Process process = startAlone("--keep", "--break", "limit");
        awaitText(
                process,
                text -> text.contains("It goes on until Ctrl-C; ")
                        && text.lastIndexOf("\n 0:02 | ") > text.indexOf("It goes on until Ctrl-C; "));
        assertTrue(out().contains("The services take 9 connects/s, but the cluster 5"), out());
        assertBroken("connects stay within the cluster's limit");
        if (Browser.executable() != null) {
            lookAtThePage();
        }
        assertStopsAtOnce(process);
    }

    /** At the views that only a demonstration has; the others are PageIT's. */
    private void lookAtThePage() throws Exception {
        Path pictures = Files.createDirectories(Path.of("target", "page"));
        URI own = address();
        try (Browser browser = new Browser()) {
            browser.open(URI.create(own + "#token=a%20token"), 1280, false);
            browser.await("true", "document.querySelector('#status').className === 'live'");
            assertEquals(
                    "Overview,Pools,Discards,Limits,Transactions,Holders,Events,Settings",
                    browser.ask("[...document.querySelectorAll('nav a')].map(a => a.textContent)"));
            browser.press("4");
            browser.await("true", "document.querySelector('main').innerText.includes('of 200')");
            Files.write(pictures.resolve("demo-limits.png"), browser.screenshot());
            browser.press("5");
            browser.await("1", "document.querySelectorAll('main section tbody tr').length");
            browser.await("true", "document.querySelectorAll('main canvas').length === 1");
            Files.write(pictures.resolve("demo-transactions.png"), browser.screenshot());
            assertEquals(List.of(), browser.troubles(own));
        }
    }

    @Test
    void brokenOnPurposeItSaysWhatIsWrong() throws Exception {
        Process process = start(List.of(), "--seconds", "30", "--break", "token");
        assertTrue(process.waitFor(LONGEST_SECONDS, TimeUnit.SECONDS), out());
        assertTrue(
                out().contains("The services could not connect: no connection could be opened: FATAL: unable to accept"
                        + " connection, access denied"),
                out());
        assertFalse(out().contains("X-Amz-Signature"), out());
        assertBroken(process, "the services connect");
    }

    private void assertBroken(Process process, String promise) throws Exception {
        assertEquals(1, process.exitValue(), out());
        assertBroken(promise);
        assertEquals("", err());
        assertEquals(Set.of(), left());
    }

    private void assertBroken(String promise) throws Exception {
        assertTrue(out().lines().anyMatch(line -> line.startsWith(promise) && line.endsWith("NOT OK")), out());
        assertTrue(out().contains("Forebay broke a promise."), out());
    }

    /** A terminal sends the signal to all of its processes, not to the first alone. */
    @Test
    void ctrlCUnderLoadLeavesNoProcessAndNoData() throws Exception {
        Process process = startAlone("--keep");
        awaitText(process, text -> text.contains("\n 0:02 | "));
        assertFalse(out().contains("\u001b"), "no terminal, so no drawing");
        assertStopsAtOnce(process);
        assertFalse(out().contains("What was promised"), out());
    }

    @Test
    void ctrlCWhileThePoolsFillLeavesNoProcessAndNoData() throws Exception {
        Process process = startAlone();
        awaitText(process, text -> text.contains("HikariCP is set as its documents advise"));
        while (process.descendants().count() < PROCESSES_OF_HALF_FILLED_POOLS) {
            assertFalse(process.waitFor(5, TimeUnit.MILLISECONDS)); // the test's own limit ends this
        }
        assertStopsAtOnce(process);
        assertFalse(out().contains("What was promised"), out());
    }

    @Test
    void ctrlCWhileItStartsLeavesNoProcessAndNoData() throws Exception {
        Process process = startAlone();
        while (left().isEmpty()) {
            assertFalse(process.waitFor(5, TimeUnit.MILLISECONDS)); // the test's own limit ends this
        }
        assertStopsAtOnce(process);
    }

    @ParameterizedTest
    @CsvSource({
        "--seconds 29, --seconds must lie between 30 and 3600: 29",
        "--seconds 3601, --seconds must lie between 30 and 3600: 3601",
        "--break everything, EVERYTHING",
        "--nonsense, --nonsense"
    })
    void wrongArgumentsAreNamed(String arguments, String word) throws Exception {
        Process process = start(List.of(), arguments.split(" "));
        assertTrue(process.waitFor(LONGEST_SECONDS, TimeUnit.SECONDS));
        assertEquals(2, process.exitValue(), err());
        assertTrue(err().contains(word), err());
        assertEquals(1, err().lines().count(), err());
    }

    // ---- helpers

    private static List<String> with(List<String> prefix, String command) {
        List<String> all = new ArrayList<>(prefix);
        all.add(command);
        return all;
    }

    private Process startAlone(String... arguments) throws IOException {
        assumeTrue(Files.isExecutable(Path.of("/usr/bin/setsid")), "skipped: setsid is not installed");
        return start(LocalCommandIT.ALONE, arguments);
    }

    private Process start(List<String> prefix, String... arguments) throws IOException {
        List<String> command = new ArrayList<>(prefix);
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(List.of("-Xmx256m", "-Djava.io.tmpdir=" + temporary, "-jar", JAR.toString(), "demo"));
        command.addAll(List.of(arguments));
        ProcessBuilder builder = new ProcessBuilder(command)
                .redirectOutput(directory.resolve("out").toFile())
                .redirectError(directory.resolve("err").toFile());
        builder.environment().remove("FOREBAY_LOG");
        builder.environment().put("FOREBAY_WEB_TOKEN", "a token");
        Process process = builder.start();
        started.add(process.toHandle());
        return process;
    }

    private String out() throws IOException {
        return Files.readString(directory.resolve("out"));
    }

    private String err() throws IOException {
        return Files.readString(directory.resolve("err"));
    }

    private long count(String ending) throws IOException {
        return out().lines().filter(line -> line.endsWith(ending)).count();
    }

    private void awaitText(Process process, Predicate<String> wanted) throws Exception {
        while (!wanted.test(out())) { // the test's own limit ends this
            assertFalse(process.waitFor(50, TimeUnit.MILLISECONDS), out() + err());
        }
    }

    private URI address() throws IOException {
        Matcher address = PAGE.matcher(out());
        assertTrue(address.find(), out());
        return URI.create(address.group(1));
    }

    private String get(String page) throws Exception {
        HttpRequest request = HttpRequest.newBuilder(address().resolve(page))
                .header("Authorization", "Bearer a token")
                .build();
        HttpResponse<String> response = HttpClient.newHttpClient().send(request, HttpResponse.BodyHandlers.ofString());
        assertEquals(200, response.statusCode());
        return response.body();
    }

    private void assertStopsAtOnce(Process process) throws Exception {
        List<ProcessHandle> behind = process.descendants().toList();
        Process signal = new ProcessBuilder("/bin/sh", "-c", "kill -INT -" + process.pid()).start();
        assertEquals(0, signal.waitFor());
        assertTrue(process.waitFor(CTRL_C_SECONDS, TimeUnit.SECONDS), out());
        assertEquals(130, process.exitValue(), out() + err());
        assertEquals("", err());
        assertEnded(behind);
    }

    private void assertEnded(List<ProcessHandle> behind) throws Exception {
        for (ProcessHandle process : behind) {
            process.onExit().get(LONGEST_SECONDS, TimeUnit.SECONDS);
        }
        assertEquals(Set.of(), left());
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
}
