// SPDX-License-Identifier: Apache-2.0
package dev.forebay.console;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/** Ctrl-C while something runs: lets it say what it knows and clean up before the program ends. Thread-safe. */
final class Interrupt implements AutoCloseable {

    private static final long PATIENCE_SECONDS = 10;
    private static final long SOON_MILLIS = 200;

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

    /** Thrown where something is to stop. */
    static final class Stopped extends RuntimeException {
        private static final long serialVersionUID = 1;

        Stopped() {
            super("stopped", null, false, false);
        }
    }

    boolean asked() {
        return asked.getCount() == 0;
    }

    /** Whether it is time to stop, or will be in a moment: others that got the signal too may have been quicker. */
    boolean askedSoon() throws InterruptedException {
        return asked() || asked.await(SOON_MILLIS, TimeUnit.MILLISECONDS);
    }

    /** @throws Stopped if it is time to stop */
    void check() {
        if (asked()) {
            throw new Stopped();
        }
    }

    /** The command has ended. */
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
