// SPDX-License-Identifier: Apache-2.0
package dev.forebay;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import dev.forebay.engine.internal.Option;
import dev.forebay.jdbc.UnpooledDataSource;
import dev.forebay.spi.PasswordSupplier;
import java.sql.Connection;
import java.sql.Driver;
import java.sql.DriverManager;
import java.sql.DriverPropertyInfo;
import java.sql.SQLException;
import java.sql.SQLFeatureNotSupportedException;
import java.sql.SQLNonTransientConnectionException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Properties;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.ReentrantLock;
import java.util.logging.Logger;
import org.jspecify.annotations.Nullable;

/**
 * A pool behind a URL, for tools that take nothing else: {@code jdbc:forebay:} and then another driver's URL without
 * its {@code jdbc:}. Thread-safe.
 *
 * <pre>{@code
 * jdbc:forebay:postgresql://localhost/orders?user=app&forebay.mode=on-demand&forebay.max-open=20
 * }</pre>
 *
 * <p>Parameters that begin with {@code forebay.}, {@code dsql.retry.} or {@code dsql.monitoring.} are the pool's, in the
 * URL or among the properties; all others are the other driver's. Callers with the same URL and the same properties get
 * connections of the same pool. It is made when first asked for and lasts until {@link #closeAll}, or as long as the
 * process.
 *
 * <p>Another password does not make another pool: it has to prove itself by a connect of its own, and the pool opens
 * with it from then on. Giving none does: such callers have proven nothing, so they have a second pool, whose
 * connections are opened without a password, and never get one that another caller's password has opened. The size that
 * the URL asks for holds for each of the two.
 *
 * <p>{@code jdbc:forebay:unpooled:} opens a new connection each time, within the rate limit that pools of the process keep.
 */
public final class ForebayDriver implements Driver {

    private static final String PREFIX = "jdbc:forebay:";

    /** The part after the prefix where each connection is to be new. */
    private static final String UNPOOLED = "unpooled:";

    /** The part after the prefix in URLs of the driver for Aurora DSQL, in a module of its own. */
    private static final String DSQL = "dsql:";

    /** The beginnings of our settings' names. */
    private static final List<String> OURS = List.of("forebay.", "dsql.retry.", "dsql.monitoring.");

    private static final String PASSWORD = "password";

    /** The most attempts to get a pool while {@link #closeAll} is called. */
    private static final int MOST_TRIES = 10;

    /** Pools of the whole process, since the driver manager makes instances as it likes. */
    private static final Map<Asked, Made> POOLS = new ConcurrentHashMap<>();

    static {
        try {
            DriverManager.registerDriver(new ForebayDriver());
        } catch (SQLException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    /** A driver for the driver manager, which finds it by itself. */
    public ForebayDriver() {}

    @Override
    public boolean acceptsURL(@Nullable String url) {
        return url != null && url.startsWith(PREFIX) && !url.startsWith(DSQL, PREFIX.length());
    }

    /** Returns a connection of the pool for this URL and these properties; null if the URL is not for this driver. */
    @Override
    public @Nullable Connection connect(@Nullable String url, @Nullable Properties properties) throws SQLException {
        if (url == null || !acceptsURL(url)) {
            return null;
        }
        Properties given = properties == null ? new Properties() : properties;
        String rest = url.substring(PREFIX.length());
        if (rest.startsWith(UNPOOLED)) {
            return Asked.of(rest.substring(UNPOOLED.length()), given).connect(given.getProperty(PASSWORD));
        }
        Asked asked = Asked.of(rest, given);
        for (int i = 0; i < MOST_TRIES; i++) {
            ForebayDataSource pool = POOLS.computeIfAbsent(asked, Made::new).pool(given.getProperty(PASSWORD));
            if (pool != null) {
                return pool.getConnection();
            }
        }
        throw new SQLNonTransientConnectionException("the pools of all URLs are being closed", "08003");
    }

    /** Closes the pools of all URLs; later callers get new ones. */
    public static void closeAll() {
        for (Asked asked : List.copyOf(POOLS.keySet())) {
            Made made = POOLS.remove(asked);
            if (made != null) {
                made.close();
            }
        }
    }

    /** A pool that is built by its first caller. */
    private static final class Made {

        private final Asked asked;
        private final ReentrantLock lock = new ReentrantLock();

        @GuardedBy("lock")
        private @Nullable ForebayDataSource pool;

        @GuardedBy("lock")
        private boolean closed;

        private volatile @Nullable String password; // written under the lock; null if and only if callers give none

        Made(Asked asked) {
            this.asked = asked;
        }

        /**
         * Returns the pool, for a caller who gives {@code given} as the password. One that cannot be built is retried
         * by the next caller. Another password than the last has to prove itself by a connect of its own, for which no
         * other caller waits; the pool uses it from then on, so that passwords that change, such as tokens, do not make
         * a pool each. Null if this is closed: a pool built now would never be.
         */
        @Nullable
        ForebayDataSource pool(@Nullable String given) throws SQLException {
            ForebayDataSource known = poolOr(given, false);
            if (known != null || isClosed()) {
                return known;
            }
            asked.connect(given).close();
            return poolOr(given, true);
        }

        private boolean isClosed() {
            lock.lock();
            try {
                return closed;
            } finally {
                lock.unlock();
            }
        }

        /** Returns the pool; null if this is closed, or if {@code given} is another password and has not been {@code proven}. */
        private @Nullable ForebayDataSource poolOr(@Nullable String given, boolean proven) throws SQLException {
            lock.lock();
            try {
                if (closed) {
                    return null;
                }
                if (pool == null) {
                    password = given;
                    pool = asked.make(given == null ? null : () -> Objects.requireNonNull(password));
                } else if (!Objects.equals(password, given)) {
                    if (!proven) {
                        return null;
                    }
                    password = given;
                }
                return pool;
            } finally {
                lock.unlock();
            }
        }

        void close() {
            lock.lock();
            try {
                closed = true;
                if (pool != null) {
                    pool.close();
                    pool = null;
                }
            } finally {
                lock.unlock();
            }
        }
    }

    /** The request without the password, of which only its presence counts. Has no text, since there may be secrets in it. */
    private static final class Asked {

        private final String url;
        private final Map<String, String> ours;
        private final Map<String, String> theirs;
        private final boolean hasPassword;

        private Asked(String url, Map<String, String> ours, Map<String, String> theirs, boolean hasPassword) {
            this.url = url;
            this.ours = ours;
            this.theirs = theirs;
            this.hasPassword = hasPassword;
        }

        static Asked of(String rest, Properties properties) {
            Map<String, String> ours = new TreeMap<>();
            Map<String, String> theirs = new TreeMap<>();
            String url = "jdbc:" + withoutOurs(rest, ours);
            for (String name : properties.stringPropertyNames()) {
                if (name.equals(PASSWORD)) {
                    continue;
                }
                (isOurs(name) ? ours : theirs).put(name, properties.getProperty(name));
            }
            return new Asked(url, ours, theirs, properties.getProperty(PASSWORD) != null);
        }

        /**
         * Takes our parameters out of a URL; they stand between {@code ?}, {@code &} and {@code ;}. A question mark is one
         * of these only where the parameters begin: later it belongs to a value.
         */
        private static String withoutOurs(String url, Map<String, String> ours) {
            StringBuilder rest = new StringBuilder();
            boolean hasQuestion = false;
            for (String part : parts(url)) {
                boolean isParameter = !part.isEmpty() && "?&;".indexOf(part.charAt(0)) >= 0;
                int equals = part.indexOf('=');
                if (isParameter && equals > 0 && isOurs(part.substring(1, equals))) {
                    ours.put(part.substring(1, equals), part.substring(equals + 1));
                } else if (isParameter && part.charAt(0) != ';') {
                    rest.append(hasQuestion ? '&' : '?').append(part, 1, part.length());
                    hasQuestion = true;
                } else {
                    rest.append(part);
                }
            }
            return rest.toString();
        }

        /** Returns the URL cut before each separator. */
        private static List<String> parts(String url) {
            List<String> parts = new ArrayList<>();
            int from = 0;
            for (int i = 0; i < url.length(); i++) {
                char c = url.charAt(i);
                if (c == '&' || c == ';' || (c == '?' && parts.isEmpty())) {
                    parts.add(url.substring(from, i));
                    from = i;
                }
            }
            parts.add(url.substring(from));
            return parts;
        }

        private static boolean isOurs(String name) {
            return OURS.stream().anyMatch(name::startsWith);
        }

        /** Returns a connection past any pool, within the rate limit: the caller's own, or one that proves a password. */
        Connection connect(@Nullable String password) throws SQLException {
            try (UnpooledDataSource source =
                    builder(password == null ? null : () -> password).buildUnpooled()) {
                return source.getConnection();
            }
        }

        ForebayDataSource make(@Nullable PasswordSupplier passwords) throws SQLException {
            return builder(passwords).build();
        }

        private ForebayDataSource.Builder builder(@Nullable PasswordSupplier passwords) throws SQLException {
            Properties settings = new Properties();
            settings.putAll(ours);
            ForebayConfig config;
            try {
                config = ForebayConfig.fromProperties(settings);
            } catch (IllegalArgumentException e) {
                throw new SQLException(e.getMessage(), "08001", e);
            }
            ForebayDataSource.Builder builder =
                    ForebayDataSource.builder().config(config).url(url);
            theirs.forEach(builder::property);
            if (passwords != null) {
                builder.password(passwords);
            }
            return builder;
        }

        @Override
        public boolean equals(@Nullable Object other) {
            return other instanceof Asked that
                    && url.equals(that.url)
                    && ours.equals(that.ours)
                    && theirs.equals(that.theirs)
                    && hasPassword == that.hasPassword;
        }

        @Override
        public int hashCode() {
            return 31 * url.hashCode() + 7 * ours.hashCode() + theirs.hashCode();
        }
    }

    // ---- what every driver tells

    /** Returns every setting of the pool, with its default and its purpose. */
    @Override
    public DriverPropertyInfo[] getPropertyInfo(@Nullable String url, @Nullable Properties properties) {
        List<DriverPropertyInfo> all = new ArrayList<>();
        for (Option<?> knob : Knobs.ALL) {
            DriverPropertyInfo info = new DriverPropertyInfo(knob.name(), knob.defaultText());
            info.description = knob.purpose();
            all.add(info);
        }
        return all.toArray(DriverPropertyInfo[]::new);
    }

    @Override
    public int getMajorVersion() {
        return 0;
    }

    @Override
    public int getMinorVersion() {
        return 1;
    }

    /** Returns false: whether the other driver is compliant is unknown here. */
    @Override
    public boolean jdbcCompliant() {
        return false;
    }

    @Override
    public Logger getParentLogger() throws SQLFeatureNotSupportedException {
        throw new SQLFeatureNotSupportedException("the log goes to SLF4J");
    }
}
