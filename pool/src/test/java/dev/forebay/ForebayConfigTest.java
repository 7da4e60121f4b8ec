// SPDX-License-Identifier: Apache-2.0
package dev.forebay;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.forebay.ForebayConfig.Isolation;
import dev.forebay.ForebayConfig.Mode;
import dev.forebay.engine.Backoff;
import dev.forebay.engine.PoolConfig;
import dev.forebay.engine.PoolConfig.Exhaustion;
import dev.forebay.engine.PoolConfig.ReuseOrder;
import dev.forebay.engine.internal.Option;
import dev.forebay.tx.TxRetryPolicy;
import java.sql.Connection;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.SplittableRandom;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class ForebayConfigTest {

    private static ForebayConfig env(String... pairs) {
        return ForebayConfig.fromEnvironment(map(pairs));
    }

    private static Map<String, String> map(String... pairs) {
        Map<String, String> map = new HashMap<>();
        for (int i = 0; i < pairs.length; i += 2) {
            map.put(pairs[i], pairs[i + 1]);
        }
        return map;
    }

    private static Properties properties(String... pairs) {
        Properties properties = new Properties();
        properties.putAll(map(pairs));
        return properties;
    }

    private static String refusal(String... pairs) {
        return assertThrows(IllegalArgumentException.class, () -> env(pairs)).getMessage();
    }

    private static ForebayConfig reservoir(String... pairs) {
        List<String> all = new ArrayList<>(List.of("DSQL_RESERVOIR_ENABLED", "true"));
        all.addAll(Arrays.asList(pairs));
        return env(all.toArray(String[]::new));
    }

    // ---- declaration

    @Test
    void everyKnobHasNamesOfItsOwnThatFollowThePattern() {
        TreeSet<String> names = new TreeSet<>();
        for (Option<?> knob : Knobs.ALL) {
            // Those of the Go implementation, which had them first, keep their underscores.
            assertTrue(knob.name().matches("forebay(\\.[a-z]+(-[a-z]+)*)+|dsql(\\.[a-z]+(_[a-z]+)*)+"), knob.name());
            assertTrue(
                    knob.variable().matches("DSQL(_[A-Z]+)+|CLUSTER_ENDPOINT|REGION"), // two of the Go implementation
                    knob.variable());
            assertTrue(names.add(knob.name()) && names.add(knob.variable()), knob.name());
            assertTrue(knob.purpose().endsWith("."), knob.purpose());
        }
    }

    @Test
    void everyKnobHasAnAccessorAndASetter() {
        TreeSet<String> accessors = new TreeSet<>();
        Arrays.stream(ForebayConfig.class.getMethods()).forEach(method -> accessors.add(method.getName()));
        List<String> setters = Arrays.stream(ForebayConfig.Builder.class.getMethods())
                .filter(method -> method.getReturnType() == ForebayConfig.Builder.class)
                .map(method -> method.getName())
                .filter(name -> !name.startsWith("apply"))
                .toList();
        // The reservoir's flag is set through the mode.
        assertEquals(Knobs.ALL.size() - 1, setters.size());
        assertTrue(accessors.containsAll(setters));
    }

    @Test
    void defaultsAreThoseOfTheSeeds() {
        ForebayConfig config = env();
        assertEquals(Mode.STANDARD, config.mode());
        assertEquals("default", config.serviceName());
        assertEquals(100, config.maxOpen());
        assertEquals(100, config.targetReady());
        assertEquals(100, config.lowWatermark());
        assertEquals(Duration.ofMinutes(11), config.baseLifetime());
        assertEquals(Duration.ofMinutes(2), config.lifetimeJitter());
        assertEquals(Duration.ofSeconds(45), config.guardWindow());
        assertEquals(Duration.ofSeconds(30), config.initialFillTimeout());
        assertEquals(32, config.inflightLimit());
        assertEquals(10, config.spare());
        assertEquals(Duration.ofMillis(100), config.emptyWait());
        assertEquals(10, config.connectionRateLimit());
        assertEquals(100, config.connectionBurstLimit());
        assertEquals(Duration.ofMinutes(55), config.maxLifetime());
        assertTrue(config.staggeredStartup());
        assertEquals(Duration.ofSeconds(5), config.staggeredStartupMaxDelay());
        assertNull(config.schema());
        assertNull(config.isolation());
        assertEquals(List.of(), config.notices());
    }

    @Test
    void theVariablesOfACloudAreRead() {
        ForebayConfig config = env(
                "CLUSTER_ENDPOINT", "abc.dsql.us-east-1.on.aws",
                "REGION", "us-east-1",
                "DSQL_TOKEN_DURATION", "168h");
        assertEquals("abc.dsql.us-east-1.on.aws", config.clusterEndpoint());
        assertEquals("us-east-1", config.region());
        assertEquals("admin", config.user());
        assertEquals(Duration.ofDays(7), config.tokenDuration());
    }

    @Test
    void theSettingsOfAFleetAreKeptInTheOrderInWhichTheyCount() {
        ForebayConfig config = ForebayConfig.builder()
                .applyProperties(properties("forebay.fleet.lease.limit", "3", "forebay.fleet.lease.table", "leases"))
                .applyEnvironment(map("DSQL_DISTRIBUTED_CONN_LIMIT", "4", "DSQL_DISTRIBUTED_CONN_LEASE_TABLE", " "))
                .build();
        assertEquals(
                "[forebay.fleet.lease.limit=3, forebay.fleet.lease.table=leases, DSQL_DISTRIBUTED_CONN_LIMIT=4]",
                config.fleetSettings().entrySet().toString());
        assertEquals(config, config.toBuilder().build());
        assertEquals(List.of(), config.notices());
    }

    @Test
    void aTokenLastsFromTwoMinutesToSevenDays() {
        assertTrue(refusal("DSQL_TOKEN_DURATION", "119s").contains("too short"));
        assertTrue(refusal("DSQL_TOKEN_DURATION", "168h1s").contains("too long"));
    }

    @Test
    void theVariablesOfTheReservoirAreRead() {
        ForebayConfig config = env(
                "DSQL_RESERVOIR_ENABLED", "true",
                "DSQL_RESERVOIR_TARGET_READY", "40",
                "DSQL_RESERVOIR_LOW_WATERMARK", "30",
                "DSQL_RESERVOIR_BASE_LIFETIME", "20m",
                "DSQL_RESERVOIR_LIFETIME_JITTER", "4m",
                "DSQL_RESERVOIR_GUARD_WINDOW", "1m30s");
        assertEquals(Mode.RESERVOIR, config.mode());
        assertEquals(40, config.targetReady());
        assertEquals(30, config.lowWatermark());
        assertEquals(Duration.ofMinutes(20), config.baseLifetime());
        assertEquals(Duration.ofMinutes(4), config.lifetimeJitter());
        assertEquals(Duration.ofSeconds(90), config.guardWindow());
    }

    @Test
    void targetAndLowWatermarkAreTheMaximumUnlessTheyAreSet() {
        ForebayConfig config = reservoir("DSQL_MAX_CONNS", "70");
        assertEquals(70, config.targetReady());
        assertEquals(70, config.lowWatermark());
    }

    // ---- the rules of the Go implementation

    @Test
    void aTargetBelowTheLowWatermarkIsRaised() {
        ForebayConfig config = reservoir("DSQL_RESERVOIR_TARGET_READY", "20", "DSQL_RESERVOIR_LOW_WATERMARK", "30");
        assertEquals(30, config.targetReady());
        assertEquals(30, config.maxOpen());
        assertEquals(
                List.of("DSQL_RESERVOIR_TARGET_READY=20 is raised to DSQL_RESERVOIR_LOW_WATERMARK=30"),
                config.notices());
    }

    @ParameterizedTest
    @ValueSource(strings = {"0", "0s", "-1m"})
    void aBaseLifetimeThatIsNotPositiveIsElevenMinutes(String text) {
        ForebayConfig config = reservoir("DSQL_RESERVOIR_BASE_LIFETIME", text);
        assertEquals(Duration.ofMinutes(11), config.baseLifetime());
        assertEquals(List.of("DSQL_RESERVOIR_BASE_LIFETIME=" + text + " is taken as 11m0s"), config.notices());
    }

    @Test
    void aNegativeJitterIsNone() {
        ForebayConfig config = reservoir("DSQL_RESERVOIR_LIFETIME_JITTER", "-2m");
        assertEquals(Duration.ZERO, config.lifetimeJitter());
        assertEquals(List.of("DSQL_RESERVOIR_LIFETIME_JITTER=-2m is taken as 0s"), config.notices());
    }

    @Test
    void aNegativeGuardWindowIsNone() {
        ForebayConfig config = reservoir("DSQL_RESERVOIR_GUARD_WINDOW", "-1s");
        assertEquals(Duration.ZERO, config.guardWindow());
        assertEquals(List.of("DSQL_RESERVOIR_GUARD_WINDOW=-1s is taken as 0s"), config.notices());
    }

    @ParameterizedTest
    @CsvSource({
        "true, RESERVOIR",
        "TRUE, RESERVOIR",
        "1, RESERVOIR",
        "false, STANDARD",
        "0, STANDARD",
        "yes, STANDARD",
        "on, STANDARD",
        "'', STANDARD"
    })
    void anEnabledFlagThatIsNoBooleanIsFalse(String text, Mode expected) {
        assertEquals(expected, env("DSQL_RESERVOIR_ENABLED", text).mode());
    }

    @Test
    void aFlagTakenAsFalseIsNoticed() {
        assertEquals(
                List.of("DSQL_RESERVOIR_ENABLED=yes is neither true nor false and is taken as false"),
                env("DSQL_RESERVOIR_ENABLED", "yes").notices());
    }

    // ---- what is refused

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "DSQL_RESERVOIR_BASE_LIFETIME|11|a unit is missing; valid is a duration above 0 such as 11m, 45s, 100ms or 1h30m",
                "DSQL_RESERVOIR_GUARD_WINDOW|soon|not a duration; valid is 0 or a duration such as 11m, 45s, 100ms or 1h30m",
                "DSQL_RESERVOIR_INITIAL_FILL_TIMEOUT|-1s|negative; valid is 0 or a duration such as 11m, 45s, 100ms or 1h30m",
                "DSQL_OPEN_TIMEOUT|0|not above 0; valid is a duration above 0 such as 11m, 45s, 100ms or 1h30m",
                "DSQL_RESERVOIR_BASE_LIFETIME|100000h|longer than ten years; valid is a duration above 0 such as 11m, 45s, 100ms or 1h30m",
                "DSQL_RESERVOIR_TARGET_READY|fifty|not a whole number; valid is a whole number from 1 to 1000000",
                "DSQL_RESERVOIR_TARGET_READY|5.5|not a whole number; valid is a whole number from 1 to 1000000",
                "DSQL_RESERVOIR_TARGET_READY|0|too small; valid is a whole number from 1 to 1000000",
                "DSQL_RESERVOIR_LOW_WATERMARK|-1|too small; valid is a whole number from 0 to 1000000",
                "DSQL_MAX_CONNS|99999999999|too large; valid is a whole number from 1 to 1000000",
                "DSQL_CONNECTION_RATE_LIMIT|0|too small; valid is a whole number from 1 to 1000000",
                "DSQL_STAGGERED_STARTUP|maybe|neither true nor false; valid is true or false",
                "DSQL_POOL_MODE|fast|unknown; valid is one of standard, reservoir, on-demand",
                "DSQL_ON_DEMAND_EXHAUSTION|panic|unknown; valid is one of wait, fail-fast, overflow",
                "DSQL_TRANSACTION_ISOLATION|best|unknown; valid is one of read-uncommitted, read-committed, repeatable-read, serializable",
                "DSQL_RETRY_MAX_RETRIES|1001|too large; valid is a whole number from 0 to 1000",
                "DSQL_RETRY_BASE_DELAY|-1s|negative; valid is 0 or a duration up to 1h such as 11m, 45s, 100ms or 1h30m",
                "DSQL_RETRY_MAX_DELAY|61m|too long; valid is 0 or a duration up to 1h such as 11m, 45s, 100ms or 1h30m",
                "DSQL_RETRY_JITTER_FACTOR|1.01|too large; valid is a number from 0 to 1 such as 0.25",
                "DSQL_RETRY_JITTER_FACTOR|-0.1|too small; valid is a number from 0 to 1 such as 0.25",
                "DSQL_RETRY_JITTER_FACTOR|25%|not a number; valid is a number from 0 to 1 such as 0.25",
                "DSQL_RETRY_JITTER_FACTOR|NaN|not a number; valid is a number from 0 to 1 such as 0.25",
                "DSQL_MONITORING_ALERT_THRESHOLD_CONFLICTS_PER_MINUTE|-1|too small; valid is a whole number from 0 to 1000000",
                "DSQL_SERVICE_NAME|a\u0007b|not allowed; valid is 1 to 100 characters, none of them a control character",
            })
    void anErrorNamesTheVariableTheValueAndWhatIsValid(String name, String value, String rest) {
        assertEquals(Option.written(name, value) + ": " + rest, refusal(name, value));
    }

    @Test
    void aPropertyIsNamedAsAProperty() {
        Properties wrong = properties("forebay.reservoir.guard-window", "45");
        assertEquals(
                "forebay.reservoir.guard-window=45: a unit is missing; valid is 0 or a duration such as 11m, 45s, 100ms"
                        + " or 1h30m",
                assertThrows(IllegalArgumentException.class, () -> ForebayConfig.fromProperties(wrong))
                        .getMessage());
    }

    @Test
    void codeIsHeldToTheSameRules() {
        ForebayConfig.Builder builder = ForebayConfig.builder().maxOpen(-3);
        assertEquals(
                "forebay.max-open=-3: too small; valid is a whole number from 1 to 1000000",
                assertThrows(IllegalArgumentException.class, builder::build).getMessage());
        ForebayConfig.Builder endless = ForebayConfig.builder().openTimeout(Duration.ofSeconds(Long.MAX_VALUE));
        assertTrue(assertThrows(IllegalArgumentException.class, endless::build)
                .getMessage()
                .contains("longer than ten years"));
    }

    @Test
    void aGuardWindowThatSwallowsTheShortestLifetimeIsRefused() {
        assertEquals(
                "DSQL_RESERVOIR_BASE_LIFETIME=2m, forebay.reservoir.lifetime-jitter=2m0s (default),"
                        + " DSQL_RESERVOIR_GUARD_WINDOW=1m: some connections would never be handed out, since the"
                        + " shortest lifetime is 1m0s; valid is a guard-window shorter than base-lifetime less half of"
                        + " lifetime-jitter",
                refusal(
                        "DSQL_RESERVOIR_ENABLED",
                        "true",
                        "DSQL_RESERVOIR_BASE_LIFETIME",
                        "2m",
                        "DSQL_RESERVOIR_GUARD_WINDOW",
                        "1m"));
        assertEquals(
                Duration.ofSeconds(59),
                reservoir("DSQL_RESERVOIR_BASE_LIFETIME", "2m", "DSQL_RESERVOIR_GUARD_WINDOW", "59s")
                        .guardWindow());
    }

    @Test
    void whatContradictsItselfInAnotherModeDoesNoHarm() {
        assertEquals(Mode.STANDARD, env("DSQL_RESERVOIR_GUARD_WINDOW", "1h").mode());
    }

    @Test
    void aTargetAboveTheMaximumIsRefusedUnlessAnotherPoolHoldsTheRest() {
        String[] pairs = {"DSQL_RESERVOIR_ENABLED", "true", "DSQL_MAX_CONNS", "20", "DSQL_RESERVOIR_TARGET_READY", "50"
        };
        assertEquals(
                "DSQL_RESERVOIR_TARGET_READY=50, forebay.reservoir.low-watermark=20 (default), DSQL_MAX_CONNS=20: so many"
                        + " can never be ready; valid is a target-ready and a low-watermark of at most max-open, or no"
                        + " max-open",
                refusal(pairs));
        Map<String, String> under = map(pairs);
        under.put("DSQL_RESERVOIR_UNDER_ANOTHER_POOL", "true");
        assertEquals(70, ForebayConfig.fromEnvironment(under).toPoolConfig().maxOpen());
    }

    @Test
    void backoffsAndIdlesThatContradictTheirMaximumAreRefused() {
        assertTrue(
                refusal("DSQL_WARMUP_BACKOFF", "6s").startsWith("DSQL_WARMUP_BACKOFF=6s, forebay.standard.warmup-max"));
        assertTrue(refusal("DSQL_POOL_MODE", "reservoir", "DSQL_BACKOFF", "6s")
                .startsWith("DSQL_BACKOFF=6s, forebay.max-backoff=5s (default): "));
        assertTrue(refusal("DSQL_POOL_MODE", "on-demand", "DSQL_ON_DEMAND_MIN_IDLE", "101")
                .startsWith("DSQL_ON_DEMAND_MIN_IDLE=101, forebay.max-open=100 (default): "));
        assertTrue(refusal(
                        "DSQL_POOL_MODE",
                        "on-demand",
                        "DSQL_ON_DEMAND_EXHAUSTION",
                        "overflow",
                        "DSQL_ON_DEMAND_OVERFLOW",
                        "0")
                .startsWith("DSQL_ON_DEMAND_EXHAUSTION=overflow, DSQL_ON_DEMAND_OVERFLOW=0: "));
    }

    @ParameterizedTest
    @CsvSource({"true, on-demand", "true, standard", "false, reservoir"})
    void aFlagAndAModeThatContradictEachOtherAreRefused(String flag, String mode) {
        assertEquals(
                "DSQL_RESERVOIR_ENABLED=" + flag + ", DSQL_POOL_MODE=" + mode
                        + ": they contradict each other; valid is one of them, or both with the same meaning",
                refusal("DSQL_RESERVOIR_ENABLED", flag, "DSQL_POOL_MODE", mode));
    }

    // ---- names

    @ParameterizedTest
    @CsvSource({
        "forebay.reservoir.target-redy, forebay.reservoir.target-ready",
        "forebay.maxOpen, forebay.max-open",
        "forebay.target-ready, forebay.reservoir.target-ready",
        "dsql.retry.max-retries, dsql.retry.max_retries",
        "dsql.monitoring.alert_threshold_conflicts_per_min, dsql.monitoring.alert_threshold_conflicts_per_minute",
        "forebay.retry.max_retries, dsql.retry.max_retries",
    })
    void anUnknownPropertyIsRefusedWithTheNearestName(String name, String nearest) {
        Properties wrong = properties(name, "50");
        assertEquals(
                name + "=50: there is no such property; valid are those of docs/configuration.md; did you mean "
                        + nearest + "?",
                assertThrows(IllegalArgumentException.class, () -> ForebayConfig.fromProperties(wrong))
                        .getMessage());
    }

    @Test
    void anEnvironmentVariableAmongThePropertiesIsRefused() {
        Properties wrong = properties("DSQL_RESERVOIR_TARGET_READY", "50");
        assertEquals(
                "DSQL_RESERVOIR_TARGET_READY=50: an environment variable among the properties; valid is"
                        + " forebay.reservoir.target-ready",
                assertThrows(IllegalArgumentException.class, () -> ForebayConfig.fromProperties(wrong))
                        .getMessage());
    }

    @Test
    void whatIsNotOursIsIgnoredAndAMisspeltVariableIsNoticed() {
        ForebayConfig config = env("PATH", "/bin", "DSQL_RESERVOIR_TARGET_REDY", "7");
        assertEquals(
                List.of("DSQL_RESERVOIR_TARGET_REDY is not a variable of ours and is ignored; did you mean"
                        + " DSQL_RESERVOIR_TARGET_READY?"),
                config.notices());
        assertEquals(ForebayConfig.builder().build(), ForebayConfig.fromProperties(properties("java.version", "17")));
    }

    @ParameterizedTest
    @CsvSource({
        "DSQL_POOL_KEEPER_TICK, DSQL_POOL_KEEPER_TICK_INTERVAL",
        "DSQL_POOL_MOD, DSQL_POOL_MODE",
        "DSQL_ON_DEMAND_IDLE_TIME, DSQL_ON_DEMAND_IDLE_TIMEOUT",
        "DSQL_WARMUP_RETRY, DSQL_WARMUP_RETRIES",
        "DSQL_STAGGERED_START, DSQL_STAGGERED_STARTUP",
        "DSQL_MAX_CONNECTIONS, DSQL_MAX_CONNS",
        "DSQL_CONNECTION_RATE, DSQL_CONNECTION_RATE_LIMIT",
    })
    void aMisspeltVariableIsNoticedWithTheNearestName(String name, String nearest) {
        assertEquals(
                List.of(name + " is not a variable of ours and is ignored; did you mean " + nearest + "?"),
                env(name, "hunter2").notices());
        assertEquals(List.of(), env(name, "").notices(), "an empty one counts as unset");
    }

    @Test
    void variablesOfOthersAndAllOfOursAreNotNoticed() {
        Map<String, String> variables = new HashMap<>();
        Knobs.ALL.forEach(knob -> variables.put(knob.variable(), " "));
        for (String other : List.of(
                "DSQL_HOST", "DSQL_ENDPOINT", "DSQL_TOKEN", "DSQL_CONNECTION_STRING", "DSQL_MAX_ROWS", "AWS_REGION")) {
            variables.put(other, "x");
        }
        assertEquals(List.of(), ForebayConfig.fromEnvironment(variables).notices());
    }

    @Test
    void emptyAndPaddedValuesAreForgiven() {
        ForebayConfig config = env("DSQL_RESERVOIR_TARGET_READY", "", "DSQL_MAX_CONNS", " 40 ");
        assertEquals(40, config.targetReady());
    }

    // ---- layers

    @Test
    void whatIsAppliedLaterReplacesWhatWasAppliedBeforeAndIsRemembered() {
        ForebayConfig config = ForebayConfig.builder()
                .applyEnvironment(map("DSQL_MAX_CONNS", "10", "DSQL_SERVICE_NAME", "history", "DSQL_TRUST", "1m"))
                .applyProperties(properties("forebay.max-open", "20", "forebay.trust", "2m"))
                .maxOpen(30)
                .build();
        assertEquals(30, config.maxOpen());
        assertEquals("history", config.serviceName());
        assertEquals(Duration.ofMinutes(2), config.trust());
        assertEquals("code", config.origins().get("forebay.max-open"));
        assertEquals("environment variable DSQL_SERVICE_NAME", config.origins().get("forebay.service-name"));
        assertEquals("property forebay.trust", config.origins().get("forebay.trust"));
        assertEquals("default", config.origins().get("forebay.keepalive"));
        assertEquals(Knobs.ALL.size(), config.origins().size());
        assertEquals("2m0s", config.values().get("forebay.trust"));
    }

    @Test
    void theFlagIsAnotherWayToSayTheModeInEveryLayer() {
        Map<String, String> on = map("DSQL_RESERVOIR_ENABLED", "true");
        ForebayConfig enabled = ForebayConfig.fromEnvironment(on);
        assertEquals(
                "environment variable DSQL_RESERVOIR_ENABLED", enabled.origins().get("forebay.mode"));
        assertEquals("true", enabled.values().get("forebay.reservoir.enabled"));
        ForebayConfig.Builder builder = ForebayConfig.builder().applyEnvironment(on);
        assertEquals(
                Mode.STANDARD,
                builder.applyProperties(properties("forebay.reservoir.enabled", "false"))
                        .build()
                        .mode());
        assertEquals(Mode.ON_DEMAND, builder.mode(Mode.ON_DEMAND).build().mode());
        assertEquals(
                Mode.ON_DEMAND,
                env("DSQL_RESERVOIR_ENABLED", "false", "DSQL_POOL_MODE", "on_demand")
                        .mode());
    }

    @Test
    void aReopenedConfigDerivesAgain() {
        ForebayConfig small =
                ForebayConfig.builder().mode(Mode.RESERVOIR).maxOpen(10).build();
        ForebayConfig large = small.toBuilder().maxOpen(200).build();
        assertEquals(200, large.targetReady());
        assertEquals(20, large.spare());
        assertEquals(10, small.targetReady());
        assertEquals(small, small.toBuilder().build());
        assertEquals(small.hashCode(), small.toBuilder().build().hashCode());
        assertEquals(small.origins(), small.toBuilder().build().origins());
    }

    // ---- transactions

    @Test
    void retriesAreFairAndDoubleTheirWaitsIfAnyIsSet() {
        assertEquals(TxRetryPolicy.FAIR, env().retryPolicy());
        assertEquals(TxRetryPolicy.PATIENT, env("DSQL_RETRY_MAX_RETRIES", "5").retryPolicy());
        assertEquals(
                TxRetryPolicy.PATIENT, env("DSQL_RETRY_BASE_DELAY", "100ms").retryPolicy());
        assertEquals(TxRetryPolicy.PATIENT, env("DSQL_RETRY_MAX_DELAY", "5s").retryPolicy());
        assertEquals(
                TxRetryPolicy.PATIENT, env("DSQL_RETRY_JITTER_FACTOR", "0.25").retryPolicy());
        assertEquals(100, env().conflictAlertThreshold());
        assertTrue(env().trackRetryCounts());
        assertEquals(false, env("DSQL_MONITORING_TRACK_RETRY_COUNTS", "false").trackRetryCounts());
        ForebayConfig config = ForebayConfig.fromProperties(properties(
                "dsql.retry.max_retries", "7",
                "dsql.retry.base_delay", "20ms",
                "dsql.retry.max_delay", "1s",
                "dsql.retry.jitter_factor", "1",
                "dsql.monitoring.alert_threshold_conflicts_per_minute", "0"));
        TxRetryPolicy expected =
                new TxRetryPolicy(7, Duration.ofMillis(20), Duration.ofSeconds(1), new TxRetryPolicy.Jitter(0, 2));
        assertEquals(expected, config.retryPolicy());
        assertEquals(0, config.conflictAlertThreshold());
        assertEquals(
                expected,
                env(
                                "DSQL_RETRY_MAX_RETRIES", "7",
                                "DSQL_RETRY_BASE_DELAY", "20ms",
                                "DSQL_RETRY_MAX_DELAY", "1s",
                                "DSQL_RETRY_JITTER_FACTOR", "1.0")
                        .retryPolicy());
        assertEquals(
                expected,
                ForebayConfig.builder()
                        .maxRetries(7)
                        .retryBaseDelay(Duration.ofMillis(20))
                        .retryMaxDelay(Duration.ofSeconds(1))
                        .retryJitterFactor(1)
                        .build()
                        .retryPolicy());
    }

    @Test
    void theLongestDelaysAndTheMostRetriesMakeAPolicy() {
        ForebayConfig config =
                env("DSQL_RETRY_MAX_RETRIES", "1000", "DSQL_RETRY_BASE_DELAY", "1h", "DSQL_RETRY_MAX_DELAY", "1h");
        assertEquals(Duration.ofHours(1), config.retryPolicy().baseDelay());
        assertEquals(0, env("DSQL_RETRY_MAX_RETRIES", "0").retryPolicy().maxRetries());
    }

    @ParameterizedTest
    @ValueSource(strings = {"standard", "reservoir", "on-demand"})
    void aFirstRetryDelayAboveTheLongestIsRefusedInEveryMode(String mode) {
        assertEquals(
                "DSQL_RETRY_BASE_DELAY=6s, dsql.retry.max_delay=5s (default): the first wait is longer than the longest;"
                        + " valid is a base_delay of at most the max_delay",
                refusal("DSQL_POOL_MODE", mode, "DSQL_RETRY_BASE_DELAY", "6s"));
    }

    @Test
    void codeCannotSetAFactorThatIsNoNumber() {
        ForebayConfig.Builder builder = ForebayConfig.builder().retryJitterFactor(Double.NaN);
        assertEquals(
                "dsql.retry.jitter_factor=NaN: not a number; valid is a number from 0 to 1 such as 0.25",
                assertThrows(IllegalArgumentException.class, builder::build).getMessage());
    }

    @Test
    void aMisspeltVariableOfTransactionsIsNoticedAndPropertiesOfOthersAreNot() {
        assertEquals(
                List.of("DSQL_RETRY_MAX_RETRY is not a variable of ours and is ignored; did you mean"
                        + " DSQL_RETRY_MAX_RETRIES?"),
                env("DSQL_RETRY_MAX_RETRY", "7").notices());
        assertEquals(ForebayConfig.builder().build(), ForebayConfig.fromProperties(properties("dsql.host", "h")));
    }

    // ---- the engine

    @Test
    void standardModeIsAKeeper() {
        PoolConfig engine = ForebayConfig.builder().build().toPoolConfig();
        assertEquals("keeper of 100", engine.supply().toString());
        assertEquals(100, engine.maxOpen());
        assertEquals(0, engine.spare());
        assertLongest(Duration.ofMinutes(55), Duration.ofMinutes(55).dividedBy(10), engine);
        assertEquals(Duration.ZERO, engine.guardWindow());
        assertEquals(Duration.ZERO, engine.idleTimeout());
        assertEquals(new Backoff(Duration.ofMillis(200), Duration.ofSeconds(5), 6), engine.backoff());
        assertEquals(Duration.ofSeconds(10), engine.openTimeout());
        assertEquals(65_536, engine.maxWaiting());
    }

    private static void assertLongest(Duration longest, Duration jitter, PoolConfig engine) {
        assertEquals(jitter, engine.lifetimeJitter());
        assertEquals(longest, engine.lifetime().plus(jitter.dividedBy(2)));
    }

    @ParameterizedTest
    @ValueSource(strings = {"standard", "on-demand"})
    void lifetimesAreSpreadBelowTheConfiguredOne(String mode) {
        ForebayConfig.Builder config = env("DSQL_POOL_MODE", mode, "DSQL_MAX_CONN_LIFETIME", "10m").toBuilder();
        assertLongest(
                Duration.ofMinutes(10), Duration.ofMinutes(1), config.build().toPoolConfig());
        config.maxLifetimeJitter(Duration.ofMinutes(4));
        assertLongest(
                Duration.ofMinutes(10), Duration.ofMinutes(4), config.build().toPoolConfig());
        config.maxLifetimeJitter(Duration.ZERO);
        assertLongest(Duration.ofMinutes(10), Duration.ZERO, config.build().toPoolConfig());
        config.maxLifetimeJitter(Duration.ofMinutes(10));
        IllegalArgumentException error = assertThrows(IllegalArgumentException.class, config::build);
        assertTrue(error.getMessage().contains("a max-lifetime-jitter shorter than max-lifetime"), error::getMessage);
        config.maxLifetime(Duration.ZERO);
        assertEquals(Duration.ZERO, config.build().toPoolConfig().lifetime(), "for ever, whatever the jitter");
    }

    @Test
    void aReservoirIsThePoolUnlessTheMaximumIsSet() {
        PoolConfig engine = reservoir("DSQL_RESERVOIR_TARGET_READY", "50").toPoolConfig();
        assertEquals("reservoir of 50", engine.supply().toString());
        assertEquals(50, engine.maxOpen());
        assertEquals(5, engine.spare());
        assertEquals(Duration.ofMinutes(11), engine.lifetime());
        assertEquals(Duration.ofMinutes(2), engine.lifetimeJitter());
        assertEquals(Duration.ofSeconds(45), engine.guardWindow());
        assertEquals(32, engine.inFlightLimit());
        assertEquals(Duration.ofSeconds(30), engine.keepalive());
        assertEquals(Duration.ofSeconds(60), engine.trust());
        assertEquals(Backoff.DEFAULT, engine.backoff());
        assertEquals(
                80,
                reservoir("DSQL_RESERVOIR_TARGET_READY", "50", "DSQL_MAX_CONNS", "80")
                        .toPoolConfig()
                        .maxOpen());
    }

    @Test
    void aReservoirUnderAnotherPoolHoldsTheTargetBesideIt() {
        ForebayConfig config = reservoir(
                "DSQL_RESERVOIR_TARGET_READY", "50",
                "DSQL_RESERVOIR_UNDER_ANOTHER_POOL", "true",
                "DSQL_RESERVOIR_OUTER_POOL_SIZE", "30");
        assertEquals(80, config.toPoolConfig().maxOpen());
        assertEquals(Duration.ofMillis(100), config.checkoutTimeout());
        assertEquals(Duration.ofSeconds(30), reservoir().checkoutTimeout());
    }

    @Test
    void aSmallTargetHasASpareAllTheSame() {
        assertEquals(1, reservoir("DSQL_RESERVOIR_TARGET_READY", "3").spare());
        assertEquals(0, reservoir("DSQL_RESERVOIR_SPARE", "0").toPoolConfig().spare());
    }

    @Test
    void onDemandOpensForThoseWhoWait() {
        ForebayConfig config = env(
                "DSQL_POOL_MODE", "on-demand",
                "DSQL_MAX_CONNS", "8",
                "DSQL_ON_DEMAND_MIN_IDLE", "2",
                "DSQL_ON_DEMAND_EXHAUSTION", "OVERFLOW",
                "DSQL_ON_DEMAND_OVERFLOW", "3",
                "DSQL_LEAK_DETECTION_THRESHOLD", "1m");
        PoolConfig engine = config.toPoolConfig();
        assertEquals("on demand, 2 to 8", engine.supply().toString());
        assertEquals(3, engine.spare());
        assertEquals(Exhaustion.OVERFLOW, engine.exhaustion());
        assertEquals(Duration.ofMinutes(10), engine.idleTimeout());
        assertEquals(2, engine.minIdle());
        assertEquals(ReuseOrder.NEWEST_FIRST, engine.reuseOrder());
        assertEquals(Duration.ofMinutes(1), engine.heldTooLong());
        assertEquals(0, env("DSQL_POOL_MODE", "on-demand").toPoolConfig().spare());
    }

    @Test
    void startIsStaggeredInEveryModeUnlessSwitchedOff() {
        for (ForebayConfig config : List.of(env(), reservoir(), env("DSQL_POOL_MODE", "on-demand"))) {
            Duration delay = config.startupDelay(new SplittableRandom(1));
            assertTrue(
                    delay.compareTo(Duration.ZERO) > 0 && delay.compareTo(Duration.ofSeconds(5)) < 0, delay::toString);
        }
        assertEquals(Duration.ZERO, env("DSQL_STAGGERED_STARTUP", "false").startupDelay(new SplittableRandom(1)));
        assertEquals(Duration.ZERO, env("DSQL_STAGGERED_STARTUP_MAX_DELAY", "0").startupDelay(new SplittableRandom(1)));
    }

    @Test
    void isolationHasTheNumberOfJdbc() {
        assertEquals(
                Isolation.REPEATABLE_READ,
                env("DSQL_TRANSACTION_ISOLATION", "TRANSACTION_REPEATABLE_READ").isolation());
        assertEquals(Connection.TRANSACTION_SERIALIZABLE, Isolation.SERIALIZABLE.level());
    }
}
