// SPDX-License-Identifier: Apache-2.0
package dev.forebay.bench.pools;

import dev.forebay.ForebayConfig;
import dev.forebay.ForebayDataSource;
import dev.forebay.engine.Admission;
import dev.forebay.engine.RateLimit;
import dev.forebay.engine.TokenBucket;
import dev.forebay.micrometer.MicrometerMetrics;
import dev.forebay.time.SystemTime;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.sql.SQLException;
import javax.sql.DataSource;

/** Forebay used directly, with its defaults: keepalive, validation after a minute, as a reservoir a spare of a tenth. */
final class ForebayPool implements PoolUnderTest {

    /** No limit of the pool's own: {@link LimitOnceFilled} has it. */
    private static final int NO_LIMIT = 1_000_000;

    private final LimitOnceFilled limit;
    private final ForebayDataSource dataSource;

    ForebayPool(Terms terms) throws SQLException {
        limit = new LimitOnceFilled(new TokenBucket(terms.connectsPerSecond(), terms.connectBurst()));
        ForebayDataSource.Builder builder = ForebayDataSource.builder()
                .config(config(terms))
                .dataSource(terms.server().dataSource())
                .admission(limit);
        if (terms.metrics()) {
            builder.observer(new MicrometerMetrics(new SimpleMeterRegistry()));
        }
        dataSource = builder.build();
    }

    /** Returns the settings that these terms mean for Forebay. */
    static ForebayConfig config(Terms terms) {
        return ForebayConfig.builder()
                .mode(terms.mode())
                .targetReady(terms.size())
                .maxOpen(terms.size())
                .staggeredStartup(false)
                .connectionTimeout(terms.timeout())
                .emptyWait(terms.timeout())
                .baseLifetime(terms.lifetime())
                .lifetimeJitter(terms.spread().multipliedBy(2))
                .guardWindow(terms.guard())
                .maxLifetime(terms.longestUse())
                .maxLifetimeJitter(terms.spread().multipliedBy(2))
                .connectionRateLimit(NO_LIMIT)
                .connectionBurstLimit(NO_LIMIT)
                .build();
    }

    @Override
    public DataSource dataSource() {
        return dataSource;
    }

    @Override
    public void filled() {
        limit.begin();
    }

    @Override
    public void close() {
        dataSource.close();
    }

    /** Admits everything at first, since its benchmarks begin with a pool that is full. */
    private static final class LimitOnceFilled implements Admission {
        private final TokenBucket bucket;
        private volatile Admission current = (now, answer) -> answer.granted(() -> {});

        LimitOnceFilled(TokenBucket bucket) {
            this.bucket = bucket;
        }

        void begin() {
            current = new RateLimit(bucket, SystemTime.shared());
        }

        @Override
        public void ask(long nowNanos, Answer answer) {
            current.ask(nowNanos, answer);
        }

        @Override
        public double sustainedPerSecond() {
            return bucket.perSecond();
        }
    }
}
