// SPDX-License-Identifier: Apache-2.0
package dev.forebay.dsql;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.forebay.fleet.FleetStore;
import dev.forebay.fleet.FleetStore.Written;
import dev.forebay.fleet.Item;
import dev.forebay.fleet.StoreException;
import dev.forebay.fleet.Write;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What every {@link FleetStore} has to keep; a subclass says how to make an empty one. */
@Timeout(120)
abstract class StoreContract {

    private static final long PATIENCE_SECONDS = 60;

    /** One with no items in it. */
    protected abstract FleetStore store() throws Exception;

    /** Takes one answer. */
    static final class Answer<R> implements FleetStore.Reply<R> {
        private final CompletableFuture<R> future = new CompletableFuture<>();

        @Override
        public void answered(R result) {
            assertTrue(future.complete(result), "answered twice");
        }

        @Override
        public void failed(StoreException why) {
            assertTrue(future.completeExceptionally(why), "answered twice");
        }

        R get() throws Exception {
            return future.get(PATIENCE_SECONDS, TimeUnit.SECONDS);
        }
    }

    static Map<String, Item> read(FleetStore store, Collection<String> keys) throws Exception {
        Answer<Map<String, Item>> answer = new Answer<>();
        store.read(keys, answer);
        return answer.get();
    }

    static Item read(FleetStore store, String key) throws Exception {
        return read(store, List.of(key)).getOrDefault(key, Item.NONE);
    }

    static Written write(FleetStore store, Write... writes) throws Exception {
        Answer<Written> answer = new Answer<>();
        store.write(List.of(writes), answer);
        return answer.get();
    }

    private static Item item(Object... namesAndValues) {
        Map<String, Object> attributes = new java.util.HashMap<>();
        for (int i = 0; i < namesAndValues.length; i += 2) {
            attributes.put((String) namesAndValues[i], namesAndValues[i + 1]);
        }
        return new Item(attributes);
    }

    @Test
    void aWriteMakesAnItemAndChangesIt() throws Exception {
        FleetStore store = store();
        assertEquals(
                Written.DONE,
                write(store, Write.to("a").set("n", 1).set("t", "text").add("sum", 5)));
        assertEquals(item("n", 1L, "t", "text", "sum", 5L), read(store, "a"));
        write(store, Write.to("a").set("n", 2).remove("t").remove("never there").add("sum", -7));
        assertEquals(item("n", 2L, "sum", -2L), read(store, "a"));
    }

    @Test
    void whatIsNotThereIsLeftOut() throws Exception {
        FleetStore store = store();
        write(store, Write.to("a").set("n", 1));
        assertEquals(Map.of("a", item("n", 1L)), read(store, List.of("a", "b", "a")));
        assertEquals(Map.of(), read(store, List.of("b")));
        assertEquals(Map.of(), read(store, List.of("b", "c")));
    }

    @Test
    void anItemWithoutAttributesIsNotThere() throws Exception {
        FleetStore store = store();
        write(store, Write.to("a").set("n", 1));
        write(store, Write.to("a").remove("n"));
        write(store, Write.to("b").remove("n"));
        assertEquals(Map.of(), read(store, List.of("a", "b")));
        assertEquals(Map.of(), read(store, List.of("a")));
    }

    @Test
    void moreItemsAreReadAtOnceThanOneRequestHolds() throws Exception {
        FleetStore store = store();
        List<String> keys = IntStream.range(0, 130).mapToObj(i -> "key " + i).toList();
        for (String key : keys.subList(0, 120)) {
            write(store, Write.to(key).set("n", 1));
        }
        assertEquals(120, read(store, keys).size());
    }

    @Test
    void eachConditionHoldsOrFails() throws Exception {
        FleetStore store = store();
        write(store, Write.to("a").set("n", 5));
        Item five = item("n", 5L);
        assertFails(store, Write.to("a").ifEqual("n", 4).set("x", 1), five);
        assertFails(store, Write.to("a").ifAbsent("n").set("x", 1), five);
        assertFails(store, Write.to("a").ifAtLeast("n", 6).set("x", 1), five);
        assertFails(store, Write.to("a").ifAbsentOrAtMost("n", 4).set("x", 1), five);
        assertFails(store, Write.to("a").ifEqual("n", 5).ifAbsent("n").set("x", 1), five);
        assertFails(store, Write.to("none").ifEqual("n", 0).set("x", 1), Item.NONE);
        assertFails(store, Write.to("none").ifAtLeast("n", 0).set("x", 1), Item.NONE);
        assertEquals(five, read(store, "a"));
        assertEquals(Item.NONE, read(store, "none"));
        for (Write holds : List.of(
                Write.to("a").ifEqual("n", 5),
                Write.to("a").ifAbsent("other"),
                Write.to("a").ifAtLeast("n", 5),
                Write.to("a").ifAbsentOrAtMost("n", 5),
                Write.to("a").ifAbsentOrAtMost("other", 0),
                Write.to("b").ifAbsent("n"),
                Write.to("c").ifAbsentOrAtMost("n", 0))) {
            assertEquals(Written.DONE, write(store, holds.set("x", 1)), holds.toString());
        }
    }

    private static void assertFails(FleetStore store, Write write, Item found) throws Exception {
        assertEquals(Written.conditionFailed(Map.of(write.key(), found)), write(store, write), write.toString());
    }

    @Test
    void anItemIsDeletedIfItsConditionHolds() throws Exception {
        FleetStore store = store();
        write(store, Write.to("a").set("version", 2));
        assertFails(store, Write.deleting("a").ifEqual("version", 1), item("version", 2L));
        assertEquals(Written.DONE, write(store, Write.deleting("a").ifEqual("version", 2)));
        assertEquals(Item.NONE, read(store, "a"));
        assertFails(store, Write.deleting("a").ifEqual("version", 2), Item.NONE);
        assertEquals(Written.DONE, write(store, Write.deleting("a").ifAbsent("version")));
        assertEquals(Written.DONE, write(store, Write.deleting("a")));
    }

    @Test
    void severalWritesTakeEffectTogetherOrNotAtAll() throws Exception {
        FleetStore store = store();
        Write lease = Write.to("lease").ifAbsent("version").set("version", 1).set("service_name", "history");
        Write counter = Write.to("counter").ifAbsentOrAtMost("active", 7).add("active", 3);
        Write index = Write.to("index").set("0f0f", 1);
        assertEquals(Written.DONE, write(store, lease, counter, index));
        assertEquals(3, read(store, "counter").number("active", 0));
        assertEquals(
                Written.conditionFailed(Map.of("lease", item("version", 1L, "service_name", "history"))),
                write(store, lease, counter, index));
        assertEquals(3, read(store, "counter").number("active", 0));
        write(store, Write.to("counter").set("active", 8));
        assertEquals(
                Written.conditionFailed(
                        Map.of("lease", item("version", 1L, "service_name", "history"), "counter", item("active", 8L))),
                write(store, lease, counter, index),
                "each one that failed is shown");
        assertEquals(
                Written.conditionFailed(Map.of("gone", Item.NONE)),
                write(
                        store,
                        Write.deleting("gone").ifEqual("version", 1),
                        Write.to("index").remove("0f0f")));
        assertEquals(
                Written.DONE,
                write(
                        store,
                        Write.deleting("lease").ifEqual("version", 1),
                        Write.to("index").remove("0f0f")));
        assertEquals(Map.of("counter", item("active", 8L)), read(store, List.of("lease", "counter", "index")));
    }

    @Test
    void namesThatDatabasesReserveAreNamesLikeOthers() throws Exception {
        FleetStore store = store();
        Write write = Write.to("a");
        for (String name :
                List.of("count", "active", "name", "ttl", "status", "1f", "with space", "a.b", "#n0", ":v0")) {
            write = write.ifAbsent(name).set(name, name);
        }
        assertEquals(Written.DONE, write(store, write));
        assertEquals("a.b", read(store, "a").attributes().get("a.b"));
        assertEquals(10, read(store, "a").attributes().size());
    }

    /** The window of the seeds: what it writes and up to where it counts. */
    @Test
    void aWindowCountsUpToItsLimit() throws Exception {
        FleetStore store = store();
        String key = "dsqlconnect#id.dsql.eu-west-1.on.aws#1794800000";
        for (int n : new int[] {60, 40}) {
            assertEquals(Written.DONE, write(store, window(key, n)));
        }
        assertEquals(
                Written.conditionFailed(Map.of(
                        key, item("count", 100L, "updated_at_ms", 1_794_800_000_123L, "ttl_epoch", 1_794_800_180L))),
                write(store, window(key, 1)));
    }

    private static Write window(String key, int n) {
        return Write.to(key)
                .ifAbsentOrAtMost("count", 100 - n)
                .set("updated_at_ms", 1_794_800_000_123L)
                .set("ttl_epoch", 1_794_800_180L)
                .add("count", n);
    }

    @Test
    void manyWhoCountAtOnceNeverExceedTheLimit() throws Exception {
        FleetStore store = store();
        int limit = 20;
        AtomicInteger granted = new AtomicInteger();
        List<Thread> threads = new ArrayList<>();
        List<Throwable> troubles = new java.util.concurrent.CopyOnWriteArrayList<>();
        for (int i = 0; i < 4; i++) {
            String lease = "lease " + i;
            Thread thread = new Thread(() -> {
                try {
                    for (int version = 0; version < 10; version++) {
                        granted.addAndGet(countOnce(store, lease, version, limit) ? 1 : 0);
                    }
                } catch (Exception e) {
                    troubles.add(e);
                }
            });
            thread.start();
            threads.add(thread);
        }
        for (Thread thread : threads) {
            thread.join(TimeUnit.SECONDS.toMillis(PATIENCE_SECONDS));
        }
        assertEquals(List.of(), troubles);
        assertEquals(limit, granted.get());
        assertEquals(limit, read(store, "counter").number("active", 0));
    }

    /** Tries again while it meets others, as whoever uses a store does. */
    private static boolean countOnce(FleetStore store, String lease, int version, int limit) throws Exception {
        for (int tries = 0; tries < 1_000; tries++) {
            Written written = write(
                    store,
                    Write.to(lease).ifAbsentOrAtMost("version", version).set("version", version + 1),
                    Write.to("counter").ifAbsentOrAtMost("active", limit - 1).add("active", 1));
            if (written.result() != Written.Result.CONFLICT) {
                return written.result() == Written.Result.DONE;
            }
        }
        throw new AssertionError("conflicts without end");
    }
}
