// SPDX-License-Identifier: Apache-2.0
package dev.forebay.sim;

import dev.forebay.fleet.MemoryStore;
import dev.forebay.time.VirtualTime;
import java.util.random.RandomGenerator;

/** The table behind the fleet's limits, with its outages. Not thread-safe. */
final class SimTable {

    private final Scenario.Store spec;
    private final String counter;
    private final VirtualTime time;
    private final MemoryStore items = new MemoryStore();
    private long requests;
    private int outages;

    SimTable(Scenario scenario, VirtualTime time) {
        this.spec = scenario.store();
        this.counter = "dsqllease_counter#" + scenario.endpoint();
        this.time = time;
    }

    /** An outage begins or ends; they may overlap. */
    void outage(boolean begins) {
        outages += begins ? 1 : -1;
    }

    MemoryStore items() {
        return items;
    }

    long drawLatency(RandomGenerator random) {
        return spec.latency().drawNanos(random);
    }

    /** Runs {@code request} when it arrives, whether its sender still lives or not, unless it is lost. */
    void scheduleArrival(long at, Runnable request) {
        if (isOut()) {
            return;
        }
        time.schedule(at, () -> {
            if (!isOut()) {
                requests++;
                request.run();
            }
        });
    }

    boolean isOut() {
        return outages > 0;
    }

    long requests() {
        return requests;
    }

    /** The number of connections that the leases of the fleet cover. */
    long leased() {
        return items.item(counter).number("active", 0);
    }
}
