// SPDX-License-Identifier: Apache-2.0
package dev.forebay.console;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/** Ctrl-C during a command: lets it report its results and clean up before the program ends. Thread-safe. */
final class Interrupt implements AutoCloseable {

    private static final long PATIENCE_SECONDS = 10;
    private static final long SOON_MILLIS = 200;

    /** Whether a signal ends the process, now that a command has been asked to stop. */
    private static volatile boolean ending;

    private final CountDownLatch asked = new CountDownLatch(1);
    private final CountDownLatch ended = new CountDownLatch(1);
    private final Thread hook = new Thread(this::await, "forebay-stop");
    private final Runnable onAsk;

    /** Watches from now on. */
    Interrupt() {
        this(() -> {});
    }

    /** Watches from now on, and runs {@code onAsk} when it is time to stop, on another thread. */
    Interrupt(Runnable onAsk) {
        this.onAsk = onAsk;
        Runtime.getRuntime().addShutdownHook(hook);
    }

    /** Thrown by a command that has to stop. */
    static final class Stopped extends RuntimeException {
        private static final long serialVersionUID = 1;

        Stopped() {
            super("stopped", null, false, false);
        }
    }

    /** Ends the process with {@code code}, or with the status of the signal that ends it already. */
    static void exit(int code) {
        System.exit(ending ? 0 : code); // up to JDK 20 any code but 0 overtakes that of the signal
    }

    boolean asked() {
        return asked.getCount() == 0;
    }

    /** Returns whether it is time to stop, or will be in a moment: other receivers of the signal may be quicker. */
    boolean askedSoon() throws InterruptedException {
        return asked() || asked.await(SOON_MILLIS, TimeUnit.MILLISECONDS);
    }

    /** @throws Stopped if it is time to stop */
    void check() {
        if (asked()) {
            throw new Stopped();
        }
    }

    /** Notes the end of the command. */
    @Override
    public void close() {
        ended.countDown();
        if (!asked()) {
            try {
                Runtime.getRuntime().removeShutdownHook(hook);
            } catch (IllegalStateException e) {
                asked.countDown(); // just now; the hook does not wait any more
            }
        }
    }

    private void await() {
        ending = true;
        asked.countDown();
        onAsk.run();
        try {
            if (!ended.await(PATIENCE_SECONDS, TimeUnit.SECONDS)) {
                Runtime.getRuntime().halt(130);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
