// SPDX-License-Identifier: Apache-2.0
package dev.forebay;

import dev.forebay.engine.OpenFailure;
import dev.forebay.engine.Pool;
import dev.forebay.engine.PoolListener;
import dev.forebay.time.Time;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Watches the first fill of a pool and calls back when its owner may go on.
 *
 * <p>A reservoir is ready at its low watermark, or when the initial fill has taken too long. Standard mode is ready when
 * each connection has been opened or given up; if the very first one is given up, nothing is there to connect to, and
 * waiting for the other ninety-nine would only keep the application from saying so. Nor does it wait for ever if
 * connections come too slowly. Thread-safe.
 */
final class StartUp implements PoolListener {

    /** The longest that a start waits for the warm-up, which goes on in the background. */
    private static final Duration WARM_UP = Duration.ofMinutes(2);

    private final ForebayConfig config;
    private final Time time;
    private final AtomicInteger created = new AtomicInteger();
    private final AtomicInteger failed = new AtomicInteger();
    private final AtomicBoolean over = new AtomicBoolean();
    private volatile @Nullable Watch watch;
    private volatile Time.@Nullable Scheduled timeout;

    private record Watch(Pool<?> pool, Consumer<ConfiguredPool.Outcome> ready) {}

    StartUp(ForebayConfig config, Time time) {
        this.config = config;
        this.time = time;
    }

    /** Begins to watch {@code pool}, which begins to open connections after {@code delay}. */
    void begin(Pool<?> pool, Duration delay, Consumer<ConfiguredPool.Outcome> ready) {
        watch = new Watch(pool, ready);
        if (config.neededToStart() == 0) {
            end(true);
        } else {
            Duration patience = config.mode() == ForebayConfig.Mode.RESERVOIR ? config.initialFillTimeout() : WARM_UP;
            timeout = time.schedule(time.nanos() + delay.plus(patience).toNanos(), () -> end(false));
        }
    }

    @Override
    public void opened(int open, long connectNanos) {
        int count = created.incrementAndGet();
        boolean enough = config.mode() == ForebayConfig.Mode.STANDARD
                ? count + failed.get() >= config.neededToStart()
                : open >= config.neededToStart();
        if (enough) {
            end(failed.get() == 0);
        }
    }

    @Override
    public void openFailed(OpenFailure failure, int attempt, long delayNanos) {
        if (over.get() || config.mode() != ForebayConfig.Mode.STANDARD || attempt % config.warmupTries() != 0) {
            return;
        }
        int given = failed.incrementAndGet();
        if (created.get() == 0 || created.get() + given >= config.neededToStart()) {
            end(false);
        }
    }

    private void end(boolean complete) {
        Watch watching = watch;
        if (watching != null && over.compareAndSet(false, true)) {
            Time.Scheduled pending = timeout;
            if (pending != null) {
                pending.cancel();
            }
            int open = watching.pool().openCount();
            watching.ready().accept(new ConfiguredPool.Outcome(complete, open, failed.get()));
        }
    }
}
