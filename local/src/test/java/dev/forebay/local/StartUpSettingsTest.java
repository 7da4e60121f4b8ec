// SPDX-License-Identifier: Apache-2.0
package dev.forebay.local;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;

import dev.forebay.local.sql.Profile;
import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class StartUpSettingsTest {

    @Test
    void whatOrdinaryClientsAskForIsServed() {
        StartUpSettings asked = of(Map.of(
                "application_name", "a client",
                "client_encoding", "UTF8",
                "DateStyle", "ISO",
                "TimeZone", "Europe/Berlin",
                "extra_float_digits", "2",
                "search_path", "a, b"));
        assertNull(asked.refusal());
        Map<String, String> passedOn = new HashMap<>();
        asked.addTo(passedOn);
        assertEquals(
                Map.of(
                        "application_name", "a client",
                        "datestyle", "ISO",
                        "timezone", "Europe/Berlin",
                        "extra_float_digits", "2",
                        "search_path", "a, b"),
                passedOn);
        assertEquals("ISO, MDY", asked.reported("DateStyle", "?"));
        assertEquals("Europe/Berlin", asked.reported("TimeZone", "UTC"));
        assertEquals("UTF8", asked.reported("client_encoding", "UTF8"));
        assertEquals("postgres", asked.reported("IntervalStyle", "postgres"));
    }

    @ParameterizedTest
    @CsvSource({
        "-c search_path=a, a",
        "-csearch_path=a, a",
        "--search_path=a, a",
        "--search-path=a, a",
        "'  -c  SEARCH_PATH=a,b  ', 'a,b'",
        "'-c search_path=a,\\ b', 'a, b'",
        "-c search_path=a\\\\b, a\\b",
        "-c search_path=, ''",
        "-c search_path=a -c search_path=b, b",
        "-c timezone=UTC -c search_path=a, a"
    })
    void anOptionIsASetting(String options, String expected) {
        StartUpSettings asked = of(Map.of("options", options));
        assertNull(asked.refusal());
        assertEquals(expected, asked.settings().get("search_path"));
    }

    @Test
    void aParameterGoesBeforeAnOption() {
        assertEquals(
                "b",
                of(Map.of("options", "-c search_path=a", "search_path", "b"))
                        .settings()
                        .get("search_path"));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"statement_timeout", "default_transaction_isolation", "lock_timeout", "replication", "role"})
    void whatCannotBeSetIsRefusedByItsName(String name) {
        for (Map<String, String> asked : java.util.List.of(Map.of(name, "1"), Map.of("options", "-c " + name + "=1"))) {
            Failure refusal = of(asked).refusal();
            assertNotNull(refusal);
            assertEquals("0A000", refusal.sqlState());
            assertEquals("setting configuration parameter \"" + name + "\" not supported", refusal.message());
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"-d 5", "-c", "-c search_path", "--=1", "search_path=a", "-"})
    void anOptionThatIsNoSettingIsRefused(String options) {
        Failure refusal = of(Map.of("options", options)).refusal();
        assertNotNull(refusal);
        assertEquals("42601", refusal.sqlState());
    }

    @Test
    void theClusterIsNamedByAnOption() {
        StartUpSettings asked = of(Map.of("options", "-c amzn-cluster-id=abc -c search_path=s"));
        assertNull(asked.refusal());
        assertEquals("abc", asked.clusterId());
        assertEquals(Map.of("search_path", "s"), asked.settings());
        assertEquals("", of(Map.of()).clusterId());
    }

    @Test
    void thereIsOneDatabase() {
        Failure other = StartUpSettings.of(Map.of("user", "admin", "database", "orders"), Profile.SEPTEMBER_2026)
                .refusal();
        assertEquals(new Failure("3D000", "database \"orders\" does not exist"), other);
        Failure none = StartUpSettings.of(Map.of("user", "admin"), Profile.SEPTEMBER_2026)
                .refusal();
        assertEquals(new Failure("3D000", "database \"admin\" does not exist"), none);
    }

    @Test
    void optionsOfTheProtocolAreNoSettings() {
        assertNull(of(Map.of("_pq_.command_tag_format", "fancy")).refusal());
    }

    private static StartUpSettings of(Map<String, String> more) {
        Map<String, String> startup = new HashMap<>(Map.of("user", "admin", "database", "postgres"));
        startup.putAll(more);
        return StartUpSettings.of(startup, Profile.SEPTEMBER_2026);
    }
}
