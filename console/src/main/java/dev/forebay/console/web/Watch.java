// SPDX-License-Identifier: Apache-2.0
package dev.forebay.console.web;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import dev.forebay.console.web.Source.PoolNow;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A {@link Source} with its last ten minutes, as JSON. Thread-safe.
 *
 * <p>Its owner calls {@link #sample} once a second. A reader passes the last tick it has seen and gets the later ones.
 */
final class Watch {

    private static final List<String> COLUMNS = List.of(
            "time",
            "open",
            "leased",
            "target",
            "waiting",
            "connects",
            "checkouts",
            "p99",
            "conflicts",
            "stalls",
            "refused");
    private static final int MOST_HOLDERS = 20;

    private final Source source;
    private final Happenings happenings;

    @GuardedBy("this")
    private final Map<String, History> pools = new HashMap<>();

    @GuardedBy("this")
    private List<PoolNow> latest = List.of();

    @GuardedBy("this")
    private long sampledNanos;

    // These are guarded by this too; lambdas use them, where the compiler cannot check it.
    private final Map<String, History> groups = new LinkedHashMap<>();
    private final Map<String, PoolNow> before = new HashMap<>();
    private final Map<String, Long> countsBefore = new HashMap<>(); // of a group and a column
    private long tick;

    Watch(Source source, Happenings happenings) {
        this.source = source;
        this.happenings = happenings;
    }

    // ---- sampling

    /** Takes the numbers of this moment: {@code now} on the wall, {@code nanos} on a clock that measures durations. */
    void sample(Instant now, long nanos) {
        List<PoolNow> seen = source.pools();
        Map<String, Source.Transactions> transactions = source.transactions();
        Map<String, Source.Waits> waits = source.waits();
        Map<String, Integer> alive = source.alive();
        synchronized (this) {
            double seconds = tick == 0 ? 1 : Math.max(0.001, (nanos - sampledNanos) / 1e9);
            sampledNanos = nanos;
            tick++;
            latest = List.copyOf(seen);
            Map<String, List<double[]>> rows = new LinkedHashMap<>();
            for (PoolNow pool : seen) {
                double[] row = row(pool, now, seconds);
                pools.computeIfAbsent(pool.name(), name -> new History(COLUMNS)).add(tick, row);
                rows.computeIfAbsent(pool.group(), name -> new ArrayList<>()).add(row);
            }
            before.clear();
            seen.forEach(pool -> before.put(pool.name(), pool));
            pools.values().removeIf(history -> history.last() < tick - History.LENGTH);
            rows.forEach((group, all) -> groups.computeIfAbsent(group, name -> new History(COLUMNS))
                    .add(
                            tick,
                            sum(
                                    all,
                                    alive.get(group),
                                    rates(group, transactions.get(group), waits.get(group), seconds))));
            groups.values().removeIf(history -> history.last() < tick - History.LENGTH);
        }
    }

    /** Returns the values in the order of {@link #COLUMNS}; counts from the start become rates a second. */
    private double[] row(PoolNow pool, Instant now, double seconds) {
        PoolNow earlier = before.getOrDefault(pool.name(), pool);
        return new double[] {
            now.toEpochMilli() / 1000.0,
            pool.open(),
            pool.leased(),
            pool.target(),
            pool.waiting(),
            perSecond(pool.opened() - earlier.opened(), seconds),
            perSecond(pool.checkouts() - earlier.checkouts(), seconds),
            Math.round(pool.p99Millis() * 1000) / 1000.0,
            0,
            0,
            0
        };
    }

    private static double perSecond(long count, double seconds) {
        return Math.max(0, Math.round(count / seconds * 10) / 10.0);
    }

    /** Returns the rates of a group that its pools do not know, by column. */
    private Map<String, Double> rates(
            String group, Source.@Nullable Transactions transactions, Source.@Nullable Waits waits, double seconds) {
        Map<String, Double> rates = new HashMap<>();
        if (transactions != null) {
            rates.put("conflicts", rate(group, "conflicts", transactions.conflicts(), seconds));
        }
        if (waits != null) {
            rates.put("stalls", rate(group, "stalls", waits.stalls(), seconds));
            rates.put("refused", rate(group, "refused", waits.refused(), seconds));
        }
        return rates;
    }

    private double rate(String group, String column, long count, double seconds) {
        Long earlier = countsBefore.put(group + "/" + column, count);
        return earlier == null ? 0 : perSecond(count - earlier, seconds);
    }

    /** Returns the sum of a group's pools; of times, the slowest. A pool may not know yet that connections are gone. */
    private static double[] sum(List<double[]> rows, @Nullable Integer alive, Map<String, Double> rates) {
        double[] sum = new double[COLUMNS.size()];
        int time = COLUMNS.indexOf("time");
        int p99 = COLUMNS.indexOf("p99");
        for (double[] row : rows) {
            for (int i = 0; i < sum.length; i++) {
                sum[i] = i == time || i == p99 ? Math.max(sum[i], row[i]) : sum[i] + row[i];
            }
        }
        int open = COLUMNS.indexOf("open");
        sum[open] = alive == null ? sum[open] : Math.min(alive, sum[open]);
        rates.forEach((column, rate) -> sum[COLUMNS.indexOf(column)] = rate);
        return sum;
    }

    // ---- showing

    /**
     * The numbers of this moment.
     *
     * @param since the last tick that the reader knows; 0 for none
     * @param seen the version of the happenings that the reader knows; below 0 for none
     */
    String state(long since, long seen, boolean mayAct) {
        Map<String, @Nullable Object> state =
                Json.object("title", source.title(), "note", source.note(), "mayAct", mayAct);
        Map<String, Integer> limits = source.connectLimits();
        synchronized (this) {
            state.put("tick", tick);
            state.put(
                    "groups",
                    groups.entrySet().stream()
                            .map(group -> Json.object(
                                    "name", group.getKey(),
                                    "connectLimit", limits.get(group.getKey()),
                                    "history", group.getValue().since(since)))
                            .toList());
            state.put("pools", latest);
        }
        state.put("transactions", source.transactions());
        state.put("waits", source.waits());
        state.put("fleet", source.fleet());
        state.put("verdict", source.verdict());
        state.put("troubles", source.troubles());
        state.put("servers", source.servers());
        state.put("holders", source.holders(MOST_HOLDERS));
        long version = happenings.version();
        state.put("version", version);
        state.put("events", version == seen ? null : events());
        return Json.of(state);
    }

    /** A pool's history since a tick, its parts, settings and actions; null if there is none of that name. */
    @Nullable
    String pool(String name, long since) {
        Map<String, @Nullable Object> shown = Json.object("name", name);
        synchronized (this) {
            History history = pools.get(name);
            if (history == null || latest.stream().noneMatch(pool -> pool.name().equals(name))) {
                return null;
            }
            shown.put("tick", tick);
            shown.put("history", history.since(since));
        }
        shown.put("parts", source.parts(name));
        shown.put("settings", source.settings(name));
        shown.put("actions", source.actions(name));
        return Json.of(shown);
    }

    private Object events() {
        return happenings.newest().stream()
                .map(one -> Json.object(
                        "first", one.first(),
                        "last", one.last(),
                        "where", one.where(),
                        "gravity", one.event().gravity().name().toLowerCase(Locale.ROOT),
                        "title", one.event().title(),
                        "meaning", one.event().meaning(),
                        "detail", one.detail(),
                        "times", one.times()))
                .toList();
    }
}
