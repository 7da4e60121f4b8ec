// SPDX-License-Identifier: Apache-2.0
package dev.forebay.bench.pools;

import dev.forebay.ForebayConfig;
import dev.forebay.bench.driver.Server;
import java.time.Duration;

/**
 * What every pool is asked for.
 *
 * @param server where to connect to
 * @param size how many connections it keeps
 * @param timeout how long a checkout may wait
 * @param lifetime how long a connection lives, on average
 * @param spread by how much a lifetime may be longer or shorter
 * @param guard how long before its end a connection should no longer be handed out
 * @param connectsPerSecond how fast connections may be opened once {@link PoolUnderTest#filled} was called
 * @param connectBurst how many may be saved up
 * @param metrics whether to record into a Micrometer registry
 * @param mode Forebay's
 */
public record Terms(
        Server server,
        int size,
        Duration timeout,
        Duration lifetime,
        Duration spread,
        Duration guard,
        double connectsPerSecond,
        int connectBurst,
        boolean metrics,
        ForebayConfig.Mode mode) {

    /** Lifetimes that do not end while a benchmark runs, as fast as the driver connects. */
    public static Terms steady(Server server, int size, boolean metrics) {
        return new Terms(
                server,
                size,
                Duration.ofSeconds(30),
                Duration.ofMinutes(11),
                Duration.ofMinutes(1),
                Duration.ofSeconds(45),
                1e6,
                1_000_000,
                metrics,
                ForebayConfig.Mode.RESERVOIR);
    }

    /** The latest moment of its life at which a connection should be handed out. */
    Duration longestUse() {
        return lifetime.plus(spread).minus(guard);
    }
}
