// SPDX-License-Identifier: Apache-2.0
package dev.forebay.registry;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import dev.forebay.engine.Admission;
import dev.forebay.engine.Backoff;
import dev.forebay.engine.OpenFailure;
import dev.forebay.time.Actions;
import dev.forebay.time.Time;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * The standing of one set of credentials at a server: unproven, accepted or rejected. Every open with them asks here first.
 * Thread-safe.
 *
 * <p>Rejected means that a retry alone will not help: a wrong password, a wrong database, no driver. Until the backoff
 * is over every open fails with the known answer, and the server is left alone. After that the next open that is asked
 * for is tried, and the others wait for its answer. Credentials that were never accepted are tried one at a time too,
 * so that a crowd does not lock an account; but the first has only a short head start.
 *
 * <p>A success, another secret or another definition ends a rejection.
 */
final class Login implements Admission {

    private static final Backoff BACKOFF =
            new Backoff(Duration.ofSeconds(1), Duration.ofSeconds(30), Integer.MAX_VALUE);
    private static final long HEAD_START_NANOS = 1_000_000_000;

    private final @Nullable Secret secret;
    private final Supplier<Duration> connectTimeout;
    private final Time time;
    private final RandomGenerator random;
    private final List<Runnable> wakes = new CopyOnWriteArrayList<>();
    private final ReentrantLock lock = new ReentrantLock();

    /** The known rejection, which every acquire reads. Written under lock. */
    private volatile @Nullable Rejection rejection;

    @GuardedBy("lock")
    private boolean accepted;

    /** Rejections in a row. */
    @GuardedBy("lock")
    private int rejections;

    /** The attempt that the others wait for. */
    @GuardedBy("lock")
    private @Nullable Attempt trying;

    @GuardedBy("lock")
    private long tryingUntilNanos;

    /**
     * The known answer.
     *
     * @param told the same failure as {@code heard}, for opens that fail without a connect
     * @param version of the secret that was rejected
     */
    private record Rejection(OpenFailure heard, OpenFailure told, long atNanos, long retryAtNanos, long version) {}

    Login(@Nullable Secret secret, Supplier<Duration> connectTimeout, Time time, RandomGenerator random) {
        this.secret = secret;
        this.connectTimeout = connectTimeout;
        this.time = time;
        this.random = random;
    }

    /** The known answer if an acquire now would only get it again; null if it is worth asking. */
    @Nullable
    OpenFailure rejection() {
        Rejection known = rejection;
        return known == null || time.nanos() >= known.retryAtNanos || hasChanged(known) ? null : known.told;
    }

    /** Whether the server has rejected the user or the password, and nothing has changed since. */
    boolean isRejectedUser() {
        Rejection known = rejection;
        return known != null && Errors.of(known.heard.error()) == RegistryError.AUTH_FAILED && !hasChanged(known);
    }

    /** Whether {@code failure} came from this class, without a connect. */
    @SuppressWarnings("ReferenceEquality") // an equal one may have come from the server
    boolean isTold(OpenFailure failure) {
        Rejection known = rejection;
        return known != null && known.told == failure;
    }

    private boolean hasChanged(Rejection known) {
        return secret != null && secret.version() != known.version;
    }

    // ---- outcomes of connects

    /** Notes that a connect begun at {@code beganNanos} failed in a way that no retry mends. */
    void rejected(OpenFailure failure, long beganNanos) {
        long now = time.nanos();
        long version = secret == null ? 0 : secret.version();
        lock.lock();
        try {
            Rejection before = rejection;
            long retryAt;
            if (before == null || beganNanos >= before.atNanos) {
                rejections++;
                retryAt = now + BACKOFF.delayNanos(rejections, random);
            } else { // of the same round: it makes the wait no longer
                retryAt = before.retryAtNanos;
            }
            accepted = false;
            rejection =
                    new Rejection(failure, new OpenFailure(failure.cause(), failure.error()), now, retryAt, version);
        } finally {
            lock.unlock();
        }
    }

    /** Notes that a pool will not try before {@code nanos} itself: those that ask earlier would wait for nothing. */
    void notBefore(long nanos) {
        lock.lock();
        try {
            Rejection known = rejection;
            if (known != null && nanos > known.retryAtNanos) {
                rejection = new Rejection(known.heard, known.told, known.atNanos, nanos, known.version);
            }
        } finally {
            lock.unlock();
        }
    }

    void accepted() {
        lock.lock();
        try {
            accepted = true;
            rejection = null;
            rejections = 0;
        } finally {
            lock.unlock();
        }
    }

    /** Marks the secret as unproven: it was given again, or its purpose has changed. */
    void forget() {
        lock.lock();
        try {
            accepted = false;
            rejection = null;
            rejections = 0;
        } finally {
            lock.unlock();
        }
        Actions.runAll(wakes);
    }

    // ---- opens

    @Override
    public void ask(long nowNanos, Answer answer) {
        OpenFailure told = rejection();
        Attempt granted = null;
        long until = 0;
        lock.lock();
        try {
            boolean oneAtATime = !accepted || rejection != null;
            if (told == null && oneAtATime && trying != null && nowNanos < tryingUntilNanos) {
                until = tryingUntilNanos;
            } else if (told == null) {
                granted = new Attempt();
                if (oneAtATime) {
                    trying = granted;
                    long timeout = connectTimeout.get().toNanos();
                    tryingUntilNanos = nowNanos + (rejection == null ? Math.min(timeout, HEAD_START_NANOS) : timeout);
                }
            }
        } finally {
            lock.unlock();
        }
        if (told != null) {
            answer.failed(told);
        } else if (granted == null) {
            answer.notBefore(until);
        } else {
            answer.granted(granted);
        }
    }

    @Override
    public Runnable whenFreed(Runnable wake) {
        wakes.add(wake);
        return () -> wakes.remove(wake);
    }

    private final class Attempt implements Grant {

        /** Lets those that wait for it go on, or fail by its outcome, which is known by now. */
        @Override
        public void openEnded(Outcome outcome) {
            boolean awaited;
            lock.lock();
            try {
                awaited = trying == this;
                if (awaited) {
                    trying = null;
                }
            } finally {
                lock.unlock();
            }
            if (awaited) {
                Actions.runAll(wakes);
            }
        }

        @Override
        public void release() {}
    }

    @Override
    public String toString() {
        return rejection == null ? "login" : "rejected login";
    }
}
