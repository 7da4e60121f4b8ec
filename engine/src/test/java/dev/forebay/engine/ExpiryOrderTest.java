// SPDX-License-Identifier: Apache-2.0
package dev.forebay.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** Expiry is found in its order, and what is not due is not touched. */
class ExpiryOrderTest {

    private final ExpiryOrder<Integer> order = new ExpiryOrder<>();

    private Entry<Integer> add(long dueAt) {
        Entry<Integer> entry = new Entry<>(null, 0, List.of(), 0, dueAt, dueAt);
        order.add(entry);
        return entry;
    }

    private List<Long> dueTimes() {
        List<Long> times = new ArrayList<>();
        for (int i = 0; i < order.size(); i++) {
            times.add(order.get(i).dueAtNanos);
        }
        return times;
    }

    @Test
    void theEarliestComesFirst() {
        for (long dueAt : new long[] {30, 10, 20, 10}) {
            add(dueAt);
        }
        assertEquals(List.of(10L, 10L, 20L, 30L), dueTimes());
        assertEquals(20, order.nextAfter(10));
        assertEquals(Long.MAX_VALUE, order.nextAfter(30));
    }

    @Test
    void onlyWhatIsDueIsLookedAt() {
        for (int i = 1; i <= 10_000; i++) {
            add(i);
        }
        List<Long> offered = new ArrayList<>();
        order.removeDue(3, entry -> offered.add(entry.dueAtNanos));
        assertEquals(List.of(1L, 2L, 3L), offered);
        assertEquals(9_997, order.size());
    }

    @Test
    void aWaveGoesInOnePassAndWhatIsNotTakenStays() {
        for (int i = 0; i < 10_000; i++) {
            add(i % 2 == 0 ? 5 : 50);
        }
        int[] offered = {0};
        order.removeDue(5, entry -> offered[0]++ % 10 != 0);
        assertEquals(5_000, offered[0]);
        assertEquals(5_000 + 500, order.size());
        assertEquals(5, order.get(499).dueAtNanos);
        assertEquals(50, order.get(500).dueAtNanos);
    }

    @Test
    void beyondTheLastThereIsNothing() {
        add(1);
        order.removeDue(1, entry -> true);
        assertThrows(IllegalStateException.class, () -> order.get(0));
    }

    @Test
    void aRandomHistoryKeepsTheOrder() {
        Random random = new Random(7);
        List<Entry<Integer>> model = new ArrayList<>();
        for (int step = 0; step < 20_000; step++) {
            int choice = random.nextInt(10);
            if (choice < 5) {
                model.add(add(random.nextInt(300)));
            } else if (choice < 9 && !model.isEmpty()) {
                order.remove(model.remove(random.nextInt(model.size())));
            } else if (choice == 9 && step % 100 == 0) {
                long now = random.nextInt(100);
                order.removeDue(now, entry -> true);
                model.removeIf(entry -> entry.dueAtNanos <= now);
            }
            assertEquals(model.size(), order.size());
        }
        assertEquals(model.stream().map(entry -> entry.dueAtNanos).sorted().toList(), dueTimes());
    }
}
