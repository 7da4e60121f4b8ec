// SPDX-License-Identifier: Apache-2.0
package dev.forebay.engine;

import dev.forebay.time.Actions;
import dev.forebay.time.Time;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The rate limits of this process, one for each endpoint: all pools of an endpoint spend from one bucket. Thread-safe.
 *
 * <p>Where pools of one endpoint were given different limits, the lowest rate and the lowest burst hold for all, as
 * long as the pool that brought them is there. A change mints no permits. A limit outlives its last pool until its
 * bucket is full again, so a pool that is closed and rebuilt has no second burst.
 */
public final class LocalRateLimits {

    /** The limits of this process. */
    public static final LocalRateLimits PROCESS = new LocalRateLimits();

    private static final Logger log = LoggerFactory.getLogger(LocalRateLimits.class);

    private final ReentrantLock lock = new ReentrantLock();

    /** Guarded by the lock, as everything in them is. */
    private final Map<Key, Limit> limits = new HashMap<>();

    public LocalRateLimits() {}

    /** Takes part in the limit of {@code endpoint}, until {@link Share#leave}: the limit is no higher than {@code own} meanwhile. */
    public Share join(Object endpoint, TokenBucket own, Time time) {
        try (Actions actions = new Actions()) {
            return join(endpoint, own, time, actions);
        }
    }

    /** As {@link #join(Object, TokenBucket, Time)} for a caller that decides under a lock; the consequences are left to {@code actions}. */
    public Share join(Object endpoint, TokenBucket own, Time time, Actions actions) {
        lock.lock();
        try {
            Key key = new Key(endpoint, time);
            Limit limit = limits.computeIfAbsent(key, ignored -> new Limit(key, own));
            warnIfDifferent(limit, own, actions);
            Share joined = new Share(limit, own);
            limit.shares.add(joined);
            limit.adjust(actions);
            return joined;
        } finally {
            lock.unlock();
        }
    }

    private static void warnIfDifferent(Limit limit, TokenBucket joining, Actions actions) {
        TokenBucket bucket = limit.rate.bucket();
        if (!limit.shares.isEmpty()
                && (bucket.perSecond() != joining.perSecond() || bucket.capacity() != joining.capacity())) {
            actions.tell(() -> log.warn(
                    "Pools of this process limit connects to {} differently: {} a second with a burst of {}, and {} with {};"
                            + " the lowest of each holds for all",
                    limit.key.endpoint instanceof String name ? name : "one data source",
                    Math.round(bucket.perSecond()),
                    bucket.capacity(),
                    Math.round(joining.perSecond()),
                    joining.capacity()));
        }
    }

    /** The number of endpoints that are limited now. */
    public int size() {
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

    /** The limit of one endpoint. */
    private final class Limit {
        private final Key key;
        private final List<Share> shares = new ArrayList<>();
        private final RateLimit rate;

        Limit(Key key, TokenBucket bucket) {
            this.key = key;
            this.rate = new RateLimit(bucket, key.time);
        }

        /** The lowest limits of its shares, null if they are those in force. */
        private @Nullable TokenBucket lowest() {
            double perSecond = Double.POSITIVE_INFINITY;
            long burst = Long.MAX_VALUE;
            for (Share share : shares) {
                perSecond = Math.min(perSecond, share.own.perSecond());
                burst = Math.min(burst, share.own.capacity());
            }
            TokenBucket now = rate.bucket();
            return perSecond == now.perSecond() && burst == now.capacity() ? null : new TokenBucket(perSecond, burst);
        }

        /** Goes over to the lowest limits of its shares, with the permits there are. */
        private void adjust(Actions actions) {
            TokenBucket next = lowest();
            if (next != null) {
                rate.change(next, actions);
            }
        }

        /** Ends this limit if no pool shares it, now or when its bucket is full. */
        private void endIfUnused() {
            if (!shares.isEmpty() || limits.get(key) != this) {
                return;
            }
            if (rate.fullAtNanos() <= key.time.nanos()) {
                limits.remove(key);
            } else {
                key.time.schedule(rate.fullAtNanos(), () -> Actions.decide(lock, actions -> endIfUnused()));
            }
        }
    }

    /** One pool's share in the limit of its endpoint. Thread-safe. */
    public final class Share implements Admission {
        private final Limit limit;
        private final TokenBucket own;

        private Share(Limit limit, TokenBucket own) {
            this.limit = limit;
            this.own = own;
        }

        @Override
        public void ask(long nowNanos, Answer answer) {
            limit.rate.ask(nowNanos, answer);
        }

        @Override
        public Runnable whenFreed(Runnable wake) {
            return limit.rate.whenFreed(wake);
        }

        @Override
        public double sustainedPerSecond() {
            return limit.rate.sustainedPerSecond();
        }

        /** Takes part no longer; does nothing the second time. Opens in progress end at the limit as it was. */
        public void leave() {
            try (Actions actions = new Actions()) {
                lock.lock();
                try {
                    if (!limit.shares.remove(this)) {
                        return;
                    }
                    if (limit.shares.isEmpty()) {
                        limit.endIfUnused();
                    } else {
                        limit.adjust(actions);
                    }

                } finally {
                    lock.unlock();
                }
            }
        }
    }
}
