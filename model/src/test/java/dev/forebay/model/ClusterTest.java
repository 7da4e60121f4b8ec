// SPDX-License-Identifier: Apache-2.0
package dev.forebay.model;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class ClusterTest {

    private static final long SECOND = 1_000_000_000L;
    private static final long MINUTE = 60 * SECOND;
    private static final long HOUR = 60 * MINUTE;

    private static Cluster cluster(ClusterSettings settings) {
        return new Cluster(settings, new Random(1), 0);
    }

    private static ClusterSession admitted(Connect answer) {
        return assertInstanceOf(Connect.Admitted.class, answer).session();
    }

    private static ConnectRefusal refused(Connect answer) {
        return assertInstanceOf(Connect.Refused.class, answer).reason();
    }

    private static int admittedOf(Cluster cluster, int attempts, long now) {
        int count = 0;
        for (int i = 0; i < attempts; i++) {
            count += cluster.connect(now) instanceof Connect.Admitted ? 1 : 0;
        }
        return count;
    }

    @Test
    void aRestedClusterAdmitsAThousandAtOnceAndAHundredASecondAfterThat() {
        Cluster cluster = cluster(ClusterSettings.dsql());
        assertEquals(1_000, admittedOf(cluster, 1_200, 0));
        assertEquals(0, admittedOf(cluster, 10, SECOND / 100 - 1));
        assertEquals(100, admittedOf(cluster, 1_000, SECOND));
        assertEquals(200, admittedOf(cluster, 1_000, 3 * SECOND));
        assertEquals(1_000, admittedOf(cluster, 2_000, 1_000 * SECOND));
        ConnectRefusal refusal = refused(cluster.connect(1_000 * SECOND));
        assertEquals("53400", refusal.sqlState());
        assertEquals("Unable to accept connection, rate exceeded.", refusal.message());
    }

    @Test
    void noMoreSessionsAreOpenThanTheCap() {
        Cluster cluster = cluster(ClusterSettings.builder().mostSessions(2).build());
        ClusterSession first = admitted(cluster.connect(0));
        admitted(cluster.connect(0));
        ConnectRefusal refusal = refused(cluster.connect(0));
        assertEquals("53300", refusal.sqlState());
        assertEquals("Unable to accept connection, too many open connections.", refusal.message());
        first.ended();
        first.ended();
        admitted(cluster.connect(0));
        assertEquals(ConnectRefusal.COUNT, refused(cluster.connect(0)));
    }

    @Test
    void aRefusedConnectSpendsNothingUnlessSetTo() {
        ClusterSettings settings =
                ClusterSettings.builder().connectsPerSecond(1).connectBurst(1).build();
        Cluster lenient = cluster(settings);
        Cluster strict = cluster(settings.toBuilder().refusedConnectSpends(true).build());
        for (Cluster cluster : List.of(lenient, strict)) {
            admitted(cluster.connect(0));
            assertEquals(ConnectRefusal.RATE, refused(cluster.connect(SECOND * 9 / 10)));
        }
        admitted(lenient.connect(SECOND));
        assertEquals(ConnectRefusal.RATE, refused(strict.connect(SECOND)));
        assertEquals(ConnectRefusal.RATE, refused(strict.connect(SECOND * 19 / 10)));
        admitted(strict.connect(SECOND * 29 / 10));
    }

    @Test
    void aConnectRefusedForTheCountSpendsNothingUnlessSetTo() {
        ClusterSettings settings =
                ClusterSettings.builder().connectBurst(3).mostSessions(1).build();
        Cluster lenient = cluster(settings);
        Cluster strict = cluster(settings.toBuilder().refusedConnectSpends(true).build());
        for (Cluster cluster : List.of(lenient, strict)) {
            admitted(cluster.connect(0));
            assertEquals(ConnectRefusal.COUNT, refused(cluster.connect(0)));
            assertEquals(ConnectRefusal.COUNT, refused(cluster.connect(0)));
        }
        assertEquals(ConnectRefusal.COUNT, refused(lenient.connect(0)));
        assertEquals(ConnectRefusal.RATE, refused(strict.connect(0)));
    }

    @Test
    void anIdleSessionIsClosedOnTheHour() {
        Cluster cluster = cluster(ClusterSettings.dsql());
        assertEquals(Long.MAX_VALUE, cluster.nextDeadline());
        ClusterSession session = admitted(cluster.connect(5));
        assertEquals(5 + HOUR, session.deadline());
        assertEquals(5 + HOUR, cluster.nextDeadline());
        assertEquals(List.of(), cluster.due(5 + HOUR - 1));
        assertFalse(session.isOver(5 + HOUR - 1));
        assertTrue(session.isOver(5 + HOUR));
        assertEquals(List.of(session), cluster.due(5 + HOUR));
        assertEquals(List.of(), cluster.due(5 + HOUR));
        assertEquals(Long.MAX_VALUE, cluster.nextDeadline());
        assertEquals(1, cluster.counts().open(), "it is open until it has ended");
        session.ended();
        assertEquals(0, cluster.counts().open());
    }

    @Test
    void aTransactionUnderWayOnTheHourMayEndFirst() {
        Cluster cluster = cluster(ClusterSettings.dsql());
        ClusterSession session = admitted(cluster.connect(0));
        session.inTransaction(true, HOUR - 1);
        assertEquals(List.of(), cluster.due(HOUR));
        assertEquals(HOUR + 5 * MINUTE, cluster.nextDeadline());
        session.inTransaction(false, HOUR + MINUTE);
        assertTrue(session.isOver(HOUR + MINUTE));
        assertTrue(cluster.nextDeadline() <= HOUR + MINUTE);
        assertEquals(List.of(session), cluster.due(HOUR + MINUTE));
    }

    @Test
    void aTransactionGetsNoMoreThanItsGrace() {
        Cluster cluster = cluster(ClusterSettings.dsql());
        ClusterSession session = admitted(cluster.connect(0));
        session.inTransaction(true, HOUR - 1);
        assertEquals(List.of(), cluster.due(HOUR));
        assertEquals(List.of(), cluster.due(HOUR + 5 * MINUTE - 1));
        assertEquals(List.of(session), cluster.due(HOUR + 5 * MINUTE));
    }

    @Test
    void aTransactionBegunAfterTheHourGetsNoGrace() {
        Cluster cluster = cluster(ClusterSettings.dsql());
        ClusterSession session = admitted(cluster.connect(0));
        session.inTransaction(true, HOUR);
        assertEquals(List.of(session), cluster.due(HOUR));

        ClusterSession other = admitted(cluster.connect(HOUR));
        other.inTransaction(true, 2 * HOUR - 1);
        assertEquals(List.of(), cluster.due(2 * HOUR));
        other.inTransaction(false, 2 * HOUR + 1);
        other.inTransaction(true, 2 * HOUR + 2);
        assertEquals(List.of(other), cluster.due(2 * HOUR + 2));
    }

    @Test
    void aNewLifetimeIsForOpenSessionsToo() {
        Cluster cluster = cluster(ClusterSettings.dsql());
        ClusterSession session = admitted(cluster.connect(0));
        cluster.reconfigure(
                ClusterSettings.builder().lifetime(Duration.ofSeconds(10)).build(), SECOND);
        assertEquals(10 * SECOND, cluster.nextDeadline());
        session.inTransaction(true, 9 * SECOND);
        assertEquals(List.of(), cluster.due(10 * SECOND));
        cluster.reconfigure(ClusterSettings.dsql(), 11 * SECOND);
        assertEquals(HOUR, cluster.nextDeadline());
        assertEquals(List.of(), cluster.due(HOUR - 1));
        session.inTransaction(false, HOUR - 1);
        assertEquals(List.of(session), cluster.due(HOUR));
    }

    @Test
    void aNewBurstKeepsWhatWasSavedUpAsFarAsItHolds() {
        Cluster cluster = cluster(ClusterSettings.dsql());
        assertEquals(900, admittedOf(cluster, 900, 0));
        cluster.reconfigure(ClusterSettings.builder().connectBurst(5_000).build(), 0);
        assertEquals(100, admittedOf(cluster, 1_000, 0), "a larger bucket is not a fuller one");
        cluster.reconfigure(ClusterSettings.builder().connectBurst(50).build(), 0);
        assertEquals(50, admittedOf(cluster, 1_000, 100 * SECOND));
        cluster.reconfigure(
                ClusterSettings.builder().connectBurst(50).connectsPerSecond(1).build(), 100 * SECOND);
        assertEquals(3, admittedOf(cluster, 100, 103 * SECOND));
    }

    @Test
    void aLoweredCapClosesNobodyAndAdmitsNobody() {
        Cluster cluster = cluster(ClusterSettings.dsql());
        ClusterSession session = admitted(cluster.connect(0));
        admitted(cluster.connect(0));
        cluster.reconfigure(ClusterSettings.builder().mostSessions(1).build(), 0);
        assertEquals(List.of(), cluster.due(0));
        session.ended();
        assertEquals(ConnectRefusal.COUNT, refused(cluster.connect(0)));
        assertEquals(1, cluster.counts().open());
    }

    @Test
    void aDropTakesAFractionEachSessionAtMostOnce() {
        Cluster cluster = cluster(ClusterSettings.dsql());
        for (int i = 0; i < 100; i++) {
            admitted(cluster.connect(0));
        }
        List<ClusterSession> first = cluster.inject(new Fault.Drop(0.3), 0);
        assertEquals(30, new HashSet<>(first).size());
        List<ClusterSession> rest = cluster.inject(new Fault.Drop(1), 0);
        assertEquals(70, rest.size());
        rest.forEach(session -> assertFalse(first.contains(session)));
        assertEquals(List.of(), cluster.due(2 * HOUR), "who was dropped does not also expire");
        assertEquals(100, cluster.counts().dropped());
        assertEquals(100, cluster.counts().open());
        assertEquals(List.of(), cluster.inject(new Fault.Drop(0), 0));
    }

    @Test
    void aDropIsTheSameForTheSameSeedAndAnyoneMayBeHit() {
        HashSet<Long> hit = new HashSet<>();
        for (int seed = 0; seed < 200; seed++) {
            List<Long> once = dropped(seed);
            assertEquals(once, dropped(seed));
            hit.addAll(once);
        }
        assertEquals(10, hit.size());
    }

    private static List<Long> dropped(int seed) {
        Cluster cluster = new Cluster(ClusterSettings.dsql(), new Random(seed), 0);
        for (int i = 0; i < 10; i++) {
            admitted(cluster.connect(0));
        }
        List<Long> ids = new ArrayList<>();
        cluster.inject(new Fault.Drop(0.3), 0).forEach(session -> ids.add(session.id()));
        return ids;
    }

    @Test
    void connectsAreRefusedForAWhile() {
        Cluster cluster = cluster(ClusterSettings.dsql());
        cluster.inject(Fault.parse("refuse connects 5s"), 10);
        assertEquals(ConnectRefusal.FAULT, refused(cluster.connect(10)));
        assertEquals(ConnectRefusal.FAULT, refused(cluster.connect(9 + 5 * SECOND)));
        admitted(cluster.connect(10 + 5 * SECOND));

        cluster.inject(Fault.parse("waking up 10s"), 10 * SECOND);
        assertEquals(
                "unable to accept connection, waking up cluster, please retry later",
                refused(cluster.connect(10 * SECOND)).message());
        cluster.inject(Fault.parse("waking up 0s"), 11 * SECOND);
        admitted(cluster.connect(11 * SECOND));
    }

    @Test
    void aConnectTakesItsLatencyAndWhatFaultsAdd() {
        Cluster cluster = cluster(
                ClusterSettings.builder().connectLatency(Duration.ofMillis(3)).build());
        assertEquals(3_000_000, cluster.connect(0).delayNanos());
        cluster.inject(Fault.parse("delay connects 20ms"), 0);
        assertEquals(23_000_000, cluster.connect(0).delayNanos());
        cluster.inject(Fault.parse("freeze 1s"), 0);
        assertEquals(SECOND + 23_000_000, cluster.connect(0).delayNanos());
        cluster.inject(Fault.parse("refuse connects 5s"), 0);
        assertEquals(SECOND / 2 + 23_000_000, cluster.connect(SECOND / 2).delayNanos());
    }

    @Test
    void everyAttemptIsCountedOnce() {
        Cluster cluster = cluster(
                ClusterSettings.builder().connectBurst(3).mostSessions(2).build());
        ClusterSession first = admitted(cluster.connect(0));
        first.inTransaction(true, 0);
        first.inTransaction(true, 0);
        admitted(cluster.connect(0));
        refused(cluster.connect(0));
        ClusterCounts counts = cluster.counts();
        assertEquals(2, counts.admitted());
        assertEquals(1, counts.refused().get(ConnectRefusal.COUNT));
        assertEquals(0, counts.refused().get(ConnectRefusal.RATE));
        assertEquals(1, counts.inTransaction());
        first.ended();
        first.inTransaction(false, 0);
        assertEquals(0, cluster.counts().inTransaction());
        assertEquals(1, cluster.counts().open());
    }

    @Test
    void numbersThatMakeNoSenseAreRefusedByName() {
        ClusterSettings.Builder zero = ClusterSettings.builder().lifetime(Duration.ZERO);
        assertThrows(IllegalArgumentException.class, zero::build);
        ClusterSettings.Builder never = ClusterSettings.builder().connectsPerSecond(Double.NaN);
        assertTrue(assertThrows(IllegalArgumentException.class, never::build)
                .getMessage()
                .contains("NaN"));
        ClusterSettings.Builder none = ClusterSettings.builder().connectBurst(0);
        assertThrows(IllegalArgumentException.class, none::build);
    }

    @Test
    void settingsAreChangedByTheWordsOfACommand() {
        ClusterSettings changed = ClusterSettings.dsql();
        for (String text : List.of(
                "rate 0.5",
                "burst 7",
                "sessions 8",
                "lifetime 10s",
                "grace 1s",
                " latency  5ms ",
                "refused-spends true")) {
            changed = changed.with(text);
        }
        ClusterSettings expected = new ClusterSettings(
                0.5, 7, 8, Duration.ofSeconds(10), Duration.ofSeconds(1), true, Duration.ofMillis(5));
        assertEquals(expected, changed);
        for (String wrong : List.of("", "rate", "rate x", "rate 0", "burst -1", "speed 5", "refused-spends no")) {
            assertThrows(IllegalArgumentException.class, () -> expected.with(wrong), wrong);
        }
    }

    @Test
    void clientsOnManyThreadsGetNoMoreThanTheBurst() throws Exception {
        Cluster cluster = cluster(ClusterSettings.dsql());
        int threads = 8;
        ExecutorService executor = Executors.newFixedThreadPool(threads);
        try {
            CountDownLatch start = new CountDownLatch(1);
            List<Future<Integer>> results = new ArrayList<>();
            for (int i = 0; i < threads; i++) {
                results.add(executor.submit(() -> {
                    start.await();
                    return connectAndEnd(cluster, 1_000);
                }));
            }
            start.countDown();
            int admitted = 0;
            for (Future<Integer> result : results) {
                admitted += result.get(60, TimeUnit.SECONDS);
            }
            assertEquals(1_000, admitted);
        } finally {
            executor.shutdownNow();
        }
        ClusterCounts counts = cluster.counts();
        assertEquals(1_000, counts.admitted());
        assertEquals(threads * 1_000 - 1_000, counts.refused().get(ConnectRefusal.RATE));
        assertEquals(0, counts.open());
        assertEquals(0, counts.inTransaction());
        assertEquals(Long.MAX_VALUE, cluster.nextDeadline());
    }

    private static int connectAndEnd(Cluster cluster, int attempts) {
        int admitted = 0;
        for (int i = 0; i < attempts; i++) {
            if (cluster.connect(0) instanceof Connect.Admitted in) {
                admitted++;
                in.session().inTransaction(true, 0);
                in.session().inTransaction(i % 2 == 0, 0);
                in.session().ended();
            }
        }
        return admitted;
    }
}
