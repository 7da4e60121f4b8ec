// SPDX-License-Identifier: Apache-2.0
package dev.forebay.sim;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.forebay.fleet.FleetStore;
import dev.forebay.fleet.Item;
import dev.forebay.fleet.StoreException;
import dev.forebay.time.VirtualTime;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** The way to the table and back. */
class SimStoreTest {

    private static final long MILLI = 1_000_000;

    private final VirtualTime time = new VirtualTime();
    private final SimTable table = new SimTable(
            ScenarioFile.parse(Path.of("test.yaml"), "{store: {latency: 10ms}, services: [{name: web}]}"), time);
    private final Machine machine = new Machine(time, 0);
    private final SimStore store = new SimStore(table, machine, new Dice(1));
    private final List<String> heard = new ArrayList<>();

    private void read() {
        store.read(List.of("key"), new FleetStore.Reply<Map<String, Item>>() {
            @Override
            public void answered(Map<String, Item> items) {
                heard.add("answered at " + time.nanos() / MILLI);
            }

            @Override
            public void failed(StoreException why) {
                heard.add("failed at " + time.nanos() / MILLI);
            }
        });
    }

    private void outage(long from, long to) {
        time.schedule(from * MILLI, () -> table.outage(true));
        time.schedule(to * MILLI, () -> table.outage(false));
    }

    @Test
    void halfTheTimePassesOnTheWayThereAndHalfOnTheWayBack() {
        read();
        time.advanceTo(5 * MILLI - 1);
        assertEquals(0, table.requests());
        time.advanceTo(5 * MILLI);
        assertEquals(1, table.requests());
        time.advanceTo(100 * MILLI);
        assertEquals(List.of("answered at 10"), heard);
    }

    @Test
    void aRequestIsLostThatIsSentOrArrivesInAnOutage() {
        outage(3, 20);
        read();
        time.advanceTo(19 * MILLI);
        read();
        time.advanceTo(100 * MILLI);
        assertEquals(0, table.requests());
        assertEquals(List.of(), heard);
    }

    @Test
    void aReplyIsLostThatArrivesInAnOutageThoughTheRequestWasMet() {
        outage(7, 20);
        read();
        time.advanceTo(100 * MILLI);
        assertEquals(1, table.requests());
        assertEquals(List.of(), heard);
    }

    @Test
    void outagesMayOverlap() {
        outage(1, 30);
        outage(2, 10);
        time.advanceTo(20 * MILLI);
        read();
        time.advanceTo(100 * MILLI);
        assertEquals(List.of(), heard);
    }

    @Test
    void aRequestOfAMachineThatHasDiedIsMetAndItsReplyHeardByNobody() {
        read();
        machine.die();
        time.advanceTo(100 * MILLI);
        assertEquals(1, table.requests());
        assertEquals(List.of(), heard);
    }
}
