// SPDX-License-Identifier: Apache-2.0
package dev.forebay.bench.storm;

import dev.forebay.bench.driver.Server;
import dev.forebay.engine.TokenBucket;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.ReentrantLock;

/**
 * A model of a database that makes connections scarce: connecting takes time, a limited number is admitted each second,
 * and a connection is closed when its time is up. Thread-safe.
 *
 * <p>Until {@link #limit} is called connecting is immediate and unlimited, so that every pool starts from the same wave of
 * connections opened together.
 */
final class StormServer implements Server {

    private final Duration connectTime;
    private final Duration maxAge;
    private final TokenBucket bucket;
    private final boolean refuses;
    private final Set<StormConnection> open = ConcurrentHashMap.newKeySet();
    private final LongAdder opened = new LongAdder();
    private final LongAdder refused = new LongAdder();
    private final ReentrantLock lock = new ReentrantLock();

    /** The bucket's state; guarded by the lock. */
    private long state;

    /** Guarded by the lock. */
    private int lastId;

    private volatile boolean limited;

    /** A server that, beyond its limit, makes a connect wait for its turn, or refuses it if {@code refuses}. */
    StormServer(Duration connectTime, Duration maxAge, double perSecond, int burst, boolean refuses) {
        this.connectTime = connectTime;
        this.maxAge = maxAge;
        this.bucket = new TokenBucket(perSecond, burst);
        this.refuses = refuses;
    }

    /** Makes connects take their time and limits them, from now on. */
    void limit() {
        lock.lock();
        try {
            state = bucket.full(System.nanoTime());
            limited = true;
        } finally {
            lock.unlock();
        }
    }

    @Override
    public Connection connect() throws SQLException {
        try {
            if (limited) {
                admit();
                TimeUnit.NANOSECONDS.sleep(connectTime.toNanos());
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new SQLException("interrupted while connecting", "08001", e);
        }
        StormConnection connection = new StormConnection(this, nextId(), System.nanoTime() + maxAge.toNanos());
        open.add(connection);
        opened.increment();
        return connection;
    }

    private void admit() throws SQLException, InterruptedException {
        long now = System.nanoTime();
        long turn;
        lock.lock();
        try {
            turn = bucket.availableAt(state, 1);
            if (turn > now && refuses) {
                refused.increment();
                throw new SQLException("connection rate exceeded", "53400");
            }
            state = bucket.take(state, Math.max(turn, now), 1);
        } finally {
            lock.unlock();
        }
        TimeUnit.NANOSECONDS.sleep(turn - now);
    }

    private int nextId() {
        lock.lock();
        try {
            return ++lastId;
        } finally {
            lock.unlock();
        }
    }

    void closed(StormConnection connection) {
        open.remove(connection);
    }

    /** Kills half of the living connections, the same ones for the same seed and history; returns their number. */
    int killHalf(long seed) {
        List<StormConnection> alive = new ArrayList<>(open);
        alive.removeIf(connection -> !connection.isAlive());
        alive.sort(Comparator.comparingInt(connection -> connection.id));
        Collections.shuffle(alive, new Random(seed));
        List<StormConnection> half = alive.subList(0, alive.size() / 2);
        half.forEach(StormConnection::kill);
        return half.size();
    }

    /** Returns the living connections: open on both sides and not past the server's age limit. */
    int serviceable() {
        int alive = 0;
        for (StormConnection connection : open) {
            if (connection.isAlive()) {
                alive++;
            }
        }
        return alive;
    }

    long opened() {
        return opened.sum();
    }

    long refused() {
        return refused.sum();
    }
}
