// SPDX-License-Identifier: Apache-2.0
package dev.forebay.fleet;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.forebay.engine.Admission;
import dev.forebay.engine.Admission.Grant;
import dev.forebay.engine.Admission.Outcome;
import dev.forebay.engine.OpenFailure;
import dev.forebay.engine.TokenBucket;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Connections that a fleet opens while its table is out of reach. */
class FallbackTest {

    private static final int RATE = 100;
    private static final int BURST = 200;
    private static final int MINIMUM = 2;

    private final FleetWorld world = new FleetWorld(21);
    private final List<Instance> fleet = new ArrayList<>();

    private long connects;

    /** An instance that opens as many connections as it may, eight at a time. */
    private final class Instance implements FleetListener {
        private final FleetWorld.Machine machine = world.machine(Duration.ZERO);
        private final FleetRateLimit limit;
        private final List<Integer> seen = new ArrayList<>();

        Instance() {
            GuardedStore store = new GuardedStore(machine, Duration.ofSeconds(5), machine, world.random, this);
            this.limit = FleetRateLimit.bucket(
                    "here",
                    new TokenBucket(RATE, BURST),
                    Duration.ofSeconds(30),
                    store,
                    new OutageShare(new Instances("here", store, machine, world.random), RATE, MINIMUM, machine, this),
                    machine,
                    machine,
                    world.random);
            fleet.add(this);
        }

        @Override
        public void fallingBack(double perSecond, double rate, int instances) {
            assertEquals(instances == 0 ? MINIMUM : rate / instances, perSecond);
            seen.add(instances);
        }

        void connect() {
            for (int i = 0; i < 8; i++) {
                attempt();
            }
        }

        private void attempt() {
            limit.ask(machine.nanos(), new Admission.Answer() {
                @Override
                public void granted(Grant grant) {
                    connects++;
                    grant.openEnded(Outcome.OPENED);
                    machine.schedule(machine.nanos() + 20_000_000, Instance.this::attempt);
                }

                @Override
                public void notBefore(long nanos) {
                    machine.schedule(nanos, Instance.this::attempt);
                }

                @Override
                public void failed(OpenFailure failure) {
                    machine.schedule(machine.nanos() + 1_000_000_000, Instance.this::attempt);
                }
            });
        }
    }

    private void start(int instances) {
        for (int i = 0; i < instances; i++) {
            new Instance();
            world.real.advance(Duration.ofMillis(200));
        }
    }

    /** How many connects there are in {@code seconds} of an outage, once everybody has noticed it. */
    private long inAnOutageOf(int seconds) {
        world.outage = true;
        fleet.stream().filter(one -> !one.machine.isDead()).forEach(Instance::connect);
        world.real.advance(Duration.ofSeconds(40));
        long before = connects;
        world.real.advance(Duration.ofSeconds(seconds));
        return connects - before;
    }

    @Test
    void aFleetThatSawItselfKeepsItsRate() {
        start(44);
        world.real.advance(Duration.ofMinutes(2));
        long opened = inAnOutageOf(60);
        assertTrue(opened <= 60 * RATE * 1.03 + RATE, opened + " connects in a minute");
        assertTrue(opened >= 60 * RATE * 0.9, opened + " connects in a minute");
        fleet.forEach(one -> assertEquals(List.of(44), one.seen));
    }

    @Test
    void anInstanceThatSawNoneTakesTheMinimum() {
        world.outage = true;
        start(1);
        long opened = inAnOutageOf(60);
        assertTrue(opened <= 60 * MINIMUM + MINIMUM, opened + " connects in a minute");
        assertTrue(opened >= 60 * MINIMUM - MINIMUM, opened + " connects in a minute");
        assertEquals(List.of(0), fleet.get(0).seen);
        assertEquals(MINIMUM, fleet.get(0).limit.stats().fallbackPerSecond());
    }

    @Test
    void thoseWhoLeftAreNotCountedAndTheDeadNotForLong() {
        start(8);
        world.real.advance(Duration.ofMinutes(2));
        Instance last = fleet.get(7);
        assertEquals(RATE / 8.0, last.limit.stats().fallbackPerSecond());
        fleet.get(0).limit.close();
        fleet.get(1).machine.crash();
        fleet.get(2).machine.crash();
        world.real.advance(Duration.ofMinutes(1));
        assertEquals(RATE / 7.0, last.limit.stats().fallbackPerSecond(), "one has said that it leaves");
        world.real.advance(Duration.ofMinutes(4));
        assertEquals(RATE / 5.0, last.limit.stats().fallbackPerSecond(), "two have been silent");
        List<Item> items = new ArrayList<>();
        world.store.read(List.of("dsqlinstances#here"), new Quietly<>(read -> items.addAll(read.values())));
        assertEquals(5, items.get(0).attributes().size(), "the dead are removed");
    }

    @Test
    void anInstanceThatWasStoppedIsCountedAgainWhenItGoesOn() {
        start(2);
        world.real.advance(Duration.ofMinutes(2));
        fleet.get(0).machine.stop();
        world.real.advance(Duration.ofMinutes(6));
        assertEquals(RATE, fleet.get(1).limit.stats().fallbackPerSecond());
        fleet.get(0).machine.goOn();
        world.real.advance(Duration.ofMinutes(2));
        fleet.forEach(one -> assertEquals(RATE / 2.0, one.limit.stats().fallbackPerSecond()));
    }

    /** Every instance removed all the others at its first beat after the outage, and took a share that was far too large. */
    @Test
    void aFleetBackFromALongOutageKeepsItsRateInTheNext() {
        start(44);
        world.real.advance(Duration.ofMinutes(2));
        world.outage = true;
        world.real.advance(Duration.ofMinutes(5));
        world.outage = false;
        world.real.advance(Duration.ofSeconds(30));
        long opened = inAnOutageOf(60);
        assertTrue(opened <= 60 * RATE * 1.03 + RATE, opened + " connects in a minute");
        assertTrue(opened >= 60 * RATE * 0.9, opened + " connects in a minute");
        fleet.forEach(one -> assertEquals(List.of(44), one.seen));
    }

    @Test
    void anInstanceThatWakesCountsTheOthersAtOnce() {
        start(3);
        world.real.advance(Duration.ofMinutes(2));
        fleet.get(0).machine.stop();
        world.real.advance(Duration.ofMinutes(6));
        fleet.get(0).machine.goOn();
        world.real.advance(Duration.ofSeconds(1));
        assertEquals(RATE / 3.0, fleet.get(0).limit.stats().fallbackPerSecond());
    }

    @Test
    void theDeadOfAnOutageAreGoneThreeMinutesAfterIt() {
        start(3);
        world.real.advance(Duration.ofMinutes(2));
        world.outage = true;
        fleet.get(2).machine.crash();
        world.real.advance(Duration.ofMinutes(5));
        world.outage = false;
        world.real.advance(Duration.ofMinutes(2));
        assertEquals(RATE / 3.0, fleet.get(0).limit.stats().fallbackPerSecond(), "it may be alive");
        world.real.advance(Duration.ofMinutes(3));
        assertEquals(RATE / 2.0, fleet.get(0).limit.stats().fallbackPerSecond());
    }
}
