// SPDX-License-Identifier: Apache-2.0
package dev.forebay.sim;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.forebay.ForebayConfig;
import dev.forebay.fleet.FleetConfig;
import dev.forebay.model.ClusterSettings;
import dev.forebay.model.Latency;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

class ServiceConfigTest {

    private static final Scenario.Workload WORKLOAD = new Scenario.Workload(
            40,
            Duration.ofMillis(10),
            Duration.ZERO,
            Duration.ofMillis(200),
            5,
            Duration.ofSeconds(7),
            0,
            Traffic.STEADY);

    private static Scenario.Service service(ForebayConfig.Mode mode, Map<String, String> settings) {
        return new Scenario.Service(
                "history",
                2,
                mode,
                40,
                Duration.ofSeconds(30),
                Duration.ofMinutes(9),
                Duration.ofMinutes(1),
                Duration.ZERO,
                Duration.ZERO,
                Duration.ZERO,
                null,
                settings,
                WORKLOAD);
    }

    private static Scenario scenario(Scenario.Limits limits, Scenario.Service service) {
        return new Scenario(
                "test",
                "",
                1,
                "cluster",
                Duration.ofMinutes(1),
                Duration.ofSeconds(1),
                new Scenario.Server(ClusterSettings.builder().mostSessions(777).build(), Latency.NONE, Latency.NONE),
                limits,
                Scenario.Store.DEFAULT,
                Scenario.Asserts.DEFAULT,
                List.of(),
                List.of(service));
    }

    private static ForebayConfig config(ForebayConfig.Mode mode, Map<String, String> settings) {
        Scenario.Service service = service(mode, settings);
        return ServiceConfig.of(scenario(Scenario.Limits.DEFAULT, service), service, "history-1");
    }

    private static FleetConfig fleet(Scenario.Limits limits) {
        Scenario.Service service = service(ForebayConfig.Mode.RESERVOIR, Map.of());
        return ServiceConfig.fleet(scenario(limits, service), service);
    }

    @Test
    void aReservoirHasTheTargetTheLifetimesAndTheGuardWindowOfTheService() {
        ForebayConfig config = config(ForebayConfig.Mode.RESERVOIR, Map.of());
        assertEquals(ForebayConfig.Mode.RESERVOIR, config.mode());
        assertEquals("history-1", config.serviceName());
        assertEquals(40, config.targetReady());
        assertEquals(40, config.maxOpen());
        assertEquals(Duration.ofSeconds(30), config.guardWindow());
        assertEquals(Duration.ofMinutes(9), config.baseLifetime());
        assertEquals(Duration.ofMinutes(1), config.lifetimeJitter());
    }

    @ParameterizedTest
    @EnumSource(names = {"STANDARD", "ON_DEMAND"})
    void otherModesOpenAsManyAndKeepTheirOwnLifetime(ForebayConfig.Mode mode) {
        ForebayConfig config = config(mode, Map.of());
        assertEquals(mode, config.mode());
        assertEquals(40, config.maxOpen());
        assertEquals(Duration.ofMinutes(55), config.maxLifetime());
        assertTrue(config.staggeredStartup());
    }

    @Test
    void aCheckoutWaitsAsLongAsTheWorkDoes() {
        assertEquals(
                Duration.ofSeconds(7),
                config(ForebayConfig.Mode.RESERVOIR, Map.of()).connectionTimeout());
    }

    @Test
    void sharedLimitsAreThoseOfTheFleetAndOfTheCluster() {
        FleetConfig fleet = fleet(new Scenario.Limits(60, 7, true, true));
        assertTrue(fleet.rateLimiter());
        assertEquals(60, fleet.rateLimit());
        assertEquals(7, fleet.rateBurst());
        assertTrue(fleet.connectionLease());
        assertEquals(777, fleet.leaseLimit());
    }

    @Test
    void whatIsNotSharedIsOff() {
        FleetConfig fleet = fleet(new Scenario.Limits(60, 7, false, false));
        assertFalse(fleet.rateLimiter());
        assertFalse(fleet.connectionLease());
    }

    @Test
    void settingsStandOverTheRestWithOrWithoutThePrefix() {
        ForebayConfig config = config(
                ForebayConfig.Mode.RESERVOIR,
                Map.of("forebay.connection-rate-limit", "5", "reservoir.spare", "3", "max-open", "50"));
        assertEquals(5, config.connectionRateLimit());
        assertEquals(3, config.spare());
        assertEquals(50, config.maxOpen());
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            reservoir.spair                | 3   | forebay.reservoir.spair=3: there is no such property; valid are those of docs/configuration.md; did you mean forebay.reservoir.spare?
            reservoir.spare                | -3  | forebay.reservoir.spare=-3: too small; valid is a whole number from 0 to 1000000
            keepalive                      | 5   | forebay.keepalive=5: a unit is missing; valid is 0 or a duration such as 11m, 45s, 100ms or 1h30m
            max-open                       | 3   | forebay.reservoir.target-ready=40, forebay.reservoir.low-watermark=3 (default), forebay.max-open=3: so many can never be ready; valid is a target-ready and a low-watermark of at most max-open, or no max-open
            reservoir.low-watermark        | 50  | forebay.reservoir.target-ready=40 is raised to forebay.reservoir.low-watermark=50
            mode                           | x   | forebay.mode: a scenario says that by its key mode
            forebay.reservoir.guard-window | 1s  | forebay.reservoir.guard-window: a scenario says that by its key guardWindow
            jdbc.read-only                 | true| forebay.jdbc.read-only: has no effect in a simulation
            dsql.retry.max_retries         | 1   | dsql.retry.max_retries: has no effect in a simulation
            keepalive                      | ' ' | forebay.keepalive: there is no value
            """)
    void aSettingThatMakesNoSenseIsRefused(String name, String value, String message) {
        Map<String, String> settings = Map.of(name, value);
        IllegalArgumentException refused =
                assertThrows(IllegalArgumentException.class, () -> config(ForebayConfig.Mode.RESERVOIR, settings));
        assertEquals(message, refused.getMessage());
    }

    @Test
    void aSettingIsNotMadeTwice() {
        Map<String, String> settings = Map.of("keepalive", "5s", "forebay.keepalive", "6s");
        IllegalArgumentException refused =
                assertThrows(IllegalArgumentException.class, () -> config(ForebayConfig.Mode.RESERVOIR, settings));
        assertEquals("forebay.keepalive: is set twice", refused.getMessage());
    }
}
