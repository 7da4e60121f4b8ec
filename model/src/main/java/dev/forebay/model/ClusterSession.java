// SPDX-License-Identifier: Apache-2.0
package dev.forebay.model;

/**
 * A session of a {@link Cluster}, from its connect until {@link #ended()}. Thread-safe.
 *
 * <p>The cluster closes nothing itself: it says through {@link Cluster#due} which sessions are to be closed.
 */
public final class ClusterSession {

    static final long NO_TRANSACTION = Long.MAX_VALUE;

    final long id;
    final long openedAt;
    private final Cluster cluster;

    // Guarded by the cluster's lock.
    long transactionBeganAt = NO_TRANSACTION;
    long lookAt;
    boolean handedOver;
    boolean hasEnded;

    ClusterSession(Cluster cluster, long id, long openedAt) {
        this.cluster = cluster;
        this.id = id;
        this.openedAt = openedAt;
    }

    boolean isInTransaction() {
        return transactionBeganAt != NO_TRANSACTION;
    }

    /** A number of its own, counted from one. */
    public long id() {
        return id;
    }

    /** The time of its admission. */
    public long openedAt() {
        return openedAt;
    }

    /** The end of its time; moves if the cluster's settings change. */
    public long deadline() {
        return cluster.deadline(this);
    }

    /** Says that a transaction has begun or ended; saying it twice changes nothing. */
    public void inTransaction(boolean inTransaction, long now) {
        cluster.inTransaction(this, inTransaction, now);
    }

    /** Whether it is to be closed: its time is over, and it is in no transaction that may still end. */
    public boolean isOver(long now) {
        return cluster.isOver(this, now);
    }

    /** Says that it has ended, for whatever reason; saying it twice changes nothing. */
    public void ended() {
        cluster.ended(this);
    }

    @Override
    public String toString() {
        return "session " + id;
    }
}
