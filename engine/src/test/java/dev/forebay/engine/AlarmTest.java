// SPDX-License-Identifier: Apache-2.0
package dev.forebay.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.forebay.engine.internal.Alarm;
import dev.forebay.time.VirtualTime;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** What runs a step when it is due. */
class AlarmTest {

    private final VirtualTime time = new VirtualTime();
    private int steps;

    @Test
    void itRingsWhenTheStepSaid() {
        Alarm alarm = new Alarm(time, now -> {
            steps++;
            return now + Duration.ofSeconds(10).toNanos();
        });
        alarm.setNow();
        time.advance(Duration.ofSeconds(25));
        assertEquals(3, steps);
    }

    @Test
    void anEarlierTimeReplacesALaterOne() {
        Alarm alarm = new Alarm(time, now -> {
            steps++;
            return Long.MAX_VALUE;
        });
        alarm.set(100);
        alarm.set(50);
        time.advance(Duration.ofSeconds(1));
        assertEquals(1, steps);
    }

    @Test
    void aStepThatFailsIsNotTheLast() {
        Alarm alarm = new Alarm(time, now -> {
            if (steps++ == 0) {
                throw new IllegalStateException("a bug");
            }
            return Long.MAX_VALUE;
        });
        alarm.setNow();
        assertThrows(IllegalStateException.class, time::runDue);
        time.advance(Duration.ofSeconds(2));
        assertEquals(2, steps);
    }
}
