// SPDX-License-Identifier: Apache-2.0
package dev.forebay.fleet;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import dev.forebay.engine.RateLimit;
import dev.forebay.engine.TokenBucket;
import dev.forebay.fleet.Instances.Seen;
import dev.forebay.time.Actions;
import dev.forebay.time.Time;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * An instance's share of the fleet's rate: the rate divided by the instances last seen. Thread-safe.
 *
 * <p>The bucket of a share begins empty and holds the inflow of a second. So a fleet whose instances have all seen each
 * other opens no more in an outage than its rate, plus a second's worth. On top may come the minimum of each instance
 * that has seen none, and the difference for those that saw fewer than there are now.
 */
final class OutageShare implements Fallback {

    private final Instances instances;
    private final double perSecond;
    private final double minimum;
    private final Time time;
    private final FleetListener listener;
    private final List<Runnable> wakes = new CopyOnWriteArrayList<>();
    private final ReentrantLock lock = new ReentrantLock();

    @GuardedBy("lock")
    private @Nullable Seen dividedBy;

    @GuardedBy("lock")
    private @Nullable RateLimit limit;

    OutageShare(Instances instances, double perSecond, double minimum, Time time, FleetListener listener) {
        this.instances = instances;
        this.perSecond = perSecond;
        this.minimum = minimum;
        this.time = time;
        this.listener = listener;
    }

    @Override
    public void ask(long nowNanos, Answer answer) {
        try (Actions actions = new Actions()) {
            lock.lock();
            try {
                Seen seen = instances.seen();
                RateLimit current = limit;
                if (current == null || !Objects.equals(seen, dividedBy)) {
                    double share = share(seen);
                    current = RateLimit.empty(new TokenBucket(share, Math.max(1, (long) share)), time);
                    current.whenFreed(() -> Actions.runAll(wakes));
                    limit = current;
                    dividedBy = seen;
                    int count = seen == null ? 0 : seen.count();
                    actions.tell(() -> listener.fallingBack(share, perSecond, count));
                }
                RateLimit asked = current;
                actions.add(() -> asked.ask(nowNanos, answer));
            } finally {
                lock.unlock();
            }
        }
    }

    private double share(@Nullable Seen seen) {
        return seen == null ? Math.min(minimum, perSecond) : perSecond / seen.count();
    }

    @Override
    public Runnable whenFreed(Runnable wake) {
        wakes.add(wake);
        return () -> wakes.remove(wake);
    }

    @Override
    public double sustainedPerSecond() {
        return share(instances.seen());
    }

    @Override
    public void close() {
        instances.close();
    }
}
