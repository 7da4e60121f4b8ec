// SPDX-License-Identifier: Apache-2.0
package dev.forebay.fleet;

import dev.forebay.fleet.FleetStore.Written;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/** A {@link FleetStore} in memory that answers at once: for simulations, and for several pools of one process. Thread-safe. */
public final class MemoryStore implements FleetStore {

    private final ReentrantLock lock = new ReentrantLock();
    private final Map<String, Item> items = new LinkedHashMap<>();

    @Override
    public void read(Collection<String> keys, Reply<Map<String, Item>> reply) {
        Map<String, Item> found = new HashMap<>();
        lock.lock();
        try {
            for (String key : keys) {
                Item item = items.get(key);
                if (item != null) {
                    found.put(key, item);
                }
            }
        } finally {
            lock.unlock();
        }
        reply.answered(Map.copyOf(found));
    }

    @Override
    public void write(List<Write> writes, Reply<Written> reply) {
        reply.answered(write(writes));
    }

    /** Returns all items by key. */
    public Map<String, Item> items() {
        lock.lock();
        try {
            return Map.copyOf(items);
        } finally {
            lock.unlock();
        }
    }

    /** Returns the item under {@code key}; {@link Item#NONE} if there is none. */
    public Item item(String key) {
        lock.lock();
        try {
            return items.getOrDefault(key, Item.NONE);
        } finally {
            lock.unlock();
        }
    }

    private Written write(List<Write> writes) {
        lock.lock();
        try {
            Map<String, Item> failed = new HashMap<>();
            for (Write write : writes) {
                Item item = items.getOrDefault(write.key(), Item.NONE);
                if (!write.conditions().stream().allMatch(condition -> condition.holds(item))) {
                    failed.put(write.key(), item);
                }
            }
            if (!failed.isEmpty()) {
                return Written.conditionFailed(failed);
            }
            writes.forEach(this::apply);
            return Written.DONE;
        } finally {
            lock.unlock();
        }
    }

    private void apply(Write write) {
        if (write.delete()) {
            items.remove(write.key());
            return;
        }
        Map<String, Object> attributes =
                new HashMap<>(items.getOrDefault(write.key(), Item.NONE).attributes());
        for (Write.Change change : write.changes()) {
            @Nullable Object value = change.value();
            if (value == null) {
                attributes.remove(change.attribute());
            } else if (change.kind() == Write.Kind.ADD) {
                attributes.merge(change.attribute(), value, (a, b) -> (Long) a + (Long) b);
            } else {
                attributes.put(change.attribute(), value);
            }
        }
        if (attributes.isEmpty()) {
            items.remove(write.key());
        } else {
            items.put(write.key(), new Item(attributes));
        }
    }
}
