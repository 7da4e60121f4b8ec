// SPDX-License-Identifier: Apache-2.0
package dev.forebay.fleet;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.forebay.engine.internal.Option;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class FleetConfigTest {

    private static FleetConfig of(String... pairs) {
        Map<String, String> settings = new LinkedHashMap<>();
        for (int i = 0; i < pairs.length; i += 2) {
            settings.put(pairs[i], pairs[i + 1]);
        }
        return FleetConfig.of(settings);
    }

    private static String refusal(String... pairs) {
        return assertThrows(IllegalArgumentException.class, () -> of(pairs)).getMessage();
    }

    @Test
    void theVariablesAreRead() {
        FleetConfig config = of(
                "DSQL_DISTRIBUTED_RATE_LIMITER_ENABLED", "true",
                "DSQL_DISTRIBUTED_RATE_LIMITER_TABLE", "temporal-dsql-rate-limiter",
                "DSQL_DISTRIBUTED_RATE_LIMITER_LIMIT", "90",
                "DSQL_DISTRIBUTED_RATE_LIMITER_KIND", "window",
                "DSQL_DISTRIBUTED_CONN_LEASE_ENABLED", "true",
                "DSQL_DISTRIBUTED_CONN_LEASE_TABLE", "temporal-dsql-conn-lease",
                "DSQL_DISTRIBUTED_CONN_LEASE_OUTAGE", "block",
                "DSQL_DISTRIBUTED_CONN_LIMIT", "22000");
        assertEquals("temporal-dsql-rate-limiter", config.rateTable());
        assertEquals(90, config.rateLimit());
        assertEquals(FleetConfig.PermitKind.WINDOW, config.rateKind());
        assertEquals("temporal-dsql-conn-lease", config.leaseTable());
        assertEquals(FleetConfig.Outage.BLOCK, config.leaseOutage());
        assertEquals(22_000, config.leaseLimit());
        assertEquals(List.of(), config.notices());
        FleetConfig defaults = FleetConfig.builder().build();
        assertTrue(!defaults.connectionLease() && !defaults.rateLimiter());
        assertEquals(10_000, defaults.leaseLimit());
        assertEquals(100, defaults.rateLimit());
        assertEquals(Duration.ofSeconds(30), defaults.rateMaxWait());
    }

    @Test
    void theLaterOfTwoNamesForOneSettingCounts() {
        FleetConfig config = of("forebay.fleet.lease.limit", "3", "DSQL_DISTRIBUTED_CONN_LIMIT", "4");
        assertEquals(4, config.leaseLimit());
        assertEquals(
                "environment variable DSQL_DISTRIBUTED_CONN_LIMIT",
                config.origins().get("forebay.fleet.lease.limit"));
        assertEquals(
                3,
                of("DSQL_DISTRIBUTED_CONN_LIMIT", "4", "forebay.fleet.lease.limit", "3")
                        .leaseLimit());
    }

    @Test
    void anUnknownPropertyIsRefusedAndAnUnknownVariableNoticed() {
        assertEquals(
                "forebay.fleet.lease.tabel=x: there is no such property; valid are those of docs/configuration.md;"
                        + " did you mean forebay.fleet.lease.table?",
                refusal("forebay.fleet.lease.tabel", "x"));
        assertEquals(
                List.of("DSQL_DISTRIBUTED_CONN_LIMITS is not a variable of ours and is ignored; did you mean"
                        + " DSQL_DISTRIBUTED_CONN_LIMIT?"),
                of("DSQL_DISTRIBUTED_CONN_LIMITS", "1").notices());
        assertEquals(List.of(), of("PATH", "/bin", "forebay.mode", "standard").notices());
    }

    @Test
    void aLimitNeedsItsTable() {
        assertTrue(refusal("DSQL_DISTRIBUTED_RATE_LIMITER_ENABLED", "true")
                .contains("DSQL_DISTRIBUTED_RATE_LIMITER_TABLE"));
        assertTrue(
                refusal("DSQL_DISTRIBUTED_CONN_LEASE_ENABLED", "true").contains("DSQL_DISTRIBUTED_CONN_LEASE_TABLE"));
    }

    @ParameterizedTest
    @ValueSource(strings = {"DSQL_DISTRIBUTED_RATE_LIMITER_ENABLED", "DSQL_DISTRIBUTED_CONN_LEASE_ENABLED"})
    void aFlagThatIsNoBooleanIsFalse(String variable) {
        FleetConfig config = of(variable, "yes");
        assertFalse(config.connectionLease() || config.rateLimiter());
        assertEquals(List.of(variable + "=yes is neither true nor false and is taken as false"), config.notices());
    }

    @Test
    void aLeaseIsRenewedThreeTimesInItsTimeToLive() {
        String[] late = {
            "DSQL_DISTRIBUTED_CONN_LEASE_ENABLED", "true",
            "DSQL_DISTRIBUTED_CONN_LEASE_TABLE", "leases",
            "DSQL_DISTRIBUTED_CONN_LEASE_TTL", "1m",
            "DSQL_DISTRIBUTED_CONN_LEASE_RENEWAL", "21s"
        };
        assertTrue(refusal(late).contains("DSQL_DISTRIBUTED_CONN_LEASE_RENEWAL=21s"), refusal(late));
        late[7] = "20s";
        assertEquals(Duration.ofSeconds(20), of(late).leaseRenewal());
        late[1] = "false";
        late[7] = "1h";
        of(late);
    }

    @Test
    void everyKnobHasAnAccessorAndASetter() {
        TreeSet<String> accessors = new TreeSet<>();
        Arrays.stream(FleetConfig.class.getMethods()).forEach(method -> accessors.add(method.getName()));
        accessors.retainAll(Arrays.stream(FleetConfig.Builder.class.getMethods())
                .map(method -> method.getName())
                .collect(Collectors.toSet()));
        accessors.removeAll(
                Arrays.stream(Object.class.getMethods()).map(m -> m.getName()).toList());
        assertEquals(FleetConfig.knobs().size(), accessors.size(), accessors.toString());
    }

    @Test
    void thePageListsEveryKnobAndNoOther() throws IOException {
        String rows = Files.readAllLines(Path.of("..", "docs", "configuration.md")).stream()
                .dropWhile(line -> !line.equals("## Fleet"))
                .skip(1)
                .takeWhile(line -> !line.startsWith("## "))
                .filter(line -> line.startsWith("| `"))
                .collect(Collectors.joining("\n"));
        assertEquals(FleetConfig.knobs().stream().map(FleetConfigTest::row).collect(Collectors.joining("\n")), rows);
    }

    private static String row(Option<?> knob) {
        String value = knob.defaultValue() == null ? knob.defaultText() : "`" + knob.defaultText() + "`";
        return "| `" + knob.variable() + "` | `" + knob.name() + "` | " + value + " | "
                + knob.kind().type() + " | " + knob.purpose() + " |";
    }
}
