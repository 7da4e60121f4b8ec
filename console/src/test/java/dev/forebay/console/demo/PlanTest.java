// SPDX-License-Identifier: Apache-2.0
package dev.forebay.console.demo;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.forebay.model.ClusterSettings;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class PlanTest {

    private static final ClusterSettings DSQL = ClusterSettings.dsql();

    @Test
    void twoMinutesShowAFiftiethFiveTimesAsFast() {
        Plan plan = plan(120);
        assertEquals(50, plan.scale());
        assertEquals(5, plan.speed());
        assertEquals(180, plan.connections());
        assertEquals(200, plan.leases());
        assertEquals(
                "1/50 of an Aurora DSQL cluster, 5 times as fast: 200 connections, 10 connects/s, 20 at once"
                        + " (there: 10,000, 100 and 1,000). To replace all takes 20 s (there: 100 s).",
                plan.inWords());
    }

    @ParameterizedTest
    @ValueSource(ints = {30, 45, 60, 100, 120, 600, 3600})
    void theClusterKeepsTheProportionsOfARealOne(int seconds) {
        Plan plan = plan(seconds);
        ClusterSettings cluster = plan.cluster();
        assertEquals(DSQL.connectsPerSecond() * plan.speed() / plan.scale(), cluster.connectsPerSecond());
        assertEquals(DSQL.mostSessions() / plan.scale(), cluster.mostSessions());
        assertEquals(DSQL.connectBurst() / plan.scale(), cluster.connectBurst());
        assertEquals(DSQL.transactionGrace().dividedBy(plan.speed()), cluster.transactionGrace());
    }

    @ParameterizedTest
    @ValueSource(ints = {30, 45, 60, 100, 120, 600, 3600})
    void theScriptHasRoomForEverything(int seconds) {
        Plan plan = plan(seconds);
        assertTrue(plan.leases() <= plan.mostSessions(), "a replacement needs no more than the cluster takes");
        assertTrue(2 * Plan.SERVICES * plan.inUse() > plan.connections(), "more than half are in use");
        assertTrue(plan.permitsPerSecond() <= plan.connectsPerSecond());
        assertTrue(Plan.SERVICES * plan.permitsOfService().capacity() <= plan.connectBurst());
        assertTrue(plan.wave().compareTo(plan.ofLifetime(70)) < 0, "all can be replaced within a lifetime");
        assertTrue(
                plan.lifetime().compareTo(plan.dropAt()) < 0,
                "all that were opened at the start have expired before the drop");
        assertTrue(plan.hold().compareTo(plan.ofLifetime(10)) < 0, "a transaction ends within the guard window");
        assertTrue(plan.dropAt().plus(plan.recovery()).compareTo(plan.end()) <= 0, "the recovery is seen to its limit");
    }

    private static Plan plan(int seconds) {
        return new Plan(seconds, Plan.Broken.NOTHING);
    }
}
