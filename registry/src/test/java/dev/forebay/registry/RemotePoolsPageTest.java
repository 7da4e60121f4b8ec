// SPDX-License-Identifier: Apache-2.0
package dev.forebay.registry;

import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

/** The page says of every option, error and type what the code says. */
class RemotePoolsPageTest {

    private final String page;

    RemotePoolsPageTest() throws IOException {
        Path here = Path.of("docs/remote-pools.md");
        page = Files.readString(Files.exists(here) ? here : Path.of("..").resolve(here));
    }

    private void says(String line) {
        assertTrue(page.lines().anyMatch(one -> one.startsWith(line)), "docs/remote-pools.md has no line: " + line);
    }

    @Test
    void everyOptionIsThereWithItsDefault() {
        for (ServerOption option : ServerOption.values()) {
            String byDefault =
                    option.byDefault().map(value -> "`" + value + "`").orElse("");
            says("| `" + option.key() + "` | " + byDefault + " | " + option.meaning() + " |");
        }
    }

    @Test
    void everyErrorIsThere() {
        for (RegistryError error : RegistryError.values()) {
            says("| " + error.sqlState() + " | " + error + " | " + (error.isRecoverable() ? "yes" : "no") + " |");
        }
    }

    @Test
    void everyTypeIsThereWithItsDriver() {
        for (DatabaseType type : DatabaseType.values()) {
            says("| `" + type.label() + "` | " + type.defaultPort() + " | " + type.artifact() + " |");
        }
    }
}
