// SPDX-License-Identifier: Apache-2.0
package dev.forebay;

import dev.forebay.engine.Admission;
import dev.forebay.engine.Connector;
import dev.forebay.engine.Pool;
import dev.forebay.engine.PoolConfig;
import dev.forebay.engine.PoolListener;
import dev.forebay.engine.RateLimit;
import dev.forebay.engine.TokenBucket;
import dev.forebay.time.Time;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import java.util.random.RandomGenerator;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A pool put together from one configuration: engine, supply, rate limit, log and start-up, in any mode. Thread-safe.
 *
 * <p>No promise: it is public because the simulator, in another module, runs the very thing that production runs.
 *
 * @param <T> the type of the pooled connections
 */
public final class ConfiguredPool<T> {

    private static final Logger slf4j = LoggerFactory.getLogger(ConfiguredPool.class);

    private final ForebayConfig config;
    private final Time time;
    private final Duration startupDelay;
    private final Pool<T> pool;
    private final PoolLog log;
    private final StartUp startUp;
    private final boolean isFleetLeftOut;

    /**
     * A pool that does nothing before {@link #start}.
     *
     * @param admissions the admissions that every open passes before the rate limit, such as a lease
     * @param rateLimit asked last, so that nothing is held up after a permit was spent
     */
    public ConfiguredPool(
            ForebayConfig config,
            Connector<T> connector,
            List<? extends Admission> admissions,
            Admission rateLimit,
            List<? extends PoolListener> listeners,
            Time time,
            RandomGenerator random) {
        this.config = config;
        this.time = time;
        this.startupDelay = config.startupDelay(random);
        this.log = new PoolLog(config, time);
        this.startUp = new StartUp(config, time);
        this.isFleetLeftOut = config.wantsFleet() && admissions.isEmpty();
        List<Admission> chain = new ArrayList<>(admissions);
        chain.add(rateLimit);
        List<PoolListener> all = new ArrayList<>(listeners);
        all.add(log);
        all.add(startUp);
        this.pool =
                new Pool<>(config.toPoolConfig(startupDelay), connector, chain, time, random, PoolListener.all(all));
        log.observe(pool::stats);
    }

    /** Returns the rate limit that {@code config} sets, shared with no other pool. */
    public static RateLimit localRateLimit(ForebayConfig config, Time time) {
        return new RateLimit(new TokenBucket(config.connectionRateLimit(), config.connectionBurstLimit()), time);
    }

    /** Returns the engine. */
    public Pool<T> pool() {
        return pool;
    }

    ForebayConfig config() {
        return config;
    }

    /**
     * Begins to open connections and calls {@code ready} once, when the start-up is over: in standard mode after the
     * warm-up; as a reservoir when the low watermark is reached or the initial fill has taken too long; on demand at
     * once. Whatever the outcome, opening goes on in the background.
     *
     * <p>With a staggered start it begins to open after a random delay. On demand only the idle minimum waits for that:
     * callers are served at once.
     */
    public void start(Consumer<Outcome> ready) {
        long began = time.nanos();
        config.notices().forEach(slf4j::warn);
        if (isFleetLeftOut) {
            slf4j.warn("The limits of the fleet are enabled but have no effect: only AuroraDsql puts them in force");
        }
        log.starting(pool.openCount());
        startUp.begin(pool, startupDelay, outcome -> {
            log.started(pool.stats(), Duration.ofNanos(time.nanos() - began));
            ready.accept(outcome);
        });
        if (startupDelay.isZero() || config.mode() == ForebayConfig.Mode.ON_DEMAND) {
            pool.start();
        } else {
            time.schedule(began + startupDelay.toNanos(), pool::start);
        }
    }

    /** As {@link ForebayDataSource#resize}. */
    void resize(int size) {
        ForebayConfig.Builder builder = config.toBuilder();
        ForebayConfig resized = config.mode() == ForebayConfig.Mode.RESERVOIR
                ? builder.targetReady(size).lowWatermark(size).build()
                : builder.maxOpen(size).build();
        PoolConfig engine = resized.toPoolConfig(startupDelay);
        pool.resize(engine.supply(), engine.maxOpen(), engine.spare());
    }

    /**
     * The end of a start-up.
     *
     * @param complete whether as many connections were opened as the mode asks for
     * @param open the connections that are open
     * @param failed the opens given up in the warm-up
     */
    public record Outcome(boolean complete, int open, int failed) {}
}
