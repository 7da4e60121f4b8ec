// SPDX-License-Identifier: Apache-2.0
package dev.forebay.spring;

import dev.forebay.micrometer.MicrometerMetrics;
import dev.forebay.tx.TxListener;
import io.micrometer.core.instrument.MeterRegistry;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.micrometer.metrics.autoconfigure.CompositeMeterRegistryAutoConfiguration;
import org.springframework.context.annotation.Bean;

/** The metrics of pool, transactions and fleet, where there is a registry for them. */
@AutoConfiguration(after = {ForebayDataSourceAutoConfiguration.class, CompositeMeterRegistryAutoConfiguration.class})
@ConditionalOnClass({MeterRegistry.class, CompositeMeterRegistryAutoConfiguration.class})
@ConditionalOnBean({MeterRegistry.class, SpringSettings.class})
public class ForebayMetricsAutoConfiguration {

    @Bean
    @ConditionalOnMissingBean
    MicrometerMetrics forebayMetrics() {
        return new MicrometerMetrics();
    }

    @Bean
    @ConditionalOnMissingBean(name = "forebayTxMetrics")
    TxListener forebayTxMetrics(MicrometerMetrics metrics) {
        return TxListener.observed(metrics);
    }
}
