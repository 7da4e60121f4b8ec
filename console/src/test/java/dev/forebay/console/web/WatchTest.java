// SPDX-License-Identifier: Apache-2.0
package dev.forebay.console.web;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class WatchTest {

    private static final Instant START = Instant.ofEpochSecond(1_000_000);

    private final List<Source.PoolNow> pools = new ArrayList<>();
    private final Map<String, Integer> alive = new HashMap<>();
    private final Map<String, Source.Transactions> transactions = new HashMap<>();
    private final Map<String, Source.Waits> waits = new HashMap<>();
    private final Happenings happenings = new Happenings(() -> START);
    private final Watch watch = new Watch(new Given(), happenings);
    private double seconds;

    private final class Given implements Source {
        @Override
        public String title() {
            return "a title";
        }

        @Override
        public List<PoolNow> pools() {
            return List.copyOf(pools);
        }

        @Override
        public Map<String, Integer> alive() {
            return alive;
        }

        @Override
        public Map<String, Transactions> transactions() {
            return transactions;
        }

        @Override
        public Map<String, Waits> waits() {
            return waits;
        }
    }

    @Test
    void theVerdictOfADemonstrationIsShown() {
        Source demo = new Source() {
            @Override
            public String title() {
                return "a demo";
            }

            @Override
            public List<PoolNow> pools() {
                return List.of();
            }

            @Override
            public List<Promise> verdict() {
                return List.of(new Promise("no update is lost", "3 made", "2 made", true));
            }
        };
        holds(
                "\"verdict\":[{\"promise\":\"no update is lost\",\"forebay\":\"3 made\",\"other\":\"2 made\",\"kept\":true}]",
                new Watch(demo, happenings).state(0, -1, false));
    }

    private void pool(String name, String group, int ready, int leased, long opened, double p99) {
        pools.removeIf(known -> known.name().equals(name));
        pools.add(new Source.PoolNow(
                name, group, "serving", ready, leased, 0, 0, 10, 10, 0, 0, 0, opened, p99, Map.of(), Map.of()));
    }

    private void sample(double after) {
        seconds += after;
        watch.sample(START.plusMillis((long) (seconds * 1000)), (long) (seconds * TimeUnit.SECONDS.toNanos(1)));
    }

    private static void holds(String part, String json) {
        assertTrue(json.contains(part), () -> part + " is not in " + json);
    }

    @Test
    void aReaderGetsWhatCameAfterTheTickItKnows() {
        pool("a", "g", 3, 1, 4, 0.5);
        sample(0);
        pool("a", "g", 4, 1, 5, 0.5);
        sample(1);
        String all = watch.state(0, -1, false);
        holds("\"tick\":2,", all);
        holds("\"open\":[4,5]", all);
        holds("\"time\":[1000000,1000001]", all);
        holds("\"open\":[5]", watch.state(1, -1, false));
        holds("\"open\":[]", watch.state(2, -1, false));
    }

    @Test
    void whatRunsFromTheStartIsShownASecondWhateverTimeHasPassed() {
        pool("a", "g", 0, 0, 100, 0);
        sample(0);
        pool("a", "g", 0, 0, 110, 0);
        sample(2);
        pool("a", "g", 0, 0, 5, 0); // begun anew under the same name
        sample(1);
        holds("\"connects\":[0,5,0]", watch.state(0, -1, false));
    }

    @Test
    void aGroupIsTheSumOfItsPoolsAndAsSlowAsTheSlowest() {
        pool("a", "g", 3, 1, 0, 0.25);
        pool("b", "g", 5, 2, 0, 7);
        pool("c", "other", 1, 0, 0, 100);
        sample(0);
        holds(
                "\"name\":\"g\",\"connectLimit\":null,\"history\":{\"time\":[1000000],\"open\":[11],\"leased\":[3],\"target\":[20]",
                watch.state(0, -1, false));
        holds("\"p99\":[7]", watch.state(0, -1, false));
    }

    @Test
    void aPoolThatDoesNotKnowYetThatConnectionsAreGoneIsNotBelieved() {
        pool("a", "g", 10, 0, 0, 0);
        alive.put("g", 4);
        sample(0);
        alive.put("g", 12); // one that it does not know yet to be its own
        sample(1);
        holds("\"open\":[4,10]", watch.state(0, -1, false));
    }

    @Test
    void conflictsAreThoseOfTheLastSecond() {
        pool("a", "g", 0, 0, 0, 0);
        transactions.put("g", new Source.Transactions(100, 50, 0, 0, 0));
        sample(0);
        transactions.put("g", new Source.Transactions(110, 57, 0, 0, 0));
        sample(1);
        holds("\"conflicts\":[0,7]", watch.state(0, -1, false));
    }

    @Test
    void stallsAndRefusalsAreShownASecondAndSinceTheStart() {
        pool("a", "g", 0, 0, 0, 0);
        waits.put("g", new Source.Waits(3, 120, 40));
        sample(0);
        waits.put("g", new Source.Waits(13, 4_100, 44));
        sample(2);
        holds("\"stalls\":[0,5],\"refused\":[0,2]", watch.state(0, -1, false));
        holds("\"waits\":{\"g\":{\"stalls\":13,\"longestMillis\":4100,\"refused\":44}}", watch.state(0, -1, false));
    }

    @Test
    void tenMinutesAreKept() {
        pool("a", "g", 1, 0, 0, 0);
        for (int i = 0; i < 700; i++) {
            sample(1);
        }
        String all = watch.state(0, -1, false);
        holds("\"open\":[" + "1,".repeat(599) + "1]", all);
        holds("\"time\":[1000101,", all);
    }

    @Test
    void aPoolThatHasGoneIsNotShownAndInTheEndForgotten() {
        pool("a", "g", 1, 0, 0, 0);
        sample(0);
        assertNotNull(watch.pool("a", 0));
        pools.clear();
        sample(1);
        assertNull(watch.pool("a", 0));
        assertNull(watch.pool("b", 0));
        for (int i = 0; i < 600; i++) {
            sample(1);
        }
        assertFalse(watch.state(0, -1, false).contains("\"g\""));
    }

    @Test
    void eventsAreLeftOutForWhoKnowsThem() {
        happenings.add("a", Event.SWEEP, "");
        holds("\"version\":1,\"events\":[{", watch.state(0, -1, false));
        holds("\"version\":1,\"events\":null", watch.state(0, 1, false));
    }

    @Test
    void everyEventAndReasonIsExplained() {
        for (Event event : Event.values()) {
            assertTrue(event.meaning().endsWith("."), event.name());
        }
        holds(
                "\"replaced\":{\"meaning\":\"its replacement arrived in time, as it should\",\"expected\":true}",
                LabelMeanings.json());
        holds(
                "\"bad_connection\":{\"meaning\":\"its borrower met an error that says it is broken\",\"expected\":false}",
                LabelMeanings.json());
        assertEquals(13 + 5, LabelMeanings.json().split("\":(\\{\"meaning\":)?\"").length - 1);
    }
}
