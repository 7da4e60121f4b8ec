// SPDX-License-Identifier: Apache-2.0
package dev.forebay.spring;

import dev.forebay.ForebayDataSource;
import dev.forebay.engine.OpenFailure;
import dev.forebay.engine.PoolStats;
import dev.forebay.fleet.FleetConfig;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.actuate.endpoint.Access;
import org.springframework.boot.actuate.endpoint.InvalidEndpointRequestException;
import org.springframework.boot.actuate.endpoint.annotation.Endpoint;
import org.springframework.boot.actuate.endpoint.annotation.ReadOperation;
import org.springframework.boot.actuate.endpoint.annotation.Selector;
import org.springframework.boot.actuate.endpoint.annotation.WriteOperation;

/**
 * The pool at {@code /actuator/forebay}: its numbers and its settings with their origins. It evicts, checks, suspends
 * or resumes only where {@code management.endpoint.forebay.access} is {@code unrestricted}. Thread-safe.
 */
@Endpoint(id = "forebay", defaultAccess = Access.READ_ONLY)
final class ForebayEndpoint {

    private static final int MOST_HOLDERS = 10;
    private static final String MASKED = "******";

    /** The settings with text of the application's own, which may hold a secret. */
    private static final Set<String> SECRET = Set.of("forebay.jdbc.connection-init-sql");

    private final ForebayDataSource dataSource;
    private final @Nullable SpringSettings settings;

    ForebayEndpoint(ForebayDataSource dataSource, @Nullable SpringSettings settings) {
        this.dataSource = dataSource;
        this.settings = settings;
    }

    /** Returns everything there is to see. */
    @ReadOperation
    Map<String, Object> pool() {
        PoolStats stats = dataSource.stats();
        Map<String, Object> all = new LinkedHashMap<>();
        all.put("service", dataSource.config().serviceName());
        all.put("state", PoolState.of(dataSource).word());
        OpenFailure failure = dataSource.lastFailure();
        if (failure != null) {
            all.put("lastError", failure.cause().label());
        }
        all.put("census", census(stats));
        all.put("counters", counters(stats));
        all.put("holders", holders());
        all.put("settings", settings());
        all.put("notices", dataSource.config().notices());
        return all;
    }

    /** Does one thing to the pool, and returns its state afterwards. */
    @WriteOperation
    Map<String, Object> act(@Selector String action) {
        switch (action) {
            case "evict" -> dataSource.evictAll();
            case "check" -> dataSource.checkAll();
            case "suspend" -> dataSource.suspend();
            case "resume" -> dataSource.resume();
            default ->
                throw new InvalidEndpointRequestException(
                        "there is no action " + action, "valid are evict, check, suspend and resume");
        }
        return Map.of(
                "done", action,
                "state", PoolState.of(dataSource).word(),
                "census", census(dataSource.stats()));
    }

    private static Map<String, Object> census(PoolStats stats) {
        Map<String, Object> census = new LinkedHashMap<>();
        census.put("ready", stats.ready());
        census.put("leased", stats.borrowed());
        census.put("opening", stats.opening());
        census.put("closing", stats.closing());
        census.put("waiting", stats.waiting());
        census.put("target", stats.target());
        census.put("maxOpen", stats.maxOpen());
        return census;
    }

    private static Map<String, Object> counters(PoolStats stats) {
        Map<String, Object> counters = new LinkedHashMap<>();
        counters.put("checkouts", stats.checkouts());
        counters.put("empties", stats.empties());
        counters.put("waits", stats.waits());
        counters.put("waitedMillis", stats.waitedNanos() / 1_000_000);
        counters.put("timeouts", stats.timeouts());
        counters.put("opened", stats.opened());
        Map<String, Long> failures = new TreeMap<>();
        stats.openFailures().forEach((cause, count) -> failures.put(cause.label(), count));
        counters.put("openFailures", failures);
        Map<String, Long> discards = new TreeMap<>();
        stats.discards().forEach((reason, count) -> discards.put(reason.label(), count));
        counters.put("discards", discards);
        return counters;
    }

    private List<Map<String, Object>> holders() {
        return dataSource.holders(MOST_HOLDERS).stream()
                .map(holder -> Map.<String, Object>of(
                        "who", holder.who(), "heldMillis", holder.held().toMillis()))
                .toList();
    }

    private List<Map<String, String>> settings() {
        FleetConfig fleet = FleetConfig.of(dataSource.config().fleetSettings());
        Map<String, String> origins = new HashMap<>(dataSource.config().origins());
        origins.putAll(fleet.origins());
        Map<String, String> values = new TreeMap<>(dataSource.config().values());
        values.putAll(fleet.values());
        List<Map<String, String>> all = new ArrayList<>();
        values.forEach((property, value) -> {
            Map<String, String> one = new LinkedHashMap<>();
            one.put("name", SpringSettings.springName(property));
            one.put("value", SECRET.contains(property) ? MASKED : value);
            one.put("origin", origin(property, origins.getOrDefault(property, "default")));
            all.add(one);
        });
        return all;
    }

    /** Returns Spring's origin of a setting if the value still comes from there, otherwise the pool's. */
    private String origin(String property, String origin) {
        String known = settings == null ? null : settings.origin(property);
        return known == null || !origin.startsWith("property ") ? origin : known;
    }
}
