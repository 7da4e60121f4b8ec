// SPDX-License-Identifier: Apache-2.0
package dev.forebay;

import dev.forebay.ForebayConfig.Mode;
import dev.forebay.engine.DiscardReason;
import dev.forebay.engine.OpenFailure;
import dev.forebay.engine.PoolListener;
import dev.forebay.engine.PoolStats;
import dev.forebay.engine.internal.GoDuration;
import dev.forebay.engine.internal.Quiet;
import dev.forebay.time.Time;
import java.time.Duration;
import java.util.EnumMap;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.event.Level;

/**
 * Logs the events of a pool to SLF4J, in sentences that operators and their searches know. Thread-safe.
 *
 * <h2>Levels</h2>
 *
 * A healthy pool says little at INFO: its start, a tenth of the initial fill at a time, the end of the fill. Every
 * other connection opened, every checkout of a reservoir if DEBUG is on when it is built, and every discard that
 * belongs to a connection's ordinary life (its lifetime ran out while it was ready, its replacement came, it was idle
 * for too long), is DEBUG.
 *
 * <p>A discard that a borrower may have felt (the connection was broken, or too old at checkout or return) is a WARN, as
 * is an empty reservoir; but only once in ten seconds for each reason, and DEBUG in between, since a busy pool of a
 * thousand has several a second. The metrics count them all.
 *
 * <p>A failed open is logged once for each step of the backoff: the many that fail in one round say the same thing.
 * Failures between successes are logged once a second.
 *
 * <h2>Secrets</h2>
 *
 * Of an error, only the message is written, with whatever follows {@code password=}, {@code token=} and their like left
 * out.
 */
final class PoolLog implements PoolListener {

    private static final Logger log = LoggerFactory.getLogger(PoolLog.class);

    private static final long REPEAT_NANOS = 10_000_000_000L;
    private static final long FAILURE_REPEAT_NANOS = 1_000_000_000L;
    private static final long UNLIMITED_NANOS = Duration.ofDays(36_500).toNanos();

    private static final Pattern SECRET = Pattern.compile(
            "(?i)((?:password|passwd|pwd|secret|token|signature|credential)[\\w-]*\\s*[=:]\\s*)[^&;,\\s\"]+");

    private final ForebayConfig config;

    /** The number of connections that the pool fills up to, or opens at most. */
    private final int target;

    private final Time time;

    /** Filled once, so that they can be read by any thread. */
    private final Map<OpenFailure.Cause, AtomicInteger> lastAttempts = new EnumMap<>(OpenFailure.Cause.class);

    private final Map<OpenFailure.Cause, Quiet> failures = new EnumMap<>(OpenFailure.Cause.class);
    private final Map<DiscardReason, Quiet> discards = new EnumMap<>(DiscardReason.class);
    private final Quiet empties = new Quiet();

    private final AtomicInteger givenUp = new AtomicInteger();
    private volatile boolean filling = true;
    private volatile @Nullable Supplier<PoolStats> stats;

    PoolLog(ForebayConfig config, Time time) {
        this.config = config;
        this.target = isReservoir() ? config.targetReady() : config.maxOpen();
        this.time = time;
        for (OpenFailure.Cause cause : OpenFailure.Cause.values()) {
            lastAttempts.put(cause, new AtomicInteger());
            failures.put(cause, new Quiet());
        }
        for (DiscardReason reason : DiscardReason.values()) {
            discards.put(reason, new Quiet());
        }
    }

    private boolean isReservoir() {
        return config.mode() == Mode.RESERVOIR;
    }

    private boolean isStandard() {
        return config.mode() == Mode.STANDARD;
    }

    /** Shows the pool whose checkouts are logged at DEBUG. */
    public void observe(Supplier<PoolStats> stats) {
        this.stats = stats;
    }

    // ---- the start, reported by the pool's owner

    /** The pool is about to start, with {@code open} connections. */
    public void starting(int open) {
        switch (config.mode()) {
            case RESERVOIR -> {
                log.info("Reservoir mode enabled, registering reservoir driver");
                log.info(
                        "Reservoir refiller started  target_ready={} low_watermark={} base_lifetime={}",
                        target,
                        config.lowWatermark(),
                        GoDuration.format(config.baseLifetime()));
            }
            case STANDARD -> {
                configured(open);
                log.info("Starting DSQL connection pool warmup");
                log.info(
                        "Starting DSQL pool warmup  current_connections={} target_connections={}"
                                + " connections_to_create={}",
                        open,
                        target,
                        Math.max(0, target - open));
            }
            case ON_DEMAND -> configured(open);
        }
    }

    private void configured(int open) {
        log.info(
                "DSQL connection pool configured  max_open_conns={} current_open={} max_conn_lifetime={}"
                        + " max_conn_idle_time={}",
                target,
                open,
                GoDuration.format(config.maxLifetime()),
                GoDuration.format(isStandard() ? config.maxIdleTime() : config.idleTimeout()));
    }

    /** The initial fill, or the warm-up, has ended after {@code elapsed}, successfully or not. */
    public void started(PoolStats stats, Duration elapsed) {
        filling = false;
        switch (config.mode()) {
            case RESERVOIR -> {
                if (stats.open() >= config.lowWatermark()) {
                    log.info(
                            "Reservoir initial fill complete  size={} target={} elapsed={}",
                            stats.open(),
                            target,
                            GoDuration.format(rounded(elapsed)));
                } else {
                    log.warn("Reservoir initial fill timeout  current={} target={}", stats.open(), target);
                }
            }
            case STANDARD -> {
                log.info(
                        "DSQL pool warmup complete  connections_created={} connections_failed={}"
                                + " final_open_connections={}",
                        stats.opened(),
                        givenUp.get(),
                        stats.open());
                log.info(
                        "DSQL pool keeper started  target_pool_size={} tick_interval={} max_conns_per_tick={}",
                        target,
                        GoDuration.format(config.keeperTick()),
                        config.keeperBatch());
            }
            case ON_DEMAND -> {}
        }
    }

    /** Rounds to tenths of a second from one second on, to whole milliseconds below. */
    private static Duration rounded(Duration elapsed) {
        long unit = elapsed.compareTo(Duration.ofSeconds(1)) >= 0 ? 100_000_000 : 1_000_000;
        return Duration.ofNanos((elapsed.toNanos() + unit / 2) / unit * unit);
    }

    // ---- events

    /** Whether checkouts are logged is decided when the pool is built, so that they cost nothing where they are not. */
    @Override
    public boolean hearsCheckouts() {
        return isReservoir() && log.isDebugEnabled();
    }

    @Override
    public void checkedOut(long waitedNanos) {
        Supplier<PoolStats> shown = stats;
        if (isReservoir() && shown != null && log.isDebugEnabled()) {
            PoolStats now = shown.get();
            log.debug(
                    "Reservoir driver Open() - connection checked out  open_count={} reservoir_ready={}",
                    now.checkouts(),
                    now.ready());
        }
    }

    @Override
    public void opened(int open, long connectNanos) {
        lastAttempts.values().forEach(last -> last.set(0));
        if (!isReservoir()) {
            log.debug("DSQL pool: created connection  open={} target={}", open, target);
            return;
        }
        boolean milestone = open == 1 || open == target || open % Math.max(1, target / 10) == 0;
        log.atLevel(filling && milestone ? Level.INFO : Level.DEBUG)
                .log("Reservoir refiller: created connection  reservoir_size={} target={}", open, target);
    }

    @Override
    public void openForgotten(long hungNanos) {
        log.warn(
                "An open hangs in the driver for {} and is no longer counted; set the driver's connect and socket timeouts",
                GoDuration.format(Duration.ofNanos(hungNanos)));
    }

    @Override
    public void openFailed(OpenFailure failure, int attempt, long delayNanos) {
        if (isStandard() && attempt % config.warmupTries() == 0) {
            givenUp.incrementAndGet();
        }
        boolean news = isNews(failure.cause(), attempt);
        String error = quoted(failure.error());
        if (isReservoir()) {
            String specific = switch (failure.cause()) {
                case LEASE_ACQUIRE -> "lease acquire failed";
                case TOKEN_PROVIDER -> "token provider failed";
                case CONNECT -> "connection open failed";
                case RATE_LIMIT, CONNECTION_COUNT -> "";
            };
            if (specific.isEmpty()) {
                log.atLevel(news ? Level.WARN : Level.DEBUG)
                        .log("Reservoir refiller: failed to create connection  error={} attempt={}", error, attempt);
            } else {
                log.atLevel(news ? Level.ERROR : Level.DEBUG).log("Reservoir refiller: {}  error={}", specific, error);
            }
        } else if (isStandard() && filling) {
            log.atLevel(news ? Level.WARN : Level.DEBUG).log("Pool warmup connection failed  error={}", error);
        } else {
            log.atLevel(news ? Level.WARN : Level.DEBUG)
                    .log("DSQL pool: failed to create connection  error={} attempt={}", error, attempt);
        }
    }

    /** Returns whether this is a step of the backoff that was not logged yet, or the first failure after a quiet second. */
    private boolean isNews(OpenFailure.Cause cause, int attempt) {
        int last = of(lastAttempts, cause).getAndAccumulate(attempt, Math::max);
        long quiet = attempt > 1 ? 0 : FAILURE_REPEAT_NANOS;
        return attempt > last && of(failures, cause).breakAfter(quiet, time.coarseNanos());
    }

    private static <K, V> V of(Map<K, V> all, K key) {
        return Objects.requireNonNull(all.get(key));
    }

    @Override
    public void discarded(DiscardReason reason, long remainingNanos) {
        boolean felt = switch (reason) {
            case INSUFFICIENT_REMAINING_LIFETIME,
                    EXPIRED_ON_CHECKOUT,
                    EXPIRED_ON_RETURN,
                    BAD_CONNECTION,
                    FAILED_VALIDATION -> true;
            case EXPIRED_ON_SCAN,
                    EXPIRING_SOON_ON_SCAN,
                    RESERVOIR_FULL,
                    REPLACED,
                    IDLE_TIMEOUT,
                    OVERFLOW,
                    EVICTED,
                    POOL_CLOSED -> false;
        };
        Level level =
                felt && of(discards, reason).breakAfter(REPEAT_NANOS, time.coarseNanos()) ? Level.WARN : Level.DEBUG;
        if (!log.isEnabledForLevel(level)) {
            return;
        }
        String remaining = remainingNanos >= UNLIMITED_NANOS
                ? "unlimited"
                : GoDuration.format(Duration.ofMillis(Math.round(remainingNanos / 1e6)));
        if (isReservoir()) {
            log.atLevel(level)
                    .log(
                            "Reservoir: discarding connection  reason={} remaining={} guard_window={}",
                            reason.label(),
                            remaining,
                            GoDuration.format(config.guardWindow()));
        } else {
            log.atLevel(level)
                    .log("DSQL pool: discarding connection  reason={} remaining={}", reason.label(), remaining);
        }
    }

    @Override
    public void foundEmpty() {
        if (isReservoir() && empties.breakAfter(REPEAT_NANOS, time.coarseNanos())) {
            log.warn("Reservoir empty  target={}", target);
        }
    }

    @Override
    public void sweeping(int connections) {
        log.info("Checking all idle connections, since one was found broken  connections={}", connections);
    }

    private static String quoted(Throwable error) {
        String message = error.getMessage();
        String text = message == null ? error.getClass().getSimpleName() : message;
        String safe = SECRET.matcher(text).replaceAll("$1***");
        return '"' + safe.replaceAll("\\s+", " ").replace("\"", "'") + '"';
    }
}
