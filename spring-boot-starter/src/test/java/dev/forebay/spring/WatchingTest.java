// SPDX-License-Identifier: Apache-2.0
package dev.forebay.spring;

import static org.assertj.core.api.Assertions.assertThat;

import dev.forebay.ForebayDataSource;
import io.micrometer.core.instrument.MeterRegistry;
import java.sql.Connection;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.springframework.boot.actuate.autoconfigure.endpoint.EndpointAutoConfiguration;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.availability.ApplicationAvailabilityAutoConfiguration;
import org.springframework.boot.health.actuate.endpoint.HealthEndpoint;
import org.springframework.boot.health.actuate.endpoint.HealthEndpointGroups;
import org.springframework.boot.health.autoconfigure.actuate.endpoint.AvailabilityProbesAutoConfiguration;
import org.springframework.boot.health.autoconfigure.actuate.endpoint.HealthEndpointAutoConfiguration;
import org.springframework.boot.health.autoconfigure.contributor.HealthContributorAutoConfiguration;
import org.springframework.boot.health.autoconfigure.registry.HealthContributorRegistryAutoConfiguration;
import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.Status;
import org.springframework.boot.jdbc.autoconfigure.health.DataSourceHealthContributorAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.metrics.DataSourcePoolMetricsAutoConfiguration;
import org.springframework.boot.micrometer.metrics.autoconfigure.CompositeMeterRegistryAutoConfiguration;
import org.springframework.boot.micrometer.metrics.autoconfigure.MetricsAutoConfiguration;
import org.springframework.boot.micrometer.metrics.autoconfigure.export.simple.SimpleMetricsExportAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

/** Health, endpoint and metrics. */
class WatchingTest {

    @Test
    void thePoolIsUpWhileItCanServeAndNoConnectionIsTakenToSaySo() {
        watched().run(context -> {
            ForebayDataSource dataSource = context.getBean(ForebayDataSource.class);
            long before = dataSource.stats().checkouts();
            Health health = context.getBean(ForebayHealthIndicator.class).health();
            assertThat(health.getStatus()).isEqualTo(Status.UP);
            assertThat(health.getDetails()).containsEntry("state", "serving").containsEntry("mode", "on-demand");
            assertThat(dataSource.stats().checkouts()).isEqualTo(before);
        });
    }

    @Test
    void aSuspendedPoolIsOutOfServiceAndAClosedOneDown() {
        watched().run(context -> {
            ForebayDataSource dataSource = context.getBean(ForebayDataSource.class);
            ForebayHealthIndicator indicator = context.getBean(ForebayHealthIndicator.class);
            dataSource.suspend();
            assertThat(indicator.health().getStatus()).isEqualTo(Status.OUT_OF_SERVICE);
            dataSource.resume();
            assertThat(indicator.health().getStatus()).isEqualTo(Status.UP);
            dataSource.close();
            assertThat(indicator.health().getStatus()).isEqualTo(Status.DOWN);
        });
    }

    @Test
    void aPoolThatCannotConnectIsDownAndSaysOnlyTheKindOfError() {
        watched()
                .withPropertyValues(
                        "spring.datasource.url=jdbc:postgresql://127.0.0.1:1/x?password=s3cret",
                        "forebay.mode=standard",
                        "forebay.max-open=1",
                        "forebay.staggered-startup=false",
                        "forebay.standard.warmup-retries=0")
                .run(context -> {
                    Health health =
                            context.getBean(ForebayHealthIndicator.class).health();
                    assertThat(health.getStatus()).isEqualTo(Status.DOWN);
                    assertThat(health.getDetails())
                            .containsEntry("state", "empty")
                            .containsEntry("lastError", "connect");
                    assertThat(health.toString()).doesNotContain("s3cret").doesNotContain("127.0.0.1");
                });
    }

    @Test
    void bootsOwnIndicatorStillAsksTheDatabase() {
        watched()
                .run(context -> assertThat(context.getBean(HealthEndpoint.class)
                                .healthForPath("db")
                                .getStatus())
                        .isEqualTo(Status.UP));
    }

    @Test
    void thePoolIsAPartOfReadiness() {
        watched().run(context -> {
            assertThat(isReadiness(context.getBean(HealthEndpointGroups.class))).isTrue();
            context.getBean(ForebayDataSource.class).suspend();
            assertThat(context.getBean(HealthEndpoint.class)
                            .healthForPath("readiness")
                            .getStatus())
                    .isEqualTo(Status.OUT_OF_SERVICE);
        });
    }

    @Test
    void itIsNoPartOfReadinessIfTheApplicationSaysOtherwise() {
        watched()
                .withPropertyValues("forebay.health.readiness=false")
                .run(context -> assertThat(isReadiness(context.getBean(HealthEndpointGroups.class)))
                        .isFalse());
        watched()
                .withPropertyValues("management.endpoint.health.group.readiness.include[0]=db")
                .run(context -> assertThat(isReadiness(context.getBean(HealthEndpointGroups.class)))
                        .isFalse());
    }

    private static boolean isReadiness(HealthEndpointGroups groups) {
        return groups.get("readiness").isMember("forebay");
    }

    @Test
    void theEndpointShowsNumbersAndSettingsWithTheirOriginsAndNoSecret() {
        watched()
                .withPropertyValues("forebay.jdbc.connection-init-sql=SET @token = 's3cret'")
                .run(context -> {
                    try (Connection held =
                            context.getBean(ForebayDataSource.class).getConnection()) {
                        assertThat(held.isValid(1)).isTrue();
                        Map<String, Object> pool =
                                context.getBean(ForebayEndpoint.class).pool();
                        assertThat(pool).containsEntry("state", "serving");
                        assertThat(pool.get("census").toString()).contains("leased=1");
                        assertThat((List<?>) pool.get("holders")).hasSize(1);
                        String settings = pool.get("settings").toString();
                        assertThat(settings)
                                .contains("name=forebay.max-open, value=5, origin=property forebay.max-open")
                                .contains("name=forebay.trust, value=1m0s, origin=default")
                                .contains("name=dsql.retry.max-retries")
                                .contains("value=******");
                        assertThat(pool.toString()).doesNotContain("s3cret");
                    }
                });
    }

    @Test
    void theEndpointActsOnThePool() {
        watched().run(context -> {
            ForebayEndpoint endpoint = context.getBean(ForebayEndpoint.class);
            ForebayDataSource dataSource = context.getBean(ForebayDataSource.class);
            dataSource.getConnection().close();
            assertThat(endpoint.act("suspend")).containsEntry("state", "suspended");
            assertThat(endpoint.act("resume")).containsEntry("state", "serving");
            endpoint.act("evict");
            assertThat(endpoint.pool().get("counters").toString()).contains("evicted=1");
            assertThat(endpoint.act("check")).containsEntry("done", "check");
        });
    }

    @Test
    void metricsAreThoseOfThePoolAndThoseOfBoot() {
        watched().run(context -> {
            MeterRegistry registry = context.getBean(MeterRegistry.class);
            try (Connection held = context.getBean(ForebayDataSource.class).getConnection()) {
                assertThat(held.isValid(1)).isTrue();
                assertThat(registry.get("jdbc.connections.active").gauge().value())
                        .isEqualTo(1);
                assertThat(registry.get("jdbc.connections.max").gauge().value()).isEqualTo(5);
                assertThat(registry.getMeters())
                        .anyMatch(meter -> meter.getId().getName().startsWith("dsql"));
            }
        });
    }

    private static ApplicationContextRunner watched() {
        return Starting.onDemand()
                .withConfiguration(AutoConfigurations.of(
                        ForebayMetricsAutoConfiguration.class,
                        ForebayHealthAutoConfiguration.class,
                        ForebayEndpointAutoConfiguration.class,
                        EndpointAutoConfiguration.class,
                        ApplicationAvailabilityAutoConfiguration.class,
                        HealthContributorAutoConfiguration.class,
                        HealthContributorRegistryAutoConfiguration.class,
                        HealthEndpointAutoConfiguration.class,
                        AvailabilityProbesAutoConfiguration.class,
                        DataSourceHealthContributorAutoConfiguration.class,
                        DataSourcePoolMetricsAutoConfiguration.class,
                        MetricsAutoConfiguration.class,
                        CompositeMeterRegistryAutoConfiguration.class,
                        SimpleMetricsExportAutoConfiguration.class))
                .withPropertyValues(
                        "management.endpoints.web.exposure.include=*",
                        "management.endpoint.health.probes.enabled=true");
    }
}
