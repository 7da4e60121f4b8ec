// SPDX-License-Identifier: Apache-2.0
package dev.forebay;

import dev.forebay.engine.Admission;
import dev.forebay.engine.Connector;
import dev.forebay.engine.Pool;
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
 * A pool put together from one configuration: engine, supply, limiter and start-up, in whichever mode. It knows nothing
 * of JDBC and nothing of real time, so a simulation runs the very thing that production runs. Thread-safe.
 *
 * @param <T> what is pooled
 */
public final class Reservoir<T> implements AutoCloseable {

    private static final Logger slf4j = LoggerFactory.getLogger(Reservoir.class);

    private final ForebayConfig config;
    private final Time time;
    private final Duration startupDelay;
    private final Pool<T> pool;
    private final PoolLog log;
    private final StartUp startUp;
    private final boolean isFleetLeftOut;

    /**
     * A reservoir that does nothing before {@link #start}.
     *
     * @param admissions what every open has to pass before the local rate limit, such as a lease
     * @param listeners who hears what happens
     */
    public Reservoir(
            ForebayConfig config,
            Connector<T> connector,
            List<? extends Admission> admissions,
            List<? extends PoolListener> listeners,
            Time time,
            RandomGenerator random) {
        this(config, connector, admissions, localRateLimit(config, time), listeners, time, random);
    }

    /**
     * As above, with another limit on how fast connections are opened than that of this process alone.
     *
     * @param rateLimit asked last, so that nothing is held up after a permit was spent
     */
    public Reservoir(
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
        this.log = config.toPoolLog(time);
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

    /** A limit of this process alone, as {@code config} has it, shared with no other pool. */
    public static RateLimit localRateLimit(ForebayConfig config, Time time) {
        return new RateLimit(new TokenBucket(config.connectionRateLimit(), config.connectionBurstLimit()), time);
    }

    /** The engine. */
    public Pool<T> pool() {
        return pool;
    }

    /** Returns the settings it was made from. */
    public ForebayConfig config() {
        return config;
    }

    /**
     * Begins to open connections and calls {@code ready} once, when the start-up is over: in standard mode after the
     * warm-up; as a reservoir when the low watermark is reached or the initial fill has taken too long; on demand at
     * once. Whatever the outcome, opening goes on in the background.
     *
     * <p>With a staggered start it begins to open after a random delay. On demand only the idle minimum waits for that:
     * those who ask are served at once.
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

    /** As {@link Pool#close}. */
    @Override
    public void close() {
        pool.close();
    }

    /**
     * How a start-up ended.
     *
     * @param complete whether as many connections were opened as the mode asks for
     * @param open how many are open
     * @param failed how many were given up in the warm-up
     */
    public record Outcome(boolean complete, int open, int failed) {}
}
