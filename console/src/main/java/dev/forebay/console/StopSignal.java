// SPDX-License-Identifier: Apache-2.0
package dev.forebay.console;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/** Ctrl-C, for a program that serves until then: the process ends when this is closed. Thread-safe. */
final class StopSignal implements AutoCloseable {

    private static final long NOTICED_MILLIS = 300;

    private final CountDownLatch stopped = new CountDownLatch(1);
    private final CountDownLatch ended = new CountDownLatch(1);

    private final ReentrantLock lock = new ReentrantLock();

    /** The thread to interrupt, while it starts something. */
    @GuardedBy("lock")
    private @Nullable Thread starting;

    /** Watches from now on. */
    StopSignal() {
        Runtime.getRuntime().addShutdownHook(new Thread(this::stop, "forebay-stop"));
    }

    private void stop() {
        stopped.countDown();
        lock.lock();
        try {
            if (starting != null) {
                starting.interrupt();
            }
        } finally {
            lock.unlock();
        }
        try {
            ended.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** Runs {@code start}, whose thread is interrupted if it is time to stop before that is done. */
    <T> T interrupting(Callable<T> start) throws Exception {
        interruptible(Thread.currentThread());
        try {
            return start.call();
        } finally {
            interruptible(null);
            Thread.interrupted(); // is not meant for later calls
        }
    }

    private void interruptible(@Nullable Thread thread) {
        lock.lock();
        try {
            starting = thread;
            if (thread != null && isGiven()) {
                thread.interrupt();
            }
        } finally {
            lock.unlock();
        }
    }

    boolean isGiven() {
        return stopped.getCount() == 0;
    }

    /** Returns whether it is given, or about to be: Ctrl-C also ends the started processes, which may be noticed first. */
    boolean isGivenSoon() {
        try {
            return stopped.await(NOTICED_MILLIS, TimeUnit.MILLISECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
    }

    /** Returns when it is time to stop. */
    void await() throws InterruptedException {
        stopped.await();
    }

    /** Notes that everything has been stopped. */
    @Override
    public void close() {
        ended.countDown();
    }
}
