// SPDX-License-Identifier: Apache-2.0
package dev.forebay.spring;

import dev.forebay.ForebayDataSource;
import dev.forebay.tx.Transactions;
import java.time.Duration;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnSingleCandidate;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration;
import org.springframework.boot.jdbc.metadata.DataSourcePoolMetadataProvider;
import org.springframework.context.annotation.Bean;
import org.springframework.core.env.Environment;

/** The beans that belong to a pool, whatever made it: transactions, a shutdown that waits, and its figures in Boot's words. */
@AutoConfiguration(after = {ForebayDataSourceAutoConfiguration.class, DataSourceAutoConfiguration.class})
@ConditionalOnSingleCandidate(ForebayDataSource.class)
public class ForebayPoolAutoConfiguration {

    /** The time by which the drain ends before Spring's timeout, so that its own warning comes first. */
    private static final Duration EARLY = Duration.ofMillis(200);

    @Bean
    @ConditionalOnMissingBean
    Transactions forebayTransactions(ListableBeanFactory beans) {
        return PoolIn.the(beans).transactions();
    }

    @Bean
    Drain forebayDrain(ListableBeanFactory beans, Environment environment) {
        Duration phase = Binder.get(environment)
                .bind("spring.lifecycle.timeout-per-shutdown-phase", Duration.class)
                .orElse(Duration.ofSeconds(30));
        Duration patience = phase.minus(EARLY);
        return new Drain(PoolIn.the(beans), patience.isNegative() ? Duration.ZERO : patience);
    }

    @Bean
    static DataSourcePoolMetadataProvider forebayPoolMetadataProvider() {
        return dataSource -> {
            ForebayDataSource pool = PoolIn.unwrap(dataSource);
            return pool == null ? null : new ForebayPoolMetadata(pool);
        };
    }
}
