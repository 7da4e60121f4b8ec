// SPDX-License-Identifier: Apache-2.0
package dev.forebay.fleet;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.forebay.fleet.FleetConfig.Outage;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Ledgers of many instances before one store, through crashes, cuts, stops, lost and late messages and wrong clocks. */
class LedgerModelTest {

    private static final int SEEDS = Integer.getInteger("forebay.fleet.seeds", 300);
    private static final int LIMIT = 60;
    private static final int MOST_ASKED = 25;
    private static final Duration TTL = Duration.ofSeconds(30);
    private static final Duration RENEWAL = Duration.ofSeconds(10);
    private static final LeaseKeys KEYS = new LeaseKeys("here");

    /** How much longer some instances' times are than others'. */
    private static final int LONGER = 5;

    private static LedgerConfig config(Outage outage) {
        return new LedgerConfig("here", "service", LIMIT, TTL, RENEWAL, outage);
    }

    private static void verify(FleetWorld world, List<LedgerInstance> instances) {
        long slots = 0;
        Map<String, Item> items = world.store.items();
        for (Map.Entry<String, Item> item : items.entrySet()) {
            if (item.getKey().startsWith("dsqllease#")) {
                slots += item.getValue().number("slots", 0);
            }
        }
        long active = items.getOrDefault(KEYS.counter(), Item.NONE).number("active", 0);
        assertEquals(slots, active, "the leases add up to the counter");
        assertTrue(active <= LIMIT, () -> active + " slots are leased");
        int covered = 0;
        for (LedgerInstance instance : instances) {
            if (!instance.machine.isDead()) {
                covered += instance.covered();
            }
        }
        int sum = covered;
        assertTrue(covered <= LIMIT, () -> sum + " connections are covered by leases");
    }

    private static void seeded(int seeds, Chaos chaos) {
        for (long seed = 0; seed < seeds; seed++) {
            try {
                chaos.run(new FleetWorld(seed));
            } catch (AssertionError | RuntimeException e) {
                throw new AssertionError("seed " + seed + ": " + e.getMessage(), e);
            }
        }
    }

    private interface Chaos {
        void run(FleetWorld world);
    }

    @Test
    void throughAllTroubleTheLeasesAddUpAndNoMoreIsCoveredThanTheLimit() {
        seeded(SEEDS, world -> {
            world.trouble = world.random.nextDouble() * 0.08;
            List<LedgerInstance> instances = new ArrayList<>();
            for (int i = 0; i < 4; i++) {
                instances.add(newInstance(world));
            }
            for (int step = 0; step < 250; step++) {
                stir(world, instances);
                long until = world.real.nanos() + world.random.nextLong(3_000_000_000L);
                while (world.real.nextNanos() <= until) {
                    world.real.step();
                    verify(world, instances);
                }
                world.real.advanceTo(until);
                verify(world, instances);
            }
            settle(world, instances);
        });
    }

    private static LedgerInstance newInstance(FleetWorld world) {
        Outage outage = world.random.nextBoolean() ? Outage.LOCAL : Outage.BLOCK;
        int times = world.random.nextBoolean() ? 1 : LONGER; // as in the midst of a change of the setting
        LedgerConfig config = new LedgerConfig(
                "here", "service", LIMIT, TTL.multipliedBy(times), RENEWAL.multipliedBy(times), outage);
        return new LedgerInstance(world, world.machine(), config);
    }

    private static void stir(FleetWorld world, List<LedgerInstance> instances) {
        int which = world.random.nextInt(instances.size());
        LedgerInstance instance = instances.get(which);
        switch (world.random.nextInt(24)) {
            case 0 -> {
                instance.machine.crash();
                instances.set(which, newInstance(world));
            }
            case 1 -> instance.machine.cutOff = !instance.machine.cutOff;
            case 2 -> {
                instance.machine.stop();
                long ends = world.real.nanos() + world.random.nextLong(60_000_000_000L);
                world.real.schedule(ends, instance.machine::goOn);
            }
            case 22, 23 -> {
                if (world.random.nextInt(10) == 0) {
                    instance.ledger.close();
                    instances.add(newInstance(world)); // the other's connections end one by one
                }
            }
            case 3 -> world.outage = world.random.nextInt(4) == 0;
            case 4, 5, 6, 7, 8, 9, 10, 11 -> instance.close(1 + world.random.nextInt(10));
            default -> instance.ask(1 + world.random.nextInt(MOST_ASKED));
        }
    }

    /** All trouble ends: nothing is left of the dead, and everyone can have what there is. */
    private static void settle(FleetWorld world, List<LedgerInstance> instances) {
        world.trouble = 0;
        world.outage = false;
        for (LedgerInstance instance : instances) {
            instance.machine.cutOff = false;
            instance.machine.goOn();
        }
        world.real.advance(Duration.ofSeconds(60)); // what was stopped goes on, what was late arrives
        instances.forEach(instance -> instance.close(Integer.MAX_VALUE));
        world.real.advance(TTL.multipliedBy(3L * LONGER));
        verify(world, instances);
        long active =
                world.store.items().getOrDefault(KEYS.counter(), Item.NONE).number("active", 0);
        assertEquals(0, active, "slots that nobody needs are returned, and those of the dead with them");
        LedgerInstance one = newInstance(world);
        instances.add(one);
        one.ask(LIMIT);
        world.real.advance(Duration.ofSeconds(2));
        assertEquals(LIMIT, one.connections.size(), "all of it can be had again; refused " + one.refused);
        instances.forEach(instance -> assertEquals(0, instance.asked, "everyone was answered"));
    }

    @Test
    void whileNobodyIsCutOffNoConnectionIsEverInExcess() {
        seeded(SEEDS / 3, world -> {
            world.trouble = 0.01;
            List<LedgerInstance> instances = new ArrayList<>();
            for (int i = 0; i < 4; i++) {
                instances.add(new LedgerInstance(world, world.machine(), config(Outage.BLOCK)));
            }
            for (int step = 0; step < 200; step++) {
                LedgerInstance instance = instances.get(world.random.nextInt(instances.size()));
                if (world.random.nextBoolean()) {
                    instance.ask(1 + world.random.nextInt(MOST_ASKED));
                } else {
                    instance.close(1 + world.random.nextInt(MOST_ASKED));
                }
                world.real.advance(Duration.ofMillis(world.random.nextInt(2000)));
                verify(world, instances);
                int open = instances.stream()
                        .mapToInt(one -> one.connections.size())
                        .sum();
                assertTrue(open <= LIMIT, () -> open + " connections");
            }
        });
    }
}
