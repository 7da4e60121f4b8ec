// SPDX-License-Identifier: Apache-2.0
package dev.forebay.micrometer;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.micrometer.core.instrument.MeterRegistry;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.WeakHashMap;
import java.util.concurrent.locks.ReentrantLock;

/**
 * The names that distinguish the owners of one catalogue within a registry: that of the service for its first pool,
 * {@code <service>-2} for the second, and so on. Thread-safe.
 */
final class OwnerNames {

    /** A name in use, and the metric that begins the owner's catalogue. */
    private record Name(String catalogue, String text) {}

    private static final ReentrantLock lock = new ReentrantLock();

    @GuardedBy("lock")
    private static final Map<MeterRegistry, Set<Name>> taken = new WeakHashMap<>();

    private OwnerNames() {}

    /** Takes the first name for {@code owner} that is free in {@code registry}. */
    static String take(MeterRegistry registry, String catalogue, String owner) {
        lock.lock();
        try {
            Set<Name> names = taken.computeIfAbsent(registry, key -> new HashSet<>());
            String name = owner;
            for (int i = 2; !names.add(new Name(catalogue, name)); i++) {
                name = owner + "-" + i;
            }
            return name;
        } finally {
            lock.unlock();
        }
    }

    /** Frees {@code name}. */
    static void free(MeterRegistry registry, String catalogue, String name) {
        lock.lock();
        try {
            Set<Name> names = taken.get(registry);
            if (names != null) {
                names.remove(new Name(catalogue, name));
            }
        } finally {
            lock.unlock();
        }
    }
}
