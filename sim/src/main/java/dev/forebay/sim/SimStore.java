// SPDX-License-Identifier: Apache-2.0
package dev.forebay.sim;

import dev.forebay.fleet.FleetStore;
import dev.forebay.fleet.FleetStore.Written;
import dev.forebay.fleet.Item;
import dev.forebay.fleet.StoreException;
import dev.forebay.fleet.Write;
import dev.forebay.time.Time;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.random.RandomGenerator;

/** One machine's way to the fleet's table: it takes time, and in an outage nothing comes back. Not thread-safe. */
final class SimStore implements FleetStore {

    private final SimTable table;
    private final Time time;
    private final RandomGenerator random;

    SimStore(SimTable table, Time time, RandomGenerator random) {
        this.table = table;
        this.time = time;
        this.random = random;
    }

    @Override
    public void read(Collection<String> keys, Reply<Map<String, Item>> reply) {
        call(reply, back -> table.items().read(keys, back));
    }

    @Override
    public void write(List<Write> writes, Reply<Written> reply) {
        call(reply, back -> table.items().write(writes, back));
    }

    /** A call lost on the way gets no answer: the guard's timeout ends it. */
    private <R> void call(Reply<R> reply, Consumer<Reply<R>> request) {
        long latency = table.drawLatency(random);
        long there = time.nanos() + latency / 2;
        table.scheduleArrival(there, () -> request.accept(new Back<>(reply, there + latency - latency / 2)));
    }

    private final class Back<R> implements Reply<R> {
        private final Reply<R> reply;
        private final long at;

        Back(Reply<R> reply, long at) {
            this.reply = reply;
            this.at = at;
        }

        @Override
        public void answered(R result) {
            back(() -> reply.answered(result));
        }

        @Override
        public void failed(StoreException why) {
            back(() -> reply.failed(why));
        }

        private void back(Runnable answer) {
            time.schedule(at, () -> {
                if (!table.isOut()) {
                    answer.run();
                }
            });
        }
    }
}
