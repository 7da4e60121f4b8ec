// SPDX-License-Identifier: Apache-2.0
package dev.forebay.tx;

import dev.forebay.time.Time;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/** The wait of a thread between two attempts: the one place where a transaction blocks other than in the driver. */
@FunctionalInterface
interface Pause {

    /** Returns at {@code atNanos}, or as soon as {@code cancellation} is cancelled. */
    void until(long atNanos, Cancellation cancellation) throws InterruptedException;

    /** Returns a pause in {@code time}, which is real. The thread wakes itself: an alarm would cost another thread's turn. */
    static Pause of(Time time) {
        return (atNanos, cancellation) -> {
            CountDownLatch over = new CountDownLatch(1);
            Runnable end = over::countDown;
            cancellation.add(end);
            try {
                long leftNanos = atNanos - time.nanos();
                while (leftNanos > 0 && !over.await(leftNanos, TimeUnit.NANOSECONDS)) {
                    leftNanos = atNanos - time.nanos();
                }
            } finally {
                cancellation.remove(end);
            }
        };
    }
}
