// SPDX-License-Identifier: Apache-2.0
package dev.forebay.bench.pools;

import dev.forebay.ForebayConfig;
import dev.forebay.bench.driver.Server;
import java.time.Duration;

/**
 * The settings that every pool is asked for.
 *
 * @param server the server to connect to
 * @param size the number of connections it keeps
 * @param timeout the longest wait of a checkout
 * @param lifetime the mean lifetime of a connection
 * @param spread the most by which a lifetime is longer or shorter
 * @param guard the time before its end in which a connection should not be handed out
 * @param connectsPerSecond the rate of connects once {@link PoolUnderTest#filled} was called
 * @param connectBurst the most connects that may be saved up
 * @param metrics whether to record into a Micrometer registry
 * @param mode Forebay's mode
 * @param cold whether the pool begins empty: opening it waits for no connect
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
        ForebayConfig.Mode mode,
        boolean cold) {

    /** Returns terms whose lifetimes outlast a benchmark, without a limit on connects. */
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
                ForebayConfig.Mode.RESERVOIR,
                false);
    }

    /** Returns terms as above for a pool that begins empty. */
    public static Terms cold(Server server, int size, Duration timeout, ForebayConfig.Mode mode) {
        Terms steady = steady(server, size, false);
        return new Terms(
                server,
                size,
                timeout,
                steady.lifetime,
                steady.spread,
                steady.guard,
                steady.connectsPerSecond,
                steady.connectBurst,
                false,
                mode,
                true);
    }

    /** Returns the greatest age at which a connection should be handed out. */
    Duration longestUse() {
        return lifetime.plus(spread).minus(guard);
    }
}
