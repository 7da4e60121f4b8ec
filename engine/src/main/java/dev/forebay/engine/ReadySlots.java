// SPDX-License-Identifier: Apache-2.0
package dev.forebay.engine;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.BitSet;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The places of a pool's entries, among which a checkout finds a ready one without a lock.
 *
 * <h2>Home first, hints second</h2>
 *
 * Every thread has a home slot, by a hash of its id. In a pool that is not short of connections the entry there is
 * ready and one compare-and-set takes it; if not, one of the next few is likely to be. Otherwise the hints are asked: a bit for every slot that may be ready, and a
 * summary bit for every word of them that may not be zero. Finding one of eight ready among ten thousand costs the same
 * as among ten.
 *
 * <h2>Why a hint is never lost</h2>
 *
 * A hint may be set for an entry that is not ready: taking an entry at home leaves its bit alone, so that the usual
 * checkout and return write nothing but the entry. But an entry that is ready always has its bit set, as soon as its
 * publisher has left {@link #publish}. The publisher makes the entry ready, then sets the bit if it reads it clear; a
 * searcher clears the bit, then looks at the entry. All four are sequentially consistent, so one of the two sees the
 * other. Summary bits follow the same rule one level up, but for a moment: a searcher that finds a word empty clears its
 * summary bit, and sets it again if it then finds the word changed. What was published in between is hidden meanwhile.
 * A checkout that would wait for want of a ready entry therefore looks at the words themselves ({@link #claimAnywhere}).
 *
 * <h2>Growing</h2>
 *
 * A larger table is published before the ready entries are looked through once more for their bits; a publisher that
 * set a bit in the old table notices the new one and sets it there too. Same argument, same order.
 *
 * <p>{@link #claim} and {@link #publish} may be called by any thread; the rest under the pool's lock.
 */
final class ReadySlots<T> {

    private static final VarHandle WORD = MethodHandles.arrayElementVarHandle(long[].class);
    private static final VarHandle ENTRY = MethodHandles.arrayElementVarHandle(Entry[].class);

    /** The number of slots to try from home on: a few, because a neighbour costs less than two writes to the hints. */
    private static final int PROBES = 4;

    private volatile Table<T> table;

    /** Guarded by the pool's lock. */
    private final BitSet taken = new BitSet();

    ReadySlots(int capacity) {
        table = new Table<>(Math.max(64, capacity));
    }

    /** Lends some ready entry to {@code checkout}, the one at the home of {@code affinity} if it is ready. */
    @Nullable
    Entry<T> claim(Checkout<T> checkout, long affinity, long now) {
        Table<T> current = table;
        int used = current.used;
        int slot = home(affinity, used);
        for (int i = 0; i < PROBES; i++) {
            Entry<T> entry = current.entries[slot];
            if (entry != null && entry.tryBorrow(Entry.READY, checkout, affinity, now)) {
                return entry;
            }
            slot = slot + 1 < used ? slot + 1 : 0;
        }
        return search(current, checkout, affinity, now, slot >>> 6);
    }

    /**
     * As {@link #claim}, and if that finds none, looks at every word whatever its summary bit: a search that finds a
     * word empty and clears its bit hides for a moment what was published there in between. Called under the pool's
     * lock.
     */
    @Nullable
    Entry<T> claimAnywhere(Checkout<T> checkout, long affinity, long now) {
        Entry<T> found = claim(checkout, affinity, now);
        return found != null ? found : sweep(table, checkout, affinity, now);
    }

    /** As {@link #claimNewest}, as thoroughly as {@link #claimAnywhere}. Called under the pool's lock. */
    @Nullable
    Entry<T> claimNewestAnywhere(Checkout<T> checkout, long affinity, long now) {
        Entry<T> found = claimNewest(checkout, affinity, now);
        return found != null ? found : sweep(table, checkout, affinity, now);
    }

    private static <T> @Nullable Entry<T> sweep(Table<T> in, Checkout<T> checkout, long affinity, long now) {
        for (int word = 0; word < in.ready.length; word++) {
            if ((long) WORD.getVolatile(in.ready, word) != 0) {
                Entry<T> found = in.claimInWord(word, checkout, affinity, now);
                if (found != null) {
                    return found;
                }
            }
        }
        return null;
    }

    /** Spreads affinities, also consecutive ones, over the slots in use. */
    private static int home(long affinity, int used) {
        long hash = (affinity * 0x9E3779B97F4A7C15L) >>> 32;
        return (int) ((hash * used) >>> 32);
    }

    /** Lends the entry returned last to {@code checkout}, among the lowest 64 slots that have a ready one. */
    @Nullable
    Entry<T> claimNewest(Checkout<T> checkout, long affinity, long now) {
        Table<T> current = table;
        while (true) {
            Entry<T> newest = newest(current);
            if (newest == null) {
                return search(current, checkout, affinity, now, 0);
            }
            if (newest.tryBorrow(Entry.READY, checkout, affinity, now)) {
                return newest;
            }
        }
    }

    /** Ends {@code loan} with the entry ready, and makes sure that it is found; false if the loan was not current. */
    boolean publish(Entry<T> entry, long loan) {
        if (!entry.tryEnd(loan, Entry.READY)) {
            return false;
        }
        makeFound(entry);
        return true;
    }

    /** Makes an entry of the pool's ready, and makes sure that it is found. */
    void publish(Entry<T> entry) {
        if (!entry.tryMove(Entry.CHECKING, Entry.READY)) {
            throw new IllegalStateException("bug: only the pool may publish what it has");
        }
        makeFound(entry);
    }

    private void makeFound(Entry<T> entry) {
        Table<T> current = table;
        current.hint(entry.slot);
        while (current != table) {
            current = table;
            current.hint(entry.slot);
        }
    }

    /** Gives {@code entry} the lowest free slot. */
    void place(Entry<T> entry) {
        int slot = taken.nextClearBit(0);
        if (slot >= table.entries.length) {
            grow(slot + 1);
        }
        taken.set(slot);
        entry.slot = slot;
        Table<T> current = table;
        current.put(slot, entry);
        current.used = Math.max(1, taken.length());
    }

    void remove(Entry<T> entry) {
        taken.clear(entry.slot);
        Table<T> current = table;
        current.put(entry.slot, null);
        current.used = Math.max(1, taken.length());
    }

    void forEach(Consumer<Entry<T>> action) {
        @Nullable Entry<T>[] entries = table.entries;
        for (int i = taken.nextSetBit(0); i >= 0; i = taken.nextSetBit(i + 1)) {
            Entry<T> entry = entries[i];
            if (entry != null) {
                action.accept(entry);
            }
        }
    }

    private void grow(int atLeast) {
        Table<T> old = table;
        Table<T> larger = new Table<>(Math.max(atLeast, old.entries.length * 2));
        System.arraycopy(old.entries, 0, larger.entries, 0, old.entries.length);
        larger.used = old.used;
        table = larger;
        forEach(entry -> {
            if (entry.isReady()) {
                larger.hint(entry.slot);
            }
        });
    }

    /** Walks the words that may have a ready entry, once around from {@code startWord}. */
    private @Nullable Entry<T> search(Table<T> in, Checkout<T> checkout, long affinity, long now, int startWord) {
        int words = in.ready.length;
        int word = startWord;
        int left = words;
        while (left > 0) {
            long summary = (long) WORD.getVolatile(in.summary, word >>> 6) & (-1L << word);
            int skip = summary == 0 ? 64 - (word & 63) : Long.numberOfTrailingZeros(summary) - (word & 63);
            skip = Math.min(skip, words - word);
            left -= skip;
            word += skip;
            if (word == words) {
                word = 0;
                continue;
            }
            if (summary != 0 && left > 0) {
                Entry<T> entry = in.claimInWord(word, checkout, affinity, now);
                if (entry != null) {
                    return entry;
                }
                left--;
                word = word + 1 == words ? 0 : word + 1;
            }
        }
        return null;
    }

    private static <T> @Nullable Entry<T> newest(Table<T> in) {
        for (int word = 0; word < in.ready.length; word++) {
            Entry<T> newest = null;
            for (long bits = (long) WORD.getVolatile(in.ready, word); bits != 0; bits &= bits - 1) {
                Entry<T> entry = in.get((word << 6) + Long.numberOfTrailingZeros(bits));
                if (entry != null && entry.isReady() && (newest == null || entry.returnOrder > newest.returnOrder)) {
                    newest = entry;
                }
            }
            if (newest != null) {
                return newest;
            }
        }
        return null;
    }

    /** The slots of one size, with their hints. */
    private static final class Table<T> {
        /**
         * Written under the pool's lock. At home it is read without any order, where a stale null is only a miss; after
         * a hint it is read in order, because there a miss would lose the entry.
         */
        final @Nullable Entry<T>[] entries;

        final long[] ready;
        final long[] summary;

        /** The number of slots from the start that are in use: the range of homes. A stale value costs a miss. */
        int used = 1;

        @SuppressWarnings({"unchecked", "rawtypes"})
        Table(int capacity) {
            int words = (capacity + 63) >>> 6;
            ready = new long[words];
            summary = new long[(words + 63) >>> 6];
            entries = new Entry[words << 6];
        }

        @SuppressWarnings("unchecked")
        @Nullable
        Entry<T> get(int slot) {
            return (Entry<T>) ENTRY.getVolatile(entries, slot);
        }

        void put(int slot, @Nullable Entry<T> entry) {
            ENTRY.setVolatile(entries, slot, entry);
        }

        void hint(int slot) {
            int word = slot >>> 6;
            long bit = 1L << slot;
            if (((long) WORD.getVolatile(ready, word) & bit) == 0) {
                WORD.getAndBitwiseOr(ready, word, bit);
            }
            summarize(word);
        }

        private void summarize(int word) {
            long bit = 1L << word;
            if (((long) WORD.getVolatile(summary, word >>> 6) & bit) == 0) {
                WORD.getAndBitwiseOr(summary, word >>> 6, bit);
            }
        }

        private void unsummarize(int word) {
            long bit = 1L << word;
            if (((long) WORD.getVolatile(summary, word >>> 6) & bit) != 0) {
                WORD.getAndBitwiseAnd(summary, word >>> 6, ~bit);
            }
        }

        @Nullable
        Entry<T> claimInWord(int word, Checkout<T> checkout, long affinity, long now) {
            while (true) {
                long bits = (long) WORD.getVolatile(ready, word);
                if (bits == 0) {
                    unsummarize(word);
                    if ((long) WORD.getVolatile(ready, word) == 0) {
                        return null;
                    }
                    summarize(word); // a publisher came between: look again, because no other thread may
                    continue;
                }
                long bit = Long.lowestOneBit(bits);
                long before = (long) WORD.getAndBitwiseAnd(ready, word, ~bit);
                if ((before & bit) != 0) {
                    Entry<T> entry = get((word << 6) + Long.numberOfTrailingZeros(bit));
                    if (entry != null && entry.tryBorrow(Entry.READY, checkout, affinity, now)) {
                        return entry;
                    }
                }
            }
        }
    }
}
