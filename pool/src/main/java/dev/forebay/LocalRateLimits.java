// SPDX-License-Identifier: Apache-2.0
package dev.forebay;

import dev.forebay.fleet.TokenBucket;
import dev.forebay.pool.Admission;
import dev.forebay.time.Time;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.locks.ReentrantLock;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The rate limits of this process, one for each endpoint: all pools of an endpoint spend from one bucket. Thread-safe.
 *
 * <p>Where pools of one endpoint were given different limits, the lowest rate and the lowest burst hold for all, as long
 * as the pool that brought them is there. A change mints no permits. A limit outlives its last pool until its bucket is
 * full again, so a pool that is closed and built again has no second burst.
 */
final class LocalRateLimits {

    /** The limits of this process. */
    static final LocalRateLimits PROCESS = new LocalRateLimits();

    private static final Logger log = LoggerFactory.getLogger(LocalRateLimits.class);

    private final ReentrantLock lock = new ReentrantLock();

    /** Guarded by the lock, as everything in them is. */
    private final Map<Key, Limit> limits = new HashMap<>();

    /** Takes part in the limit of {@code endpoint}, until {@link Share#leave}. */
    Share join(Object endpoint, ForebayConfig config, Time time) {
        TokenBucket bucket = new TokenBucket(config.connectionRateLimit(), config.connectionBurstLimit());
        lock.lock();
        try {
            Key key = new Key(endpoint, time);
            Limit limit = limits.computeIfAbsent(key, ignored -> new Limit(key, bucket));
            warnIfDifferent(limit, bucket);
            Share share = new Share(limit, bucket);
            limit.shares.add(share);
            limit.tighten();
            return share;
        } finally {
            lock.unlock();
        }
    }

    private static void warnIfDifferent(Limit limit, TokenBucket joining) {
        TokenBucket bucket = limit.bucket;
        if (!limit.shares.isEmpty()
                && (bucket.perSecond() != joining.perSecond() || bucket.capacity() != joining.capacity())) {
            log.warn(
                    "Pools of this process limit connects to {} differently: {} a second with a burst of {}, and {} with {};"
                            + " the lowest of each holds for all",
                    limit.key.endpoint instanceof String name ? name : "one data source",
                    Math.round(bucket.perSecond()),
                    bucket.capacity(),
                    Math.round(joining.perSecond()),
                    joining.capacity());
        }
    }

    /** The number of endpoints that are limited now. */
    int size() {
        lock.lock();
        try {
            return limits.size();
        } finally {
            lock.unlock();
        }
    }

    /**
     * Names the pools that are limited together.
     *
     * @param endpoint the endpoint's name, or the data source if there is none
     * @param time the clock of its pools
     */
    private record Key(Object endpoint, Time time) {}

    /** The bucket of one endpoint. */
    private final class Limit {
        private final Key key;
        private final List<Share> shares = new ArrayList<>();
        private final List<Runnable> wakes = new CopyOnWriteArrayList<>();
        private TokenBucket bucket;
        private long state;

        Limit(Key key, TokenBucket bucket) {
            this.key = key;
            this.bucket = bucket;
            this.state = bucket.full(key.time.nanos());
        }

        /** Goes over to the lowest limits of its shares, with the permits there are. */
        private void tighten() {
            double rate = Double.POSITIVE_INFINITY;
            long burst = Long.MAX_VALUE;
            for (Share share : shares) {
                rate = Math.min(rate, share.own.perSecond());
                burst = Math.min(burst, share.own.capacity());
            }
            if (rate == bucket.perSecond() && burst == bucket.capacity()) {
                return;
            }
            long now = key.time.nanos();
            TokenBucket next = new TokenBucket(rate, burst);
            double there = (double) (bucket.empty(now) - state) * bucket.perSecond() / 1e9;
            double kept = Math.max(0.0, Math.min((double) burst, there)); // a part of a permit is kept, too
            state = now + (long) Math.ceil(((double) burst - kept) * 1e9 / rate);
            bucket = next;
        }

        /** Ends this limit if nobody needs it, now or when its bucket is full. */
        private void endIfUnused() {
            if (!shares.isEmpty() || limits.get(key) != this) {
                return;
            }
            if (state <= key.time.nanos()) {
                limits.remove(key);
            } else {
                key.time.schedule(state, () -> {
                    lock.lock();
                    try {
                        endIfUnused();
                    } finally {
                        lock.unlock();
                    }
                });
            }
        }
    }

    /** One pool's share in the limit of its endpoint. Thread-safe. */
    final class Share implements Admission {
        private final Limit limit;
        private final TokenBucket own;

        private Share(Limit limit, TokenBucket own) {
            this.limit = limit;
            this.own = own;
        }

        @Override
        public void ask(long nowNanos, Answer answer) {
            long at;
            lock.lock();
            try {
                at = limit.bucket.availableAt(limit.state, 1);
                if (at <= nowNanos) {
                    limit.state = limit.bucket.take(limit.state, nowNanos, 1);
                }
            } finally {
                lock.unlock();
            }
            if (at <= nowNanos) {
                answer.granted(new Permit());
            } else {
                answer.notBefore(at);
            }
        }

        @Override
        public Runnable whenFreed(Runnable wake) {
            limit.wakes.add(wake);
            return () -> limit.wakes.remove(wake);
        }

        @Override
        public double sustainedPerSecond() {
            lock.lock();
            try {
                return limit.bucket.perSecond();
            } finally {
                lock.unlock();
            }
        }

        /** Takes part no longer; does nothing the second time. Call it when no open is in progress. */
        void leave() {
            lock.lock();
            try {
                if (!limit.shares.remove(this)) {
                    return;
                }
                if (limit.shares.isEmpty()) {
                    limit.endIfUnused();
                } else {
                    limit.tighten();
                }
            } finally {
                lock.unlock();
            }
            limit.wakes.forEach(Runnable::run); // with a lower limit gone, those who wait may be told an earlier time
        }

        private final class Permit implements Grant {
            @Override
            public void openEnded(Outcome outcome) {
                lock.lock();
                try {
                    if (outcome == Outcome.NOT_TRIED) {
                        limit.state = limit.bucket.giveBack(limit.state, 1);
                    } else if (outcome == Outcome.THROTTLED) {
                        limit.state = Math.max(limit.state, limit.bucket.empty(limit.key.time.nanos()));
                    }
                } finally {
                    lock.unlock();
                }
                if (outcome == Outcome.NOT_TRIED) {
                    limit.wakes.forEach(Runnable::run);
                }
            }

            @Override
            public void release() {
                // A permit is spent on the connect; there is nothing to give back when the connection ends.
            }
        }
    }
}
