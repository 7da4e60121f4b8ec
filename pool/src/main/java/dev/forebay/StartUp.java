// SPDX-License-Identifier: Apache-2.0
package dev.forebay;

import dev.forebay.event.PoolListener;
import dev.forebay.pool.OpenFailure;
import dev.forebay.pool.Pool;
import dev.forebay.time.Time;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Watches a pool fill for the first time and says when its owner may go on.
 *
 * <p>A reservoir is ready at its low watermark, or when the initial fill has taken too long. Standard mode is ready when
 * each connection has been opened or given up; if the very first one is given up, nothing is there to connect to, and
 * waiting for the other ninety-nine would only keep the application from saying so. Thread-safe.
 */
final class StartUp implements PoolListener {

    private final ForebayConfig config;
    private final Time time;
    private final AtomicInteger created = new AtomicInteger();
    private final AtomicInteger failed = new AtomicInteger();
    private final AtomicBoolean over = new AtomicBoolean();
    private volatile @Nullable Watch watch;

    private record Watch(Pool<?> pool, Consumer<Reservoir.Outcome> ready) {}

    StartUp(ForebayConfig config, Time time) {
        this.config = config;
        this.time = time;
    }

    void begin(Pool<?> pool, Consumer<Reservoir.Outcome> ready) {
        watch = new Watch(pool, ready);
        if (needed() == 0) {
            end(true);
        } else if (config.mode() == ForebayConfig.Mode.RESERVOIR) {
            long timeoutAt = time.nanos() + config.initialFillTimeout().toNanos();
            time.schedule(timeoutAt, () -> end(false));
        }
    }

    private int needed() {
        return switch (config.mode()) {
            case STANDARD -> config.maxOpen();
            case RESERVOIR -> config.lowWatermark();
            case ON_DEMAND -> 0;
        };
    }

    @Override
    public void opened(int open, long connectNanos) {
        int count = created.incrementAndGet();
        boolean enough =
                config.mode() == ForebayConfig.Mode.STANDARD ? count + failed.get() >= needed() : open >= needed();
        if (enough) {
            end(failed.get() == 0);
        }
    }

    @Override
    public void openFailed(OpenFailure failure, int attempt, long delayNanos) {
        if (over.get() || config.mode() != ForebayConfig.Mode.STANDARD || attempt % tries() != 0) {
            return;
        }
        int given = failed.incrementAndGet();
        if (created.get() == 0 || created.get() + given >= needed()) {
            end(false);
        }
    }

    private int tries() {
        return config.warmupRetries() + 1;
    }

    private void end(boolean complete) {
        Watch watching = watch;
        if (watching != null && over.compareAndSet(false, true)) {
            int open = watching.pool().openCount();
            watching.ready().accept(new Reservoir.Outcome(complete, open, failed.get()));
        }
    }
}
