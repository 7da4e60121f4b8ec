// SPDX-License-Identifier: Apache-2.0
package dev.forebay.sim;

import dev.forebay.ForebayConfig;
import dev.forebay.engine.internal.Option;
import dev.forebay.model.ClusterSettings;
import dev.forebay.model.Fault;
import dev.forebay.sim.ScenarioKeys.Kind;
import dev.forebay.sim.ScenarioKeys.Limiter;
import dev.forebay.sim.ScenarioKeys.Section;
import dev.forebay.sim.ScenarioKeys.Shape;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Makes a scenario of the blocks of a file: first every value by itself, then, in {@link ScenarioChecks}, what they make
 * together. Not thread-safe.
 */
final class ScenarioReader {

    private static final Map<Kind, List<Option<?>>> OF_KIND = new EnumMap<>(Map.of(
            Kind.COLD_START, List.of(),
            Kind.ROLLING_RESTART, List.of(ScenarioKeys.ROLL_EVERY, ScenarioKeys.DOWNTIME),
            Kind.MASS_DROP, List.of(ScenarioKeys.DROP_AT, ScenarioKeys.DROP_FRACTION)));
    private static final Map<Shape, List<Option<?>>> OF_SHAPE = new EnumMap<>(Map.of(
            Shape.STEADY, List.of(),
            Shape.DAILY, List.of(ScenarioKeys.LEAST, ScenarioKeys.MOST, ScenarioKeys.PERIOD),
            Shape.SPIKE, List.of(ScenarioKeys.SPIKE_AT, ScenarioKeys.SPIKE_FOR, ScenarioKeys.FACTOR),
            Shape.REPLAY, List.of(ScenarioKeys.FILE)));

    private final Path file;
    private final YamlBlock top;

    ScenarioReader(Path file, YamlBlock top) {
        this.file = file;
        this.top = top;
    }

    Scenario read(String fileName) {
        String title = top.find(ScenarioKeys.TITLE);
        String description = top.find(ScenarioKeys.DESCRIPTION);
        List<Scenario.Service> services = services();
        return new Scenario(
                title == null ? fileName : title,
                description == null ? "" : description,
                top.get(ScenarioKeys.SEED),
                top.get(ScenarioKeys.ENDPOINT),
                top.get(ScenarioKeys.DURATION),
                top.get(ScenarioKeys.SAMPLE_EVERY),
                server(top.block(ScenarioKeys.SERVER, Section.SERVER)),
                limits(),
                store(top.block(ScenarioKeys.STORE, Section.STORE)),
                asserts(),
                incidents(),
                services);
    }

    private static Scenario.Server server(YamlBlock block) {
        ClusterSettings settings = ClusterSettings.builder()
                .connectsPerSecond(block.get(ScenarioKeys.CONNECTS_PER_SEC))
                .connectBurst(block.get(ScenarioKeys.BURST))
                .mostSessions(block.get(ScenarioKeys.CAP))
                .lifetime(block.get(ScenarioKeys.LIFETIME))
                .transactionGrace(block.get(ScenarioKeys.TRANSACTION_GRACE))
                .refusedConnectSpends(block.get(ScenarioKeys.REFUSED_CONNECT_SPENDS))
                .build();
        return new Scenario.Server(
                settings, block.get(ScenarioKeys.CONNECT_LATENCY), block.get(ScenarioKeys.STATEMENT_LATENCY));
    }

    private Scenario.Limits limits() {
        return new Scenario.Limits(
                top.get(ScenarioKeys.LIMITER_PER_SEC),
                top.get(ScenarioKeys.LIMITER_BURST),
                top.get(ScenarioKeys.LIMITER) == Limiter.SHARED,
                top.get(ScenarioKeys.LEASES));
    }

    private static Scenario.Store store(YamlBlock block) {
        List<Scenario.Outage> outages = block.blocks(ScenarioKeys.OUTAGES, Section.OUTAGE).stream()
                .map(outage ->
                        new Scenario.Outage(outage.get(ScenarioKeys.OUTAGE_AT), outage.get(ScenarioKeys.OUTAGE_FOR)))
                .toList();
        return new Scenario.Store(block.get(ScenarioKeys.STORE_LATENCY), outages);
    }

    private Scenario.Asserts asserts() {
        Boolean cover = top.find(ScenarioKeys.LEASES_COVER);
        return new Scenario.Asserts(
                orNull(top.get(ScenarioKeys.MAX_CONNECTS)),
                orNull(top.get(ScenarioKeys.CONVERGE_WITHIN)),
                orNull(top.get(ScenarioKeys.STABLE_FOR)),
                orNull(top.get(ScenarioKeys.MIN_FILL)),
                orNull(top.get(ScenarioKeys.MAX_CLOSURES)),
                top.get(ScenarioKeys.ZERO_EMPTY),
                orNull(top.get(ScenarioKeys.MAX_WAIT_P99)),
                orNull(top.get(ScenarioKeys.MAX_OPEN)),
                cover == null ? top.get(ScenarioKeys.LEASES) : cover);
    }

    private static <T> @Nullable T orNull(Optional<T> value) {
        return value.isPresent() ? value.get() : null;
    }

    private List<Scenario.Incident> incidents() {
        List<Scenario.Incident> incidents = new ArrayList<>();
        YamlBlock block = top.block(ScenarioKeys.SCENARIO, Section.SCENARIO);
        Kind kind = block.get(ScenarioKeys.KIND);
        switch (kind) {
            case COLD_START -> {}
            case ROLLING_RESTART ->
                incidents.add(new Scenario.Roll(block.get(ScenarioKeys.ROLL_EVERY), block.get(ScenarioKeys.DOWNTIME)));
            case MASS_DROP ->
                incidents.add(new Scenario.ClusterFault(
                        block.get(ScenarioKeys.DROP_AT), new Fault.Drop(block.get(ScenarioKeys.DROP_FRACTION))));
        }
        refuseOthers(block, kind, OF_KIND, "kind");
        for (YamlBlock fault : top.blocks(ScenarioKeys.FAULTS, Section.FAULT)) {
            incidents.add(new Scenario.ClusterFault(fault.get(ScenarioKeys.FAULT_AT), fault.get(ScenarioKeys.FAULT)));
        }
        for (YamlBlock crash : top.blocks(ScenarioKeys.CRASHES, Section.CRASH)) {
            incidents.add(new Scenario.Crash(
                    crash.get(ScenarioKeys.CRASH_AT),
                    crash.get(ScenarioKeys.CRASH_SERVICE),
                    crash.get(ScenarioKeys.CRASH_INSTANCES),
                    orNull(crash.get(ScenarioKeys.RESTART_AFTER))));
        }
        return incidents;
    }

    /** Says of keys that belong to another choice than {@code chosen} that they have no effect. */
    private static <E extends Enum<E>> void refuseOthers(
            YamlBlock block, E chosen, Map<E, List<Option<?>>> keys, String what) {
        keys.forEach((other, theirs) -> {
            if (other != chosen) {
                block.refuseAll(theirs, "with the " + what + " " + ScenarioKinds.word(chosen));
            }
        });
    }

    private List<Scenario.Service> services() {
        top.require(ScenarioKeys.SERVICES);
        ForebayConfig.Mode mode = top.get(ScenarioKeys.MODE);
        return top.blocks(ScenarioKeys.SERVICES, Section.SERVICE).stream()
                .map(block -> service(block, mode))
                .toList();
    }

    private Scenario.Service service(YamlBlock block, ForebayConfig.Mode modeOfAll) {
        ForebayConfig.Mode mode = block.find(ScenarioKeys.SERVICE_MODE);
        int target = block.get(ScenarioKeys.TARGET_READY);
        return new Scenario.Service(
                block.get(ScenarioKeys.SERVICE_NAME),
                block.get(ScenarioKeys.COUNT),
                mode == null ? modeOfAll : mode,
                target,
                block.get(ScenarioKeys.GUARD_WINDOW),
                block.get(ScenarioKeys.BASE_LIFETIME),
                block.get(ScenarioKeys.JITTER),
                block.get(ScenarioKeys.START_DELAY),
                block.get(ScenarioKeys.START_EVERY),
                block.get(ScenarioKeys.CLOCK_SKEW),
                block.find(ScenarioKeys.SERVICE_ZERO_EMPTY),
                block.texts(ScenarioKeys.SETTINGS),
                block.has(ScenarioKeys.WORKLOAD)
                        ? workload(block.block(ScenarioKeys.WORKLOAD, Section.WORKLOAD), target)
                        : null);
    }

    private Scenario.@Nullable Workload workload(YamlBlock block, int target) {
        Integer maxInUse = block.find(ScenarioKeys.MAX_IN_USE);
        Scenario.Workload workload = new Scenario.Workload(
                maxInUse == null ? target : maxInUse,
                block.get(ScenarioKeys.HOLD_TIME),
                block.get(ScenarioKeys.HOLD_JITTER),
                block.get(ScenarioKeys.SPAWN_EVERY),
                block.get(ScenarioKeys.ARRIVAL_BURST),
                block.get(ScenarioKeys.MAX_WAIT),
                block.get(ScenarioKeys.LEAK_EVERY),
                traffic(block.block(ScenarioKeys.TRAFFIC, Section.TRAFFIC)));
        return block.get(ScenarioKeys.ENABLED) ? workload : null;
    }

    private Traffic traffic(YamlBlock block) {
        Shape shape = block.get(ScenarioKeys.SHAPE);
        refuseOthers(block, shape, OF_SHAPE, "shape");
        return switch (shape) {
            case STEADY -> Traffic.STEADY;
            case DAILY ->
                new Traffic.Daily(
                        block.get(ScenarioKeys.LEAST), block.get(ScenarioKeys.MOST), block.get(ScenarioKeys.PERIOD));
            case SPIKE ->
                new Traffic.Spike(
                        block.get(ScenarioKeys.SPIKE_AT),
                        block.get(ScenarioKeys.SPIKE_FOR),
                        block.get(ScenarioKeys.FACTOR));
            case REPLAY -> replay(block);
        };
    }

    private Traffic replay(YamlBlock block) {
        block.require(ScenarioKeys.FILE);
        String name = block.find(ScenarioKeys.FILE);
        if (name != null) {
            try {
                return TrafficFile.read(file.resolveSibling(name));
            } catch (IllegalArgumentException e) {
                block.refuse(ScenarioKeys.FILE, String.valueOf(e.getMessage()));
            }
        }
        return Traffic.STEADY;
    }
}
