// SPDX-License-Identifier: Apache-2.0
package dev.forebay.micrometer;

import io.micrometer.core.instrument.MeterRegistry;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.WeakHashMap;
import java.util.concurrent.locks.ReentrantLock;

/**
 * The names that tell pools apart within a registry: that of the service for its first pool, {@code <service>-2} for the
 * second, and so on. Thread-safe.
 */
final class MicrometerPoolNames {

    /** The names of pools, and apart from them those of their shares in a fleet. */
    enum Kind {
        POOL,
        FLEET
    }

    private record Name(Kind kind, String text) {}

    private static final ReentrantLock lock = new ReentrantLock();

    /** Guarded by the lock. */
    private static final Map<MeterRegistry, Set<Name>> taken = new WeakHashMap<>();

    private MicrometerPoolNames() {}

    /** Takes the first name for {@code service} that is free in {@code registry}. */
    static String take(MeterRegistry registry, Kind kind, String service) {
        lock.lock();
        try {
            Set<Name> names = taken.computeIfAbsent(registry, key -> new HashSet<>());
            String name = service;
            for (int i = 2; !names.add(new Name(kind, name)); i++) {
                name = service + "-" + i;
            }
            return name;
        } finally {
            lock.unlock();
        }
    }

    /** Makes {@code name} free again. */
    static void free(MeterRegistry registry, Kind kind, String name) {
        lock.lock();
        try {
            Set<Name> names = taken.get(registry);
            if (names != null) {
                names.remove(new Name(kind, name));
            }
        } finally {
            lock.unlock();
        }
    }
}
