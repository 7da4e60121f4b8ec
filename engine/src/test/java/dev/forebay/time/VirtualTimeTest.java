// SPDX-License-Identifier: Apache-2.0
package dev.forebay.time;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Time that moves when it is told to. */
class VirtualTimeTest {

    private final VirtualTime time = new VirtualTime();
    private final List<String> ran = new ArrayList<>();

    private Time.Scheduled at(long nanos, String name) {
        return time.schedule(nanos, () -> ran.add(name + "@" + time.nanos()));
    }

    @Test
    void standsStillUntilItIsMoved() {
        assertEquals(0, time.nanos());
        at(5, "a");
        assertEquals(0, time.nanos());
        time.advance(Duration.ofNanos(3));
        assertEquals(3, time.nanos());
        assertEquals(3, time.coarseNanos());
        assertTrue(ran.isEmpty());
    }

    @Test
    void eventsRunInTheOrderOfTheirTimeAndSeeIt() {
        at(30, "c");
        at(10, "a");
        at(20, "b");
        time.advanceTo(25);
        assertEquals(List.of("a@10", "b@20"), ran);
        assertEquals(25, time.nanos());
        assertEquals(30, time.nextNanos());
    }

    @Test
    void eventsOfOneMomentRunInTheOrderInWhichTheyWereScheduled() {
        for (int i = 0; i < 100; i++) {
            at(10, String.valueOf(i));
        }
        time.advanceTo(10);
        for (int i = 0; i < 100; i++) {
            assertEquals(i + "@10", ran.get(i));
        }
    }

    @Test
    void whatAnEventSchedulesRunsInTheSameMoveIfItIsDue() {
        time.schedule(10, () -> {
            at(10, "now");
            at(15, "soon");
            at(25, "later");
        });
        time.advanceTo(20);
        assertEquals(List.of("now@10", "soon@15"), ran);
    }

    @Test
    void whatLiesInThePastRunsNowButNeverOnTheCallingStack() {
        time.advanceTo(100);
        at(3, "late");
        assertTrue(ran.isEmpty());
        time.runDue();
        assertEquals(List.of("late@100"), ran);
    }

    @Test
    void whatIsCancelledDoesNotRunAndIsNotWaitedFor() {
        at(10, "a").cancel();
        assertEquals(Long.MAX_VALUE, time.nextNanos());
        assertFalse(time.step());
        at(30, "c");
        at(20, "b").cancel();
        assertTrue(time.step());
        assertEquals(List.of("c@30"), ran);
    }

    @Test
    void cancellingWhatHasRunChangesNothing() {
        Time.Scheduled scheduled = at(10, "a");
        time.advanceTo(10);
        scheduled.cancel();
        time.advanceTo(20);
        assertEquals(List.of("a@10"), ran);
    }

    @Test
    void aJumpLeavesWhatFellDueForAfterwards() {
        at(10, "a");
        time.jumpTo(50);
        assertTrue(ran.isEmpty());
        time.runDue();
        assertEquals(List.of("a@50"), ran);
    }

    @Test
    void doesNotRunBackwards() {
        time.advanceTo(10);
        assertThrows(IllegalArgumentException.class, () -> time.advanceTo(9));
        assertThrows(IllegalArgumentException.class, () -> time.jumpTo(9));
    }

    @Test
    void eventsThatCauseEachOtherWithoutEndAreNoticed() {
        Runnable[] again = {null};
        again[0] = () -> time.schedule(0, again[0]);
        again[0].run();
        assertThrows(IllegalStateException.class, time::runDue);
    }
}
