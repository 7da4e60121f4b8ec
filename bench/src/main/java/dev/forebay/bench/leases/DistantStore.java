// SPDX-License-Identifier: Apache-2.0
package dev.forebay.bench.leases;

import dev.forebay.fleet.FleetStore;
import dev.forebay.fleet.FleetStore.Written;
import dev.forebay.fleet.Item;
import dev.forebay.fleet.MemoryStore;
import dev.forebay.fleet.StoreException;
import dev.forebay.fleet.Write;
import dev.forebay.time.VirtualTime;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;

/** A store some milliseconds away in virtual time, in which transactions that meet at an item conflict, as in DynamoDB. */
final class DistantStore implements FleetStore {

    private static final long WAY_NANOS = 1_500_000;
    private static final long TRANSACTION_NANOS = 4_000_000;

    private final MemoryStore store = new MemoryStore();
    private final VirtualTime time;
    private final Random random;
    private final Set<String> busy = new HashSet<>();

    /** Requests, conditions that failed and conflicts, for leases and for permits. */
    long leaseRequests;

    long permitRequests;
    long conditionsFailed;
    long conflicts;

    DistantStore(VirtualTime time, Random random) {
        this.time = time;
        this.random = random;
    }

    long active(String endpoint) {
        return store.items()
                .getOrDefault("dsqllease_counter#" + endpoint, Item.NONE)
                .number("active", 0);
    }

    private void count(String key) {
        if (key.startsWith("dsqllease")) {
            leaseRequests++;
        } else {
            permitRequests++;
        }
    }

    @Override
    public void read(Collection<String> keys, Reply<Map<String, Item>> reply) {
        count(keys.iterator().next());
        later(way(), () -> store.read(keys, new Back<>(reply)));
    }

    @Override
    public void write(List<Write> writes, Reply<Written> reply) {
        count(writes.get(0).key());
        later(way(), () -> arrived(writes, reply));
    }

    private void arrived(List<Write> writes, Reply<Written> reply) {
        List<String> keys = writes.stream().map(Write::key).toList();
        if (keys.stream().anyMatch(busy::contains)) {
            conflicts++;
            later(way(), () -> reply.answered(Written.CONFLICT));
        } else if (keys.size() == 1) {
            store.write(writes, new Back<>(reply));
        } else {
            busy.addAll(keys);
            later(TRANSACTION_NANOS, () -> {
                keys.forEach(busy::remove);
                store.write(writes, new Back<>(reply));
            });
        }
    }

    private long way() {
        return WAY_NANOS + random.nextLong(2 * WAY_NANOS);
    }

    private void later(long nanos, Runnable task) {
        time.schedule(time.nanos() + nanos, task);
    }

    private final class Back<R> implements Reply<R> {
        private final Reply<R> reply;

        Back(Reply<R> reply) {
            this.reply = reply;
        }

        @Override
        public void answered(R result) {
            if (result instanceof Written written && written.result() == Written.Result.CONDITION_FAILED) {
                conditionsFailed++;
            }
            later(way(), () -> reply.answered(result));
        }

        @Override
        public void failed(StoreException why) {
            later(way(), () -> reply.failed(why));
        }
    }
}
