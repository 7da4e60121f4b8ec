// SPDX-License-Identifier: Apache-2.0
package dev.forebay.spring;

import dev.forebay.ForebayDataSource;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnSingleCandidate;
import org.springframework.boot.context.properties.bind.Bindable;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.health.autoconfigure.actuate.endpoint.AvailabilityProbesAutoConfiguration;
import org.springframework.boot.health.autoconfigure.contributor.ConditionalOnEnabledHealthIndicator;
import org.springframework.boot.health.contributor.HealthIndicator;
import org.springframework.context.annotation.Bean;
import org.springframework.core.env.Environment;

/** The health of the pool, in {@code /actuator/health} and in readiness. */
@AutoConfiguration(after = {ForebayPoolAutoConfiguration.class, AvailabilityProbesAutoConfiguration.class})
@ConditionalOnClass({HealthIndicator.class, AvailabilityProbesAutoConfiguration.class})
@ConditionalOnSingleCandidate(ForebayDataSource.class)
@ConditionalOnEnabledHealthIndicator("forebay")
public class ForebayHealthAutoConfiguration {

    @Bean
    @ConditionalOnMissingBean(name = "forebayHealthIndicator")
    ForebayHealthIndicator forebayHealthIndicator(ListableBeanFactory beans) {
        return new ForebayHealthIndicator(PoolIn.the(beans));
    }

    @Bean
    @ConditionalOnBean(ForebayHealthIndicator.class)
    @ConditionalOnProperty(name = SpringSettings.READINESS, matchIfMissing = true)
    static ReadinessGroup forebayReadinessGroup(Environment environment) {
        boolean isSaid = Binder.get(environment)
                .bind("management.endpoint.health.group.readiness.include", Bindable.setOf(String.class))
                .isBound();
        return new ReadinessGroup(!isSaid);
    }
}
