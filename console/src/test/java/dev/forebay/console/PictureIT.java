// SPDX-License-Identifier: Apache-2.0
package dev.forebay.console;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The picture in the README is what the command beside it draws today. */
class PictureIT {

    private static final Path ROOT = Path.of("..");
    private static final String COMMAND =
            "./forebay sim mass-drop --compare standard --duration 7m --svg docs/mass-drop.svg";

    @TempDir
    private Path directory;

    @Test
    void thePictureOfTheReadmeIsWhatItsCommandDraws() throws Exception {
        String readme = Files.readString(ROOT.resolve("README.md"));
        assertTrue(readme.contains(COMMAND), "the README says how its picture is made: " + COMMAND);
        assertTrue(readme.contains("](docs/mass-drop.svg)"), "the README has the picture");
        Path drawn = directory.resolve("drawn.svg");
        Program.End end = new Program()
                .run(
                        "sim",
                        ROOT.resolve("scenarios/mass-drop.yaml").toString(),
                        "--compare",
                        "standard",
                        "--duration",
                        "7m",
                        "--svg",
                        drawn.toString());
        assertTrue(Files.exists(drawn), end::toString);
        assertEquals(
                Files.readString(drawn),
                Files.readString(ROOT.resolve("docs/mass-drop.svg")),
                "the picture is no longer what the simulator draws; to renew it: " + COMMAND);
    }
}
