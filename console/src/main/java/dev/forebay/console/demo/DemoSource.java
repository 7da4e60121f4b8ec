// SPDX-License-Identifier: Apache-2.0
package dev.forebay.console.demo;

import dev.forebay.console.web.Source;
import dev.forebay.fleet.FleetStats;
import java.sql.SQLException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** The page's view of a demonstration: all pools, of both makes; figures that only Forebay has are Forebay's. Thread-safe. */
final class DemoSource implements Source {

    private final Plan plan;
    private final List<Contender> contenders;
    private final Supplier<@Nullable Verdict> verdict;

    /** Shows {@code contenders}, a list that may still grow, and the verdict once there is one. */
    DemoSource(Plan plan, List<Contender> contenders, Supplier<@Nullable Verdict> verdict) {
        this.plan = plan;
        this.contenders = contenders;
        this.verdict = verdict;
    }

    @Override
    public List<Promise> verdict() {
        Verdict reached = verdict.get();
        return reached == null
                ? List.of()
                : reached.rows().stream()
                        .map(row -> new Promise(row.promise(), row.forebay(), row.other(), row.kept()))
                        .toList();
    }

    @Override
    public String title() {
        return "Forebay demo";
    }

    @Override
    public String note() {
        return plan.inWords();
    }

    @Override
    public Map<String, Waits> waits() {
        Map<String, Waits> all = new LinkedHashMap<>();
        contenders.forEach(one -> all.put(one.name(), one.waits()));
        return all;
    }

    @Override
    public List<PoolNow> pools() {
        return contenders.stream().flatMap(one -> one.now().stream()).toList();
    }

    private Optional<ForebayPools> forebay() {
        return contenders.stream()
                .map(Contender::pools)
                .filter(ForebayPools.class::isInstance)
                .map(ForebayPools.class::cast)
                .findFirst();
    }

    @Override
    public Map<String, Integer> connectLimits() {
        Map<String, Integer> all = new LinkedHashMap<>();
        contenders.forEach(one -> all.put(one.name(), plan.connectsPerSecond()));
        return all;
    }

    @Override
    public Map<String, Integer> alive() {
        Map<String, Integer> all = new LinkedHashMap<>();
        contenders.forEach(one -> all.put(one.name(), one.cluster().counts().open()));
        return all;
    }

    @Override
    public Map<String, Transactions> transactions() {
        Map<String, Transactions> all = new LinkedHashMap<>();
        contenders.forEach(one -> all.put(one.name(), one.transactions()));
        return all;
    }

    @Override
    public Map<String, FleetStats> fleet() {
        return forebay().map(ForebayPools::fleet).orElse(Map.of());
    }

    @Override
    public List<Holder> holders(int most) {
        return forebay().map(pools -> pools.holders(most)).orElse(List.of());
    }

    @Override
    public List<Setting> settings(String pool) {
        return contenders.stream()
                .flatMap(one -> one.pools().settings(pool).stream())
                .toList();
    }

    @Override
    public List<Action> actions(String pool) {
        return forebay().map(pools -> pools.actions(pool)).orElse(List.of());
    }

    @Override
    public String act(String pool, String action, Map<String, Integer> values) throws SQLException {
        ForebayPools pools = forebay().orElseThrow(() -> new SQLException("the pools have not started yet"));
        return pools.act(pool, action, values);
    }
}
