// SPDX-License-Identifier: Apache-2.0
package dev.forebay.bench.cold;

import java.lang.reflect.InvocationTargetException;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;

/** The kinds of thread a caller may be. */
enum Threads {
    PLATFORM {
        @Override
        Thread start(Runnable task) {
            Thread thread = new Thread(task, "caller");
            thread.setDaemon(true);
            thread.start();
            return thread;
        }
    },
    VIRTUAL {
        /** By reflection: the benchmarks are compiled for 17, which has none. */
        @Override
        Thread start(Runnable task) {
            try {
                return (Thread) Thread.class
                        .getMethod("startVirtualThread", Runnable.class)
                        .invoke(null, task);
            } catch (NoSuchMethodException | IllegalAccessException | InvocationTargetException e) {
                throw new IllegalStateException("this JDK starts no virtual threads", e);
            }
        }
    };

    private static final int FIRST_WITH_VIRTUAL = 21;

    abstract Thread start(Runnable task);

    /** Returns the kinds that this JDK has. */
    static List<Threads> available() {
        return Runtime.version().feature() < FIRST_WITH_VIRTUAL ? List.of(PLATFORM) : Arrays.asList(values());
    }

    @Override
    public String toString() {
        return name().toLowerCase(Locale.ROOT);
    }
}
