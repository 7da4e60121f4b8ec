// SPDX-License-Identifier: Apache-2.0
package dev.forebay.tx;

import static dev.forebay.tx.SnowflakeIds.nodeOf;
import static dev.forebay.tx.SnowflakeIds.sequenceOf;
import static dev.forebay.tx.SnowflakeIds.timeOf;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotSame;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Ids that are unique and grow, whatever the clock does. */
class SnowflakeIdsTest {

    private static final Instant START = Instant.parse("2026-03-01T12:00:00Z");

    /** One millisecond past the last one that 41 bits can tell. */
    private static final Instant END = Instant.parse("2089-09-06T15:47:35.552Z");

    private final WallClock clock = new WallClock(START);

    @Test
    void anIdTellsItsTimeNodeAndSequence() {
        SnowflakeIds ids = configured(777);
        ids.next();
        long second = ids.next();
        assertEquals(START, timeOf(second));
        assertEquals(777, nodeOf(second));
        assertEquals(1, sequenceOf(second));
    }

    @Test
    void theFieldsStandWhereTheDocumentSays() {
        clock.now = SnowflakeIds.EPOCH;
        assertEquals(0, configured(0).next());
        assertEquals(1023L << 12, configured(1023).next());
        clock.now = SnowflakeIds.EPOCH.plusMillis(1);
        assertEquals(1L << 22, configured(0).next());
    }

    @Test
    void theGreatestIdIsTheGreatestLong() {
        clock.now = END.minusMillis(1);
        SnowflakeIds ids = configured(1023);
        long id = 0;
        for (int i = 0; i < 4096; i++) {
            id = ids.next();
        }
        assertEquals(Long.MAX_VALUE, id);
        assertEquals(END.minusMillis(1), timeOf(id));
        assertEquals(1023, nodeOf(id));
        assertEquals(4095, sequenceOf(id));
        assertSays("41 bits", ids::next);
    }

    @Test
    void the4097thIdOfAMillisecondTakesTheNextOne() {
        SnowflakeIds ids = configured(5);
        for (int i = 0; i < 4096; i++) {
            long id = ids.next();
            assertEquals(START, timeOf(id));
            assertEquals(i, sequenceOf(id));
        }
        long id = ids.next();
        assertEquals(START.plusMillis(1), timeOf(id));
        assertEquals(0, sequenceOf(id));
        assertEquals(5, nodeOf(id));

        clock.now = START.plusMillis(1);
        assertEquals(1, sequenceOf(ids.next()), "the clock has come to a millisecond of which an id was made");
    }

    @Test
    void aNewMillisecondBeginsAtSequenceZero() {
        SnowflakeIds ids = configured(5);
        ids.next();
        ids.next();
        clock.now = START.plusMillis(1);
        long id = ids.next();
        assertEquals(START.plusMillis(1), timeOf(id));
        assertEquals(0, sequenceOf(id));
    }

    @Test
    void whenTheClockStepsBackAnHourTheIdsGoOn() {
        SnowflakeIds ids = configured(5);
        long before = ids.next();
        clock.now = START.minus(Duration.ofHours(1));
        for (int i = 0; i < 10_000; i++) {
            long id = ids.next();
            assertTrue(id > before, "the id after " + before + ": " + id);
            before = id;
        }
        assertTrue(timeOf(before).isBefore(START.plusMillis(3)), "they did not run away: " + timeOf(before));
        clock.now = START.plusSeconds(1);
        assertEquals(START.plusSeconds(1), timeOf(ids.next()), "and follow the clock when it has caught up");
    }

    @Test
    void aClockBeforeTheEpochIsAnErrorAndChangesNothing() {
        SnowflakeIds ids = configured(5);
        clock.now = SnowflakeIds.EPOCH.minusMillis(1);
        assertSays("the clock is before the epoch of ids, 2020-01-01T00:00:00Z: 2019-12-31T23:59:59.999Z", ids::next);
        clock.now = START;
        assertEquals(START, timeOf(ids.next()));
    }

    /** A clock that was far ahead for a moment must not spoil the ids that follow; the last is past the epoch by 2^52 ms. */
    @ParameterizedTest
    @ValueSource(strings = {"2089-09-06T15:47:35.552Z", "9999-01-01T00:00:00Z", "+144733-05-23T16:29:30.496Z"})
    void aClockPastThe41BitsIsAnErrorAndChangesNothing(String tooLate) {
        SnowflakeIds ids = configured(5);
        clock.now = Instant.parse(tooLate);
        assertSays("the 41 bits of milliseconds end at " + END, ids::next);
        clock.now = START;
        assertEquals(START, timeOf(ids.next()));
    }

    @ParameterizedTest
    @ValueSource(ints = {-1, 1024, Integer.MAX_VALUE, Integer.MIN_VALUE})
    void aNodeOutOfRangeIsRefused(int node) {
        String said = assertThrows(IllegalArgumentException.class, () -> SnowflakeIds.forNode(node))
                .getMessage();
        assertEquals("the node of ids must be 0 to 1023: " + node, said);
        assertThrows(IllegalArgumentException.class, () -> configured(node));
    }

    @Test
    void whatIsNoIdIsNotDecoded() {
        assertThrows(IllegalArgumentException.class, () -> timeOf(-1));
        assertThrows(IllegalArgumentException.class, () -> nodeOf(-1));
        assertThrows(IllegalArgumentException.class, () -> sequenceOf(Long.MIN_VALUE));
    }

    @Test
    void aProcessHasOneGeneratorForANode() {
        assertSame(SnowflakeIds.forNode(1000), SnowflakeIds.forNode(1000));
        assertNotSame(SnowflakeIds.forNode(1000), SnowflakeIds.forNode(1001));
        assertEquals(1001, nodeOf(SnowflakeIds.forNode(1001).next()));
    }

    @Test
    void generatorsOfOneNodeInOneProcessGoOnFromEachOther() {
        SnowflakeIds configured = SnowflakeIds.forNode(1002);
        Stretch lease = new Stretch(1002, SnowflakeIds.EPOCH, END);
        SnowflakeIds leased = SnowflakeIds.forLease(lease);
        SnowflakeIds again = SnowflakeIds.forLease(lease);
        long last = 0;
        for (int i = 0; i < 10_000; i++) {
            SnowflakeIds ids = i % 3 == 0 ? configured : i % 3 == 1 ? leased : again;
            long id = ids.next();
            assertTrue(id > last, "id " + i);
            last = id;
        }
    }

    @Test
    void eightThreadsMakeAMillionIdsWithNoDuplicateAndEachSeesThemGrow() throws Exception {
        SnowflakeIds ids = new SnowflakeIds(
                new SnowflakeIds.Configured(3), InstantSource.system(), new AtomicLong(SnowflakeIds.NOTHING));
        int threads = 8;
        int each = 125_000;
        CountDownLatch start = new CountDownLatch(threads);
        ExecutorService executor = Executors.newFixedThreadPool(threads);
        try {
            List<Callable<long[]>> makers = new ArrayList<>();
            for (int t = 0; t < threads; t++) {
                makers.add(() -> {
                    long[] made = new long[each];
                    start.countDown();
                    start.await();
                    for (int i = 0; i < each; i++) {
                        made[i] = ids.next();
                    }
                    return made;
                });
            }
            long[] all = new long[threads * each];
            int maker = 0;
            for (Future<long[]> future : executor.invokeAll(makers)) {
                long[] made = future.get();
                assertGrowing("one thread", made);
                System.arraycopy(made, 0, all, maker++ * each, each);
            }
            Arrays.sort(all);
            assertGrowing("all threads", all);
        } finally {
            executor.shutdownNow();
        }
    }

    /** Whatever the clock did: ids grow, none is older than the clock, and none is further ahead than there is reason. */
    @Test
    void idsGrowInEveryHistoryOfTheClock() {
        for (long seed = 0; seed < 1_000; seed++) {
            Random random = new Random(seed);
            String name = "seed " + seed;
            clock.now = START;
            int node = random.nextInt(1024);
            SnowflakeIds ids = configured(node);
            long last = -1;
            Instant latest = START;
            for (int made = 1; made <= 2_000; made++) {
                clock.wander(random);
                latest = clock.now.isAfter(latest) ? clock.now : latest;
                long id = ids.next();
                long before = last;
                assertTrue(id > before, () -> name + ": " + id + " after " + before);
                assertEquals(node, nodeOf(id), name);
                assertTrue(!timeOf(id).isBefore(clock.now), () -> name + ": older than the clock");
                assertTrue(!timeOf(id).isAfter(latest.plusMillis(1)), () -> name + ": too far ahead");
                last = id;
            }
        }
    }

    // ---- leased nodes

    @Test
    void anEndedLeaseMakesNoMoreIdsUntilItIsExtended() {
        Stretch lease = new Stretch(9, SnowflakeIds.EPOCH, START.plusMillis(2));
        SnowflakeIds ids = leased(lease);
        clock.now = START.plusMillis(1);
        assertEquals(9, nodeOf(ids.next()));
        clock.now = START.plusMillis(2);
        assertSays("node 9 is leased until 2026-03-01T12:00:00.002Z", ids::next);
        lease.until = START.plusSeconds(1);
        assertEquals(START.plusMillis(2), timeOf(ids.next()));
    }

    @Test
    void theEndCountsForTheTimeOfTheIdsNotOfTheClock() {
        SnowflakeIds ids = leased(new Stretch(9, SnowflakeIds.EPOCH, START.plusMillis(1)));
        for (int i = 0; i < 4096; i++) {
            ids.next();
        }
        assertSays("the next id would be of 2026-03-01T12:00:00.001Z", ids::next);
    }

    @Test
    void aLeaseBeginsAtItsStartEvenIfTheClockIsBehind() {
        long id = leased(new Stretch(9, START.plusSeconds(60), END)).next();
        assertEquals(START.plusSeconds(60), timeOf(id));
        assertEquals(0, sequenceOf(id));
    }

    @Test
    void aLeaseThatBeginsWithinAMillisecondBeginsWithTheNext() {
        assertEquals(
                START.plusMillis(1),
                timeOf(leased(new Stretch(9, START.plusNanos(1), END)).next()));
    }

    /** The reason for leases: clocks that disagree by hours, holders that follow each other, and no id twice. */
    @Test
    void holdersThatFollowEachOtherNeverMakeTheSameIdWhateverTheirClocksSay() {
        int made = 0;
        for (long seed = 0; seed < 200; seed++) {
            Random random = new Random(seed);
            List<Long> all = new ArrayList<>();
            Instant end = START;
            for (int holder = 0; holder < 5; holder++) {
                Instant from = end;
                end = from.plusMillis(1 + random.nextInt(3));
                SnowflakeIds ids = leased(new Stretch(9, from, end));
                clock.now = START.plusMillis(random.nextInt(7_200_000) - 3_600_000);
                int refused = 0;
                for (int i = 0; i < 3_000 && refused < 100; i++) {
                    clock.now = clock.now.minusMillis(random.nextInt(10));
                    try {
                        all.add(ids.next());
                    } catch (IllegalStateException e) {
                        refused++;
                        assertTrue(e.getMessage().contains("is leased until " + end), "seed " + seed + ": " + e);
                    }
                }
            }
            assertGrowing(
                    "seed " + seed, all.stream().mapToLong(Long::longValue).toArray());
            made += all.size();
        }
        assertTrue(made > 100_000, "too few to show anything: " + made);
    }

    private SnowflakeIds configured(int node) {
        return leased(new SnowflakeIds.Configured(node));
    }

    /** A generator that has made nothing yet, as in a new process. */
    private SnowflakeIds leased(NodeLease lease) {
        return new SnowflakeIds(lease, clock, new AtomicLong(SnowflakeIds.NOTHING));
    }

    private static void assertGrowing(String name, long[] ids) {
        for (int i = 1; i < ids.length; i++) {
            if (ids[i] <= ids[i - 1]) {
                throw new AssertionError(name + ": id " + i + " is " + ids[i] + " after " + ids[i - 1]);
            }
        }
    }

    private static void assertSays(String part, Runnable action) {
        String said = assertThrows(IllegalStateException.class, action::run).getMessage();
        assertTrue(said.contains(part), said);
    }

    private static final class WallClock implements InstantSource {
        private Instant now;

        WallClock(Instant now) {
            this.now = now;
        }

        @Override
        public Instant instant() {
            return now;
        }

        void wander(Random random) {
            long millis = switch (random.nextInt(20)) {
                case 0 -> random.nextInt(7_200_000) - 3_600_000;
                case 1, 2 -> -random.nextInt(5);
                case 3, 4, 5 -> random.nextInt(5);
                default -> 0;
            };
            now = now.plusMillis(millis);
        }
    }

    private static final class Stretch implements NodeLease {
        private final int node;
        private final Instant from;
        private Instant until;

        Stretch(int node, Instant from, Instant until) {
            this.node = node;
            this.from = from;
            this.until = until;
        }

        @Override
        public int node() {
            return node;
        }

        @Override
        public Instant from() {
            return from;
        }

        @Override
        public Instant until() {
            return until;
        }
    }
}
