// SPDX-License-Identifier: Apache-2.0
package dev.forebay.console;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

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
}
