// SPDX-License-Identifier: Apache-2.0
package dev.forebay.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.forebay.engine.Admission.Answer;
import dev.forebay.engine.Admission.Grant;
import dev.forebay.engine.Admission.Outcome;
import dev.forebay.time.VirtualTime;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The local limit on connects a second. */
class RateLimitTest {

    private static final long INTERVAL = 100_000_000L;

    private final VirtualTime time = new VirtualTime();
    private final RateLimit limit = new RateLimit(new TokenBucket(10, 3), time);
    private final List<Grant> granted = new ArrayList<>();
    private final List<Long> refused = new ArrayList<>();

    private void ask(int times) {
        for (int i = 0; i < times; i++) {
            limit.ask(time.nanos(), new Answer() {
                @Override
                public void granted(Grant grant) {
                    granted.add(grant);
                }

                @Override
                public void notBefore(long nanos) {
                    refused.add(nanos);
                }

                @Override
                public void failed(OpenFailure failure) {
                    throw new AssertionError(failure.toString());
                }
            });
        }
    }

    private void end(Outcome outcome) {
        Grant grant = granted.get(granted.size() - 1);
        grant.openEnded(outcome);
        grant.release();
    }

    @Test
    void aBurstIsGrantedAndTheNextOneIsToldWhenToAskAgain() {
        ask(4);
        assertEquals(3, granted.size());
        assertEquals(List.of(INTERVAL), refused);
        time.advanceTo(INTERVAL - 1);
        ask(1);
        assertEquals(List.of(INTERVAL, INTERVAL), refused);
        time.advanceTo(INTERVAL);
        ask(1);
        assertEquals(4, granted.size());
    }

    @Test
    void itKnowsWhatItCanKeepUpAndWhatItWouldGrantNow() {
        assertEquals(10, limit.sustainedPerSecond());
        assertEquals(3, limit.available());
        ask(2);
        assertEquals(1, limit.available());
        time.advance(Duration.ofSeconds(10));
        assertEquals(3, limit.available());
    }

    @Test
    void aPermitThatWasNotUsedIsGivenBack() {
        ask(3);
        end(Outcome.NOT_TRIED);
        assertEquals(1, limit.available());
    }

    @Test
    void aPermitThatWasUsedIsSpentWhateverCameOfIt() {
        ask(2);
        end(Outcome.OPENED);
        assertEquals(1, limit.available());
        granted.remove(1);
        end(Outcome.FAILED);
        assertEquals(1, limit.available());
    }

    @Test
    void aThrottleOfTheServerLeavesNothing() {
        ask(1);
        end(Outcome.THROTTLED);
        assertEquals(0, limit.available());
        ask(1);
        assertEquals(List.of(INTERVAL), refused);
    }

    @Test
    void aSecondThrottleDoesNotMakeItWaitForMoreThanOnePermit() {
        ask(2);
        end(Outcome.THROTTLED);
        granted.remove(1);
        end(Outcome.THROTTLED);
        time.advance(Duration.ofNanos(INTERVAL));
        assertEquals(1, limit.available());
        assertTrue(refused.isEmpty());
    }
}
