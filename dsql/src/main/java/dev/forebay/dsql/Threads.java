// SPDX-License-Identifier: Apache-2.0
package dev.forebay.dsql;

import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

/** Threads for calls that block: few, daemons, and gone when idle. */
final class Threads {

    private static final int MOST_QUEUED = 256;
    private static final long IDLE_SECONDS = 10;

    private Threads() {}

    /** Returns an executor of at most {@code count} threads; more work than can be queued is refused. */
    static ExecutorService few(String prefix, int count) {
        AtomicLong number = new AtomicLong();
        ThreadPoolExecutor few = new ThreadPoolExecutor(
                count, count, IDLE_SECONDS, TimeUnit.SECONDS, new ArrayBlockingQueue<>(MOST_QUEUED), task -> {
                    Thread thread = new Thread(task, prefix + number.incrementAndGet());
                    thread.setDaemon(true);
                    return thread;
                });
        few.allowCoreThreadTimeOut(true);
        return few;
    }
}
