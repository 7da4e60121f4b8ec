// SPDX-License-Identifier: Apache-2.0
package dev.forebay.console;

import java.util.concurrent.CountDownLatch;

/** Ctrl-C, for a program that serves until then: the process ends when this is closed. Thread-safe. */
final class StopSignal implements AutoCloseable {

    private final CountDownLatch stopped = new CountDownLatch(1);
    private final CountDownLatch ended = new CountDownLatch(1);

    /** Watches from now on. */
    StopSignal() {
        Runtime.getRuntime().addShutdownHook(new Thread(this::stop, "forebay-stop"));
    }

    private void stop() {
        stopped.countDown();
        try {
            ended.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** Returns when it is time to stop. */
    void await() throws InterruptedException {
        stopped.await();
    }

    /** Everything has been stopped. */
    @Override
    public void close() {
        ended.countDown();
    }
}
