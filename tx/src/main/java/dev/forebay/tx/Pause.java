// SPDX-License-Identifier: Apache-2.0
package dev.forebay.tx;

import dev.forebay.time.Time;
import java.util.concurrent.CountDownLatch;

/** The wait of a thread between two attempts: the one place where a transaction blocks other than in the driver. */
@FunctionalInterface
interface Pause {

    /** Returns at {@code atNanos}, or as soon as {@code cancellation} is cancelled. */
    void until(long atNanos, Cancellation cancellation) throws InterruptedException;

    /** Returns a pause in {@code time}. */
    static Pause of(Time time) {
        return (atNanos, cancellation) -> {
            CountDownLatch over = new CountDownLatch(1);
            Runnable end = over::countDown;
            Time.Scheduled alarm = atNanos == Long.MAX_VALUE ? () -> {} : time.schedule(atNanos, end);
            cancellation.add(end);
            try {
                over.await();
            } finally {
                cancellation.remove(end);
                alarm.cancel();
            }
        };
    }
}
