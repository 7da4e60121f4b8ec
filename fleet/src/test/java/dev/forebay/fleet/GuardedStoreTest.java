// SPDX-License-Identifier: Apache-2.0
package dev.forebay.fleet;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.forebay.fleet.FleetStore.Written;
import dev.forebay.fleet.StoreException.Trouble;
import dev.forebay.time.Time;
import dev.forebay.time.VirtualTime;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** A store that is left alone while it is in trouble. */
class GuardedStoreTest {

    private static final Duration TIMEOUT = Duration.ofSeconds(5);

    private final VirtualTime time = new VirtualTime();
    private final List<String> events = new ArrayList<>();
    private final List<String> answers = new ArrayList<>();
    private final Moody moody = new Moody();
    private boolean unschedulable;
    private final GuardedStore store =
            new GuardedStore(moody, TIMEOUT, new Fragile(), new Random(1), new FleetListener() {
                @Override
                public void storeLost(String trouble, String message) {
                    events.add("lost: " + trouble);
                }

                @Override
                public void storeFound(long outageNanos) {
                    events.add("found after " + Duration.ofNanos(outageNanos).toSeconds());
                }
            });

    /** A time that cannot schedule anything while it is told so. */
    private final class Fragile implements Time {
        @Override
        public long nanos() {
            return time.nanos();
        }

        @Override
        public long coarseNanos() {
            return time.coarseNanos();
        }

        @Override
        public Scheduled schedule(long atNanos, Runnable task) {
            if (unschedulable) {
                throw new IllegalStateException("thrown by a test");
            }
            return time.schedule(atNanos, task);
        }
    }

    /** A store that answers, fails or keeps silent as it is told. */
    private static final class Moody implements FleetStore {
        private Trouble trouble;
        private boolean silent;
        private int calls;
        private Reply<Map<String, Item>> last;

        @Override
        public void read(Collection<String> keys, Reply<Map<String, Item>> reply) {
            calls++;
            last = reply;
            if (trouble != null) {
                reply.failed(new StoreException(trouble, "no", null));
            } else if (!silent) {
                reply.answered(Map.of());
            }
        }

        @Override
        public void write(List<Write> writes, Reply<Written> reply) {
            throw new AssertionError("not used here");
        }
    }

    private void read() {
        store.read(List.of("a"), new FleetStore.Reply<>() {
            @Override
            public void answered(Map<String, Item> result) {
                answers.add("answered");
            }

            @Override
            public void failed(StoreException why) {
                answers.add(why.trouble().label());
            }
        });
    }

    @Test
    void silenceEndsAtTheTimeoutAndWhatComesLaterIsDropped() {
        moody.silent = true;
        read();
        time.advance(TIMEOUT.minusMillis(1));
        assertEquals(List.of(), answers);
        time.advance(Duration.ofMillis(1));
        assertEquals(List.of("out_of_reach"), answers);
        moody.last.answered(Map.of());
        assertEquals(1, answers.size());
        assertEquals(List.of("lost: out_of_reach"), events, "a whole timeout of silence is enough");
    }

    @Test
    void callsFromBeforeTheLossThatFailLaterLetNoSecondProbeThrough() {
        moody.silent = true;
        for (int i = 0; i < 4; i++) {
            read();
            time.advance(Duration.ofSeconds(1));
        }
        time.advance(Duration.ofSeconds(1));
        assertNotNull(store.lost());
        int before = moody.calls;
        for (int i = 0; i < 45; i++) {
            time.advance(Duration.ofMillis(100));
            read();
        }
        assertEquals(before + 1, moody.calls, "one probe is under way, and has no answer yet");
    }

    @Test
    void threeFailuresInARowAreALossAndOneBetweenSuccessesIsNone() {
        for (int i = 0; i < 5; i++) {
            moody.trouble = Trouble.OUT_OF_REACH;
            read();
            read();
            moody.trouble = null;
            read();
        }
        assertEquals(List.of(), events);
        moody.trouble = Trouble.OUT_OF_REACH;
        read();
        read();
        assertNull(store.lost());
        read();
        assertNotNull(store.lost());
    }

    @Test
    void whoeverIsDeniedNeedNotAskThrice() {
        moody.trouble = Trouble.DENIED;
        read();
        assertEquals(List.of("lost: denied"), events);
    }

    @Test
    void throttlingIsALossOnlyIfItLasts() {
        moody.trouble = Trouble.THROTTLED;
        for (int i = 0; i < 10; i++) {
            read();
        }
        assertNull(store.lost());
        time.advance(TIMEOUT);
        read();
        assertNotNull(store.lost());
    }

    @Test
    void whileItIsLostItIsHardlyAskedAndTheFirstAnswerEndsThat() {
        moody.trouble = Trouble.DENIED;
        for (int i = 0; i < 600; i++) {
            read();
            time.advance(Duration.ofMillis(100));
        }
        assertTrue(moody.calls < 40, moody.calls + " calls in a minute");
        assertEquals(600, answers.size(), "everyone is answered all the same");
        moody.trouble = null;
        for (int i = 0; i < 200 && store.lost() != null; i++) {
            read();
            time.advance(Duration.ofMillis(100));
        }
        assertNull(store.lost(), "no restart is needed");
        assertEquals(2, events.size(), "one line for each change: " + events);
    }

    @Test
    void oneProbeAtATime() {
        moody.trouble = Trouble.DENIED;
        read();
        moody.trouble = null;
        moody.silent = true;
        time.advance(Duration.ofSeconds(2));
        int before = moody.calls;
        read();
        read();
        read();
        assertEquals(before + 1, moody.calls);
    }

    /** A probe that never ended would have kept the store lost for ever. */
    @Test
    void aProbeWhoseTimeoutCannotBeSetFailsAndIsNotTheLast() {
        moody.trouble = Trouble.DENIED;
        read();
        moody.trouble = null;
        time.advance(Duration.ofSeconds(2));
        unschedulable = true;
        read();
        unschedulable = false;
        assertEquals(List.of("denied", "out_of_reach"), answers);
        assertEquals(1, moody.calls, "nothing is sent that might have no end");
        time.advance(Duration.ofSeconds(2));
        read();
        assertEquals("answered", answers.get(2));
        assertNull(store.lost());
    }
}
