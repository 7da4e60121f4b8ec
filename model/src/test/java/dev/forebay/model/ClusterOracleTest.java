// SPDX-License-Identifier: Apache-2.0
package dev.forebay.model;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.forebay.time.VirtualTime;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Random histories in virtual time: a cluster answers as a naive one does that looks at every session every time. */
class ClusterOracleTest {

    private static final int STEPS = 20_000;

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8})
    void aClusterAnswersAsANaiveOneDoes(long seed) {
        new History(seed).run();
    }

    private static final class History {
        private final Random random;
        private final VirtualTime time = new VirtualTime();
        private final Naive naive;
        private final Cluster cluster;
        private final Map<Long, ClusterSession> sessions = new HashMap<>();
        private final List<Long> admissions = new ArrayList<>();
        private long settingsSince;

        History(long seed) {
            random = new Random(seed);
            ClusterSettings settings = randomSettings();
            naive = new Naive(settings);
            cluster = new Cluster(settings, new Random(seed), 0);
        }

        void run() {
            for (int step = 0; step < STEPS; step++) {
                act();
                check(step);
            }
            assertTrue(naive.expired > 100, "the history must see sessions expire: " + naive.expired);
            for (ConnectRefusal reason : ConnectRefusal.values()) {
                assertTrue(naive.refused.get(reason) > 10, () -> "the history must see " + reason);
            }
        }

        private void act() {
            long now = time.nanos();
            int dice = random.nextInt(1_000);
            if (dice < 350) {
                time.advance(Duration.ofMillis(random.nextInt(random.nextInt(20) == 0 ? 5_000 : 60)));
            } else if (dice < 650) {
                connect(now);
            } else if (dice < 800) {
                anySession().ifPresent(id -> {
                    boolean begin = random.nextBoolean();
                    sessions.get(id).inTransaction(begin, now);
                    naive.inTransaction(id, begin, now);
                });
            } else if (dice < 880) {
                anySession().ifPresent(this::end);
            } else if (dice < 980) {
                due(now);
            } else if (dice < 988) {
                Fault fault = random.nextBoolean()
                        ? new Fault.RefuseConnects(Duration.ofMillis(random.nextInt(300)))
                        : new Fault.WakingUp(Duration.ofMillis(random.nextInt(300)));
                assertEquals(List.of(), cluster.inject(fault, now));
                naive.inject(fault, now);
            } else if (dice < 994) {
                drop(now);
            } else {
                ClusterSettings settings = randomSettings();
                cluster.reconfigure(settings, now);
                naive.reconfigure(settings, now);
                settingsSince = now;
                admissions.clear();
            }
        }

        private void connect(long now) {
            Connect answer = cluster.connect(now);
            ConnectRefusal expected = naive.connect(now);
            if (answer instanceof Connect.Admitted admitted) {
                assertEquals(null, expected);
                sessions.put(admitted.session().id(), admitted.session());
                admissions.add(now);
                naive.open.add(new Naive.Open(admitted.session().id(), now));
            } else {
                assertEquals(expected, ((Connect.Refused) answer).reason());
            }
        }

        private void due(long now) {
            List<Long> due = new ArrayList<>();
            cluster.due(now).forEach(session -> due.add(session.id()));
            due.sort(Comparator.naturalOrder());
            assertEquals(naive.due(now), due);
            due.stream().filter(id -> random.nextInt(10) > 0).forEach(this::end);
        }

        private void drop(long now) {
            double fraction = random.nextInt(4) / 10.0;
            long candidates =
                    naive.open.stream().filter(open -> !open.handedOver).count();
            List<ClusterSession> dropped = cluster.inject(new Fault.Drop(fraction), now);
            assertEquals(Math.round(candidates * fraction), dropped.size());
            dropped.forEach(session -> naive.handOver(session.id()));
            dropped.forEach(session -> end(session.id()));
        }

        private void end(long id) {
            sessions.remove(id).ended();
            naive.open.removeIf(open -> open.id == id);
        }

        private void check(int step) {
            long now = time.nanos();
            ClusterCounts counts = cluster.counts();
            String where = "at step " + step;
            assertEquals(naive.open.size(), counts.open(), where);
            assertEquals(naive.open.stream().filter(open -> open.beganAt >= 0).count(), counts.inTransaction(), where);
            assertEquals(naive.refused, counts.refused(), where);
            assertEquals(naive.expired, counts.expired(), where);
            assertTrue(cluster.nextDeadline() <= naive.nextClose(), where);
            if (!sessions.isEmpty() && step % 7 == 0) {
                long id = anySession().orElseThrow();
                assertEquals(naive.isOver(id, now), sessions.get(id).isOver(now), where);
                assertEquals(naive.deadline(naive.find(id)), sessions.get(id).deadline(), where);
            }
            checkRate(now, where);
        }

        /** The first rule, for every window that ends now. */
        private void checkRate(long now, String where) {
            ClusterSettings settings = cluster.settings();
            for (int from = Math.max(0, admissions.size() - 200); from < admissions.size(); from++) {
                double most = settings.connectBurst()
                        + settings.connectsPerSecond() * (now - admissions.get(from)) / 1e9
                        + 1e-6;
                assertTrue(admissions.size() - from <= most, where + ", settings since " + settingsSince);
            }
        }

        private Optional<Long> anySession() {
            List<Long> ids = new ArrayList<>(sessions.keySet());
            ids.sort(Comparator.naturalOrder());
            return ids.isEmpty() ? Optional.empty() : Optional.of(ids.get(random.nextInt(ids.size())));
        }

        /** Rates that divide a second evenly, so that the naive bucket is exact. */
        private ClusterSettings randomSettings() {
            return ClusterSettings.builder()
                    .connectsPerSecond(List.of(1, 5, 20, 50).get(random.nextInt(4)))
                    .connectBurst(1 + random.nextInt(10))
                    .mostSessions(1 + random.nextInt(30))
                    .lifetime(Duration.ofMillis(100 + random.nextInt(3_000)))
                    .transactionGrace(Duration.ofMillis(random.nextInt(1_000)))
                    .refusedConnectSpends(random.nextBoolean())
                    .build();
        }
    }

    /** The same rules, said as simply as they can be. */
    private static final class Naive {
        private ClusterSettings settings;
        /** The content of the bucket, in nanoseconds of inflow. */
        private long level;

        private long levelAt;
        private long refusingUntil;
        private long wakingUntil;
        private long expired;
        private final List<Open> open = new ArrayList<>();
        private final Map<ConnectRefusal, Long> refused = new EnumMap<>(ConnectRefusal.class);

        Naive(ClusterSettings settings) {
            this.settings = settings;
            level = settings.connectBurst() * interval();
            for (ConnectRefusal reason : ConnectRefusal.values()) {
                refused.put(reason, 0L);
            }
        }

        private long interval() {
            return (long) (1e9 / settings.connectsPerSecond());
        }

        private void refill(long now) {
            level = Math.min(settings.connectBurst() * interval(), level + now - levelAt);
            levelAt = now;
        }

        ConnectRefusal connect(long now) {
            refill(now);
            ConnectRefusal refusal = null;
            if (now < wakingUntil) {
                refusal = ConnectRefusal.WAKING;
            } else if (now < refusingUntil) {
                refusal = ConnectRefusal.FAULT;
            } else {
                if (level < interval()) {
                    refusal = ConnectRefusal.RATE;
                } else if (open.size() >= settings.mostSessions()) {
                    refusal = ConnectRefusal.COUNT;
                }
                if (refusal == null || settings.refusedConnectSpends()) {
                    level = Math.max(0, level - interval());
                }
            }
            if (refusal != null) {
                refused.merge(refusal, 1L, Long::sum);
            }
            return refusal;
        }

        void inject(Fault fault, long now) {
            if (fault instanceof Fault.RefuseConnects refuse) {
                refusingUntil = now + refuse.length().toNanos();
            } else if (fault instanceof Fault.WakingUp waking) {
                wakingUntil = now + waking.length().toNanos();
            }
        }

        void reconfigure(ClusterSettings next, long now) {
            refill(now);
            long whole = level / interval();
            settings = next;
            level = Math.min(whole, next.connectBurst()) * interval();
        }

        void inTransaction(long id, boolean begin, long now) {
            Open session = find(id);
            if (!begin) {
                session.beganAt = -1;
            } else if (session.beganAt < 0) {
                session.beganAt = now;
            }
        }

        List<Long> due(long now) {
            List<Long> due = new ArrayList<>();
            for (Open session : open) {
                if (!session.handedOver && closeAt(session) <= now) {
                    session.handedOver = true;
                    expired++;
                    due.add(session.id);
                }
            }
            return due;
        }

        void handOver(long id) {
            find(id).handedOver = true;
        }

        boolean isOver(long id, long now) {
            return find(id).handedOver || closeAt(find(id)) <= now;
        }

        long nextClose() {
            return open.stream()
                    .filter(session -> !session.handedOver)
                    .mapToLong(this::closeAt)
                    .min()
                    .orElse(Long.MAX_VALUE);
        }

        long deadline(Open session) {
            return session.openedAt + settings.lifetime().toNanos();
        }

        private long closeAt(Open session) {
            boolean grace = session.beganAt >= 0 && session.beganAt < deadline(session);
            return deadline(session) + (grace ? settings.transactionGrace().toNanos() : 0);
        }

        private Open find(long id) {
            return open.stream().filter(session -> session.id == id).findFirst().orElseThrow();
        }

        private static final class Open {
            private final long id;
            private final long openedAt;
            private long beganAt = -1;
            private boolean handedOver;

            Open(long id, long openedAt) {
                this.id = id;
                this.openedAt = openedAt;
            }
        }
    }
}
