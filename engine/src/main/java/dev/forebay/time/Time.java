// SPDX-License-Identifier: Apache-2.0
package dev.forebay.time;

/**
 * A monotonic clock and a way to run something later; the only source of time in Forebay.
 *
 * <p>The origin lies near the creation of the instance, so readings are small numbers that may be compared with
 * {@code <}, and {@link Long#MAX_VALUE} means never. Implementations are thread-safe unless they say otherwise.
 */
public interface Time {

    /** The time in nanoseconds; never runs backwards. */
    long nanos();

    /** A cheap reading of {@link #nanos()} that may lag by the tick of the implementation. */
    long coarseNanos();

    /**
     * Runs {@code task} once at {@code atNanos}, or as soon as possible if that has passed, never on the calling stack.
     * Tasks are short and never block.
     */
    Scheduled schedule(long atNanos, Runnable task);

    /** A task that has been scheduled. */
    interface Scheduled {

        /** Prevents the task from running unless it has begun. */
        void cancel();
    }
}
