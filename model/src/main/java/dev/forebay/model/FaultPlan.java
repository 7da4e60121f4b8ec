// SPDX-License-Identifier: Apache-2.0
package dev.forebay.model;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.locks.ReentrantLock;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * The faults of a {@link Cluster} that are in force. Thread-safe; asking costs one volatile read while there is none.
 */
public final class FaultPlan {

    private static final long NEVER = Long.MIN_VALUE;
    private static final int MOST_QUEUED = 1_000;

    private final ReentrantLock lock = new ReentrantLock();

    @GuardedBy("lock")
    private final RandomGenerator random;

    @GuardedBy("lock")
    private final Deque<Failing> failing = new ArrayDeque<>();

    private volatile boolean anyFailing;
    private volatile Lasting lasting = Lasting.NOTHING;

    FaultPlan(RandomGenerator random) {
        this.random = random;
    }

    /** The delay of a connect that begins now. */
    public long connectDelayNanos(long now) {
        Lasting state = lasting;
        return delayNanos(state, state.connects, now);
    }

    /** The delay of a statement that begins now. */
    public long statementDelayNanos(long now) {
        Lasting state = lasting;
        return delayNanos(state, state.statements, now);
    }

    /** The fault of the commit that is about to begin, if there is one; asking uses it up. */
    public Optional<CommitFault> commitFault() {
        if (!anyFailing) {
            return Optional.empty();
        }
        lock.lock();
        try {
            Failing first = failing.peekFirst();
            if (first == null) {
                return Optional.empty();
            }
            failing.removeFirst();
            if (first.count > 1) {
                failing.addFirst(new Failing(first.count - 1, first.how));
            }
            anyFailing = !failing.isEmpty();
            return Optional.of(first.how);
        } finally {
            lock.unlock();
        }
    }

    /** The reason to refuse connects now, null if there is none. */
    @Nullable
    ConnectRefusal refusal(long now) {
        Lasting state = lasting;
        if (now < state.wakingUntil) {
            return ConnectRefusal.WAKING;
        }
        return now < state.refusingUntil ? ConnectRefusal.FAULT : null;
    }

    /** The open sessions that a drop takes: the fraction of them, rounded, any as likely as another. */
    List<ClusterSession> sessionsToDrop(Iterable<ClusterSession> open, double fraction) {
        List<ClusterSession> rest = new ArrayList<>();
        open.forEach(rest::add);
        int count = (int) Math.round(rest.size() * fraction);
        lock.lock();
        try {
            for (int at = 0; at < count; at++) {
                int from = random.nextInt(at, rest.size());
                ClusterSession chosen = rest.get(from);
                rest.set(from, rest.get(at));
                rest.set(at, chosen);
            }
        } finally {
            lock.unlock();
        }
        return List.copyOf(rest.subList(0, count));
    }

    /** Puts a fault in force; a drop is the cluster's business, and expired tokens are the server's. */
    void apply(Fault fault, long now) {
        lock.lock();
        try {
            if (fault instanceof Fault.RefuseConnects refuse) {
                lasting = lasting.refusing(until(refuse.length(), now));
            } else if (fault instanceof Fault.WakingUp waking) {
                lasting = lasting.waking(until(waking.length(), now));
            } else if (fault instanceof Fault.Freeze freeze) {
                lasting = lasting.frozen(until(freeze.length(), now));
            } else if (fault instanceof Fault.Delay delay) {
                Duration length = delay.length();
                lasting = lasting.delayed(
                        delay.what(), new Slow(delay.latency(), length == null ? Long.MAX_VALUE : until(length, now)));
            } else if (fault instanceof Fault.FailCommits fail) {
                fail(fail);
            } else if (fault instanceof Fault.Clear) {
                lasting = Lasting.NOTHING;
                failing.clear();
                anyFailing = false;
            } else if (!(fault instanceof Fault.ExpireTokens)) {
                throw new IllegalStateException("bug: " + fault.text() + " is not for the plan");
            }
        } finally {
            lock.unlock();
        }
    }

    @GuardedBy("lock")
    private void fail(Fault.FailCommits fail) {
        if (failing.size() >= MOST_QUEUED) {
            throw new IllegalStateException("too many faults wait for commits: " + MOST_QUEUED);
        }
        failing.addLast(new Failing(fail.count(), fail.how()));
        anyFailing = true;
    }

    private static long until(Duration length, long now) {
        return length.isZero() ? NEVER : now + length.toNanos();
    }

    private long delayNanos(Lasting state, Slow slow, long now) {
        long frozen = now < state.frozenUntil ? state.frozenUntil - now : 0;
        if (now >= slow.until) {
            return frozen;
        }
        lock.lock();
        try {
            return frozen + slow.latency.drawNanos(random);
        } finally {
            lock.unlock();
        }
    }

    private record Failing(int count, CommitFault how) {}

    /** A delay, and until when. */
    private record Slow(Latency latency, long until) {
        static final Slow NOT = new Slow(Latency.NONE, NEVER);
    }

    /** The faults in force, each until a moment. */
    private record Lasting(long refusingUntil, long wakingUntil, long frozenUntil, Slow connects, Slow statements) {

        static final Lasting NOTHING = new Lasting(NEVER, NEVER, NEVER, Slow.NOT, Slow.NOT);

        Lasting refusing(long until) {
            return new Lasting(until, wakingUntil, frozenUntil, connects, statements);
        }

        Lasting waking(long until) {
            return new Lasting(refusingUntil, until, frozenUntil, connects, statements);
        }

        Lasting frozen(long until) {
            return new Lasting(refusingUntil, wakingUntil, until, connects, statements);
        }

        Lasting delayed(Fault.Delayed what, Slow slow) {
            boolean connect = what == Fault.Delayed.CONNECTS;
            return new Lasting(
                    refusingUntil, wakingUntil, frozenUntil, connect ? slow : connects, connect ? statements : slow);
        }
    }
}
