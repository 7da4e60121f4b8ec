// SPDX-License-Identifier: Apache-2.0
package dev.forebay.fleet;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.forebay.engine.Admission;
import dev.forebay.engine.Admission.Grant;
import dev.forebay.engine.OpenFailure;
import dev.forebay.fleet.FleetConfig.Outage;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What a ledger does in each situation it is made for. */
class LedgerTest {

    private static final Duration TTL = Duration.ofMinutes(3);
    private static final Duration RENEWAL = Duration.ofMinutes(1);
    private static final LeaseKeys KEYS = new LeaseKeys("here");

    private final FleetWorld world = new FleetWorld(1);

    private LedgerInstance instance(int limit) {
        return instance(limit, Outage.LOCAL);
    }

    private LedgerInstance instance(int limit, Outage outage) {
        return new LedgerInstance(
                world, world.machine(), new LedgerConfig("here", "service", limit, TTL, RENEWAL, outage));
    }

    private long active() {
        return world.store.items().getOrDefault(KEYS.counter(), Item.NONE).number("active", 0);
    }

    private void pass(Duration duration) {
        world.real.advance(duration);
    }

    private void passASecond() {
        pass(Duration.ofSeconds(1));
    }

    @Test
    void whatIsNeededIsAcquiredInOneGo() {
        LedgerInstance one = instance(1_000);
        one.ask(500);
        passASecond();
        assertEquals(500, one.connections.size());
        assertEquals(500, active());
        assertTrue(one.ledger.stats().requests() <= 2, one.ledger.stats()::toString);
    }

    @Test
    void ifThereIsLessThanIsNeededThatIsAcquiredAndTheOthersAreToldWhy() {
        LedgerInstance one = instance(100);
        LedgerInstance other = instance(100);
        one.ask(70);
        passASecond();
        other.ask(50);
        passASecond();
        assertEquals(30, other.connections.size());
        assertEquals(20, other.refused);
        assertEquals(
                "LEASE_ACQUIRE: the connection limit is reached: 100 of 100 are leased, 30 of them here",
                other.refusals.get(0));
    }

    @Test
    void aSlotServesTheNextConnectionWithoutARequest() {
        LedgerInstance one = instance(100);
        one.ask(50);
        passASecond();
        long before = one.ledger.stats().requests();
        for (int i = 0; i < 30; i++) {
            one.close(10);
            one.ask(10);
            passASecond();
        }
        assertEquals(50, one.connections.size());
        assertEquals(before, one.ledger.stats().requests());
    }

    @Test
    void slotsThatNobodyNeededForAWhileAreReturned() {
        LedgerInstance one = instance(100);
        one.ask(50);
        passASecond();
        one.close(20);
        pass(RENEWAL.multipliedBy(2));
        assertEquals(30, active());
        one.close(30);
        pass(RENEWAL.multipliedBy(2));
        assertEquals(0, active());
        assertTrue(world.store.items().keySet().stream().noneMatch(key -> key.startsWith("dsqllease#")));
    }

    /** The Go implementation's time-to-live deleted the lease and left the counter as it was. */
    @Test
    void theSlotsOfACrashedInstanceAreFreeAgainAfterTwoTimesToLiveAndNotBeforeOne() {
        LedgerInstance crashed = instance(100);
        LedgerInstance other = instance(100);
        crashed.ask(100);
        passASecond();
        crashed.machine.crash();
        pass(TTL.minusSeconds(10));
        assertEquals(100, active());
        pass(TTL.plusSeconds(10));
        assertEquals(0, active());
        assertEquals(List.of("reaped 100"), other.events);
        other.ask(100);
        passASecond();
        assertEquals(100, other.connections.size());
    }

    @Test
    void aHundredCrashesLockNobodyOut() {
        LedgerInstance watcher = instance(100);
        for (int i = 0; i < 100; i++) {
            LedgerInstance one = instance(100);
            one.ask(100);
            passASecond();
            one.machine.crash();
            pass(TTL.multipliedBy(2));
        }
        watcher.ask(100);
        passASecond();
        assertEquals(100, watcher.connections.size());
    }

    /** The Go implementation's leases lived for three minutes, its connections for eleven. */
    @Test
    void aConnectionIsCountedForAsLongAsItLives() {
        LedgerInstance one = instance(100);
        instance(100);
        one.ask(60);
        pass(Duration.ofMinutes(61));
        assertEquals(60, active());
        assertEquals(0, one.ledger.stats().excess());
    }

    /** The Go implementation's release was unconditional. */
    @Test
    void aReleaseWhoseAnswerWasLostIsNotCountedTwice() {
        LedgerInstance one = instance(100);
        LedgerInstance other = instance(100);
        one.ask(40);
        other.ask(40);
        passASecond();
        one.ledger.close();
        one.machine.loseAnswers = true;
        one.close(40);
        pass(Duration.ofSeconds(30));
        one.machine.loseAnswers = false;
        pass(Duration.ofSeconds(30));
        assertEquals(40, active(), "of the other");
        assertTrue(one.ledger.isReleased());
    }

    /** The Go implementation lost the slots of an acquire whose answer was lost. */
    @Test
    void anAcquireWhoseAnswerWasLostIsNotAcquiredTwice() {
        LedgerInstance one = instance(100, Outage.BLOCK);
        one.machine.loseAnswers = true;
        one.ask(40);
        pass(Duration.ofSeconds(4));
        one.machine.loseAnswers = false;
        pass(Duration.ofSeconds(20));
        one.ask(40 - one.connections.size());
        pass(Duration.ofSeconds(20));
        assertEquals(40, one.connections.size());
        assertEquals(40, active());
    }

    /** The Go implementation took every cancelled transaction for the limit. */
    @Test
    void aConflictIsTriedAgainAndIsNotTheLimit() {
        LedgerInstance one = instance(100);
        one.machine.conflicts = 5;
        one.ask(40);
        pass(Duration.ofSeconds(3));
        assertEquals(40, one.connections.size());
        assertEquals(0, one.refused);
        assertEquals(5, one.ledger.stats().conflicts());
    }

    /** In the Go implementation a renewal that was lost was ignored, and two owners held the same slots. */
    @Test
    void anOwnerThatWasGivenUpForDeadOpensNothingBeforeItHasSlotsAgain() {
        LedgerInstance stopped = instance(100);
        LedgerInstance other = instance(100);
        stopped.ask(60);
        passASecond();
        stopped.machine.stop();
        pass(TTL.multipliedBy(2));
        other.ask(100);
        passASecond();
        assertEquals(100, other.connections.size());
        stopped.close(20);
        stopped.ask(20);
        stopped.machine.goOn();
        passASecond();
        assertEquals(40, stopped.connections.size(), "no new ones");
        assertEquals(20, stopped.refused);
        assertEquals(40, stopped.ledger.stats().excess());
        assertTrue(stopped.events.contains("lease lost with 40"), stopped.events::toString);
        other.close(60);
        pass(RENEWAL.multipliedBy(3));
        assertEquals(0, stopped.ledger.stats().excess(), "the slots of those that live are acquired anew");
        assertEquals(80, active());
    }

    @Test
    void anOwnerThatWasGivenUpForDeadLetsGoIfOthersHaveItsSlots() {
        LedgerInstance stopped = instance(100);
        stopped.ledger.whenDraining(() -> stopped.close(Integer.MAX_VALUE));
        LedgerInstance other = instance(100);
        stopped.ask(60);
        passASecond();
        stopped.machine.stop();
        pass(TTL.multipliedBy(2));
        other.ask(70);
        passASecond();
        stopped.machine.goOn();
        passASecond();
        passASecond();
        assertEquals(70, other.connections.size());
        assertTrue(stopped.events.contains("draining 60"), stopped.events::toString);
        assertEquals(0, stopped.connections.size(), "there is room for 30 only");
        stopped.ask(60);
        passASecond();
        assertEquals(30, stopped.connections.size());
        assertEquals(100, active());
    }

    @Test
    void anOwnerThatWasGivenUpForDeadKeepsWhatThereIsRoomFor() {
        LedgerInstance stopped = instance(100);
        stopped.ledger.whenDraining(() -> stopped.close(Integer.MAX_VALUE));
        LedgerInstance other = instance(100);
        stopped.ask(60);
        other.ask(30);
        passASecond();
        stopped.machine.stop();
        pass(TTL.multipliedBy(2));
        stopped.machine.goOn();
        passASecond();
        passASecond();
        assertTrue(stopped.events.contains("lease lost with 60"), stopped.events::toString);
        assertEquals(60, stopped.connections.size());
        assertEquals(90, active());
    }

    @Test
    void inAnOutageConnectionsAreOpenedAllTheSameAndCountedAfterwardsIfThatIsTheSetting() {
        LedgerInstance one = instance(100, Outage.LOCAL);
        one.ask(40);
        passASecond();
        world.outage = true;
        one.ask(10);
        pass(Duration.ofMinutes(1));
        assertEquals(50, one.connections.size());
        assertEquals(10, one.ledger.stats().excess());
        world.outage = false;
        pass(Duration.ofMinutes(1));
        assertEquals(0, one.ledger.stats().excess());
        assertEquals(50, active());
        assertEquals(List.of("lost out_of_reach", "found"), one.events);
    }

    @Test
    void whatWasOpenedInAnOutageIsCountedAfterwardsEvenIfThereWasNoLeaseBefore() {
        LedgerInstance one = instance(100, Outage.LOCAL);
        world.outage = true;
        one.ask(10);
        pass(Duration.ofMinutes(1));
        assertEquals(10, one.connections.size());
        world.outage = false;
        pass(Duration.ofMinutes(1));
        assertEquals(10, active());
        assertEquals(0, one.ledger.stats().excess());
    }

    @Test
    void inAnOutageNothingIsOpenedAndTheLeaseIsDrainedBeforeItEndsIfThatIsTheSetting() {
        LedgerInstance one = instance(100, Outage.BLOCK);
        one.ledger.whenDraining(() -> one.close(Integer.MAX_VALUE));
        one.ask(40);
        passASecond();
        world.outage = true;
        one.ask(10);
        pass(Duration.ofSeconds(70));
        assertEquals(40, one.connections.size(), "those that are there work on");
        assertEquals(10, one.refused);
        pass(TTL);
        assertEquals(0, one.connections.size());
        assertEquals(List.of("lost out_of_reach", "draining 40"), one.events);
        world.outage = false;
        pass(Duration.ofSeconds(30));
        one.ask(50);
        pass(Duration.ofSeconds(10));
        assertEquals(50, one.connections.size(), "it goes on by itself");
    }

    @Test
    void whoeverComesLateHasItsFairShareOnceTheConnectionsOfTheOthersHaveExpired() {
        LedgerInstance first = instance(90);
        LedgerInstance second = instance(90);
        first.ask(60);
        passASecond();
        second.ask(30);
        passASecond();
        LedgerInstance late = instance(90);
        late.ask(60);
        passASecond();
        assertEquals(0, late.connections.size());
        // Each connection lives for six minutes; its owner replaces it as soon as it may, the late one asks every five
        // seconds.
        for (int i = 0; i < 72; i++) {
            renew(first, 60, 60.0 / 72, i);
            renew(second, 30, 30.0 / 72, i);
            late.ask(60 - late.connections.size());
            pass(Duration.ofSeconds(5));
        }
        assertEquals(30, late.connections.size());
        assertEquals(30, second.connections.size(), "who has no more than its share gives nothing");
        assertEquals(30, first.connections.size());
    }

    private static void renew(LedgerInstance instance, int wanted, double each, int step) {
        instance.close((int) (each * (step + 1)) - (int) (each * step));
        if (instance.connections.size() < wanted) {
            instance.ask(wanted - instance.connections.size());
        }
    }

    @Test
    void connectionsOfServicesThatCountOneByOneAreRespectedAndLeftAlone() {
        // what a Go service's acquire writes
        for (int i = 0; i < 30; i++) {
            String lease = KEYS.lease("seed" + i);
            world.store.write(
                    List.of(
                            Write.to(KEYS.counter())
                                    .ifAbsentOrAtMost("active", 99)
                                    .add("active", 1)
                                    .set("updated_ms", 1),
                            Write.to(lease).set("ttl_epoch", 1).set("service_name", "history")),
                    new Unanswered<>());
        }
        LedgerInstance one = instance(100);
        one.ask(100);
        pass(TTL.multipliedBy(3));
        assertEquals(70, one.connections.size());
        assertEquals(100, active());
        assertTrue(world.store.items().containsKey(KEYS.lease("seed7")));
    }

    private static final class Unanswered<R> implements FleetStore.Reply<R> {
        @Override
        public void answered(R result) {}

        @Override
        public void failed(StoreException why) {
            throw new AssertionError(why);
        }
    }

    @Test
    void noLeaseHasATimeToLiveOfTheTables() {
        LedgerInstance one = instance(100);
        one.ask(10);
        passASecond();
        world.store.items().forEach((key, item) -> assertFalse(item.attributes().containsKey("ttl_epoch"), key));
    }

    @Test
    void closingGivesEverythingBackAtOnce() {
        LedgerInstance one = instance(100);
        one.ask(40);
        passASecond();
        one.ledger.close();
        one.close(40);
        passASecond();
        assertEquals(0, active());
        assertTrue(one.ledger.isReleased());
        one.ask(1);
        assertEquals(List.of("LEASE_ACQUIRE: the ledger is closed"), one.refusals);
    }

    @Test
    void closingAnswersThoseWhoWaitAndIsOverOnlyWhenNothingIsOnItsWay() {
        LedgerInstance one = instance(100);
        one.machine.loseAnswers = true;
        one.ask(40);
        one.ledger.close();
        assertEquals(40, one.refused);
        pass(Duration.ofSeconds(2));
        assertEquals(40, active(), "it was acquired, and nobody knows");
        assertFalse(one.ledger.isReleased());
        one.machine.loseAnswers = false;
        pass(Duration.ofSeconds(30));
        assertEquals(0, active());
        assertTrue(one.ledger.isReleased());
    }

    /** It asked again and again, without a pause, for slots that nobody could give. */
    @Test
    void closedWithMoreConnectionsThanTheLimitAllowsItAsksNoMoreOftenThanOneThatIsOpen() {
        LedgerInstance one = instance(100);
        LedgerInstance other = instance(100);
        other.ask(100);
        passASecond();
        one.machine.cutOff = true;
        one.ask(1);
        pass(Duration.ofSeconds(20));
        one.ask(29);
        assertEquals(30, one.connections.size());
        one.ledger.close();
        one.machine.cutOff = false;
        pass(Duration.ofSeconds(20));
        long before = one.ledger.stats().requests();
        pass(RENEWAL.multipliedBy(5));
        long sent = one.ledger.stats().requests() - before;
        assertTrue(sent <= 20, () -> sent + " requests");
        one.close(30);
        passASecond();
        assertTrue(one.ledger.isReleased());
        assertEquals(100, active());
    }

    @Test
    void closedWhileTheStoreIsLostItGivesUpInTheEndAndTheOthersEndItsLease() {
        LedgerInstance one = instance(100);
        LedgerInstance other = instance(100);
        one.ask(40);
        passASecond();
        one.machine.cutOff = true;
        one.close(40);
        one.ledger.close();
        pass(TTL.multipliedBy(2));
        assertEquals(0, active());
        assertEquals(List.of("reaped 40"), other.events);
        long before = one.ledger.stats().requests();
        pass(Duration.ofHours(1));
        assertEquals(before, one.ledger.stats().requests(), "nothing goes on");
    }

    @Test
    void aLeaseThatItDeletedItselfIsNotLost() {
        LedgerInstance one = instance(100);
        one.ask(40);
        passASecond();
        one.close(40);
        pass(RENEWAL);
        one.machine.loseAnswers = true;
        for (int i = 0; leases() > 0 && i < 60; i++) {
            passASecond();
        }
        assertEquals(0, leases(), "it is deleted, and nobody knows");
        one.machine.loseAnswers = false;
        one.ask(10);
        pass(Duration.ofSeconds(20));
        assertEquals(10, one.connections.size());
        assertEquals(0, one.ledger.stats().lost());
    }

    @Test
    void closedLeasesForEachConnectionGrantNothingMoreAndForgetNoRequest() {
        FleetWorld.Machine machine = world.machine();
        LedgerConfig config = new LedgerConfig("here", "service", 3, TTL, RENEWAL, Outage.BLOCK);
        GuardedStore store =
                new GuardedStore(machine, Duration.ofSeconds(5), machine, world.random, FleetListener.NONE);
        Leases leases = new LeasePerConnection(config, store, machine, machine, world.random, FleetListener.NONE);
        List<Grant> grants = new ArrayList<>();
        List<String> failures = new ArrayList<>();
        Admission.Answer answer = collecting(grants, failures);
        leases.ask(machine.nanos(), answer);
        passASecond();
        grants.get(0).release();
        passASecond();
        leases.ask(machine.nanos(), answer);
        leases.close();
        leases.ask(machine.nanos(), answer);
        assertEquals(List.of("the ledger is closed", "the ledger is closed"), failures);
        passASecond();
        assertEquals(1, grants.size());
        assertTrue(leases.isReleased());
        assertTrue(leases.stats().requests() >= 2, leases.stats()::toString);
        assertEquals(0, active());
    }

    @Test
    void aLeaseForEachConnectionIsTheSameWithOneSlot() {
        FleetWorld.Machine machine = world.machine();
        LedgerConfig config = new LedgerConfig("here", "service", 3, TTL, RENEWAL, Outage.BLOCK);
        GuardedStore store =
                new GuardedStore(machine, Duration.ofSeconds(5), machine, world.random, FleetListener.NONE);
        Leases leases = new LeasePerConnection(config, store, machine, machine, world.random, FleetListener.NONE);
        List<Grant> grants = new ArrayList<>();
        List<String> failures = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
            leases.ask(machine.nanos(), collecting(grants, failures));
            passASecond();
        }
        assertEquals(3, grants.size());
        assertEquals(1, failures.size());
        assertEquals(3, leases());
        pass(TTL.multipliedBy(4));
        assertEquals(3, active(), "each is renewed");
        assertEquals(3, leases.stats().held());
        leases.close();
        grants.forEach(Grant::release);
        passASecond();
        assertEquals(0, leases());
        assertEquals(0, active());
        assertTrue(leases.isReleased());
        long before = world.requests;
        pass(TTL);
        assertEquals(before, world.requests, "nothing goes on after the last connection");
    }

    private static Admission.Answer collecting(List<Grant> grants, List<String> failures) {
        return new Admission.Answer() {
            @Override
            public void granted(Grant grant) {
                grants.add(grant);
            }

            @Override
            public void notBefore(long nanos) {
                throw new AssertionError("a ledger grants or fails");
            }

            @Override
            public void failed(OpenFailure failure) {
                failures.add(String.valueOf(failure.error().getMessage()));
            }
        };
    }

    private long leases() {
        return world.store.items().keySet().stream()
                .filter(key -> key.startsWith("dsqllease#"))
                .count();
    }

    private LedgerInstance instance(Duration ttl, Duration renewal) {
        return new LedgerInstance(
                world, world.machine(), new LedgerConfig("here", "service", 10, ttl, renewal, Outage.LOCAL));
    }

    /** A rolling change of the setting has both in one fleet. */
    @Test
    void instancesWithDifferentTimesToLiveEndNoLivingLease() {
        LedgerInstance slow = instance(Duration.ofMinutes(15), Duration.ofMinutes(5));
        slow.ask(6);
        passASecond();
        LedgerInstance quick = instance(Duration.ofMinutes(3), Duration.ofMinutes(1));
        pass(Duration.ofHours(1));
        quick.ask(10);
        passASecond();
        assertEquals(4, quick.connections.size());
        assertEquals(List.of(), quick.events);
        assertEquals(List.of(), slow.events);
    }

    @Test
    void aLeaseIsEndedAfterTheLongerOfTwoTimesToLive() {
        LedgerInstance slow = instance(Duration.ofMinutes(15), Duration.ofMinutes(5));
        LedgerInstance quick = instance(Duration.ofMinutes(3), Duration.ofMinutes(1));
        slow.ask(6);
        passASecond();
        slow.machine.crash();
        pass(Duration.ofMinutes(14));
        assertEquals(6, active());
        pass(Duration.ofMinutes(3));
        assertEquals(0, active());
        assertEquals(List.of("reaped 6"), quick.events);
    }

    /** A lease whose owner lives must not be reaped because somebody else's code failed. */
    @Test
    void aListenerThatThrowsAnErrorEndsNoRenewal() {
        FleetWorld.Machine machine = world.machine();
        FleetListener failing = new FleetListener() {
            @Override
            public void limitReached(long active, long limit, int missing) {
                throw new AssertionError("thrown by a test");
            }
        };
        GuardedStore store = new GuardedStore(machine, Duration.ofSeconds(5), machine, world.random, failing);
        LedgerConfig config = new LedgerConfig("here", "service", 10, TTL, RENEWAL, Outage.LOCAL);
        Ledger ledger = new Ledger(config, store, machine, machine, world.random, failing);
        LedgerInstance other = instance(10);
        List<Grant> grants = new ArrayList<>();
        List<String> failures = new ArrayList<>();
        for (int i = 0; i < 12; i++) {
            ledger.ask(machine.nanos(), collecting(grants, failures));
        }
        pass(TTL.multipliedBy(4));
        assertEquals(10, grants.size());
        assertEquals(2, failures.size(), "the limit was reached");
        assertEquals(List.of(), other.events, "nobody has reaped it");
        assertEquals(0, ledger.stats().lost());
    }

    @Test
    void anAnswerThatThrowsAnErrorIsTheLastOfNobody() {
        LedgerInstance one = instance(10);
        one.ledger.ask(one.machine.nanos(), new Admission.Answer() {
            @Override
            public void granted(Grant grant) {
                throw new AssertionError("thrown by a test");
            }

            @Override
            public void notBefore(long nanos) {}

            @Override
            public void failed(OpenFailure failure) {}
        });
        one.ask(3);
        passASecond();
        assertEquals(3, one.connections.size());
        pass(TTL.multipliedBy(4));
        assertEquals(4, active(), "and all are renewed");
    }

    /** Each of them used to be told of by looking again and again; whoever waits for it must not have to. */
    @Test
    void whoeverWaitsForTheReleaseIsToldWhenAConflictIsOver() {
        LedgerInstance one = instance(100);
        one.ask(40);
        passASecond();
        boolean[] released = {false};
        one.machine.conflicts = 3;
        one.ledger.close();
        one.ledger.whenReleased(() -> released[0] = true);
        one.close(40);
        assertFalse(released[0]);
        passASecond();
        assertTrue(released[0]);
        assertEquals(0, active());
    }

    /** The wait after the conflicts before the close, up to 7.5 s, was kept. */
    @Test
    void conflictsBeforeTheCloseDoNotDelayIt() {
        LedgerInstance one = instance(100);
        one.ask(40);
        passASecond();
        one.machine.conflicts = 10;
        one.ask(10);
        for (int i = 0; one.machine.conflicts > 0 && i < 300; i++) {
            pass(Duration.ofMillis(100));
        }
        pass(Duration.ofMillis(300));
        assertEquals(10, one.ledger.stats().conflicts());
        one.ledger.close();
        one.close(40);
        passASecond();
        assertEquals(0, active());
        assertTrue(one.ledger.isReleased());
    }

    @Test
    void closingAsksASilentStoreNoSooner() {
        LedgerInstance one = instance(100);
        one.ask(40);
        passASecond();
        one.machine.conflicts = 3;
        one.ask(10);
        passASecond();
        one.machine.cutOff = true;
        one.close(5);
        pass(Duration.ofMinutes(3));
        long before = one.ledger.stats().requests();
        for (int i = 0; one.ledger.stats().requests() == before && i < 300; i++) {
            pass(Duration.ofMillis(100));
        }
        one.ledger.close();
        one.close(45);
        passASecond();
        assertEquals(before + 1, one.ledger.stats().requests());
    }

    /** A pool is told to drain only after its first connections are there. */
    @Test
    void aDrainReachesTheLeasesThatExistAlready() {
        FleetWorld.Machine machine = world.machine();
        LedgerConfig config = new LedgerConfig("here", "service", 3, TTL, RENEWAL, Outage.BLOCK);
        GuardedStore store =
                new GuardedStore(machine, Duration.ofSeconds(5), machine, world.random, FleetListener.NONE);
        Leases leases = new LeasePerConnection(config, store, machine, machine, world.random, FleetListener.NONE);
        List<Grant> grants = new ArrayList<>();
        leases.ask(machine.nanos(), collecting(grants, new ArrayList<>()));
        passASecond();
        assertEquals(1, grants.size());
        int[] drained = {0};
        leases.whenDraining(() -> drained[0]++);
        world.outage = true;
        pass(TTL);
        assertEquals(1, drained[0]);
    }
}
