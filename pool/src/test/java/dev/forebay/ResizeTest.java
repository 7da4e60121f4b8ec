// SPDX-License-Identifier: Apache-2.0
package dev.forebay;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.forebay.ForebayConfig.Mode;
import dev.forebay.testkit.SimServer;
import dev.forebay.testkit.SimServer.Session;
import dev.forebay.time.VirtualTime;
import java.time.Duration;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Another size while the pool runs, in virtual time. */
class ResizeTest {

    private final VirtualTime time = new VirtualTime();

    private ConfiguredPool<Session> start(ForebayConfig config) {
        ConfiguredPool<Session> pool = new ConfiguredPool<>(
                config,
                new SimServer(time),
                List.of(),
                ConfiguredPool.localRateLimit(config, time),
                List.of(),
                time,
                new Random(1));
        pool.start(outcome -> {});
        time.advance(Duration.ofMinutes(1));
        return pool;
    }

    private void assertSize(int size, ConfiguredPool<Session> pool) {
        time.advance(Duration.ofMinutes(1));
        assertEquals(size, pool.pool().stats().maxOpen());
        boolean keepsAll = pool.config().mode() != Mode.ON_DEMAND;
        assertEquals(keepsAll ? size : 2, pool.pool().openCount());
    }

    @ParameterizedTest
    @EnumSource
    void everyModeGrowsAndShrinks(Mode mode) {
        ForebayConfig.Builder config = ForebayConfig.builder().mode(mode).minIdle(2);
        ConfiguredPool<Session> pool = start(
                mode == Mode.RESERVOIR
                        ? config.targetReady(10).lowWatermark(8).build()
                        : config.maxOpen(10).build());
        assertSize(10, pool);
        pool.resize(20);
        assertSize(20, pool);
        pool.resize(5);
        assertSize(5, pool);
    }

    @Test
    void aSizeThatTheSettingsContradictIsRefused() {
        ConfiguredPool<Session> pool = start(ForebayConfig.builder()
                .mode(Mode.RESERVOIR)
                .targetReady(10)
                .maxOpen(10)
                .build());
        assertThrows(IllegalArgumentException.class, () -> pool.resize(11));
        assertSize(10, pool);
    }
}
