// SPDX-License-Identifier: Apache-2.0
package dev.forebay.tx;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.forebay.testkit.Postgres;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.postgresql.ds.PGSimpleDataSource;

@Timeout(60)
class TableNodeLeaseIT {

    private static final String TABLE = "snowflake_nodes";
    private static final Duration STRETCH = Duration.ofMinutes(10);
    private static final Instant START = Instant.parse("2026-11-16T12:00:00Z");

    private volatile Instant now = START;
    private volatile boolean readCommitted;
    private final Transactions tx = transactions();

    private static Transactions transactions() {
        PGSimpleDataSource source = (PGSimpleDataSource) Postgres.shared().dataSource();
        source.setOptions("-c default_transaction_isolation=repeatable\\ read");
        return Transactions.builder(source)
                .policy(TxRetryPolicy.BRIEF.withMaxRetries(100))
                .build();
    }

    private TableNodeLease take() throws SQLException {
        Transactions used = readCommitted ? Transactions.of(Postgres.shared().dataSource()) : tx;
        return TableNodeLease.take(used, TABLE, STRETCH, () -> now);
    }

    @BeforeEach
    void table() throws SQLException {
        Postgres.shared().ask("DROP TABLE IF EXISTS " + TABLE);
        Postgres.shared().ask("CREATE TABLE " + TABLE + " (node int PRIMARY KEY, until_millis bigint NOT NULL)");
    }

    @Test
    void whoeverComesWhileOthersHoldTheirsGetsANodeOfTheirOwn() throws SQLException {
        TableNodeLease first = take();
        TableNodeLease second = take();
        assertEquals(0, first.node());
        assertEquals(1, second.node());
        assertEquals(START, first.from());
        assertEquals(START.plus(STRETCH), first.until());
    }

    @Test
    void aNodeIsFreeAgainWhenItsStretchIsOver() throws SQLException {
        take();
        now = START.plus(STRETCH);
        TableNodeLease next = take();
        assertEquals(0, next.node());
        assertEquals(now, next.from());
    }

    @Test
    void aHolderWhoseClockIsBehindDoesNotGetTimeThatWasGranted() throws SQLException {
        TableNodeLease first = take();
        now = START.plus(STRETCH);
        first.extend();
        now = START.minus(Duration.ofHours(1));
        assertEquals(1, take().node(), "node 0 is leased until long after the clock of this one");
    }

    @Test
    void aLeaseThatIsExtendedInTimeGoesOn() throws SQLException {
        TableNodeLease lease = take();
        now = START.plus(STRETCH.dividedBy(2));
        lease.extend();
        assertEquals(now.plus(STRETCH), lease.until());
        now = START.plus(STRETCH);
        assertEquals(1, take().node(), "it is not free yet");
    }

    @Test
    void aLeaseThatIsExtendedAllDayEndsAStretchAheadAtMost() throws SQLException {
        TableNodeLease lease = take();
        for (int i = 0; i < 24 * 18; i++) {
            now = now.plus(STRETCH.dividedBy(3));
            lease.extend();
        }
        assertEquals(now.plus(STRETCH), lease.until());
        now = now.plus(STRETCH.dividedBy(2));
        lease.extend();
        now = now.minus(STRETCH.dividedBy(4));
        lease.extend();
        assertEquals(now.plus(STRETCH).plus(STRETCH.dividedBy(4)), lease.until(), "never back");
    }

    @Test
    void oneThatWasForgottenForHoursGoesOnFromNow() throws SQLException {
        TableNodeLease lease = take();
        now = START.plus(Duration.ofHours(5));
        lease.extend();
        assertEquals(now.plus(STRETCH), lease.until());
    }

    @Test
    void aLeaseExtendsItselfAndGoesOnAfterAFailure() throws SQLException {
        ByHand scheduler = new ByHand();
        TableNodeLease lease = take().extendedOn(scheduler);
        assertEquals(STRETCH.dividedBy(3), scheduler.delay);
        for (int third = 1; third <= 9; third++) {
            now = now.plus(scheduler.delay);
            if (third == 5) {
                Postgres.shared().ask("ALTER TABLE " + TABLE + " RENAME TO elsewhere");
                scheduler.task.run();
                Postgres.shared().ask("ALTER TABLE elsewhere RENAME TO " + TABLE);
                assertEquals(START.plus(scheduler.delay.multipliedBy(4)).plus(STRETCH), lease.until());
            } else {
                scheduler.task.run();
                assertEquals(now.plus(STRETCH), lease.until());
            }
        }
        scheduler.shutdownNow();
    }

    /** Runs nothing by itself. */
    private static final class ByHand extends ScheduledThreadPoolExecutor {

        private Runnable task = () -> {};
        private Duration delay = Duration.ZERO;

        ByHand() {
            super(0);
        }

        @Override
        public ScheduledFuture<?> scheduleWithFixedDelay(Runnable command, long initial, long each, TimeUnit unit) {
            assertEquals(initial, each);
            task = command;
            delay = Duration.of(each, unit.toChronoUnit());
            return schedule(() -> {}, 1, TimeUnit.DAYS);
        }
    }

    @Test
    void whoComesTooLateHasLostItsNode() throws SQLException {
        TableNodeLease late = take();
        now = START.plus(STRETCH);
        TableNodeLease next = take();
        assertEquals(late.node(), next.node());
        assertThrows(ConditionFailedException.class, late::extend);
        assertEquals(START.plus(STRETCH), late.until(), "it makes no id of the other's time");
        assertTrue(!next.from().isBefore(late.until()));
    }

    @Test
    void allNodesMayBeLeased() throws SQLException {
        long until = START.plus(STRETCH).toEpochMilli();
        Postgres.shared().ask("INSERT INTO " + TABLE + " SELECT n, " + until + " FROM generate_series(0, 1023) n");
        IllegalStateException e = assertThrows(IllegalStateException.class, this::take);
        assertTrue(e.getMessage().contains("1024"), e.getMessage());
    }

    @Test
    void manyAtOnceGetDifferentNodes() throws Exception {
        contend();
    }

    @Test
    void soTheyDoForNodesThatAreFreeAgainAndBelowRepeatableRead() throws Exception {
        Postgres.shared().ask("INSERT INTO " + TABLE + " SELECT n, 0 FROM generate_series(0, 20) n");
        readCommitted = true;
        contend();
    }

    private void contend() throws Exception {
        int many = 8;
        ExecutorService threads = Executors.newFixedThreadPool(many);
        CyclicBarrier together = new CyclicBarrier(many);
        try {
            List<Future<Integer>> taken = new ArrayList<>();
            for (int i = 0; i < many; i++) {
                taken.add(threads.submit(() -> {
                    together.await();
                    return take().node();
                }));
            }
            Set<Integer> nodes = new HashSet<>();
            for (Future<Integer> one : taken) {
                nodes.add(one.get());
            }
            assertEquals(many, nodes.size());
        } finally {
            threads.shutdownNow();
        }
    }

    @Test
    void idsAreMadeOfTheLeasedTime() throws SQLException {
        now = Instant.now();
        TableNodeLease lease = take();
        long id = SnowflakeIds.forLease(lease).next();
        assertEquals(lease.node(), SnowflakeIds.nodeOf(id));
        assertTrue(SnowflakeIds.timeOf(id).isBefore(lease.until()));
    }

    @Test
    void aNameThatIsNoTableIsRefused() {
        assertThrows(IllegalArgumentException.class, () -> TableNodeLease.take(tx, "nodes; DROP TABLE nodes", STRETCH));
        assertThrows(IllegalArgumentException.class, () -> TableNodeLease.take(tx, TABLE, Duration.ofNanos(1)));
    }
}
