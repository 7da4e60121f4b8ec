// SPDX-License-Identifier: Apache-2.0
package dev.forebay.registry;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import dev.forebay.engine.LocalRateLimits;
import dev.forebay.engine.OpenFailure;
import dev.forebay.engine.Pool;
import dev.forebay.engine.PoolStats;
import dev.forebay.engine.PoolStats.Times;
import dev.forebay.engine.Refusal;
import dev.forebay.engine.internal.Alarm;
import dev.forebay.time.Actions;
import dev.forebay.time.Time;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import java.util.function.Predicate;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * One registered server: its user pools, its mappings, its cap and its health. Thread-safe.
 *
 * <h2>What always holds</h2>
 *
 * All connections of the server, of whichever user and whichever generation, are within the cap. A user pool in the map
 * belongs to the definition and the mapping that hold now: both are changed, and pools are made, under one lock, and a
 * change first takes the pools it concerns out of the map and then closes them. A caller whose pool is closed, waiting
 * or about to, is refused and comes back for its successor; so none waits at a pool that is gone. A dropped server lets
 * borrowed connections finish, and counts as gone when the last one is.
 *
 * <p>Where the type of the server limits how fast connections come, all its connects, probes included, take part in the
 * limit that the pools of this process keep for its endpoint, with the rate and the burst of the wiring.
 *
 * <p>User pools are changed outside the lock, since their pools call listeners: each then takes the values that hold at
 * that moment, so that the last change is the one that stays.
 *
 * <p>Acquiring takes no lock here while the user pool exists.
 *
 * @param <T> the type of the pooled values
 */
final class ServerPool<T> {

    private final Surroundings around;
    private final Wiring<T> wiring;
    private final ServerCap cap;
    private final HealthWatch<T> health;
    private final Alarm janitor;
    private final Instant createdAt;

    private final ReentrantLock lock = new ReentrantLock();

    /** Written under lock. */
    private volatile ServerDefinition definition;

    /** Its part in the limit on connects to the endpoint of the definition. Written under lock. */
    private volatile LocalRateLimits.@Nullable Share rateLimit;

    /** The user pools by local user. Written under lock. */
    private final Map<String, UserPool<T>> users = new ConcurrentHashMap<>();

    /** The mappings by local user. Written under lock. */
    private final Map<String, UserMapping> mappings = new ConcurrentHashMap<>();

    /** The standing of each set of credentials, by a mapping that has them. */
    private final Map<UserMapping, Login> logins = new ConcurrentHashMap<>();

    private final FailureLog failureLog = new FailureLog();

    /** The user pools that are closed, with connections that have not ended. */
    private final Set<UserPool<T>> former = ConcurrentHashMap.newKeySet();

    /** The counts of former pools that are gone altogether. */
    private final Tally past = new Tally();

    @GuardedBy("lock")
    private Times pastTimes = Times.NONE;

    /** The time a connection was last used, in former pools. */
    @GuardedBy("lock")
    private long usedAtNanos;

    /** Written under lock. */
    private volatile boolean paused;

    /** Whether a probe may have a connection. */
    @GuardedBy("lock")
    private boolean watched = true;

    /** Written under lock. */
    private volatile boolean closed;

    @GuardedBy("lock")
    private final List<Runnable> onDrained = new ArrayList<>();

    /**
     * The surroundings that a registry gives its servers.
     *
     * @param hearsAcquires whether the listener is to hear of each acquire and release
     * @param wantsTimes whether acquires and uses are to be timed
     * @param ids numbers the connections
     */
    record Surroundings(
            Time time,
            InstantSource wall,
            RandomGenerator random,
            RegistryListener listener,
            boolean hearsAcquires,
            boolean wantsTimes,
            AtomicLong ids) {}

    /** Makes a server that is being registered: the consequences outside of it are left to {@code actions}. */
    ServerPool(ServerDefinition definition, Wiring<T> wiring, ServerCap cap, Surroundings around, Actions actions) {
        this.definition = definition;
        this.wiring = wiring;
        this.cap = cap;
        this.around = around;
        this.createdAt = around.wall.instant();
        this.usedAtNanos = around.time.nanos();
        this.rateLimit = rateLimit(definition, actions);
        this.janitor = new Alarm(around.time, this::tidy);
        this.health = new HealthWatch<>(new HealthWatch.Surroundings<>(
                this::definition,
                this::probeAs,
                () -> rateLimit,
                wiring,
                around.time,
                around.wall,
                around.listener,
                this::healthChanged));
        cap.follow(() -> this.definition.settings().sizes().cap());
        actions.add(cap::refresh);
        health.start();
    }

    private LocalRateLimits.@Nullable Share rateLimit(ServerDefinition server, Actions actions) {
        if (!server.type().limitsConnectRate()) {
            return null;
        }
        Wiring.ConnectRate rate = wiring.connectRate(server);
        return LocalRateLimits.PROCESS.join(rate.endpoint(), rate.bucket(), around.time, actions);
    }

    private static void leave(LocalRateLimits.@Nullable Share share) {
        if (share != null) {
            share.leave();
        }
    }

    ServerDefinition definition() {
        return definition;
    }

    ServerCap cap() {
        return cap;
    }

    /** The traffic of its connections; null where it is not counted. */
    Wiring.@Nullable Traffic traffic() {
        return wiring.traffic(definition);
    }

    HealthWatch<T> health() {
        return health;
    }

    boolean isPaused() {
        return paused;
    }

    // ---- acquiring

    /**
     * Returns the pool of {@code localUser}, made if there is none.
     *
     * @throws RegistryException RD030 if the server is gone, RD006 if it is unhealthy, RD031 if the user has no mapping, or
     *     the server's known rejection of the user, if nothing is ready
     */
    UserPool<T> user(String localUser) throws RegistryException {
        if (!health.isHealthy()) {
            throw unhealthy();
        }
        UserPool<T> user = pool(localUser);
        OpenFailure rejection = user.rejection();
        if (rejection != null) {
            throw failed(localUser, rejection.error());
        }
        return user;
    }

    private UserPool<T> pool(String localUser) throws RegistryException {
        UserPool<T> known = users.get(localUser);
        return known != null && !known.pool().isClosed() ? known : make(localUser);
    }

    /** The error for {@code localUser}, whose connects fail with {@code error}. */
    RegistryException failed(String localUser, Throwable error) {
        return new RegistryException(
                Errors.of(error),
                "server " + definition.name() + ", user " + localUser + ": " + Errors.reason(error),
                error,
                Errors.isRecoverable(error));
    }

    RegistryException unhealthy() {
        return new RegistryException(
                RegistryError.SERVER_UNAVAILABLE,
                "server " + definition.name() + " is unhealthy: "
                        + health.status().errorMessage().orElse("no reason given"));
    }

    private UserPool<T> make(String localUser) throws RegistryException {
        UserPool<T> made;
        lock.lock();
        try {
            if (closed) {
                throw new RegistryException(
                        RegistryError.SERVER_NOT_FOUND, "server " + definition.name() + " has been dropped");
            }
            UserPool<T> known = users.get(localUser);
            if (known != null) {
                return known;
            }
            UserMapping mapping = mapping(localUser);
            if (mapping == null) {
                throw new RegistryException(
                        RegistryError.USER_MAPPING_MISSING,
                        "server " + definition.name() + " has no user mapping for " + localUser
                                + " and none for PUBLIC");
            }
            made = new UserPool<>(localUser, mapping, login(mapping), this, wiring, rateLimit, around);
            made.unusedSinceNanos = around.time.nanos();
            if (paused) {
                made.pause(true);
            }
            users.put(localUser, made);
        } finally {
            lock.unlock();
        }
        made.pool().start();
        janitor.setNow();
        return made;
    }

    /** The mapping that {@code localUser} connects with, null if there is none. */
    @Nullable
    UserMapping mapping(String localUser) {
        UserMapping own = mappings.get(localUser);
        return own != null ? own : mappings.get(UserMapping.PUBLIC);
    }

    private Login login(UserMapping mapping) {
        return logins.computeIfAbsent(
                credentials(mapping),
                key -> new Login(
                        key.secret(), () -> definition.settings().connectTimeout(), around.time, around.random));
    }

    /** Returns a key that is the same for all local users that connect with the same credentials. */
    private static UserMapping credentials(UserMapping mapping) {
        return new UserMapping(
                UserMapping.PUBLIC, mapping.remoteUser(), mapping.auth(), mapping.secret(), mapping.options());
    }

    /** The credentials to probe with: the configured user, otherwise PUBLIC or the first by name that is not rejected. */
    private HealthWatch.Who probeAs() {
        String configured = definition.settings().probe().user();
        List<@Nullable UserMapping> candidates = new ArrayList<>();
        if (configured != null) {
            candidates.add(mapping(configured));
        } else {
            candidates.add(mappings.get(UserMapping.PUBLIC));
            candidates.addAll(new TreeMap<>(mappings).values());
        }
        String otherwise = "no user mapping to probe with";
        for (UserMapping candidate : candidates) {
            Login login = candidate == null ? null : login(candidate);
            if (login != null && !login.isRejectedUser()) {
                return new HealthWatch.Who(candidate, login, "");
            }
            otherwise = login == null ? otherwise : "not probed: the server has rejected the probe's user";
        }
        return new HealthWatch.Who(null, null, otherwise);
    }

    /** Notes that a connect of {@code localUser} failed, as far as that is about the server. */
    void refused(String localUser, Throwable error) {
        failureLog.failed(definition.name(), localUser, error, around.time.nanos());
        if (Errors.of(error) == RegistryError.AUTH_FAILED) {
            health.usersAnswered();
        } else if (Errors.isRecoverable(error) && !Errors.isFull(error)) {
            health.usersFailed();
        }
    }

    // ---- administration

    /**
     * Takes on another definition: sizes at once; anything else about connections drains the old ones. The consequences
     * outside of it are left to {@code actions}.
     */
    void update(ServerDefinition changed, Actions actions) {
        List<UserPool<T>> leaving = new ArrayList<>();
        lock.lock();
        try {
            boolean sameConnections = changed.hasTheSameConnections(definition);
            boolean sameLimit =
                    changed.type() == definition.type() && changed.settings().isAtThePlaceOf(definition.settings());
            definition = changed;
            if (!sameLimit) {
                LocalRateLimits.Share left = rateLimit;
                rateLimit = rateLimit(changed, actions);
                actions.add(() -> leave(left));
            }
            if (!sameConnections) {
                leaving.addAll(takeOut(user -> true));
                logins.clear();
            }
        } finally {
            lock.unlock();
        }
        actions.add(() -> users.values().forEach(user -> user.resize(() -> definition.settings())));
        actions.add(cap::refresh);
        leaving.forEach(user -> actions.add(() -> retire(user)));
        actions.add(health::settingsChanged);
        actions.add(janitor::setNow);
    }

    /** Sets or, with null, removes the mapping of {@code localUser}, and drains the pools it served. */
    void map(String localUser, @Nullable UserMapping mapping) {
        List<UserPool<T>> leaving;
        lock.lock();
        try {
            if (mapping == null) {
                mappings.remove(localUser);
            } else {
                mappings.put(localUser, mapping);
            }
            leaving = takeOut(user -> !user.mapping().equals(mapping(user.localUser())));
            logins.keySet()
                    .retainAll(mappings.values().stream()
                            .map(ServerPool::credentials)
                            .toList());
        } finally {
            lock.unlock();
        }
        if (mapping != null) {
            login(mapping).forget();
        }
        leaving.forEach(this::retire);
    }

    Map<String, UserMapping> mappings() {
        return new TreeMap<>(mappings);
    }

    @GuardedBy("lock")
    private List<UserPool<T>> takeOut(Predicate<UserPool<T>> which) {
        List<UserPool<T>> taken = new ArrayList<>();
        users.values().removeIf(user -> {
            if (which.test(user)) {
                former.add(user);
                taken.add(user);
                return true;
            }
            return false;
        });
        return taken;
    }

    /** Closes a pool, not under lock: its waiters come back here. */
    private void retire(UserPool<T> user) {
        user.close(() -> buried(user));
    }

    private void buried(UserPool<T> user) {
        List<Runnable> drained;
        lock.lock();
        try {
            former.remove(user);
            PoolStats last = user.pool().stats();
            user.addTo(past, last);
            pastTimes = pastTimes.plus(last.times());
            usedAtNanos = Math.max(usedAtNanos, around.time.nanos());
            drained = takeDrained();
        } finally {
            lock.unlock();
        }
        Actions.runAll(drained);
    }

    /** Notes that the last probe is gone. */
    private void unwatched() {
        List<Runnable> drained;
        lock.lock();
        try {
            watched = false;
            drained = takeDrained();
        } finally {
            lock.unlock();
        }
        Actions.runAll(drained);
    }

    @GuardedBy("lock")
    private List<Runnable> takeDrained() {
        if (!closed || watched || !former.isEmpty()) {
            return List.of();
        }
        List<Runnable> drained = List.copyOf(onDrained);
        onDrained.clear();
        return drained;
    }

    /** Drops the server: idle connections close now, those in use when they come back, and {@code drained} runs after the last. */
    void close(Runnable drained) {
        List<UserPool<T>> leaving;
        lock.lock();
        try {
            closed = true;
            onDrained.add(drained);
            leaving = takeOut(user -> true);
        } finally {
            lock.unlock();
        }
        leaving.forEach(this::retire);
        health.end(this::unwatched);
    }

    boolean isClosed() {
        return closed;
    }

    /** Ends it once the last connection is gone. */
    void end() {
        leave(rateLimit);
        wiring.end();
    }

    void pause(boolean pause) {
        lock.lock();
        try {
            paused = pause;
        } finally {
            lock.unlock();
        }
        users.values().forEach(user -> user.pause(paused));
    }

    void evictAll() {
        users.values().forEach(user -> user.pool().evictAll());
    }

    /** Closes idle connections above the minimum of each user pool; returns their number. */
    int evictIdle() {
        int min = definition.settings().sizes().min();
        int evicted = 0;
        for (UserPool<T> user : users.values()) {
            PoolStats stats = user.pool().stats();
            int surplus = Math.min(stats.ready(), stats.open() - min);
            evicted += surplus > 0 ? user.pool().evictIdle(surplus) : 0;
        }
        return evicted;
    }

    void validateAll() {
        users.values().forEach(user -> user.pool().checkAll());
    }

    /** The pools of all users with a mapping of their own, made if need be, and all other existing ones. */
    Collection<UserPool<T>> everyone() throws RegistryException {
        if (!health.isHealthy()) {
            throw unhealthy();
        }
        Map<String, UserPool<T>> all = new TreeMap<>(users);
        for (UserMapping mapping : mappings.values()) {
            if (!mapping.isPublic()) {
                all.put(mapping.localUser(), pool(mapping.localUser()));
            }
        }
        return all.values();
    }

    private void healthChanged(boolean healthy) {
        users.values().forEach(user -> user.keepMinimum(health::isHealthy));
        Consumer<UserPool<T>> then =
                healthy ? user -> user.pool().checkAll() : user -> user.pool().refuseWaiting(Refusal.HOPELESS);
        users.values().forEach(then);
    }

    // ---- unused user pools

    private long tidy(long now) {
        List<UserPool<T>> leaving;
        long timeout = definition.settings().userPoolTimeout().toNanos();
        lock.lock();
        try {
            if (timeout == 0 || users.isEmpty()) {
                return Long.MAX_VALUE;
            }
            leaving = takeOut(user -> isUnused(user, timeout, now));
        } finally {
            lock.unlock();
        }
        leaving.forEach(this::retire);
        return now + Math.max(1, timeout / 4);
    }

    private boolean isUnused(UserPool<T> user, long timeout, long now) {
        PoolStats stats = user.pool().stats();
        if (stats.checkouts() != user.acquiresSeen || stats.borrowed() > 0 || stats.waiting() > 0) {
            user.acquiresSeen = stats.checkouts();
            user.unusedSinceNanos = now;
        }
        return now - user.unusedSinceNanos >= timeout;
    }

    // ---- observing

    List<UserPoolStats> userStats() {
        return new TreeMap<>(users).values().stream().map(UserPool::stats).toList();
    }

    List<ConnectionInfo> connections() {
        long now = around.time.nanos();
        Instant wallNow = around.wall.instant();
        List<ConnectionInfo> all = new ArrayList<>();
        for (UserPool<T> user : allPools()) {
            for (UserPool.Seen<T> seen : user.connections()) {
                Pool.Pooled<T> pooled = seen.pooled();
                all.add(new ConnectionInfo(
                        definition.name(),
                        user.localUser(),
                        seen.id(),
                        seen.state(),
                        Duration.ofNanos(pooled.heldNanos()),
                        wallNow.minusNanos(now - pooled.bornAtNanos()),
                        wallNow.minusNanos(now - pooled.usedAtNanos()),
                        wallNow.minusNanos(now - pooled.provenAtNanos()),
                        pooled.uses(),
                        seen.queries()));
            }
        }
        all.sort((one, other) -> Long.compare(one.connectionId(), other.connectionId()));
        return all;
    }

    ServerPoolStats stats() {
        long now = around.time.nanos();
        Tally sum = new Tally();
        int[] counts = new int[4];
        long used;
        boolean nowPaused;
        int userPools;
        lock.lock();
        try {
            sum.add(past);
            used = usedAtNanos;
            nowPaused = paused;
            userPools = users.size();
            for (UserPool<T> user : allPools()) {
                PoolStats stats = user.pool().stats();
                counts[0] += stats.ready();
                counts[1] += stats.borrowed();
                counts[2] += stats.opening();
                counts[3] += stats.waiting();
                user.addTo(sum, stats);
                used = Math.max(used, stats.borrowed() > 0 ? now : lastUse(user));
            }
        } finally {
            lock.unlock();
        }
        HealthStatus status = health.status();
        return new ServerPoolStats(
                definition.name(),
                definition.type(),
                status.healthy(),
                status.healthy() ? Optional.empty() : status.errorMessage(),
                nowPaused,
                userPools,
                counts[0] + counts[1],
                counts[1],
                counts[0],
                counts[2],
                counts[3],
                definition.settings().sizes().cap(),
                sum.acquires.sum(),
                sum.releases.sum(),
                sum.timeouts.sum(),
                sum.errors.sum(),
                sum.created.sum(),
                sum.destroyed.sum(),
                sum.invalid.sum(),
                sum.queries.sum(),
                sum.acquireNanos.sum(),
                sum.queryNanos.sum(),
                createdAt,
                around.wall.instant().minusNanos(now - used));
    }

    /** The times of all acquires and uses, if the registry is observed. */
    Times times() {
        lock.lock();
        try {
            Times sum = pastTimes;
            for (UserPool<T> user : allPools()) {
                sum = sum.plus(user.pool().stats().times());
            }
            return sum;
        } finally {
            lock.unlock();
        }
    }

    private List<UserPool<T>> allPools() {
        List<UserPool<T>> pools = new ArrayList<>(users.values());
        pools.addAll(former);
        return pools;
    }

    private static <T> long lastUse(UserPool<T> user) {
        return user.pool().inventory().stream()
                .mapToLong(Pool.Pooled::usedAtNanos)
                .max()
                .orElse(0);
    }

    @Override
    public String toString() {
        return definition.toString();
    }
}
