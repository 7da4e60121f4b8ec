// SPDX-License-Identifier: Apache-2.0
package dev.forebay.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** Where entries stand and how a ready one is found, on one thread; Lincheck has the interleavings. */
class ReadySlotsTest {

    private int number;

    private Entry<Integer> entry() {
        return new Entry<>(null, number++, List.of(), 0, Long.MAX_VALUE, Long.MAX_VALUE);
    }

    private Entry<Integer> ready(ReadySlots<Integer> slots) {
        Entry<Integer> entry = entry();
        slots.place(entry);
        slots.publish(entry);
        return entry;
    }

    private static Checkout<Integer> claim(ReadySlots<Integer> slots, long thread) {
        Checkout<Integer> checkout = new Checkout<>();
        return slots.claim(checkout, thread, 0) == null ? null : checkout;
    }

    private static List<Checkout<Integer>> claimAll(ReadySlots<Integer> slots, long thread) {
        List<Checkout<Integer>> all = new ArrayList<>();
        for (Checkout<Integer> one = claim(slots, thread); one != null; one = claim(slots, thread)) {
            all.add(one);
        }
        return all;
    }

    @Test
    void whatIsPlacedIsNotFoundBeforeItIsPublished() {
        ReadySlots<Integer> slots = new ReadySlots<>(4);
        Entry<Integer> entry = entry();
        slots.place(entry);
        assertNull(claim(slots, 1));
        slots.publish(entry);
        assertEquals(entry.value, claim(slots, 1).value());
    }

    @Test
    void nobodyGetsWhatAnotherHas() {
        ReadySlots<Integer> slots = new ReadySlots<>(4);
        ready(slots);
        assertNotNull(claim(slots, 1));
        assertNull(claim(slots, 1));
        assertNull(claim(slots, 2));
    }

    @Test
    void whatIsTakenFromTheHandsOfOneWhoHasItNotIsNotPublished() {
        ReadySlots<Integer> slots = new ReadySlots<>(4);
        Entry<Integer> entry = ready(slots);
        Checkout<Integer> holder = claim(slots, 1);
        assertFalse(slots.publish(entry, new Checkout<Integer>().loan));
        assertNull(claim(slots, 1));
        assertTrue(slots.publish(entry, holder.loan));
        assertFalse(slots.publish(entry, holder.loan));
    }

    /** Wherever it stands and whoever asks: at home or elsewhere, in the first word or the last. */
    @Test
    void theOnlyReadyOneAmongTenThousandIsFoundFromEveryHome() {
        ReadySlots<Integer> slots = new ReadySlots<>(10_000);
        List<Entry<Integer>> entries = new ArrayList<>();
        for (int i = 0; i < 10_000; i++) {
            entries.add(ready(slots));
        }
        List<Checkout<Integer>> holders = claimAll(slots, 0);
        assertEquals(10_000, holders.size());
        holders.sort((a, b) -> Integer.compare(a.entry.slot, b.entry.slot));
        for (int slot = 0; slot < 10_000; slot += 83) {
            assertTrue(slots.publish(entries.get(slot), holders.get(slot).loan));
            for (long thread : new long[] {1, 2, 77, slot, -1}) {
                Checkout<Integer> found = claim(slots, thread);
                assertNotNull(found, "slot " + slot + " from the home of " + thread);
                assertSame(entries.get(slot), found.entry);
                assertNull(claim(slots, thread));
                assertTrue(slots.publish(entries.get(slot), found.loan));
            }
            holders.set(slot, claim(slots, slot));
        }
    }

    @Test
    void aThreadFindsTheSameOneAgainAsLongAsItIsReady() {
        ReadySlots<Integer> slots = new ReadySlots<>(100);
        for (int i = 0; i < 100; i++) {
            ready(slots);
        }
        Checkout<Integer> first = claim(slots, 7);
        Entry<Integer> home = first.entry;
        assertTrue(slots.publish(home, first.loan));
        Checkout<Integer> again = claim(slots, 7);
        assertSame(home, again.entry);
        Checkout<Integer> elsewhere = claim(slots, 7);
        assertNotNull(elsewhere, "its home is taken, others are not");
        assertTrue(elsewhere.entry != home);
    }

    @Test
    void threadsHaveHomesAllOverThePool() {
        ReadySlots<Integer> slots = new ReadySlots<>(64);
        for (int i = 0; i < 64; i++) {
            ready(slots);
        }
        Set<Integer> homes = new HashSet<>();
        for (long thread = 1; thread <= 400; thread++) {
            Checkout<Integer> checkout = claim(slots, thread);
            homes.add(checkout.entry.slot);
            slots.publish(checkout.entry, checkout.loan);
        }
        assertTrue(homes.size() > 48, "400 threads use " + homes.size() + " of 64 slots");
    }

    @Test
    void whatIsReadyIsStillFoundAfterTheTableGrew() {
        ReadySlots<Integer> slots = new ReadySlots<>(1);
        for (int i = 0; i < 64; i++) {
            ready(slots);
        }
        Checkout<Integer> out = claim(slots, 3);
        for (int i = 64; i < 1_000; i++) {
            ready(slots);
        }
        assertEquals(999, claimAll(slots, 3).size());
        assertTrue(slots.publish(out.entry, out.loan), "what was out while it grew comes back");
        assertSame(out.entry, claim(slots, 5).entry);
    }

    @Test
    void aFreedSlotIsTheNextOneGiven() {
        ReadySlots<Integer> slots = new ReadySlots<>(10);
        ready(slots);
        Entry<Integer> second = ready(slots);
        ready(slots);
        second.tryMove(Entry.READY, Entry.GONE);
        slots.remove(second);
        assertEquals(second.slot, ready(slots).slot);
        List<Entry<Integer>> all = new ArrayList<>();
        slots.forEach(all::add);
        assertEquals(3, all.size());
        assertFalse(all.contains(second));
    }

    @Test
    void whatIsGoneIsNotFoundThoughItsHintMayStay() {
        ReadySlots<Integer> slots = new ReadySlots<>(10);
        Entry<Integer> gone = ready(slots);
        gone.tryMove(Entry.READY, Entry.GONE);
        assertNull(claim(slots, 1), "still in its slot");
        slots.remove(gone);
        assertNull(claim(slots, 1));
        assertNull(slots.claimNewest(new Checkout<>(), 0, 0));
    }

    @Test
    void theNewestIsTheOneReturnedLast() {
        ReadySlots<Integer> slots = new ReadySlots<>(10);
        for (int order : new int[] {3, 9, 4}) {
            ready(slots).returnOrder = order;
        }
        List<Long> orders = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            orders.add(slots.claimNewest(new Checkout<>(), 0, 0).returnOrder);
        }
        assertEquals(List.of(9L, 4L, 3L), orders);
        assertNull(slots.claimNewest(new Checkout<>(), 0, 0));
    }

    /** Against the simplest model there is: a set of what is ready. */
    @Test
    void aRandomHistoryFindsOneExactlyWhenThereIsOne() {
        for (long seed = 0; seed < 200; seed++) {
            history(seed);
        }
    }

    private void history(long seed) {
        Random random = new Random(seed);
        ReadySlots<Integer> slots = new ReadySlots<>(1);
        Set<Entry<Integer>> model = new HashSet<>();
        List<Checkout<Integer>> held = new ArrayList<>();
        for (int step = 0; step < 1_000; step++) {
            switch (random.nextInt(7)) {
                case 0, 1 -> model.add(ready(slots));
                case 2, 3, 4 -> {
                    Checkout<Integer> checkout = new Checkout<>();
                    Entry<Integer> found = random.nextInt(4) == 0
                            ? slots.claimNewest(checkout, 0, 0)
                            : slots.claim(checkout, random.nextInt(20), 0);
                    assertEquals(model.isEmpty(), found == null, "seed " + seed + " step " + step);
                    if (found != null) {
                        assertTrue(model.remove(found), "seed " + seed + " step " + step + ": it was not ready");
                        held.add(checkout);
                    }
                }
                default -> {
                    if (!held.isEmpty()) {
                        Checkout<Integer> checkout = held.remove(random.nextInt(held.size()));
                        Entry<Integer> entry = checkout.entry;
                        if (random.nextInt(5) == 0) {
                            entry.tryEnd(checkout.loan, Entry.GONE);
                            slots.remove(entry);
                        } else {
                            slots.publish(entry, checkout.loan);
                            model.add(entry);
                        }
                    }
                }
            }
        }
    }
}
