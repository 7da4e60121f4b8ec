// SPDX-License-Identifier: Apache-2.0
package dev.forebay.sim;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.forebay.time.VirtualTime;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The machine of a process. */
class MachineTest {

    private final VirtualTime time = new VirtualTime();

    @Test
    void nothingOfADeadMachineHappensAnyMore() {
        Machine machine = new Machine(time, 0);
        List<String> ran = new ArrayList<>();
        machine.schedule(1, () -> ran.add("before"));
        machine.schedule(3, () -> ran.add("after"));
        time.schedule(2, machine::die);
        time.advanceTo(5);
        assertEquals(List.of("before"), ran);
        assertTrue(machine.isDead());
    }

    @Test
    void whatIsCancelledDoesNotHappenEither() {
        Machine machine = new Machine(time, 0);
        List<String> ran = new ArrayList<>();
        machine.schedule(1, () -> ran.add("cancelled")).cancel();
        time.advanceTo(5);
        assertEquals(List.of(), ran);
        assertFalse(machine.isDead());
    }

    @Test
    void aSkewedWallClockIsWrongByItAndRunsAsFast() {
        Machine machine = new Machine(time, Duration.ofSeconds(-3).toNanos());
        assertEquals(Machine.START.minusSeconds(3), machine.instant());
        time.advance(Duration.ofHours(1));
        assertEquals(Machine.START.plusSeconds(3_597), machine.instant());
        assertEquals(time.nanos(), machine.nanos());
        assertEquals(time.nanos(), machine.coarseNanos());
    }
}
