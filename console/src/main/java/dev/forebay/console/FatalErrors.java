// SPDX-License-Identifier: Apache-2.0
package dev.forebay.console;

import java.util.function.IntConsumer;

/**
 * Ends the process when a thread dies of an error that leaves it half alive, such as one that serves the network and finds no
 * memory: a supervisor of the process then starts another. Thread-safe.
 */
final class FatalErrors implements Thread.UncaughtExceptionHandler {

    /** The exit code of a failure inside the software. */
    static final int EXIT_CODE = 70;

    private final IntConsumer halt;

    FatalErrors(IntConsumer halt) {
        this.halt = halt;
    }

    /** Installs it for every thread of the process. */
    static void endTheProcess() {
        Thread.setDefaultUncaughtExceptionHandler(
                new FatalErrors(code -> Runtime.getRuntime().halt(code)));
    }

    @Override
    public void uncaughtException(Thread thread, Throwable error) {
        boolean fatal = error instanceof VirtualMachineError && !(error instanceof StackOverflowError);
        try {
            System.err.println("thread " + thread.getName() + " ended by " + error
                    + (fatal ? "; the console ends too, since it cannot go on without it" : ""));
        } finally {
            if (fatal) {
                halt.accept(EXIT_CODE);
            }
        }
    }
}
