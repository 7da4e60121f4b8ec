// SPDX-License-Identifier: Apache-2.0
package dev.forebay;

/**
 * A pool's promise to close itself when the process is told to end, by a signal or by an exit. Thread-safe.
 *
 * <p>It takes as long as a close does, which bounds itself: the process ends although a thread that the close needs waits
 * for the exit, or for ever.
 */
final class ShutdownHook {

    private final Thread thread;

    private ShutdownHook(Thread thread) {
        this.thread = thread;
    }

    /** Runs {@code close} at the end of the process, unless that has begun already. */
    static ShutdownHook install(String service, Runnable close) {
        Thread thread = new Thread(close, "forebay-shutdown-" + service);
        try {
            Runtime.getRuntime().addShutdownHook(thread);
        } catch (IllegalStateException e) {
            // The process ends while the pool is built.
        }
        return new ShutdownHook(thread);
    }

    /** Removes the hook, since the pool is closed; does nothing while the process ends. */
    void remove() {
        try {
            Runtime.getRuntime().removeShutdownHook(thread);
        } catch (IllegalStateException e) {
            // The hook runs, or has run.
        }
    }
}
