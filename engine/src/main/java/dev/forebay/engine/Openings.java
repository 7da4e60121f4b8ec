// SPDX-License-Identifier: Apache-2.0
package dev.forebay.engine;

import dev.forebay.engine.Admission.Grant;
import dev.forebay.engine.Admission.Outcome;
import dev.forebay.time.Actions;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/**
 * The opens in progress in a pool: their way through the admissions, the driver's call, the waits after failures.
 *
 * <h2>The life of an attempt</h2>
 *
 * It asks one admission after the other and keeps what each grants; one that says "not before" leaves it waiting where
 * it is, grants in hand. With all grants it calls the connector. From there it either becomes a pooled entry, which then
 * owns the grants, or it fails and gives them back. Every attempt ends in exactly one of the two.
 *
 * <h2>A call that hangs</h2>
 *
 * After the open timeout an attempt is abandoned: it counts as a failure and frees its in-flight slot, so that others
 * can go on; but it stays counted, and its grants stay held, until the driver's call has really ended, because until
 * then the server may count it too. Should it succeed after all, the connection is taken in.
 *
 * <p>A driver without timeouts may never end its call, and a pool whose places are all taken by such calls would never
 * come back. So an abandoned attempt is forgotten after ten open timeouts, unless it holds a grant that others count:
 * its place is free again, and a connection that it brings after all is closed. At most as many are forgotten at a time
 * as the pool is large, because each may keep a thread.
 *
 * <p>Everything here is guarded by the pool's lock, except where it says that it runs outside.
 */
final class Openings<T> {

    private static final int REMEMBERED_STARTS = 64;

    /** The open timeouts after which an abandoned attempt is forgotten. */
    static final int FORGET_AFTER = 10;

    private final Pool<T> pool;
    private final List<Admission> admissions;
    private final PoolConfig config;
    private final Set<Attempt> live = new LinkedHashSet<>();
    private final Set<Attempt> abandoned = new LinkedHashSet<>();
    private final Map<OpenFailure.Cause, Trouble> troubles = new EnumMap<>(OpenFailure.Cause.class);
    private final Map<OpenFailure.Cause, Long> failures = new EnumMap<>(OpenFailure.Cause.class);
    private final long[] starts = new long[REMEMBERED_STARTS];
    private final Pace pace;

    /** The forgotten attempts whose call has not ended. */
    private int forgotten;

    private long started;
    private long opened;
    private long givenUp;

    /** The number of times an admission reported that it may grant now. */
    private long freed;

    /** The number of opens wanted beyond those in progress. */
    private int behind;

    Openings(Pool<T> pool, List<Admission> admissions, PoolConfig config) {
        this.pool = pool;
        this.admissions = admissions;
        this.config = config;
        this.pace = new Pace(admissions, config.inFlightLimit());
    }

    int live() {
        return live.size();
    }

    int abandoned() {
        return abandoned.size();
    }

    long opened() {
        return opened;
    }

    /** The number of times a connection was given up after all its tries. */
    long givenUp() {
        return givenUp;
    }

    Map<OpenFailure.Cause, Long> failures() {
        return failures;
    }

    Pace pace() {
        return pace;
    }

    int startedSince(long nanos) {
        int count = 0;
        for (long i = started - 1; i >= Math.max(0, started - REMEMBERED_STARTS); i--) {
            if (starts[(int) (i % REMEMBERED_STARTS)] < nanos) {
                break;
            }
            count++;
        }
        return count == REMEMBERED_STARTS ? Integer.MAX_VALUE : count; // more than are remembered
    }

    /** Gives up on calls that hang. */
    long abandonOverdue(long now, Actions actions) {
        long next = Long.MAX_VALUE;
        for (Iterator<Attempt> all = live.iterator(); all.hasNext(); ) {
            Attempt attempt = all.next();
            if (attempt.phase != Phase.CONNECTING) {
                continue;
            }
            long deadline = attempt.connectingSince + config.openTimeout().toNanos();
            if (deadline > now) {
                next = Math.min(next, deadline);
                continue;
            }
            all.remove();
            abandoned.add(attempt);
            attempt.phase = Phase.ABANDONED;
            attempt.grants.forEach(grant -> actions.add(grant::openHangs));
            Runnable onAbandon = attempt.onAbandon;
            if (onAbandon != null) {
                actions.add(onAbandon);
            }
            TimeoutException error = new TimeoutException("no connection within " + config.openTimeout());
            trouble(attempt, new OpenFailure(OpenFailure.Cause.CONNECT, error), now, actions);
        }
        return Math.min(next, forgetAbandoned(now, actions));
    }

    /** Frees the places of calls that hang for good. */
    private long forgetAbandoned(long now, Actions actions) {
        long next = Long.MAX_VALUE;
        long patience = FORGET_AFTER * config.openTimeout().toNanos();
        for (Iterator<Attempt> all = abandoned.iterator(); all.hasNext() && forgotten < config.maxOpen(); ) {
            Attempt attempt = all.next();
            if (attempt.grants.stream().anyMatch(Grant::isShared)) {
                continue;
            }
            long waited = now - attempt.connectingSince;
            if (waited < patience) {
                next = Math.min(next, attempt.connectingSince + patience);
                continue;
            }
            all.remove();
            forgotten++;
            attempt.phase = Phase.FORGOTTEN;
            actions.add(() -> attempt.settle(Outcome.FAILED));
            actions.tell(() -> pool.listener.openForgotten(waited));
        }
        return next;
    }

    /**
     * Brings the number of opens in progress to {@code wanted}, as far as the in-flight limit lets it; after a failure
     * to none, and when its wait is over to one, until one succeeds.
     */
    long bringTo(int wanted, long now, Actions actions) {
        long notBefore = troubledUntil();
        int sensible = troubles.isEmpty() ? wanted : notBefore > now ? 0 : Math.min(wanted, 1);
        cancelSurplus(sensible, actions);
        long next = sensible < wanted && notBefore > now ? notBefore : Long.MAX_VALUE;
        for (Attempt attempt : live) {
            if (attempt.phase != Phase.WAITING) {
                continue;
            }
            if (attempt.retryAt <= now) {
                attempt.phase = Phase.ASKING;
                actions.add(attempt::advance);
            } else {
                next = Math.min(next, attempt.retryAt);
            }
        }
        int missing = sensible - live.size();
        for (int i = Math.min(missing, config.inFlightLimit() - live.size()); i > 0; i--) {
            Attempt attempt = new Attempt();
            live.add(attempt);
            starts[(int) (started++ % REMEMBERED_STARTS)] = now;
            actions.add(attempt::advance);
        }
        behind = Math.max(0, wanted - live.size());
        if (missing <= 0 && live.stream().noneMatch(a -> a.phase == Phase.WAITING)) {
            pace.relaxed();
        }
        return next;
    }

    /** Has waiting attempts ask again: the admission that refused may grant now. */
    void askAgain() {
        freed++;
        for (Attempt attempt : live) {
            if (attempt.phase == Phase.WAITING) {
                attempt.retryAt = Math.min(attempt.retryAt, 0);
            }
        }
    }

    private void cancelSurplus(int wanted, Actions actions) {
        int surplus = live.size() - wanted;
        if (surplus <= 0) {
            live.forEach(attempt -> attempt.unwanted = false);
            return;
        }
        List<Attempt> newestFirst = new ArrayList<>(live);
        for (int i = newestFirst.size() - 1; i >= 0 && surplus > 0; i--) {
            Attempt attempt = newestFirst.get(i);
            if (attempt.phase == Phase.WAITING) {
                live.remove(attempt);
                attempt.phase = Phase.ENDED;
                actions.add(attempt::withdraw);
                surplus--;
            } else if (attempt.phase == Phase.ASKING) {
                attempt.unwanted = true;
                surplus--;
            }
        }
    }

    private long troubledUntil() {
        long until = Long.MIN_VALUE;
        for (Trouble trouble : troubles.values()) {
            until = Math.max(until, trouble.until);
        }
        return until;
    }

    /** Counts a failure; those of one round, begun before the last failure was known, make the wait no longer. */
    private void trouble(Attempt attempt, OpenFailure failure, long now, Actions actions) {
        failures.merge(failure.cause(), 1L, Long::sum);
        Trouble trouble = troubles.computeIfAbsent(failure.cause(), cause -> new Trouble());
        if (trouble.failures == 0 || attempt.connectingSince >= trouble.since) {
            trouble.failures++;
            trouble.since = now;
            trouble.until = now + config.backoff().delayNanos(trouble.failures, pool.random);
        }
        int count = trouble.failures;
        if (count == config.backoff().tries()) {
            givenUp++;
            trouble.failures = 0;
        }
        long delay = Math.max(0, trouble.until - now);
        actions.tell(() -> pool.listener.openFailed(failure, count, delay));
    }

    private static final class Trouble {
        int failures;
        long since;
        long until;
    }

    private enum Phase {
        ASKING,
        WAITING,
        CONNECTING,
        ABANDONED,
        FORGOTTEN,
        ENDED
    }

    /** One open. Its fields are guarded by the pool's lock; its methods run outside. */
    private final class Attempt implements Admission.Answer, Connector.Opening<T> {
        private final List<Grant> grants = new ArrayList<>(admissions.size());
        private Phase phase = Phase.ASKING;
        private boolean unwanted;
        private long retryAt;
        private long freedBeforeAsking;
        /** The time the connector was called; until then, the time the attempt began. */
        private long connectingSince = pool.time.nanos();

        private @Nullable Runnable onAbandon;

        /** Asks the next admission, or connects if there is none left. */
        private void advance() {
            long now = pool.time.nanos();
            Admission next = null;
            boolean drop = false;
            pool.lock();
            try {
                if (phase != Phase.ASKING) {
                    return;
                }
                if (unwanted || pool.isClosed()) {
                    drop = true;
                    end();
                } else if (grants.size() < admissions.size()) {
                    next = admissions.get(grants.size());
                    freedBeforeAsking = freed;
                } else {
                    phase = Phase.CONNECTING;
                    connectingSince = now;
                    pace.granted(now);
                }
            } finally {
                pool.unlock();
            }
            if (drop) {
                settleAndLeave(Outcome.NOT_TRIED);
                pool.wake();
            } else if (next != null) {
                ask(next, now);
            } else {
                pool.wakeAt(now + config.openTimeout().toNanos());
                try {
                    pool.connector.open(this);
                } catch (Throwable e) {
                    failed(new OpenFailure(OpenFailure.Cause.CONNECT, e));
                }
            }
        }

        private void ask(Admission admission, long now) {
            try {
                admission.ask(now, this);
            } catch (Throwable e) {
                failed(new OpenFailure(OpenFailure.Cause.LEASE_ACQUIRE, e));
            }
        }

        @Override
        public int behind() {
            pool.lock();
            try {
                return behind;
            } finally {
                pool.unlock();
            }
        }

        @Override
        public void granted(Grant grant) {
            pool.lock();
            try {
                if (phase != Phase.ASKING) {
                    throw new IllegalStateException("bug: an admission answered twice");
                }
                grants.add(grant);
            } finally {
                pool.unlock();
            }
            advance();
        }

        @Override
        public void notBefore(long nanos) {
            long wakeAt;
            pool.lock();
            try {
                if (phase != Phase.ASKING) {
                    throw new IllegalStateException("bug: an admission answered twice");
                }
                phase = Phase.WAITING;
                retryAt = freed == freedBeforeAsking ? nanos : 0; // what was freed meanwhile must not be missed
                wakeAt = unwanted || pool.isClosed() ? 0 : retryAt;
            } finally {
                pool.unlock();
            }
            pool.wakeAt(wakeAt);
        }

        @Override
        public void opened(T value) {
            long now = pool.time.nanos();
            pool.decide(actions -> {
                if (endedForgotten()) {
                    actions.add(() -> pool.connector.close(value, DiscardReason.RESERVOIR_FULL, () -> {}));
                    return;
                }
                grants.forEach(grant -> actions.add(() -> grant.openEnded(Outcome.OPENED)));
                end();
                leave();
                opened++;
                troubles.clear();
                pace.connected(now - connectingSince);
                pool.arrived(value, grants, connectingSince, now, actions);
            });
            pool.wake();
        }

        @Override
        public void failed(OpenFailure failure) {
            long now = pool.time.nanos();
            pool.decide(actions -> {
                if (endedForgotten()) {
                    return;
                }
                boolean tried = phase != Phase.ASKING;
                if (phase != Phase.ABANDONED) {
                    trouble(this, failure, now, actions);
                }
                end();
                Outcome outcome = tried ? failure.cause().outcome() : Outcome.NOT_TRIED;
                actions.add(() -> settleAndLeave(outcome));
            });
            pool.wake();
        }

        /** Ends an attempt if it was forgotten: nothing is left to do for it. Called under the pool's lock. */
        private boolean endedForgotten() {
            if (phase != Phase.FORGOTTEN) {
                return false;
            }
            phase = Phase.ENDED;
            forgotten--;
            return true;
        }

        private void end() {
            if (phase == Phase.ENDED || phase == Phase.WAITING) {
                throw new IllegalStateException("bug: an open ended twice");
            }
            phase = Phase.ENDED;
        }

        private void leave() {
            live.remove(this);
            abandoned.remove(this);
        }

        private void settle(Outcome outcome) {
            for (int i = grants.size() - 1; i >= 0; i--) {
                Grant grant = grants.get(i);
                Actions.run(() -> grant.openEnded(outcome));
                Actions.run(grant::release);
            }
        }

        /** Leaves the line of the admission that refused it. */
        private void withdraw() {
            settle(Outcome.NOT_TRIED);
            admissions.get(grants.size()).withdrawn(this);
        }

        /** Gives the grants back, and only then is no longer counted: a drained pool holds nothing. */
        private void settleAndLeave(Outcome outcome) {
            settle(outcome);
            pool.lock();
            try {
                leave();
            } finally {
                pool.unlock();
            }
        }

        /** Called under the pool's lock. */
        private boolean isGivenUp() {
            return phase == Phase.ABANDONED || phase == Phase.FORGOTTEN;
        }

        @Override
        public boolean isAbandoned() {
            pool.lock();
            try {
                return isGivenUp();
            } finally {
                pool.unlock();
            }
        }

        @Override
        public void onAbandon(Runnable action) {
            boolean now;
            pool.lock();
            try {
                now = isGivenUp();
                onAbandon = action;
            } finally {
                pool.unlock();
            }
            if (now) {
                action.run();
            }
        }
    }
}
