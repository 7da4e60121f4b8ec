// SPDX-License-Identifier: Apache-2.0
package dev.forebay.registry;

import java.util.concurrent.atomic.LongAdder;

/**
 * The counts of a user pool beside its engine's, or of all former pools of a server. Thread-safe.
 *
 * <p>Acquires, releases and waits are the engine's own figures and are added when the pools are added up.
 */
final class Tally {
    final LongAdder acquires = new LongAdder();
    final LongAdder acquireNanos = new LongAdder();
    final LongAdder releases = new LongAdder();
    final LongAdder timeouts = new LongAdder();
    final LongAdder created = new LongAdder();
    final LongAdder destroyed = new LongAdder();
    final LongAdder lifetimeNanos = new LongAdder();
    final LongAdder errors = new LongAdder();
    final LongAdder invalid = new LongAdder();
    final LongAdder queries = new LongAdder();
    final LongAdder queryNanos = new LongAdder();

    void add(Tally other) {
        acquires.add(other.acquires.sum());
        acquireNanos.add(other.acquireNanos.sum());
        releases.add(other.releases.sum());
        timeouts.add(other.timeouts.sum());
        created.add(other.created.sum());
        destroyed.add(other.destroyed.sum());
        lifetimeNanos.add(other.lifetimeNanos.sum());
        errors.add(other.errors.sum());
        invalid.add(other.invalid.sum());
        queries.add(other.queries.sum());
        queryNanos.add(other.queryNanos.sum());
    }

    static double millisEach(long nanos, long count) {
        return count == 0 ? 0 : nanos / 1e6 / count;
    }
}
