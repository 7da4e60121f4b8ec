// SPDX-License-Identifier: Apache-2.0
package dev.forebay.spring;

import dev.forebay.ForebayDataSource;
import javax.sql.DataSource;
import javax.sql.XADataSource;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.DataSourceProperties;
import org.springframework.boot.jdbc.autoconfigure.JndiDataSourceAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.XADataSourceAutoConfiguration;
import org.springframework.context.ApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.core.env.ConfigurableEnvironment;

/** The data source, unless the application has one of its own or asks for another type. */
@AutoConfiguration(
        before = DataSourceAutoConfiguration.class,
        after = {JndiDataSourceAutoConfiguration.class, XADataSourceAutoConfiguration.class})
@ConditionalOnMissingBean(
        value = {DataSource.class, XADataSource.class},
        type = "io.r2dbc.spi.ConnectionFactory")
@ConditionalOnProperty(
        name = "spring.datasource.type",
        havingValue = "dev.forebay.ForebayDataSource",
        matchIfMissing = true)
@EnableConfigurationProperties(DataSourceProperties.class)
public class ForebayDataSourceAutoConfiguration {

    @Bean
    SpringSettings forebaySettings(ConfigurableEnvironment environment) {
        return SpringSettings.of(environment);
    }

    @Bean(destroyMethod = "close")
    ForebayDataSource dataSource(SpringSettings settings, ListableBeanFactory beans, ApplicationContext context) {
        return new PoolStart(settings, beans, context.getClassLoader()).start();
    }
}
