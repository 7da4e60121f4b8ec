// SPDX-License-Identifier: Apache-2.0
package dev.forebay.console.demo;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Closes many things at the same time. */
final class AllAtOnce {

    private static final Logger log = LoggerFactory.getLogger(AllAtOnce.class);

    private AllAtOnce() {}

    /**
     * Closes all, each on a thread of its own, and waits no longer than {@code patience}; the rest goes on in the background, and
     * ends with the program at the latest.
     *
     * @throws IOException if one of those that were waited for could not be closed
     */
    static void close(List<? extends AutoCloseable> all, Duration patience) throws IOException {
        List<FutureTask<Boolean>> closing = new ArrayList<>();
        for (AutoCloseable one : all) {
            FutureTask<Boolean> task = new FutureTask<>(() -> {
                one.close();
                return true;
            });
            closing.add(task);
            Thread thread = new Thread(task, "forebay-demo-close");
            thread.setDaemon(true);
            thread.start();
        }
        long deadline = System.nanoTime() + patience.toNanos();
        IOException failure = null;
        for (FutureTask<Boolean> task : closing) {
            try {
                task.get(Math.max(1, deadline - System.nanoTime()), TimeUnit.NANOSECONDS);
            } catch (ExecutionException e) {
                failure = new IOException("could not be closed: " + e.getCause(), e);
            } catch (TimeoutException e) {
                log.debug("not closed within {}, which goes on alone", patience, e);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                return;
            }
        }
        if (failure != null) {
            throw failure;
        }
    }
}
