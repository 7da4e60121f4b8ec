// SPDX-License-Identifier: Apache-2.0
package dev.forebay.jdbc;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import dev.forebay.engine.Admission;
import dev.forebay.engine.OpenFailure;
import dev.forebay.time.Actions;
import dev.forebay.time.Time;
import java.sql.SQLException;
import java.sql.SQLTransientConnectionException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * The admissions of opens that a caller makes itself, on its own thread: it waits for each, in order, up to a timeout.
 * Thread-safe.
 */
final class Entrance {

    /** The longest a caller stays parked before it looks at the state again. */
    private static final long LOOK_NANOS = 1_000_000_000;

    private final List<Admission> admissions;
    private final Duration timeout;
    private final Time time;

    Entrance(List<? extends Admission> admissions, Duration timeout, Time time) {
        this.admissions = List.copyOf(admissions);
        this.timeout = timeout;
        this.time = time;
    }

    /**
     * Waits until all admissions have let an open in; the caller settles the grants.
     *
     * @throws SQLTransientConnectionException SQLSTATE 08001, if one refuses or the time is over
     */
    List<Admission.Grant> pass() throws SQLException {
        long deadline = time.nanos() + timeout.toNanos();
        List<Admission.Grant> grants = new ArrayList<>();
        try {
            for (Admission admission : admissions) {
                grants.add(new Turn(admission, deadline).take());
            }
            return grants;
        } catch (InterruptedException e) {
            settle(grants, Admission.Outcome.NOT_TRIED);
            Thread.currentThread().interrupt();
            throw new SQLTransientConnectionException("interrupted while waiting to connect", "08001", e);
        } catch (Throwable e) {
            settle(grants, Admission.Outcome.NOT_TRIED);
            throw e;
        }
    }

    /** Ends an open that has led to no connection. */
    static void settle(List<Admission.Grant> grants, Admission.Outcome outcome) {
        grants.forEach(grant -> Actions.run(() -> grant.openEnded(outcome)));
        release(grants);
    }

    static void release(List<Admission.Grant> grants) {
        grants.forEach(grant -> Actions.run(grant::release));
    }

    /** One caller before one admission. */
    private final class Turn implements Admission.Answer {
        private final Admission admission;
        private final long deadline;
        private final ReentrantLock lock = new ReentrantLock();
        private final Condition changed = lock.newCondition();

        @GuardedBy("lock")
        private Admission.@Nullable Grant grant;

        @GuardedBy("lock")
        private @Nullable OpenFailure failure;

        @GuardedBy("lock")
        private boolean answered;

        @GuardedBy("lock")
        private long notBefore = Long.MAX_VALUE;

        @GuardedBy("lock")
        private boolean woken;

        @GuardedBy("lock")
        private boolean left;

        Turn(Admission admission, long deadline) {
            this.admission = admission;
            this.deadline = deadline;
        }

        Admission.Grant take() throws SQLException, InterruptedException {
            Runnable undo = admission.whenFreed(this::wake);
            Time.Scheduled end = time.schedule(deadline, this::wake);
            Admission.Grant taken = null;
            try {
                taken = await();
                return taken;
            } finally {
                Actions.run(undo);
                Actions.run(end::cancel);
                if (taken == null) {
                    Actions.run(this::leave);
                }
            }
        }

        private Admission.Grant await() throws SQLException, InterruptedException {
            while (true) {
                ask();
                lock.lockInterruptibly();
                try {
                    while (!answered && time.nanos() < deadline) {
                        look(deadline);
                    }
                    if (grant != null) {
                        return grant;
                    }
                    if (failure != null) {
                        Throwable why = failure.error();
                        throw new SQLTransientConnectionException("no connection: " + why.getMessage(), "08001", why);
                    }
                    while (!woken && time.nanos() < Math.min(notBefore, deadline)) {
                        look(Math.min(notBefore, deadline));
                    }
                } finally {
                    lock.unlock();
                }
                if (time.nanos() >= deadline) {
                    throw new SQLTransientConnectionException(
                            "no connection within " + timeout.toMillis()
                                    + " ms: the limits on new connections did not allow it",
                            "08001");
                }
            }
        }

        /** Waits for a change, not for long: a wake-up that is lost costs a moment. Called in a loop, */
        @GuardedBy("lock")
        @SuppressWarnings("WaitNotInLoop")
        private void look(long untilNanos) throws InterruptedException {
            changed.awaitNanos(Math.min(LOOK_NANOS, untilNanos - time.nanos()));
        }

        private void ask() {
            lock.lock();
            try {
                answered = false;
                woken = false;
                notBefore = Long.MAX_VALUE;
            } finally {
                lock.unlock();
            }
            admission.ask(time.nanos(), this);
        }

        private void leave() {
            Admission.Grant unused;
            lock.lock();
            try {
                left = true;
                unused = grant;
            } finally {
                lock.unlock();
            }
            if (unused != null) {
                settle(List.of(unused), Admission.Outcome.NOT_TRIED);
            } else {
                admission.withdrawn(this);
            }
        }

        private void wake() {
            lock.lock();
            try {
                woken = true;
                changed.signalAll();
            } finally {
                lock.unlock();
            }
        }

        @Override
        public void granted(Admission.Grant granted) {
            boolean late;
            lock.lock();
            try {
                late = left;
                if (!late) {
                    grant = granted;
                    answered = true;
                    changed.signalAll();
                }
            } finally {
                lock.unlock();
            }
            if (late) {
                settle(List.of(granted), Admission.Outcome.NOT_TRIED);
            }
        }

        @Override
        public void notBefore(long nanos) {
            lock.lock();
            try {
                answered = true;
                notBefore = nanos;
                changed.signalAll();
            } finally {
                lock.unlock();
            }
            if (nanos < deadline) {
                time.schedule(nanos, this::wake);
            }
        }

        @Override
        public void failed(OpenFailure why) {
            lock.lock();
            try {
                failure = why;
                answered = true;
                changed.signalAll();
            } finally {
                lock.unlock();
            }
        }
    }
}
