// SPDX-License-Identifier: Apache-2.0
package dev.forebay.registry.jdbc;

import dev.forebay.engine.Refusal;
import dev.forebay.jdbc.Borrowing;
import dev.forebay.jdbc.PhysicalConnection;
import dev.forebay.registry.Registry;
import dev.forebay.registry.RegistryError;
import dev.forebay.registry.RegistryException;
import dev.forebay.registry.Wiring;
import dev.forebay.spi.NoConnection;
import dev.forebay.time.Time;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.BiPredicate;
import java.util.function.Supplier;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/** A registry of JDBC connections, opened by the drivers of their types. Thread-safe; a process may have several. */
@SuppressWarnings("exports") // users of a registry never see the pooled values
public final class JdbcRegistry extends Registry<PhysicalConnection> {

    /** The longest a server may take to answer {@link #test}. */
    private static final int ANSWER_SECONDS = 5;

    private final Time time;
    private final @Nullable BiPredicate<String, String> authenticator;
    private final Supplier<@Nullable String> currentUser;

    /** The local user that acts on a thread, for as long as a scope lasts. */
    private final Map<Thread, String> acting = new ConcurrentHashMap<>();

    private JdbcRegistry(Builder builder, Time time, Supplier<Wiring<PhysicalConnection>> wirings) {
        super(builder, wirings);
        this.time = time;
        this.authenticator = builder.authenticator;
        this.currentUser = builder.currentUser;
    }

    public static Builder builder() {
        return new Builder();
    }

    // ---- acquiring

    /** As {@link #acquire(String, String, Duration)}, with the server's acquire timeout. */
    public RemoteConnection acquire(String server, String localUser) throws RegistryException {
        return acquire(server, localUser, Long.MAX_VALUE, true);
    }

    /**
     * Acquires a connection to {@code server} as the remote user that {@code localUser}, or PUBLIC, is mapped to.
     *
     * @param timeout the longest wait; zero takes only a ready connection
     * @throws RegistryException RD030, RD031 without waiting; RD006 at once if the server is unhealthy; RD002, RD003 and
     *     others that no retry mends, as soon as they are known; RD005, RD004 or the error that kept connections from
     *     being opened, when the time is over. If the thread is interrupted while it waits it still is afterwards.
     */
    public RemoteConnection acquire(String server, String localUser, Duration timeout) throws RegistryException {
        return acquire(server, localUser, Math.max(0, timeout.toNanos()), false);
    }

    /** As {@link #acquire(String, String, Duration)}, also limited by the server's acquire timeout if {@code limited}. */
    private RemoteConnection acquire(String server, String localUser, long mostNanos, boolean limited)
            throws RegistryException {
        long began = time.coarseNanos();
        Lender<PhysicalConnection> lender = lender(server, localUser);
        long timeoutNanos = limited ? Math.min(mostNanos, lender.timeoutNanos()) : mostNanos;
        long left = timeoutNanos;
        while (true) {
            try {
                Connection connection = ((Borrowing) lender.wired()).borrow(lender.within(left));
                return new RemoteConnection(connection, lender, server, localUser);
            } catch (SQLException e) {
                left = timeoutNanos - (time.coarseNanos() - began);
                RegistryException failure = lender.failure(refusal(e), left, String.valueOf(e.getMessage()), e);
                if (failure != null) {
                    throw failure;
                }
                lender = lender(server, localUser);
            }
        }
    }

    /** The refusal behind an error of {@link Borrowing}. */
    private static Refusal refusal(SQLException error) {
        for (NoConnection why : NoConnection.values()) {
            if (why.vendorCode() == error.getErrorCode()) {
                return switch (why) {
                    case TIMED_OUT -> Refusal.TIMED_OUT;
                    case EXHAUSTED -> Refusal.EXHAUSTED;
                    case TOO_MANY_WAITING -> Refusal.TOO_MANY_WAITING;
                    case INTERRUPTED -> Refusal.CANCELLED;
                    case CLOSED -> Refusal.CLOSED;
                    case HOPELESS -> Refusal.HOPELESS;
                };
            }
        }
        throw new IllegalStateException("bug: no refusal has the code " + error.getErrorCode(), error);
    }

    @Override
    public Tested test(String server, String localUser) throws SQLException {
        long began = time.nanos();
        try (RemoteConnection remote = acquire(server, localUser)) {
            boolean answered = remote.connection().isValid(ANSWER_SECONDS);
            long nanos = time.nanos() - began;
            return new Tested(answered, nanos, remote.connection().getMetaData().getDatabaseProductVersion());
        }
    }

    // ---- a data source

    /**
     * Returns a data source for {@code server}, which need not exist yet. {@link DataSource#getConnection()} acquires
     * for the local user that {@linkplain #actAs acts} on the calling thread, or that the application's supplier names;
     * with a user and a password it acquires for that local user, if the password is right.
     */
    public DataSource dataSource(String server) {
        return new RemoteDataSource(this, server);
    }

    /** Lets {@code localUser} act on this thread until the scope is closed, on this thread as well; scopes may be nested. */
    public Scope actAs(String localUser) {
        Thread thread = Thread.currentThread();
        String before = acting.put(thread, Objects.requireNonNull(localUser));
        return () -> {
            if (before == null) {
                acting.remove(thread);
            } else {
                acting.put(thread, before);
            }
        };
    }

    /** The span in which a local user acts. */
    @FunctionalInterface
    public interface Scope extends AutoCloseable {
        @Override
        void close();
    }

    Connection connectionFor(String server, long mostNanos) throws RegistryException {
        String user = acting.get(Thread.currentThread());
        if (user == null) {
            user = currentUser.get();
        }
        if (user == null) {
            throw new RegistryException(
                    RegistryError.USER_MAPPING_MISSING, "no local user acts on this thread: use JdbcRegistry.actAs");
        }
        return connectionFor(server, user, mostNanos);
    }

    Connection connectionFor(String server, String user, long mostNanos) throws RegistryException {
        return acquire(server, user, mostNanos, true).connection();
    }

    /** Checks a local user's password with the application's authenticator; without one, it is that of the mapping. */
    void authenticate(String server, String user, String password) throws RegistryException {
        boolean known =
                authenticator != null ? authenticator.test(user, password) : isPasswordOf(server, user, password);
        if (!known) {
            throw new RegistryException(RegistryError.AUTH_FAILED, "wrong password for the local user " + user);
        }
    }

    /** Collects the parts of a registry. Not thread-safe. */
    public static final class Builder extends Registry.Builder<Builder> {
        private Drivers drivers = Drivers.onClassPath();
        private @Nullable BiPredicate<String, String> authenticator;
        private Supplier<@Nullable String> currentUser = () -> null;

        private Builder() {}

        @Override
        protected Builder self() {
            return this;
        }

        /** The source of drivers; without this, the class path. */
        public Builder drivers(Drivers drivers) {
            this.drivers = drivers;
            return this;
        }

        /** The check of a local user's password; without this, it is that of the user's mapping. */
        public Builder authenticator(BiPredicate<String, String> authenticator) {
            this.authenticator = authenticator;
            return this;
        }

        /** The supplier of the local user that acts on the calling thread outside of any scope; null for none. */
        public Builder currentUser(Supplier<@Nullable String> currentUser) {
            this.currentUser = currentUser;
            return this;
        }

        public JdbcRegistry build() {
            Drivers from = drivers;
            Time time = time();
            boolean counts = isObserved();
            return new JdbcRegistry(this, time, () -> new JdbcWiring(from, time, counts));
        }
    }
}
