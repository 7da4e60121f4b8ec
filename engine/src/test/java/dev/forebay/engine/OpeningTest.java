// SPDX-License-Identifier: Apache-2.0
package dev.forebay.engine;

import static dev.forebay.engine.Pools.SECOND;
import static dev.forebay.engine.Pools.ageless;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.forebay.testkit.ConnectionCap;
import dev.forebay.testkit.Rig;
import dev.forebay.testkit.SimServer.Behaviour;
import dev.forebay.testkit.SimServer.Session;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** How connections come to be opened, and what happens when they do not. */
class OpeningTest {

    @Test
    void theLevelIsRefilledByItselfAfterADiscard() {
        Rig rig = Rig.of(ageless(5).build()).filled();
        rig.take().discard(DiscardReason.BAD_CONNECTION);
        rig.advance(SECOND);
        assertEquals(5, rig.stats().ready());
        assertEquals(6, rig.stats().opened());
    }

    @Test
    void openingNeedsNobodyToAsk() {
        Rig rig = Rig.of(ageless(50).build()).filled();
        assertEquals(50, rig.stats().ready());
        assertEquals(0, rig.stats().checkouts());
    }

    @Test
    void theRateLimiterIsTheOnlyThrottle() {
        Rig rig = Rig.of(ageless(60).build(), time -> List.of(new RateLimit(new TokenBucket(10, 10), time)));
        rig.server.connectLatency(Duration.ofMillis(250));
        rig.start().advance(Duration.ofMillis(5_250));
        // Ten at once, then one each 100 ms: after 5 s all sixty have been let through, and 250 ms later they are open.
        assertEquals(60, rig.stats().open());
        List<Long> connects = rig.server.connectsAt();
        for (int i = 10; i < 60; i++) {
            assertEquals(100_000_000L, connects.get(i) - connects.get(i - 1), "interval before connect " + i);
        }
    }

    @Test
    void opensOverlapSoThatASlowConnectDoesNotSlowTheFill() {
        Rig rig = Rig.of(ageless(500).build());
        rig.server.connectLatency(Duration.ofMillis(250));
        rig.start().advance(Duration.ofSeconds(5));
        assertEquals(500, rig.stats().open());
        assertEquals(32, rig.server.mostConnecting());
    }

    @Test
    void aLimitOfOneOpensOneAfterTheOther() {
        Rig rig = Rig.of(ageless(10).inFlightLimit(1).build()).filled();
        assertEquals(10, rig.stats().open());
        assertEquals(1, rig.server.mostConnecting());
    }

    @Test
    void aHungOpenBlocksNobodyElseAndStaysCountedUntilItEnds() {
        ConnectionCap leases = new ConnectionCap(100);
        Rig rig = Rig.of(ageless(5).inFlightLimit(2).openTimeout(SECOND).build(), time -> List.of(leases));
        rig.server.next(Behaviour.HANG);
        rig.start().advance(Duration.ofMillis(500));
        assertEquals(4, rig.stats().ready(), "the others came meanwhile");
        rig.advance(Duration.ofMinutes(1));
        assertEquals(4, rig.stats().ready(), "a sixth connection would break the cap");
        assertEquals(1, rig.stats().closing());
        assertEquals(5, leases.held(), "its lease is held as long as the server may count it");
        assertEquals(1, rig.stats().openFailures(OpenFailure.Cause.CONNECT));
        rig.server.endHung(Behaviour.REFUSE);
        rig.advance(Duration.ofSeconds(10));
        assertEquals(5, rig.stats().ready());
        assertEquals(5, leases.held());
    }

    /** As with a driver that has no timeouts, before a server that accepts and is silent. */
    @Test
    void opensThatHangForGoodGiveTheirPlacesBack() {
        List<Long> forgotten = new ArrayList<>();
        Rig rig = Rig.of(ageless(2).openTimeout(SECOND).build(), new PoolListener() {
            @Override
            public void openForgotten(long hungNanos) {
                forgotten.add(hungNanos);
            }
        });
        rig.server.behave(Behaviour.HANG);
        rig.start().advance(Duration.ofSeconds(5));
        assertEquals(2, rig.stats().closing(), "both places are taken");
        rig.server.behave(Behaviour.ACCEPT);
        rig.advance(Duration.ofSeconds(30));
        assertEquals(2, rig.stats().ready());
        assertEquals(2, forgotten.size());
        rig.server.endHung(Behaviour.ACCEPT);
        rig.advance(SECOND);
        assertEquals(2, rig.server.open(), "what comes after all is closed");
        assertEquals(2, rig.stats().ready());
    }

    @Test
    void noMoreOpensAreForgottenThanThePoolIsLarge() {
        int[] forgotten = {0};
        Rig rig = Rig.of(ageless(2).openTimeout(SECOND).build(), new PoolListener() {
            @Override
            public void openForgotten(long hungNanos) {
                forgotten[0]++;
            }
        });
        rig.server.behave(Behaviour.HANG);
        rig.start().advance(Duration.ofHours(1));
        assertEquals(2, forgotten[0]);
        rig.server.behave(Behaviour.ACCEPT);
        rig.server.endHung(Behaviour.REFUSE);
        rig.advance(Duration.ofMinutes(5));
        assertEquals(2, rig.stats().ready(), "they are counted until they end");
    }

    @Test
    void aHungOpenThatSucceedsAfterAllIsTakenIn() {
        Rig rig = Rig.of(ageless(1).openTimeout(SECOND).build());
        rig.server.next(Behaviour.HANG);
        rig.start().advance(Duration.ofSeconds(5));
        rig.server.endHung(Behaviour.ACCEPT);
        rig.time.runDue();
        assertEquals(1, rig.stats().ready());
        assertEquals(1, rig.server.connectsAt().size());
    }

    @Test
    void failuresBackOffExponentiallyWithJitter() {
        List<Long> delays = new ArrayList<>();
        Rig rig = Rig.of(ageless(10).build(), new PoolListener() {
            @Override
            public void openFailed(OpenFailure failure, int attempt, long delayNanos) {
                delays.add(delayNanos);
            }
        });
        rig.server.behave(Behaviour.REFUSE);
        rig.start().advance(Duration.ofMinutes(2));
        int rounds = delays.size() - 9; // the ten of the first round count as one failure
        assertTrue(rounds > 10, "it goes on trying: " + rounds);
        long nominal = 250_000_000L;
        for (int i = 9; i < delays.size(); i++) {
            long delay = delays.get(i);
            assertTrue(delay >= nominal / 2 && delay <= nominal * 3 / 2, "delay " + i + " is " + delay);
            nominal = Math.min(nominal * 2, 5_000_000_000L);
        }
        assertTrue(delays.stream().skip(14).distinct().count() > 5, "jitter makes them differ");
    }

    @Test
    void afterAFailureOneAttemptAtATimeFindsOutWhetherItIsOver() {
        Rig rig = Rig.of(ageless(20).build());
        rig.server.behave(Behaviour.REFUSE);
        rig.start().advance(SECOND);
        int during = rig.server.connectsAt().size();
        rig.advance(Duration.ofSeconds(60));
        assertTrue(rig.server.connectsAt().size() - during <= 25, "about one every five seconds, not twenty");
        rig.server.behave(Behaviour.ACCEPT);
        rig.advance(Duration.ofSeconds(8));
        assertEquals(20, rig.stats().ready(), "and it recovers by itself");
    }

    @Test
    void causesAreToldApart() {
        Rig rig = Rig.of(ageless(1).build());
        rig.server.next(Behaviour.REFUSE, Behaviour.NO_TOKEN, Behaviour.THROTTLE);
        rig.start().advance(Duration.ofSeconds(20));
        assertEquals(1, rig.stats().openFailures(OpenFailure.Cause.CONNECT));
        assertEquals(1, rig.stats().openFailures(OpenFailure.Cause.TOKEN_PROVIDER));
        assertEquals(1, rig.stats().openFailures(OpenFailure.Cause.RATE_LIMIT));
        assertEquals(1, rig.stats().ready());
    }

    @Test
    void eachCauseBacksOffOnItsOwn() {
        List<String> failures = new ArrayList<>();
        Rig rig = Rig.of(ageless(1).build(), new PoolListener() {
            @Override
            public void openFailed(OpenFailure failure, int attempt, long delayNanos) {
                failures.add(failure.cause().label() + " " + attempt);
            }
        });
        rig.server.next(Behaviour.REFUSE, Behaviour.REFUSE, Behaviour.NO_TOKEN, Behaviour.REFUSE);
        rig.start().advance(Duration.ofSeconds(30));
        assertEquals(List.of("connect 1", "connect 2", "token_provider 1", "connect 3"), failures);
    }

    @Test
    void aThrottleOfTheServerEmptiesTheLimiter() {
        RateLimit[] limit = {null};
        Rig rig = Rig.of(ageless(1).build(), time -> {
            limit[0] = new RateLimit(new TokenBucket(10, 100), time);
            return List.of(limit[0]);
        });
        rig.server.next(Behaviour.THROTTLE);
        rig.start().advance(Duration.ofMillis(20));
        assertEquals(0, limit[0].available());
    }

    @Test
    void stoppingCancelsWhatWaitsForAPermitAndGivesItsGrantsBack() {
        ConnectionCap leases = new ConnectionCap(100);
        Rig rig = Rig.of(ageless(10).build(), time -> List.of(leases, new RateLimit(new TokenBucket(0.001, 1), time)));
        rig.start().advance(SECOND);
        assertEquals(10, leases.held(), "one connection, nine on their way");
        rig.pool.close();
        rig.advance(SECOND);
        assertEquals(0, leases.held());
        assertEquals(0, rig.server.open());
        assertEquals(1, rig.server.connectsAt().size());
    }

    @Test
    void everyDiscardReleasesItsLeaseAndClosesTheConnection() {
        ConnectionCap leases = new ConnectionCap(100);
        Rig rig = Rig.of(ageless(3).build(), time -> List.of(leases));
        rig.filled();
        assertEquals(3, leases.held());
        rig.pool.resize(Supply.reservoir(2), 2, 0);
        rig.advance(SECOND);
        assertEquals(2, leases.held());
        assertEquals(2, rig.server.open());
        rig.pool.resize(Supply.reservoir(0), 2, 0);
        rig.take().discard(DiscardReason.BAD_CONNECTION);
        rig.advance(SECOND);
        assertEquals(1, leases.held());
        rig.pool.evictAll();
        rig.advance(SECOND);
        assertEquals(0, leases.held());
        assertEquals(0, rig.server.open());
    }

    /** The checkout goes on at once although the close, and with it the lease's release, takes a minute. */
    @Test
    void aSlowCloseDelaysNobodyAndHoldsTheLeaseUntilItIsDone() {
        ConnectionCap leases = new ConnectionCap(100);
        Rig rig = Rig.of(ageless(3).build(), time -> List.of(leases));
        rig.server.closeLatency(() -> Duration.ofMinutes(1));
        rig.filled();
        Checkout<Session> bad = rig.take();
        assertTrue(bad.discard(DiscardReason.BAD_CONNECTION));
        rig.take().returnToPool();
        rig.advance(Duration.ofSeconds(59));
        assertEquals(3, leases.held());
        assertEquals(1, rig.stats().closing());
        assertEquals(2, rig.stats().open(), "the cap counts what is closing");
        rig.advance(Duration.ofSeconds(2));
        assertEquals(3, rig.stats().open());
    }

    @Test
    void anAdmissionThatThrowsIsAFailureToBackOffFrom() {
        int[] asked = {0};
        Admission broken = (now, answer) -> {
            if (asked[0]++ < 3) {
                throw new IllegalStateException("no store");
            }
            answer.granted(() -> {});
        };
        Rig rig = Rig.of(ageless(2).inFlightLimit(1).build(), time -> List.of(broken))
                .filled();
        assertEquals(3, rig.stats().openFailures(OpenFailure.Cause.LEASE_ACQUIRE));
        assertEquals(2, rig.stats().ready());
    }

    @Test
    void aClosedPoolIsForgottenByWhatItShared() {
        ConnectionCap shared = new ConnectionCap(10);
        int[] undone = {0};
        Admission watched = new Admission() {
            @Override
            public void ask(long nowNanos, Answer answer) {
                shared.ask(nowNanos, answer);
            }

            @Override
            public Runnable whenFreed(Runnable wake) {
                Runnable undo = shared.whenFreed(wake);
                return () -> {
                    undone[0]++;
                    undo.run();
                };
            }
        };
        Rig rig = Rig.of(ageless(2).build(), time -> List.of(watched)).filled();
        rig.pool.close();
        rig.advance(SECOND);
        assertEquals(1, undone[0]);
    }

    @Test
    void withoutAnyAdmissionThereIsNothingToRelease() {
        Rig rig = Rig.of(ageless(2).build()).filled();
        rig.pool.close();
        rig.advance(SECOND);
        assertEquals(0, rig.server.open());
    }

    /** The refusal was decided before the lease was freed, but arrives after the news of it. */
    @Test
    void whatIsFreedWhileARefusalIsOnItsWayIsNotMissed() {
        List<Admission.Answer> asked = new ArrayList<>();
        List<Runnable> wakes = new ArrayList<>();
        Admission remote = new Admission() {
            @Override
            public void ask(long nowNanos, Answer answer) {
                asked.add(answer);
            }

            @Override
            public Runnable whenFreed(Runnable wake) {
                wakes.add(wake);
                return () -> wakes.remove(wake);
            }
        };
        Rig rig = Rig.of(ageless(1).build(), time -> List.of(remote)).filled();
        assertEquals(1, asked.size());
        wakes.forEach(Runnable::run);
        asked.get(0).notBefore(Long.MAX_VALUE);
        rig.advance(SECOND);
        assertEquals(2, asked.size(), "it has asked again");
        asked.get(1).granted(() -> {});
        rig.advance(SECOND);
        assertEquals(1, rig.stats().ready());
    }

    @Test
    void aLimitOnLeasesIsWaitedForNotExceeded() {
        ConnectionCap leases = new ConnectionCap(3);
        Rig rig = Rig.of(ageless(5).build(), time -> List.of(leases));
        rig.filled();
        assertEquals(3, rig.stats().ready());
        Checkout<Session> one = rig.take();
        assertFalse(rig.server.mostOpen() > 3);
        one.discard(DiscardReason.BAD_CONNECTION);
        rig.advance(SECOND);
        assertEquals(3, rig.stats().ready(), "the freed lease was taken again");
    }
}
