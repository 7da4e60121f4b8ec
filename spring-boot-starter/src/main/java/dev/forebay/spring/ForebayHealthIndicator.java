// SPDX-License-Identifier: Apache-2.0
package dev.forebay.spring;

import dev.forebay.ForebayDataSource;
import dev.forebay.engine.OpenFailure;
import dev.forebay.engine.PoolStats;
import org.springframework.boot.health.contributor.AbstractHealthIndicator;
import org.springframework.boot.health.contributor.Health;

/**
 * The health of the pool, from its own numbers: no connection is checked out for the answer, and of an error only the
 * kind is shown. Thread-safe.
 */
final class ForebayHealthIndicator extends AbstractHealthIndicator {

    private final ForebayDataSource dataSource;

    ForebayHealthIndicator(ForebayDataSource dataSource) {
        super("the pool could not be asked");
        this.dataSource = dataSource;
    }

    @Override
    protected void doHealthCheck(Health.Builder builder) {
        PoolStats stats = dataSource.stats();
        OpenFailure failure = dataSource.lastFailure();
        PoolState state = PoolState.of(dataSource);
        switch (state) {
            case SERVING -> builder.up();
            case FILLING, SUSPENDED -> builder.outOfService();
            case EMPTY, CLOSED -> builder.down();
        }
        builder.withDetail("state", state.word())
                .withDetail("mode", dataSource.config().values().getOrDefault("forebay.mode", ""))
                .withDetail("ready", stats.ready())
                .withDetail("leased", stats.borrowed())
                .withDetail("waiting", stats.waiting())
                .withDetail("target", stats.target());
        if (failure != null) {
            builder.withDetail("lastError", failure.cause().label());
        }
    }
}
