// SPDX-License-Identifier: Apache-2.0
package dev.forebay.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.forebay.ForebayConfig;
import java.time.Duration;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.core.env.MapPropertySource;
import org.springframework.core.env.StandardEnvironment;
import org.springframework.core.env.SystemEnvironmentPropertySource;

/** How the settings of the pool come out of Spring's. */
class SpringSettingsTest {

    private final Map<String, Object> commandLine = new LinkedHashMap<>();
    private final Map<String, Object> variables = new HashMap<>();
    private final Map<String, Object> files = new LinkedHashMap<>();

    @ParameterizedTest
    @ValueSource(strings = {"forebay.max-open", "forebay.maxOpen", "forebay.max_open", "FOREBAY.MAXOPEN"})
    void aNameIsTakenInEverySpellingOfSpring(String name) {
        files.put(name, "7");
        assertThat(config().maxOpen()).isEqualTo(7);
    }

    @ParameterizedTest
    @ValueSource(strings = {"FOREBAY_MAXOPEN", "FOREBAY_MAX_OPEN", "DSQL_MAX_CONNS"})
    void aVariableIsTakenInItsSpellingsAndByTheNameItAlwaysHad(String name) {
        variables.put(name, "7");
        assertThat(config().maxOpen()).isEqualTo(7);
    }

    @ParameterizedTest
    @CsvSource({"45s,45s", "PT45S,45s", "1h30m,1h30m0s", "1d,24h0m0s", "500ms,500ms"})
    void aDurationIsTakenInEveryForm(String text, String meant) {
        files.put("forebay.keepalive", text);
        assertThat(config().values().get("forebay.keepalive")).isEqualTo(meant);
    }

    @Test
    void aValueNeedNotBeText() {
        files.put("forebay.keepalive", Duration.ofSeconds(45));
        files.put("forebay.max-open", 7);
        files.put("forebay.fail-fast", true);
        assertThat(config().keepalive()).isEqualTo(Duration.ofSeconds(45));
        assertThat(config().maxOpen()).isEqualTo(7);
        assertThat(config().failFast()).isTrue();
    }

    @Test
    void aTextThatLooksLikeADurationStaysAsItIs() {
        files.put("forebay.jdbc.schema", "5d");
        files.put("forebay.jdbc.catalog", "PT1S");
        assertThat(config().schema()).isEqualTo("5d");
        assertThat(config().catalog()).isEqualTo("PT1S");
    }

    @Test
    void aPlaceholderIsFilledIn() {
        files.put("size", "7");
        files.put("forebay.max-open", "${size}");
        assertThat(config().maxOpen()).isEqualTo(7);
    }

    @Test
    void theRetryKeepsItsNames() {
        files.put("dsql.retry.max_retries", "3");
        files.put("dsql.retry.base-delay", "7ms");
        assertThat(config().maxRetries()).isEqualTo(3);
        assertThat(config().retryBaseDelay()).isEqualTo(Duration.ofMillis(7));
    }

    @Test
    void aVariableComesBeforeAFileAndAfterTheCommandLine() {
        files.put("forebay.reservoir.target-ready", "3");
        variables.put("DSQL_RESERVOIR_TARGET_READY", "5");
        assertThat(config().targetReady()).isEqualTo(5);
        variables.put("FOREBAY_RESERVOIR_TARGETREADY", "6");
        assertThat(config().targetReady()).isEqualTo(6);
        commandLine.put("forebay.reservoir.target-ready", "7");
        assertThat(config().targetReady()).isEqualTo(7);
    }

    @Test
    void theFlagOfAVariableComesBeforeTheModeOfAFile() {
        files.put("forebay.mode", "standard");
        variables.put("DSQL_RESERVOIR_ENABLED", "true");
        assertThat(config().mode()).isEqualTo(ForebayConfig.Mode.RESERVOIR);
        commandLine.put("forebay.mode", "on-demand");
        assertThat(config().mode()).isEqualTo(ForebayConfig.Mode.ON_DEMAND);
    }

    @Test
    void theServiceIsNamedAfterTheApplication() {
        files.put("spring.application.name", "orders");
        assertThat(config().serviceName()).isEqualTo("orders");
        files.put("forebay.service-name", "other");
        assertThat(config().serviceName()).isEqualTo("other");
    }

    @Test
    void itIsKnownWhereAValueCameFrom() {
        files.put("forebay.max-open", "7");
        variables.put("DSQL_KEEPALIVE", "45s");
        SpringSettings settings = settings();
        assertThat(settings.origin("forebay.max-open"))
                .contains("forebay.max-open")
                .contains("files");
        assertThat(settings.origin("forebay.keepalive")).isEqualTo("environment variable DSQL_KEEPALIVE");
        assertThat(settings.origin("forebay.trust")).isNull();
        assertThat(settings.isSetByProperty("forebay.max-open")).isTrue();
        assertThat(settings.isSetByProperty("forebay.keepalive")).isFalse();
    }

    @Test
    void anUnknownNameIsRefusedWithTheNearestOne() {
        files.put("forebay.reservoir.target-redy", "3");
        StartFailure failure = failure();
        assertThat(failure.description()).contains("forebay.reservoir.target-redy");
        assertThat(failure.action()).contains("Did you mean forebay.reservoir.target-ready?");
    }

    @Test
    void anUnknownNameOfTheRetryIsRefused() {
        files.put("dsql.retry.max-retrys", "3");
        assertThat(failure().action()).contains("Did you mean dsql.retry.max-retries?");
    }

    @Test
    void anUnknownVariableIsNoFailureButToldOf() {
        variables.put("FOREBAY_SOMETHING", "3");
        variables.put("DSQL_RESERVOIR_TARGET_REDY", "3");
        assertThat(config().notices()).anyMatch(notice -> notice.contains("DSQL_RESERVOIR_TARGET_REDY"));
    }

    @Test
    void aValueThatCannotBeReadIsRefusedWithItsPlaceAndWhatIsValid() {
        files.put("forebay.keepalive", "45");
        StartFailure failure = failure();
        assertThat(failure.description()).contains("forebay.keepalive=45", "a unit is missing", "such as 11m", "files");
    }

    @Test
    void settingsThatContradictEachOtherAreRefusedWithBothPlaces() {
        files.put("forebay.mode", "on-demand");
        files.put("forebay.backoff", "10s");
        variables.put("DSQL_MAX_BACKOFF", "1s");
        assertThat(failure().description()).contains("forebay.backoff", "environment variable DSQL_MAX_BACKOFF");
    }

    private ForebayConfig config() {
        return settings().config();
    }

    private StartFailure failure() {
        return catchThrowableOfType(StartFailure.class, this::settings);
    }

    private SpringSettings settings() {
        StandardEnvironment environment = new StandardEnvironment();
        String name = StandardEnvironment.SYSTEM_ENVIRONMENT_PROPERTY_SOURCE_NAME;
        environment.getPropertySources().replace(name, new SystemEnvironmentPropertySource(name, variables));
        environment.getPropertySources().addFirst(new MapPropertySource("command line", commandLine));
        environment.getPropertySources().addLast(new MapPropertySource("files", files));
        return SpringSettings.of(environment);
    }
}
