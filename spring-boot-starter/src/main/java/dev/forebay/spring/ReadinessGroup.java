// SPDX-License-Identifier: Apache-2.0
package dev.forebay.spring;

import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.actuate.endpoint.SecurityContext;
import org.springframework.boot.health.actuate.endpoint.AdditionalHealthEndpointPath;
import org.springframework.boot.health.actuate.endpoint.HealthEndpointGroup;
import org.springframework.boot.health.actuate.endpoint.HealthEndpointGroups;
import org.springframework.boot.health.actuate.endpoint.HealthEndpointGroupsPostProcessor;
import org.springframework.boot.health.actuate.endpoint.HttpCodeStatusMapper;
import org.springframework.boot.health.actuate.endpoint.StatusAggregator;
import org.springframework.core.Ordered;
import org.springframework.core.annotation.Order;

/** Makes the pool's health a part of readiness, where there is such a group. */
@Order(Ordered.LOWEST_PRECEDENCE)
final class ReadinessGroup implements HealthEndpointGroupsPostProcessor {

    private static final String READINESS = "readiness";
    private static final String OURS = "forebay";

    private final boolean joins;

    /** Takes part if {@code joins}: not if the application lists the members of the group itself. */
    ReadinessGroup(boolean joins) {
        this.joins = joins;
    }

    @Override
    public HealthEndpointGroups postProcessHealthEndpointGroups(HealthEndpointGroups groups) {
        if (!joins) {
            return groups;
        }
        return new HealthEndpointGroups() {
            @Override
            public HealthEndpointGroup getPrimary() {
                return groups.getPrimary();
            }

            @Override
            public Set<String> getNames() {
                return groups.getNames();
            }

            @Override
            public @Nullable HealthEndpointGroup get(String name) {
                HealthEndpointGroup group = groups.get(name);
                return group != null && name.equals(READINESS) ? new WithPool(group) : group;
            }
        };
    }

    private record WithPool(HealthEndpointGroup group) implements HealthEndpointGroup {

        @Override
        public boolean isMember(String name) {
            return name.equals(OURS) || group.isMember(name);
        }

        @Override
        public boolean showComponents(SecurityContext securityContext) {
            return group.showComponents(securityContext);
        }

        @Override
        public boolean showDetails(SecurityContext securityContext) {
            return group.showDetails(securityContext);
        }

        @Override
        public StatusAggregator getStatusAggregator() {
            return group.getStatusAggregator();
        }

        @Override
        public HttpCodeStatusMapper getHttpCodeStatusMapper() {
            return group.getHttpCodeStatusMapper();
        }

        @Override
        public @Nullable AdditionalHealthEndpointPath getAdditionalPath() {
            return group.getAdditionalPath();
        }
    }
}
