// SPDX-License-Identifier: Apache-2.0
package dev.forebay.bench;

import java.lang.reflect.InvocationTargetException;
import java.util.Locale;

/** The kinds of thread a caller may be. */
public enum Threads {
    PLATFORM {
        @Override
        public Thread start(Runnable task) {
            Thread thread = new Thread(task, "caller");
            thread.setDaemon(true);
            thread.start();
            return thread;
        }
    },
    VIRTUAL {
        /** By reflection: the benchmarks are compiled for 17, which has none. */
        @Override
        public Thread start(Runnable task) {
            try {
                return (Thread) Thread.class
                        .getMethod("startVirtualThread", Runnable.class)
                        .invoke(null, task);
            } catch (NoSuchMethodException | IllegalAccessException | InvocationTargetException e) {
                throw new IllegalStateException("this JDK starts no virtual threads", e);
            }
        }
    };

    /** Starts a thread that does not keep the JVM alive. */
    public abstract Thread start(Runnable task);

    @Override
    public String toString() {
        return name().toLowerCase(Locale.ROOT);
    }
}
