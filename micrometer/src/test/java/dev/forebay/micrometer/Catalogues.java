// SPDX-License-Identifier: Apache-2.0
package dev.forebay.micrometer;

import dev.forebay.engine.Metric;
import dev.forebay.engine.Observer;
import dev.forebay.engine.PoolListener;
import dev.forebay.fleet.FleetStats;
import dev.forebay.registry.DatabaseType;
import dev.forebay.registry.RegistryException;
import dev.forebay.registry.ServerDefinition;
import dev.forebay.registry.jdbc.JdbcRegistry;
import dev.forebay.tx.TxListener;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.stream.Stream;

/** The metrics that each room shows to an observer. */
final class Catalogues {

    private Catalogues() {}

    /** All of them, in the order of the page that lists them. */
    static List<Metric<?>> all() {
        return Stream.of(ofPools(), ofTransactions(), ofFleets(), ofServers())
                .flatMap(List::stream)
                .toList();
    }

    static List<Metric<?>> ofPools() {
        return shownBy(observer -> new PoolListener.Observed(observer).show("history", Catalogues::none));
    }

    static List<Metric<?>> ofTransactions() {
        return shownBy(observer -> TxListener.observed(observer).began("save"));
    }

    static List<Metric<?>> ofFleets() {
        return shownBy(observer -> FleetStats.show(observer, "history", Catalogues::none));
    }

    /** Those of a server whose bytes are counted. */
    static List<Metric<?>> ofServers() {
        return shownBy(observer -> {
            try (JdbcRegistry registry =
                    JdbcRegistry.builder().observer(observer).build()) {
                registry.register(ServerDefinition.builder("s", DatabaseType.POSTGRESQL)
                        .option("host", "h")
                        .option("dbname", "d")
                        .option("enable_health_check", "false")
                        .build());
            } catch (RegistryException e) {
                throw new AssertionError(e);
            }
        });
    }

    /** The values that {@code label} may have among {@code metrics} that are read. */
    static List<String> values(List<Metric<?>> metrics, String label) {
        return metrics.stream()
                .filter(metric -> metric.labels().contains(label))
                .flatMap(metric -> metric.series().stream().map(Metric.Series::labelValue))
                .toList();
    }

    private static <S> S none() {
        throw new AssertionError("not to be read");
    }

    private static List<Metric<?>> shownBy(Consumer<Observer> room) {
        List<Metric<?>> all = new ArrayList<>();
        room.accept(new Observer() {
            @Override
            public <S> Observation observe(String owner, List<Metric<S>> metrics, Supplier<S> stats) {
                all.addAll(metrics);
                return Observation.NONE;
            }
        });
        return all;
    }
}
