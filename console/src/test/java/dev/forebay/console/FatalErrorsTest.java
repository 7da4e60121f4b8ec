// SPDX-License-Identifier: Apache-2.0
package dev.forebay.console;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNotEquals;

import java.io.PrintWriter;
import java.io.Writer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

/** Finding C6, C8: threads of the console that die of an error are missed, or the process ends. */
class FatalErrorsTest {

    private final List<Integer> halted = new ArrayList<>();
    private final FatalErrors errors = new FatalErrors(halted::add);

    private void die(Error error) throws InterruptedException {
        Thread thread = new Thread(() -> {
            throw error;
        });
        thread.setUncaughtExceptionHandler(errors);
        thread.start();
        thread.join();
    }

    @Test
    void aThreadThatDiesForWantOfMemoryEndsTheProcess() throws Exception {
        die(new OutOfMemoryError("on purpose"));
        assertEquals(List.of(FatalErrors.EXIT_CODE), halted);
    }

    @Test
    void aStatementThatIsNestedTooDeeplyDoesNot() throws Exception {
        die(new StackOverflowError("on purpose"));
        die(new AssertionError("on purpose"));
        assertEquals(List.of(), halted);
    }

    @Test
    void theConsoleWatchesAllItsThreads(@TempDir Path directory) {
        Thread.UncaughtExceptionHandler before = Thread.getDefaultUncaughtExceptionHandler();
        try {
            Thread.setDefaultUncaughtExceptionHandler(null);
            int code = new CommandLine(new ConsoleCommand())
                    .setErr(new PrintWriter(Writer.nullWriter()))
                    .execute("--ready-file", "r", "--servers", directory + "/missing"); // it ends soon
            assertNotEquals(0, code);
            assertInstanceOf(FatalErrors.class, Thread.getDefaultUncaughtExceptionHandler());
        } finally {
            Thread.setDefaultUncaughtExceptionHandler(before);
        }
    }
}
