// SPDX-License-Identifier: Apache-2.0
package dev.forebay.fleet;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.forebay.fleet.FleetStore.Written;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** What an owner knows of its lease when answers are lost. */
class LeaseTest {

    private static final long LIMIT = 100;
    private static final long GOOD_FOR = 27;

    private final Lease lease = new Lease(new LeaseKeys("here"), "service", GOOD_FOR, 180_000, new Random(1), "a");

    private List<Write> begin(int target, long now) {
        return lease.begin(target, target, LIMIT, Long.MAX_VALUE, now, 0);
    }

    private static Item item(long version, long slots) {
        return new Item(Map.of("version", version, "slots", slots, "wanted", slots));
    }

    @Test
    void itIsGoodFromWhenTheWriteWasSentAndNotFromItsAnswer() {
        begin(5, 10);
        lease.done();
        assertEquals(5, lease.assured(10 + GOOD_FOR - 1));
        assertEquals(0, lease.assured(10 + GOOD_FOR));
    }

    @Test
    void ofSeveralWritesThatMayHaveSucceededTheFirstSetsTheDeadline() {
        begin(5, 10);
        lease.uncertain();
        begin(5, 30);
        assertTrue(lease.adopt(item(1, 5)));
        assertEquals(10 + GOOD_FOR, lease.deadline());
    }

    @Test
    void aWriteThatArrivesASecondTimeAfterItsAnswerSetsNoLaterDeadline() {
        MemoryStore store = new MemoryStore();
        write(store, begin(5, 0));
        lease.done();
        long version = store.items().get("dsqllease#here#a").number("version", 0);
        begin(7, 10);
        lease.hadNoEffect(); // so it was answered; then a copy of it took effect
        begin(5, 20);
        assertTrue(lease.adopt(item(version + 1, 7)));
        assertEquals(10 + GOOD_FOR, lease.deadline());
    }

    @Test
    void slotsThatMayHaveBeenGivenBackAreNotCountedOn() {
        begin(5, 0);
        lease.done();
        begin(2, 1);
        assertEquals(2, lease.assured(1), "while it is under way");
        lease.uncertain();
        assertEquals(2, lease.assured(1), "while nobody knows");
        begin(7, 2);
        lease.hadNoEffect();
        assertEquals(2, lease.assured(2), "a later write that had no effect says nothing of the earlier one");
        begin(7, 3);
        lease.done();
        assertEquals(7, lease.assured(3), "the version has moved: the earlier write is dead");
    }

    @Test
    void slotsThatMayHaveBeenAcquiredAreNotCountedOn() {
        begin(5, 0);
        lease.uncertain();
        assertEquals(0, lease.assured(0));
        begin(5, 1);
        assertTrue(lease.adopt(item(1, 5)));
        assertEquals(5, lease.assured(1));
    }

    @Test
    void aLeaseThatIsGoneOrAnothersIsLost() {
        begin(5, 0);
        lease.done();
        begin(6, 1);
        assertFalse(lease.adopt(Item.NONE));
        assertEquals(0, lease.slots());

        Lease other = new Lease(new LeaseKeys("here"), "service", GOOD_FOR, 180_000, new Random(2), "b");
        other.begin(5, 5, LIMIT, Long.MAX_VALUE, 0, 0);
        other.done();
        other.begin(6, 6, LIMIT, Long.MAX_VALUE, 1, 0);
        assertFalse(other.adopt(item(9, 5)));
    }

    @Test
    void aCounterThatWasResetByHandIsNotTakenBelowZero() {
        MemoryStore store = new MemoryStore();
        write(store, begin(5, 0));
        lease.done();
        write(store, List.of(Write.to("dsqllease_counter#here").set("active", 2)));
        List<Write> releasing = lease.begin(0, 0, LIMIT, 2, 1, 0);
        assertEquals(Written.Result.DONE, write(store, releasing).result());
        assertEquals(0, store.items().get("dsqllease_counter#here").number("active", -1));
    }

    /** Found by seed 1837 of the model: both were sent twice, and the first of each arrived after all was over. */
    @Test
    void aLateWriteDoesNotTakeALeaseThatALateWriteMadeForItsOwn() {
        MemoryStore store = new MemoryStore();
        List<Write> lateCreate = begin(20, 0);
        lease.uncertain();
        write(store, begin(5, 1));
        lease.done();
        List<Write> lateChange = begin(10, 2);
        lease.uncertain();
        write(store, begin(0, 3));
        lease.done();
        assertEquals(Written.Result.DONE, write(store, lateCreate).result());
        assertEquals(Written.Result.CONDITION_FAILED, write(store, lateChange).result());
        assertEquals(20, store.items().get("dsqllease#here#a").number("slots", 0));
        assertEquals(20, store.items().get("dsqllease_counter#here").number("active", 0));
    }

    /** Found by seed 3946 of the model: who had seen the first for long ended the second at once. */
    @Test
    void aLeaseThatIsMadeAgainUnderItsNameHasAnotherVersion() {
        MemoryStore store = new MemoryStore();
        write(store, begin(5, 0));
        lease.uncertain();
        long first = store.items().get("dsqllease#here#a").number("version", 0);
        write(store, List.of(Write.deleting("dsqllease#here#a")));
        write(store, begin(5, 1));
        assertTrue(first != store.items().get("dsqllease#here#a").number("version", 0));
    }

    private static Written write(MemoryStore store, List<Write> writes) {
        Written[] result = new Written[1];
        store.write(writes, new FleetStore.Reply<>() {
            @Override
            public void answered(Written written) {
                result[0] = written;
            }

            @Override
            public void failed(StoreException why) {
                throw new AssertionError(why);
            }
        });
        return result[0];
    }
}
