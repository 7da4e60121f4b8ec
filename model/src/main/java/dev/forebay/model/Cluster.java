// SPDX-License-Identifier: Apache-2.0
package dev.forebay.model;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import dev.forebay.engine.TokenBucket;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.concurrent.locks.ReentrantLock;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * The rules of an Aurora DSQL cluster for connections: how fast they come, how many there are, how long each lasts.
 * Thread-safe.
 *
 * <p>It owns no socket and reads no clock: {@code now} comes with each call, in the nanoseconds of a
 * {@link dev.forebay.time.Time}. A server asks {@link #connect} for each client, reports each session's transactions, and
 * at {@link #nextDeadline} asks {@link #due} which sessions to close.
 *
 * <h2>What always holds</h2>
 *
 * <ol>
 *   <li>Between two moments no more connects are admitted than the burst plus the rate times the time between, while
 *       the settings stay the same.
 *   <li>No connect is admitted while as many sessions are open as may be.
 *   <li>Every attempt is either admitted or refused for one reason; the open sessions are those admitted less those
 *       ended.
 *   <li>A session is handed over to be closed at most once, and not before its time is over. If it is then in a
 *       transaction that began before, it is handed over when that ends or its grace does, whichever is first.
 *   <li>{@link #due} at {@link #nextDeadline} or later hands over every session that is over; at {@link Long#MAX_VALUE}
 *       there is none.
 * </ol>
 */
public final class Cluster {

    private static final Comparator<ClusterSession> BY_LOOK = Comparator.<ClusterSession>comparingLong(
                    session -> session.lookAt)
            .thenComparingLong(session -> session.id);

    private final ReentrantLock lock = new ReentrantLock();
    private final FaultPlan faults;

    @GuardedBy("lock")
    private ClusterSettings settings;

    @GuardedBy("lock")
    private TokenBucket bucket;

    @GuardedBy("lock")
    private long bucketState;

    /** The open sessions that were not handed over, each at the moment from which it may be over. */
    @GuardedBy("lock")
    private final TreeSet<ClusterSession> looks = new TreeSet<>(BY_LOOK);

    @GuardedBy("lock")
    private final Map<ConnectRefusal, Long> refused = new EnumMap<>(ConnectRefusal.class);

    @GuardedBy("lock")
    private long admitted;

    @GuardedBy("lock")
    private int open;

    @GuardedBy("lock")
    private int inTransaction;

    @GuardedBy("lock")
    private long expired;

    @GuardedBy("lock")
    private long dropped;

    /**
     * A cluster without sessions, rested.
     *
     * @param settings its numbers
     * @param random the source of its faults' chance; used by this cluster only
     * @param now the time
     */
    public Cluster(ClusterSettings settings, RandomGenerator random, long now) {
        this.settings = settings;
        this.faults = new FaultPlan(random);
        this.bucket = new TokenBucket(settings.connectsPerSecond(), settings.connectBurst());
        this.bucketState = bucket.full(now);
        for (ConnectRefusal reason : ConnectRefusal.values()) {
            refused.put(reason, 0L);
        }
    }

    /** Asks for a session. */
    public Connect connect(long now) {
        lock.lock();
        try {
            long delayNanos = settings.connectLatency().toNanos() + faults.connectDelayNanos(now);
            ConnectRefusal refusal = refusal(now);
            if (refusal != null) {
                refused.merge(refusal, 1L, Long::sum);
                return new Connect.Refused(refusal, delayNanos);
            }
            bucketState = bucket.take(bucketState, now, 1);
            ClusterSession session = new ClusterSession(this, ++admitted, now);
            session.lookAt = deadlineLocked(session);
            looks.add(session);
            open++;
            return new Connect.Admitted(session, delayNanos);
        } finally {
            lock.unlock();
        }
    }

    @GuardedBy("lock")
    private @Nullable ConnectRefusal refusal(long now) {
        ConnectRefusal fault = faults.refusal(now);
        if (fault != null) {
            return fault;
        }
        boolean rate = bucket.available(bucketState, now) < 1;
        if (!rate && open < settings.mostSessions()) {
            return null;
        }
        if (settings.refusedConnectSpends()) {
            // An attempt takes what had begun to flow into an empty bucket.
            bucketState = Math.min(bucket.empty(now), bucket.take(bucketState, now, 1));
        }
        return rate ? ConnectRefusal.RATE : ConnectRefusal.COUNT;
    }

    /** The time at which {@link #due} is to be asked next, {@link Long#MAX_VALUE} if there is no session. */
    public long nextDeadline() {
        lock.lock();
        try {
            return looks.isEmpty() ? Long.MAX_VALUE : looks.first().lookAt;
        } finally {
            lock.unlock();
        }
    }

    /** The sessions to be closed at once, without a word; each is named only once. */
    public List<ClusterSession> due(long now) {
        lock.lock();
        try {
            List<ClusterSession> due = new ArrayList<>();
            while (!looks.isEmpty() && looks.first().lookAt <= now) {
                ClusterSession session = looks.first();
                looks.remove(session);
                long closeAt = closeAt(session);
                if (closeAt <= now) {
                    session.handedOver = true;
                    due.add(session);
                } else {
                    session.lookAt = closeAt;
                    looks.add(session);
                }
            }
            expired += due.size();
            return due;
        } finally {
            lock.unlock();
        }
    }

    /** Puts a fault in force and returns the sessions to close at once: none, except for a drop. */
    public List<ClusterSession> inject(Fault fault, long now) {
        lock.lock();
        try {
            if (!(fault instanceof Fault.Drop drop)) {
                faults.apply(fault, now);
                return List.of();
            }
            List<ClusterSession> chosen = faults.sessionsToDrop(looks, drop.fraction());
            for (ClusterSession session : chosen) {
                looks.remove(session);
                session.handedOver = true;
            }
            dropped += chosen.size();
            return chosen;
        } finally {
            lock.unlock();
        }
    }

    /** The faults in force. */
    public FaultPlan faults() {
        return faults;
    }

    /** The numbers in force. */
    public ClusterSettings settings() {
        lock.lock();
        try {
            return settings;
        } finally {
            lock.unlock();
        }
    }

    /**
     * Puts other numbers in force, for the open sessions too: a shorter lifetime may end some at once. Connects saved up
     * stay saved up as far as the new burst allows.
     */
    public void reconfigure(ClusterSettings next, long now) {
        lock.lock();
        try {
            TokenBucket nextBucket = new TokenBucket(next.connectsPerSecond(), next.connectBurst());
            long saved = Math.min(bucket.available(bucketState, now), next.connectBurst());
            bucketState = nextBucket.giveBack(nextBucket.empty(now), saved);
            bucket = nextBucket;
            settings = next;
            List<ClusterSession> sessions = List.copyOf(looks);
            looks.clear();
            for (ClusterSession session : sessions) {
                session.lookAt = deadlineLocked(session);
                looks.add(session);
            }
        } finally {
            lock.unlock();
        }
    }

    /** Returns the counts so far. */
    public ClusterCounts counts() {
        lock.lock();
        try {
            return new ClusterCounts(admitted, refused, open, inTransaction, expired, dropped);
        } finally {
            lock.unlock();
        }
    }

    long deadline(ClusterSession session) {
        lock.lock();
        try {
            return deadlineLocked(session);
        } finally {
            lock.unlock();
        }
    }

    boolean isOver(ClusterSession session, long now) {
        lock.lock();
        try {
            return session.handedOver || closeAt(session) <= now;
        } finally {
            lock.unlock();
        }
    }

    void inTransaction(ClusterSession session, boolean begun, long now) {
        lock.lock();
        try {
            if (session.hasEnded || begun == session.isInTransaction()) {
                return;
            }
            inTransaction += begun ? 1 : -1;
            session.transactionBeganAt = begun ? now : ClusterSession.NO_TRANSACTION;
            if (!session.handedOver && session.lookAt != deadlineLocked(session)) {
                // It had been given grace for a transaction that is now over.
                looks.remove(session);
                session.lookAt = deadlineLocked(session);
                looks.add(session);
            }
        } finally {
            lock.unlock();
        }
    }

    void ended(ClusterSession session) {
        lock.lock();
        try {
            if (session.hasEnded) {
                return;
            }
            session.hasEnded = true;
            open--;
            if (session.isInTransaction()) {
                inTransaction--;
            }
            looks.remove(session);
        } finally {
            lock.unlock();
        }
    }

    @GuardedBy("lock")
    private long deadlineLocked(ClusterSession session) {
        return session.openedAt + settings.lifetime().toNanos();
    }

    /** The end of a session whose transaction, if any, goes on. */
    @GuardedBy("lock")
    private long closeAt(ClusterSession session) {
        long deadline = deadlineLocked(session);
        boolean grace = session.isInTransaction() && session.transactionBeganAt < deadline;
        return grace ? deadline + settings.transactionGrace().toNanos() : deadline;
    }
}
