// SPDX-License-Identifier: Apache-2.0
package dev.forebay.registry;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import dev.forebay.engine.Admission;
import dev.forebay.engine.Connector;
import dev.forebay.engine.DiscardReason;
import dev.forebay.engine.OpenFailure;
import dev.forebay.engine.internal.Alarm;
import dev.forebay.time.Actions;
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
 * Watches the health of a server. Thread-safe.
 *
 * <p>A probe opens a connection of its own, outside the cap, checks it and closes it: so it meets what the next user
 * would, also while all connections are in use. Some failures in a row make the server unhealthy, some successes in a
 * row make it healthy again. A server that rejects the password has answered, and so is alive; one that has no room for
 * another connection proves nothing either way. A rejected password is not retried by a probe. A probe that hangs is
 * counted as a failure at its timeout and at each interval until it has ended; no other is begun before, so a server
 * that hangs costs one thread.
 *
 * <p>Where the rate of connects is limited, a probe asks for its permit as a user's connect does. One that gets none
 * within its timeout proves nothing either way.
 *
 * <p>Users' connects that fail, and connections that break, have the server probed at once when there are enough of them
 * in a row. They are then counted with the probe's failure; without one they make no server unhealthy.
 *
 * <p>A health declared by hand holds until it is declared otherwise by hand; probes go on and are counted.
 *
 * @param <T> the type of the connections
 */
final class HealthWatch<T> {

    /** The shortest time from one probe to the next that users' failures ask for. */
    private static final long SPACING_NANOS = 1_000_000_000;

    private final Surroundings<T> around;
    private final Alarm alarm;
    private final ReentrantLock lock = new ReentrantLock();

    /** The health, which every acquire reads. Written under lock. */
    private volatile boolean healthy = true;

    @GuardedBy("lock")
    private boolean byHand;

    @GuardedBy("lock")
    private boolean ended;

    @GuardedBy("lock")
    private long dueAtNanos;

    @GuardedBy("lock")
    private int failuresInARow;

    @GuardedBy("lock")
    private int successesInARow;

    @GuardedBy("lock")
    private long checks;

    @GuardedBy("lock")
    private long failures;

    @GuardedBy("lock")
    private long unknowns;

    /** Users' connects that failed and connections that broke since one was opened. Written under lock. */
    private volatile int usersFailures;

    /** Whether the last sign of the server showed it alive or dead. Written under lock. */
    private volatile boolean known;

    /** The time the last probe was concluded. */
    @GuardedBy("lock")
    private long probedAtNanos;

    @GuardedBy("lock")
    private @Nullable Instant lastCheck;

    @GuardedBy("lock")
    private @Nullable String message;

    /** The probe in progress, or hanging. */
    @GuardedBy("lock")
    private @Nullable Probe probe;

    /** Run when the last probe is gone, once ended. */
    @GuardedBy("lock")
    private @Nullable Runnable onGone;

    /** Called when the next probe has ended. */
    @GuardedBy("lock")
    private final List<Consumer<HealthStatus>> curious = new ArrayList<>();

    /**
     * The surroundings it works with.
     *
     * @param definition the current definition
     * @param who the credentials to probe with now
     * @param rateLimit the limit that a probe asks before it connects, null for none
     * @param changed called whenever the server becomes healthy or unhealthy
     */
    record Surroundings<T>(
            Supplier<ServerDefinition> definition,
            Supplier<Who> who,
            Supplier<? extends @Nullable Admission> rateLimit,
            Wiring<T> wiring,
            Time time,
            InstantSource wall,
            RegistryListener listener,
            Consumer<Boolean> changed) {}

    /**
     * The credentials of a probe.
     *
     * @param mapping null if there are none that may be tried
     * @param login their standing at the server
     * @param otherwise the reason there are none
     */
    record Who(@Nullable UserMapping mapping, @Nullable Login login, String otherwise) {}

    HealthWatch(Surroundings<T> around) {
        this.around = around;
        this.alarm = new Alarm(around.time, this::step);
    }

    void start() {
        lock.lock();
        try {
            dueAtNanos = around.time.nanos() + settings().interval().toNanos();
            probedAtNanos = around.time.nanos() - SPACING_NANOS;
        } finally {
            lock.unlock();
        }
        alarm.setNow();
    }

    /** Begins no further probe, and runs {@code gone} when the last one has ended altogether. */
    void end(Runnable gone) {
        try (Actions actions = new Actions()) {
            lock.lock();
            try {
                ended = true;
                actions.add(alarm::setNow);
                if (probe == null) {
                    actions.add(gone);
                } else {
                    Probe last = probe;
                    onGone = gone;
                    actions.add(() -> last.drop("the server is gone"));
                }

            } finally {
                lock.unlock();
            }
        }
    }

    private Settings.Probe settings() {
        return around.definition.get().settings().probe();
    }

    /** Takes on changed settings: the next probe comes after the new interval at the latest. */
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
                    unknowns,
                    known,
                    Optional.ofNullable(message));
        } finally {
            lock.unlock();
        }
    }

    // ---- users' connects

    /** Notes that a user's connect succeeded. */
    void usersConnected() {
        if (usersFailures == 0 && known) {
            return;
        }
        lock.lock();
        try {
            usersFailures = 0;
            known = true;
        } finally {
            lock.unlock();
        }
    }

    /** Notes that the server has rejected a user, so it lives. Takes effect at once: with that user rejected no probe may come. */
    void usersAnswered() {
        try (Actions actions = new Actions()) {
            lock.lock();
            try {
                usersFailures = 0;
                if (!healthy && !byHand) {
                    healthy = true;
                    known = true;
                    message = null;
                    failuresInARow = 0;
                    tell(true, "", actions);
                }

            } finally {
                lock.unlock();
            }
        }
    }

    /** Notes that a user's connect failed, or a connection broke: enough of them in a row have the server probed at once. */
    void usersFailed() {
        boolean enough;
        lock.lock();
        try {
            Settings.Probe settings = settings();
            int count = usersFailures + 1;
            usersFailures = count;
            enough = healthy && settings.enabled() && count >= settings.failures();
            if (!settings.enabled() && count >= settings.failures()) {
                known = false; // nothing else would notice that it is gone
            }
            if (enough) {
                long spacing = Math.min(SPACING_NANOS, settings.interval().toNanos());
                dueAtNanos = Math.min(dueAtNanos, Math.max(around.time.nanos(), probedAtNanos + spacing));
            }
        } finally {
            lock.unlock();
        }
        if (enough) {
            alarm.setNow();
        }
    }

    // ---- by hand

    void mark(boolean asHealthy, @Nullable String reason) {
        try (Actions actions = new Actions()) {
            lock.lock();
            try {
                boolean change = healthy != asHealthy;
                healthy = asHealthy;
                byHand = !asHealthy;
                message = reason;
                failuresInARow = 0;
                successesInARow = 0;
                usersFailures = 0;
                if (change) {
                    tell(asHealthy, reason == null ? "" : reason, actions);
                }

            } finally {
                lock.unlock();
            }
        }
    }

    /** Probes now, and passes the status after that to {@code then}. Joins a probe in progress. */
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
        try (Actions actions = new Actions()) {
            lock.lock();
            try {
                return step(now, actions);
            } finally {
                lock.unlock();
            }
        }
    }

    /** Begins a due probe and returns when to look again; its end, or timeout, sets the alarm for the next. */
    @GuardedBy("lock")
    private long step(long now, Actions actions) {
        Settings.Probe settings = settings();
        if (ended || (!settings.enabled() && curious.isEmpty())) {
            answer(actions);
            return Long.MAX_VALUE;
        }
        if (probe != null && probe.isUnderWay()) {
            return Long.MAX_VALUE;
        }
        if (now < dueAtNanos) {
            return dueAtNanos;
        }
        if (probe != null) {
            conclude(Outcome.FAILED, "the last probe still hangs", now, actions);
            answer(actions);
            return dueAtNanos;
        }
        dueAtNanos = now + settings.interval().toNanos();
        Who who = around.who.get();
        UserMapping mapping = who.mapping;
        if (mapping == null) {
            message = byHand ? message : who.otherwise;
            known = false;
            answer(actions);
            return dueAtNanos;
        }
        Probe starting = new Probe(mapping, who.login, now, settings.timeout());
        probe = starting;
        actions.add(starting::begin);
        return Long.MAX_VALUE;
    }

    private enum Outcome {
        ALIVE,
        /** It has rejected the user: alive, and there will be no second probe to show it. */
        ANSWERED,
        FAILED,
        UNKNOWN
    }

    @GuardedBy("lock")
    private void conclude(Outcome outcome, @Nullable String said, long now, Actions actions) {
        Settings.Probe settings = settings();
        dueAtNanos = now + settings.interval().toNanos();
        probedAtNanos = now;
        lastCheck = around.wall.instant();
        checks++;
        known = outcome != Outcome.UNKNOWN;
        if (!byHand) {
            message = said;
        }
        switch (outcome) {
            case ALIVE, ANSWERED -> {
                successesInARow++;
                failuresInARow = 0;
                usersFailures = 0;
                boolean enough = outcome == Outcome.ANSWERED || successesInARow >= settings.successes();
                if (!healthy && !byHand && enough) {
                    healthy = true;
                    tell(true, "", actions);
                }
            }
            case FAILED -> {
                failures++;
                failuresInARow++;
                successesInARow = 0;
                if (healthy && failuresInARow + usersFailures >= settings.failures()) {
                    healthy = false;
                    tell(false, said == null ? "" : said, actions);
                }
            }
            case UNKNOWN -> unknowns++;
        }
    }

    /** Reports another health to the pools, the log and the listener. */
    @GuardedBy("lock")
    private void tell(boolean nowHealthy, String reason, Actions actions) {
        String name = around.definition.get().name();
        actions.add(() -> around.changed.accept(healthy)); // the last of several finds the final health
        actions.tell(() -> FailureLog.healthChanged(name, nowHealthy, reason));
        actions.tell(() -> around.listener.healthChanged(name, nowHealthy, reason));
    }

    /** Passes the current status to those that asked for a probe. */
    @GuardedBy("lock")
    private void answer(Actions actions) {
        if (!curious.isEmpty()) {
            HealthStatus status = status();
            curious.forEach(one -> actions.add(() -> one.accept(status)));
            curious.clear();
        }
    }

    /** The progress of a probe. */
    private enum Phase {
        /** It has no permit to connect yet. */
        WAITING,
        CONNECTING,
        /** It will not connect. */
        DROPPED
    }

    /** One probe: a permit where one is needed, a connection, a check, and the end of both. */
    private final class Probe implements Connector.Opening<T>, Admission.Answer {
        private final Connector<T> connector;
        private final @Nullable Login login;
        private final @Nullable Admission rateLimit;
        private final Duration timeout;
        private final long permitDeadlineNanos;

        @GuardedBy("lock")
        private Phase phase = Phase.WAITING;

        /** The time it connected; until then, the time it was made. Written before the connect. */
        private volatile long beganNanos;

        /** The permit to connect. Written before the connect. */
        private volatile Admission.@Nullable Grant permit;

        /** Guarded by the lock of the watch, which the compiler cannot follow from there. */
        private boolean concluded;

        private @Nullable Runnable onAbandon;
        private Time.@Nullable Scheduled deadline;

        Probe(UserMapping mapping, @Nullable Login login, long beganNanos, Duration timeout) {
            this.login = login;
            this.connector = around.wiring.probes(around.definition.get(), mapping, mapping.password());
            this.rateLimit = around.rateLimit.get();
            this.beganNanos = beganNanos;
            this.timeout = timeout;
            this.permitDeadlineNanos = beganNanos + timeout.toNanos();
        }

        boolean isUnderWay() {
            return !concluded;
        }

        void begin() {
            if (rateLimit == null) {
                connect();
            } else {
                deadline =
                        around.time.schedule(permitDeadlineNanos, () -> drop("no permit to connect within " + timeout));
                ask(rateLimit);
            }
        }

        private void ask(Admission limit) {
            if (isWaiting()) {
                limit.ask(around.time.nanos(), this);
            }
        }

        private boolean isWaiting() {
            lock.lock();
            try {
                return phase == Phase.WAITING;
            } finally {
                lock.unlock();
            }
        }

        /** Ends its wait for a permit; false if the wait had ended before. */
        private boolean endWait(Phase next) {
            lock.lock();
            try {
                boolean waited = phase == Phase.WAITING;
                phase = waited ? next : phase;
                return waited;
            } finally {
                lock.unlock();
            }
        }

        @Override
        public void granted(Admission.Grant grant) {
            permit = grant;
            if (!connect()) {
                spend(Admission.Outcome.NOT_TRIED);
            }
        }

        @Override
        public void notBefore(long nanos) {
            Admission limit = rateLimit;
            if (limit != null && nanos < permitDeadlineNanos) { // otherwise that comes first
                around.time.schedule(nanos, () -> ask(limit));
            }
        }

        /** Connects, unless it was dropped; only now its time begins. */
        private boolean connect() {
            if (!endWait(Phase.CONNECTING)) {
                return false;
            }
            if (deadline != null) {
                deadline.cancel();
            }
            beganNanos = around.time.nanos();
            deadline = around.time.schedule(beganNanos + timeout.toNanos(), this::timeOut);
            try {
                connector.open(this);
            } catch (Throwable e) { // a connector that cannot even try has failed, whatever it throws
                Actions.threw(e);
                spend(Admission.Outcome.FAILED);
                finish(Outcome.FAILED, e.toString());
                gone();
            }
            return true;
        }

        private void spend(Admission.Outcome outcome) {
            Admission.Grant granted = permit;
            if (granted != null) {
                Actions.run(() -> granted.openEnded(outcome));
                Actions.run(granted::release);
            }
        }

        /** Gives up without a connect, because of {@code why}; false if it has connected. */
        boolean drop(String why) {
            if (!endWait(Phase.DROPPED)) {
                return false;
            }
            finish(Outcome.UNKNOWN, "not probed: " + why);
            gone();
            return true;
        }

        private void timeOut() {
            TimeoutException error = new TimeoutException("no answer within " + timeout);
            finish(Outcome.FAILED, error.getMessage());
            Runnable abandoned = onAbandon;
            if (abandoned != null) {
                abandoned.run();
            }
        }

        @Override
        public void failed(OpenFailure failure) {
            if (drop(Errors.reason(failure.error()))) { // by the rate limit, not by the server
                return;
            }
            spend(failure.cause().outcome());
            Throwable error = failure.error();
            String said = Errors.reason(error);
            if (Errors.of(error) == RegistryError.AUTH_FAILED) {
                if (login != null) {
                    login.rejected(failure, beganNanos);
                }
                finish(Outcome.ANSWERED, "the probe's user is rejected: " + said);
            } else {
                finish(Errors.isFull(error) ? Outcome.UNKNOWN : Outcome.FAILED, said);
            }
            gone();
        }

        // ---- the connection

        @Override
        public void opened(T opened) {
            spend(Admission.Outcome.OPENED);
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
            try (Actions actions = new Actions()) {
                lock.lock();
                try {
                    if (concluded) {
                        return;
                    }
                    concluded = true;
                    if (deadline != null) {
                        actions.add(deadline::cancel);
                    }
                    conclude(outcome, said, now, actions);
                    answer(actions);
                    actions.add(alarm::setNow);
                    if (outcome != Outcome.UNKNOWN) {
                        String name = around.definition.get().name();
                        actions.tell(() -> around.listener.probed(name, outcome != Outcome.FAILED, now - beganNanos));
                    }

                } finally {
                    lock.unlock();
                }
            }
        }

        /** Notes that it has ended altogether: the next may begin. */
        private void gone() {
            try (Actions actions = new Actions()) {
                lock.lock();
                try {
                    if (probe == this) {
                        probe = null;
                    }
                    if (ended && onGone != null) {
                        actions.add(onGone);
                        onGone = null;
                    }
                    actions.add(alarm::setNow);

                } finally {
                    lock.unlock();
                }
            }
        }
    }
}
