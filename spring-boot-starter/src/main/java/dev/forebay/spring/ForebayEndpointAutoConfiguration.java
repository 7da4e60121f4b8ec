// SPDX-License-Identifier: Apache-2.0
package dev.forebay.spring;

import dev.forebay.ForebayDataSource;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.actuate.autoconfigure.endpoint.condition.ConditionalOnAvailableEndpoint;
import org.springframework.boot.actuate.endpoint.annotation.Endpoint;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnSingleCandidate;
import org.springframework.context.annotation.Bean;

/** The endpoint {@code forebay}, where it is exposed. */
@AutoConfiguration(after = ForebayPoolAutoConfiguration.class)
@ConditionalOnClass({Endpoint.class, ConditionalOnAvailableEndpoint.class})
@ConditionalOnSingleCandidate(ForebayDataSource.class)
@ConditionalOnAvailableEndpoint(ForebayEndpoint.class)
public class ForebayEndpointAutoConfiguration {

    @Bean
    ForebayEndpoint forebayEndpoint(ListableBeanFactory beans, ObjectProvider<SpringSettings> settings) {
        return new ForebayEndpoint(PoolIn.the(beans), settings.getIfAvailable());
    }
}
