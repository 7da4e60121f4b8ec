// SPDX-License-Identifier: Apache-2.0
package dev.forebay.fleet;

import dev.forebay.fleet.FleetStore.Written;
import dev.forebay.time.Time;
import java.time.InstantSource;
import java.util.List;

/**
 * A count for each second of the wall clock, in an item of its own: for fleets in which Go services take their permits
 * as well. A second begins by that clock, so twice the limit may fall into one second of real time.
 */
final class WindowItem implements PermitItem {

    private static final long KEEP_SECONDS = 180;

    private final String endpoint;
    private final FleetStore store;
    private final int limit;
    private final Time time;
    private final InstantSource wall;

    WindowItem(String endpoint, FleetStore store, int limit, Time time, InstantSource wall) {
        this.endpoint = endpoint;
        this.store = store;
        this.limit = limit;
        this.time = time;
        this.wall = wall;
    }

    @Override
    public void take(int most, boolean emptied, Taking taking) {
        long millis = wall.millis();
        long second = Math.floorDiv(millis, 1000);
        long end = time.nanos() + ((second + 1) * 1000 - millis) * 1_000_000;
        if (emptied) {
            taking.notBefore(end);
        } else {
            take(Math.min(most, limit), second, end, millis, taking);
        }
    }

    private void take(int count, long second, long end, long millis, Taking taking) {
        String key = "dsqlconnect#" + endpoint + "#" + second;
        Write write = Write.to(key)
                .ifAbsentOrAtMost("count", limit - count)
                .set("updated_at_ms", millis)
                .set("ttl_epoch", second + KEEP_SECONDS)
                .add("count", count);
        store.write(List.of(write), new FleetStore.Reply<>() {
            @Override
            public void answered(Written written) {
                switch (written.result()) {
                    case DONE -> taking.taken(count, time.nanos(), 0, end - time.nanos());
                    case CONDITION_FAILED -> {
                        long left = limit
                                - written.found().getOrDefault(key, Item.NONE).number("count", limit);
                        if (left > 0 && left < count) {
                            take((int) left, second, end, millis, taking);
                        } else {
                            taking.notBefore(end);
                        }
                    }
                    case CONFLICT -> taking.contended();
                }
            }

            @Override
            public void failed(StoreException why) {
                taking.failed(why);
            }
        });
    }
}
