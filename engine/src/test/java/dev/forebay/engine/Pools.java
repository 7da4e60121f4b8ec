// SPDX-License-Identifier: Apache-2.0
package dev.forebay.engine;

import java.time.Duration;

/** The pools that tests begin with. */
final class Pools {

    static final Duration SECOND = Duration.ofSeconds(1);
    static final Duration MINUTE = Duration.ofMinutes(1);

    private Pools() {}

    /** The seeds' reservoir: 11 minutes ± 1, guard window 45 s. */
    static PoolConfig.Builder reservoir(int target) {
        return PoolConfig.builder(Supply.reservoir(target), target)
                .spare(Math.max(1, target / 10))
                .lifetime(Duration.ofMinutes(11), Duration.ofMinutes(2), Duration.ofSeconds(45));
    }

    /** A reservoir whose connections live for ever. */
    static PoolConfig.Builder ageless(int target) {
        return PoolConfig.builder(Supply.reservoir(target), target);
    }
}
