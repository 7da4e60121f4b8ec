// SPDX-License-Identifier: Apache-2.0
package dev.forebay.registry;

import dev.forebay.pool.Admission;
import dev.forebay.pool.Connector;
import dev.forebay.pool.DiscardReason;
import dev.forebay.pool.OpenFailure;
import dev.forebay.time.Alarm;
import dev.forebay.time.Time;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Finds out whether a server is healthy. Thread-safe.
 *
 * <p>A probe opens a connection of its own, within the cap, checks it and closes it: so it tests what the next user would
 * meet. Some failures in a row make the server unhealthy, some successes in a row make it healthy again. A server that
 * rejects the password has answered, and so is alive; one that has no room for another connection says nothing either
 * way, nor does a cap whose connections are all in use. A probe that hangs is counted as a failure at its timeout and at
 * each interval until it has ended; no other is begun before, so a server that hangs costs one thread.
 *
 * <p>What somebody said by hand holds until somebody says otherwise; probes go on and are counted.
 *
 * @param <T> what a connection is
 */
final class HealthWatch<T> implements ServerCap.Holder {

    private final Surroundings<T> around;
    private final Alarm alarm;
    private final ServerCap.Share share;
    private final Runnable leave;
    private final ReentrantLock lock = new ReentrantLock();

    /** Read by every acquire. Written under lock. */
    private volatile boolean healthy = true;

    /** Guarded by lock. */
    private boolean byHand;

    /** Guarded by lock. */
    private boolean ended;

    /** Guarded by lock. */
    private long dueAtNanos;

    /** Guarded by lock. */
    private int failuresInARow;

    /** Guarded by lock. */
    private int successesInARow;

    /** Guarded by lock. */
    private long checks;

    /** Guarded by lock. */
    private long failures;

    /** Guarded by lock. */
    private @Nullable Instant lastCheck;

    /** Guarded by lock. */
    private @Nullable String message;

    /** The one under way, or hanging. Guarded by lock. */
    private @Nullable Probe probe;

    /** Run when the last probe is gone, once ended. Guarded by lock. */
    private @Nullable Runnable onGone;

    /** Whether the one under way waits for a slot. */
    private volatile boolean waitsForSlot;

    /** Told when the next probe has ended. Guarded by lock. */
    private final List<Consumer<HealthStatus>> curious = new ArrayList<>();

    /**
     * What it works with.
     *
     * @param definition of this moment
     * @param mapping whose credentials to probe with now, null if there are none
     * @param changed told whenever the server becomes healthy or unhealthy
     */
    record Surroundings<T>(
            Supplier<ServerDefinition> definition,
            Supplier<@Nullable UserMapping> mapping,
            Wiring<T> wiring,
            ServerCap cap,
            Time time,
            InstantSource wall,
            RegistryListener listener,
            Consumer<Boolean> changed) {}

    HealthWatch(Surroundings<T> around) {
        this.around = around;
        this.share = around.cap.share(this);
        this.alarm = new Alarm(around.time, this::step);
        this.leave = share.whenFreed(this::slotFreed);
    }

    void start() {
        lock.lock();
        try {
            dueAtNanos = around.time.nanos() + settings().interval().toNanos();
        } finally {
            lock.unlock();
        }
        alarm.setNow();
    }

    /** Begins no further probe, and runs {@code gone} when nothing of the last one is left. */
    void end(Runnable gone) {
        boolean already;
        lock.lock();
        try {
            ended = true;
            already = probe == null;
            if (!already) {
                onGone = gone;
            }
        } finally {
            lock.unlock();
        }
        leave.run();
        alarm.setNow();
        if (already) {
            gone.run();
        }
    }

    private Settings.Probe settings() {
        return around.definition.get().settings().probe();
    }

    /** The settings have changed: the next probe comes after the new interval at the latest. */
    void settingsChanged() {
        lock.lock();
        try {
            dueAtNanos = Math.min(
                    dueAtNanos, around.time.nanos() + settings().interval().toNanos());
        } finally {
            lock.unlock();
        }
        alarm.setNow();
    }

    boolean isHealthy() {
        return healthy;
    }

    HealthStatus status() {
        lock.lock();
        try {
            return new HealthStatus(
                    around.definition.get().name(),
                    healthy,
                    byHand,
                    Optional.ofNullable(lastCheck),
                    failuresInARow,
                    successesInARow,
                    checks,
                    failures,
                    Optional.ofNullable(message));
        } finally {
            lock.unlock();
        }
    }

    // ---- by hand

    void mark(boolean asHealthy, @Nullable String reason) {
        boolean change;
        lock.lock();
        try {
            change = healthy != asHealthy;
            healthy = asHealthy;
            byHand = !asHealthy;
            message = reason;
            failuresInARow = 0;
            successesInARow = 0;
        } finally {
            lock.unlock();
        }
        if (change) {
            tell(asHealthy, reason == null ? "" : reason);
        }
    }

    /** Probes now, and tells {@code then} what is known after that. Joins a probe that is under way. */
    void checkNow(Consumer<HealthStatus> then) {
        lock.lock();
        try {
            curious.add(then);
            dueAtNanos = around.time.nanos();
        } finally {
            lock.unlock();
        }
        alarm.setNow();
    }

    // ---- the clock

    private long step(long now) {
        Probe starting = null;
        boolean nobody = false;
        long next;
        lock.lock();
        try {
            Settings.Probe settings = settings();
            boolean asked = !curious.isEmpty();
            if (ended || (!settings.enabled() && !asked)) {
                nobody = asked;
                next = Long.MAX_VALUE;
            } else if (probe != null && probe.isUnderWay()) {
                next = Long.MAX_VALUE; // its end, or its timeout, sets the alarm
            } else if (now < dueAtNanos) {
                next = dueAtNanos;
            } else if (probe != null) {
                conclude(Outcome.FAILED, "the last probe still hangs", now);
                nobody = asked;
                next = dueAtNanos;
            } else {
                UserMapping mapping = around.mapping.get();
                if (mapping == null) {
                    message = "no user mapping to probe with";
                    dueAtNanos = now + settings.interval().toNanos();
                    nobody = asked;
                    next = dueAtNanos;
                } else {
                    starting = new Probe(mapping, now, settings.timeout());
                    probe = starting;
                    next = Long.MAX_VALUE;
                }
            }
        } finally {
            lock.unlock();
        }
        if (nobody) {
            answer();
        }
        if (starting != null) {
            starting.begin();
        }
        return next;
    }

    private enum Outcome {
        ALIVE,
        FAILED,
        UNKNOWN
    }

    /** Under lock; whether the server's health has changed is told by the caller, outside of it. */
    private void conclude(Outcome outcome, @Nullable String said, long now) {
        Settings.Probe settings = settings();
        dueAtNanos = now + settings.interval().toNanos();
        lastCheck = around.wall.instant();
        checks++;
        if (!byHand) {
            message = said;
        }
        switch (outcome) {
            case ALIVE -> {
                successesInARow++;
                failuresInARow = 0;
                if (!healthy && !byHand && successesInARow >= settings.successes()) {
                    healthy = true;
                    around.time.schedule(now, () -> tell(true, ""));
                }
            }
            case FAILED -> {
                failures++;
                failuresInARow++;
                successesInARow = 0;
                if (healthy && failuresInARow >= settings.failures()) {
                    healthy = false;
                    String reason = said == null ? "" : said;
                    around.time.schedule(now, () -> tell(false, reason));
                }
            }
            case UNKNOWN -> {}
        }
    }

    private void tell(boolean nowHealthy, String reason) {
        around.changed.accept(nowHealthy);
        around.listener.healthChanged(around.definition.get().name(), nowHealthy, reason);
    }

    private void answer() {
        List<Consumer<HealthStatus>> asked;
        lock.lock();
        try {
            asked = List.copyOf(curious);
            curious.clear();
        } finally {
            lock.unlock();
        }
        HealthStatus status = status();
        asked.forEach(one -> one.accept(status));
    }

    /** Tells whoever waits for the end that nothing is left. */
    private void leaveIfEnded() {
        Runnable gone;
        lock.lock();
        try {
            gone = ended ? onGone : null;
            onGone = null;
        } finally {
            lock.unlock();
        }
        if (gone != null) {
            leave.run();
            gone.run();
        }
    }

    private void slotFreed() {
        Probe waiting;
        lock.lock();
        try {
            waiting = probe;
        } finally {
            lock.unlock();
        }
        if (waiting != null && waitsForSlot) {
            // Not on this stack, which may be deep in another pool's release.
            around.time.schedule(around.time.nanos(), waiting::askForSlot);
        }
    }

    // ---- what the cap asks

    @Override
    public int waiting() {
        return waitsForSlot ? 1 : 0;
    }

    @Override
    public long idleSinceNanos() {
        return Long.MAX_VALUE;
    }

    @Override
    public boolean evictIdle() {
        return false;
    }

    @Override
    public boolean evictLeased() {
        return false;
    }

    @Override
    public boolean mayGive() {
        return false;
    }

    /** A probe is not worth a connection that someone uses. */
    @Override
    public boolean isUrgent() {
        return false;
    }

    /** One probe: a slot, a connection, a check, and the end of all that. */
    private final class Probe implements Admission.Answer, Connector.Opening<T> {
        private final Connector<T> connector;
        private final long beganNanos;
        private final Duration timeout;

        /** Guarded by lock. */
        private boolean concluded;

        /** Guarded by lock. */
        private Admission.@Nullable Grant slot;

        private @Nullable Runnable onAbandon;
        private Time.@Nullable Scheduled deadline;

        Probe(UserMapping mapping, long beganNanos, Duration timeout) {
            this.connector = around.wiring.probes(around.definition.get(), mapping);
            this.beganNanos = beganNanos;
            this.timeout = timeout;
        }

        /** Under lock. */
        boolean isUnderWay() {
            return !concluded;
        }

        void begin() {
            deadline = around.time.schedule(beganNanos + timeout.toNanos(), this::timeOut);
            waitsForSlot = true;
            askForSlot();
        }

        void askForSlot() {
            if (waitsForSlot) {
                share.ask(around.time.nanos(), this);
            }
        }

        private void timeOut() {
            if (waitsForSlot) {
                waitsForSlot = false;
                share.withdrawn(this);
                finish(Outcome.UNKNOWN, "not probed: all connections of the server are in use");
                gone();
                return;
            }
            TimeoutException error = new TimeoutException("no answer within " + timeout);
            finish(Outcome.FAILED, error.getMessage());
            Runnable abandoned = onAbandon;
            if (abandoned != null) {
                abandoned.run();
            }
        }

        // ---- the slot

        @Override
        public void granted(Admission.Grant grant) {
            boolean late;
            lock.lock();
            try {
                late = concluded || slot != null;
                if (!late) {
                    slot = grant;
                    waitsForSlot = false;
                }
            } finally {
                lock.unlock();
            }
            if (late) {
                grant.openEnded(Admission.Outcome.NOT_TRIED);
                grant.release();
            } else {
                connector.open(this);
            }
        }

        @Override
        public void notBefore(long nanos) {
            // Woken when there is one; given up at the timeout.
        }

        @Override
        public void failed(OpenFailure failure) {
            lock.lock();
            try {
                if (slot != null) {
                    slot.openEnded(Admission.Outcome.FAILED);
                }
            } finally {
                lock.unlock();
            }
            Throwable error = failure.error();
            String said = String.valueOf(error.getMessage());
            if (Errors.of(error) == RegistryError.AUTH_FAILED) {
                finish(Outcome.ALIVE, "the probe's user is rejected: " + said);
            } else {
                finish(Errors.isFull(error) ? Outcome.UNKNOWN : Outcome.FAILED, said);
            }
            gone();
        }

        // ---- the connection

        @Override
        public void opened(T opened) {
            connector.check(opened, alive -> {
                finish(
                        alive ? Outcome.ALIVE : Outcome.FAILED,
                        alive ? null : "the server does not answer the health check");
                connector.close(opened, DiscardReason.EVICTED, this::gone);
            });
        }

        @Override
        public boolean isAbandoned() {
            lock.lock();
            try {
                return concluded;
            } finally {
                lock.unlock();
            }
        }

        @Override
        public void onAbandon(Runnable action) {
            onAbandon = action;
            if (isAbandoned()) {
                action.run();
            }
        }

        // ---- the end

        /** Counts the outcome, the first one only. */
        private void finish(Outcome outcome, @Nullable String said) {
            long now = around.time.nanos();
            lock.lock();
            try {
                if (concluded) {
                    return;
                }
                concluded = true;
                conclude(outcome, said, now);
            } finally {
                lock.unlock();
            }
            if (deadline != null) {
                deadline.cancel();
            }
            if (outcome != Outcome.UNKNOWN) {
                around.listener.probed(around.definition.get().name(), outcome == Outcome.ALIVE, now - beganNanos);
            }
            answer();
            alarm.setNow();
        }

        /** Nothing of it is left: the next may begin. */
        private void gone() {
            Admission.Grant held;
            lock.lock();
            try {
                held = slot;
                slot = null;
                if (probe == this) {
                    probe = null;
                }
            } finally {
                lock.unlock();
            }
            if (held != null) {
                held.release();
            }
            leaveIfEnded();
            alarm.setNow();
        }
    }
}
