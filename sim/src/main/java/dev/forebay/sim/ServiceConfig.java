// SPDX-License-Identifier: Apache-2.0
package dev.forebay.sim;

import dev.forebay.ForebayConfig;
import dev.forebay.engine.internal.Option;
import dev.forebay.fleet.FleetConfig;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Turns a service of a scenario into the settings of its processes. Stateless. */
final class ServiceConfig {

    /** The table of the limits; in a simulation there is one, whatever its name. */
    private static final String TABLE = "sim";

    private static final String PREFIX = "forebay.";

    /** The properties of all knobs. */
    static final Set<String> PROPERTIES = Stream.concat(ForebayConfig.knobs().stream(), FleetConfig.knobs().stream())
            .map(Option::name)
            .collect(Collectors.toUnmodifiableSet());

    /** Properties for which a scenario has a key of its own: said twice, one of the two would be ignored. */
    private static final Map<String, String> KEYS = Map.ofEntries(
            Map.entry("forebay.mode", "mode"),
            Map.entry("forebay.reservoir.enabled", "mode"),
            Map.entry("forebay.service-name", "name"),
            Map.entry("forebay.connection-timeout", "workload.maxWait"),
            Map.entry("forebay.reservoir.target-ready", "targetReady"),
            Map.entry("forebay.reservoir.base-lifetime", "baseLifetime"),
            Map.entry("forebay.reservoir.lifetime-jitter", "jitter"),
            Map.entry("forebay.reservoir.guard-window", "guardWindow"),
            Map.entry("forebay.fleet.rate-limiter.enabled", "limiter"),
            Map.entry("forebay.fleet.rate-limiter.table", "limiter"),
            Map.entry("forebay.fleet.rate-limiter.limit", "limiterPerSec"),
            Map.entry("forebay.fleet.rate-limiter.burst", "limiterBurst"),
            Map.entry("forebay.fleet.lease.enabled", "leases"),
            Map.entry("forebay.fleet.lease.table", "leases"),
            Map.entry("forebay.fleet.lease.limit", "server.cap"));

    /** The prefixes that have no effect in a simulation: there is no SQL, no token and no JVM to be watched. */
    private static final List<String> WITHOUT_EFFECT =
            List.of("forebay.jdbc.", "forebay.dsql.", "forebay.metrics.", "dsql.");

    private ServiceConfig() {}

    /**
     * The settings of the process {@code processName} of {@code service}.
     *
     * @throws IllegalArgumentException naming a setting that makes no sense, its value and what would be valid
     */
    static ForebayConfig of(Scenario scenario, Scenario.Service service, String processName) {
        ForebayConfig.Builder config =
                ForebayConfig.builder().mode(service.mode()).serviceName(processName);
        switch (service.mode()) {
            case RESERVOIR ->
                config.targetReady(service.targetReady())
                        .guardWindow(service.guardWindow())
                        .baseLifetime(service.baseLifetime())
                        .lifetimeJitter(service.jitter());
            case STANDARD, ON_DEMAND -> config.maxOpen(service.targetReady());
        }
        if (service.workload() != null) {
            config.connectionTimeout(service.workload().maxWait());
        }
        ForebayConfig built =
                config.applyProperties(properties(service.settings())).build();
        if (!built.notices().isEmpty()) {
            throw new IllegalArgumentException(String.join("; ", built.notices()));
        }
        return built;
    }

    /** The limits that the processes of {@code service} share with the fleet. */
    static FleetConfig fleet(Scenario scenario, Scenario.Service service) {
        FleetConfig.Builder config = FleetConfig.builder();
        Scenario.Limits limits = scenario.limits();
        if (limits.rateShared()) {
            config.rateLimiter(true)
                    .rateTable(TABLE)
                    .rateLimit(limits.perSecond())
                    .rateBurst(limits.burst());
        }
        if (limits.leases()) {
            config.connectionLease(true)
                    .leaseTable(TABLE)
                    .leaseLimit(scenario.server().settings().mostSessions());
        }
        return config.apply(of(scenario, service, service.name()).fleetSettings())
                .build();
    }

    private static Properties properties(Map<String, String> settings) {
        Properties properties = new Properties();
        new TreeMap<>(settings).forEach((name, value) -> {
            String property = property(name);
            if (properties.containsKey(property)) {
                throw new IllegalArgumentException(property + ": is set twice");
            }
            if (value.isBlank()) {
                throw new IllegalArgumentException(property + ": there is no value");
            }
            properties.setProperty(property, value);
        });
        return properties;
    }

    /**
     * The property that {@code name} stands for, which may be written without the prefix that most of them have.
     *
     * @throws IllegalArgumentException if a scenario says it by another key, or if nothing would come of it
     */
    static String property(String name) {
        String property = name.startsWith(PREFIX) || PROPERTIES.contains(name) ? name : PREFIX + name;
        String key = KEYS.get(property);
        if (key != null) {
            throw new IllegalArgumentException(property + ": a scenario says that by its key " + key);
        }
        if (WITHOUT_EFFECT.stream().anyMatch(property::startsWith)) {
            throw new IllegalArgumentException(property + ": has no effect in a simulation");
        }
        return property;
    }
}
