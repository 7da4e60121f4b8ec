// SPDX-License-Identifier: Apache-2.0
package dev.forebay.checks;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The check of {@code docs/requirements.md}, on a project of one module with one test. */
@Timeout(120)
class RequirementsCheckIT {

    private static final Path CHECK =
            Path.of("..", "checks", "src", "CheckRequirements.java").toAbsolutePath();

    @TempDir
    private Path root;

    private Path programs;

    @BeforeEach
    void makeModule() throws Exception {
        programs = Files.createDirectory(root.resolve("programs"));
        Files.createDirectories(root.resolve("docs"));
        Files.createDirectories(root.resolve("module/target/test-classes"));
        Files.createFile(root.resolve("module/target/test-classes/AlertsIT.class"));
        Files.createDirectories(root.resolve("module/target/failsafe-reports"));
    }

    private void row(String tests) throws Exception {
        Files.writeString(
                root.resolve("docs/requirements.md"),
                "| Id | Requirement | Tests |\n|---|---|---|\n| 1 | Alerts fire | " + tests + " |\n");
    }

    private void report(String method, String outcome) throws Exception {
        Files.writeString(
                root.resolve("module/target/failsafe-reports/TEST-AlertsIT.xml"),
                "<testsuite><testcase classname=\"AlertsIT\" name=\"" + method + "\">" + outcome
                        + "</testcase></testsuite>");
    }

    private void install(String program) throws Exception {
        Files.createFile(
                programs.resolve(program),
                PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwxr-xr-x")));
    }

    private record End(int code, String text) {
        void passed(String last) {
            assertEquals(0, code, text);
            assertEquals("requirements: 1 entries, 1 tests, " + last, text.strip());
        }

        void failed(String problem) {
            assertEquals(1, code, text);
            assertTrue(text.contains(problem), text);
        }
    }

    /** Runs the check as user {@code app}. */
    private End check() throws Exception {
        Path out = root.resolve("out");
        ProcessBuilder builder = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-Duser.name=app",
                        CHECK.toString(),
                        root.toString())
                .redirectErrorStream(true)
                .redirectOutput(out.toFile());
        builder.environment().put("PATH", programs.toString());
        return new End(builder.start().waitFor(), Files.readString(out));
    }

    @Test
    void aSkippedTestIsAProblem() throws Exception {
        row("`AlertsIT.fire`");
        report("fire", "<skipped/>");
        check().failed("`AlertsIT.fire` did not pass: skipped");
    }

    @Test
    void aTestMayBeSkippedForWantOfWhatItNeeds() throws Exception {
        row("`AlertsIT.fire` (needs forebay-siren, root)");
        report("fire(String)[1]", "<skipped/>");
        check().passed("all ran but 1, for want of forebay-siren (1), root (1)");
        install("forebay-siren");
        check().passed("all ran but 1, for want of root (1)");
    }

    @Test
    void whatIsInstalledMustHaveRun() throws Exception {
        row("`AlertsIT.fire` (needs forebay-siren)");
        report("fire", "<skipped/>");
        install("forebay-siren");
        check().failed("`AlertsIT.fire` did not pass: skipped, although there is forebay-siren");
        report("fire", "");
        check().passed("all ran");
    }

    @Test
    void aTestThatFailedOrIsGoneIsAProblemWhateverItNeeds() throws Exception {
        row("`AlertsIT.fire` (needs forebay-siren)");
        report("fire", "<failure/>");
        check().failed("`AlertsIT.fire` did not pass: failure");
        report("cease", "<skipped/>");
        check().failed("`AlertsIT.fire` did not run");
    }

    @Test
    void aRemarkThatIsNoNeedIsAProblem() throws Exception {
        row("`AlertsIT.fire` (need forebay-siren)");
        report("fire", "");
        check().failed("says \"(need forebay-siren)\"");
    }
}
