// SPDX-License-Identifier: Apache-2.0
package dev.forebay.console.admin;

import dev.forebay.console.state.Definitions;
import dev.forebay.registry.Registry;
import dev.forebay.wire.ClientLimits;
import dev.forebay.wire.Conversation;
import dev.forebay.wire.PgServer;
import dev.forebay.wire.PgSession;
import dev.forebay.wire.Scram;
import io.netty.handler.ssl.SslContext;
import java.io.IOException;
import java.security.SecureRandom;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The administrator's port: a registry's administration and views for any client of PostgreSQL. Thread-safe.
 *
 * <p>A session costs a thread only while it has something to do. No statement of a client runs on the threads that serve
 * the network.
 */
public final class AdminPort implements AutoCloseable {

    /** The one database that there is. */
    public static final String DATABASE = "forebay";

    private static final Logger log = LoggerFactory.getLogger(AdminPort.class);
    private static final ClientLimits LIMITS = new ClientLimits(1 << 20, 16 << 10, Duration.ofSeconds(30));
    private static final int MOST_SESSIONS = 32;

    /** Maximum connections that have not logged in; beyond it the oldest goes: an administrator logs in quickly. */
    static final int MOST_STRANGERS = 256;

    private final Builder settings;
    private final Scram.Verifier verifier;
    private final byte[] strangersKey = new byte[32];
    private final SecureRandom random = new SecureRandom();
    private final LoginPace pace = new LoginPace(System::nanoTime);
    private final Instant started = Instant.now();
    private final SystemViews views;
    private final ThreadPoolExecutor threads;
    private final Set<AdminSession> sessions = ConcurrentHashMap.newKeySet();
    private final AtomicInteger count = new AtomicInteger();
    private final PgServer server;

    private AdminPort(Builder settings) throws IOException {
        this.settings = settings;
        this.verifier = settings.verifier;
        random.nextBytes(strangersKey);
        try {
            this.views = new SystemViews(settings.registry);
        } catch (SQLException e) {
            throw new IOException("cannot make the views", e);
        }
        AtomicInteger number = new AtomicInteger();
        int most = settings.mostSessions; // each with a task at a time: none waits for long
        this.threads = new ThreadPoolExecutor(most, most, 10, TimeUnit.SECONDS, new LinkedBlockingQueue<>(), task -> {
            Thread thread = new Thread(task, "forebay-admin-" + number.incrementAndGet());
            thread.setDaemon(true);
            return thread;
        });
        threads.allowCoreThreadTimeOut(true);
        PgServer.Builder listening = PgServer.builder(this::open, random)
                .port(settings.port)
                .threads(1)
                .limits(LIMITS)
                .mostStrangers(MOST_STRANGERS);
        if (settings.tls != null) {
            listening.tls(settings.tls).requireTls();
        }
        try {
            this.server = listening.start();
        } catch (IOException | RuntimeException e) {
            threads.shutdownNow();
            closeViews();
            throw e;
        }
    }

    /**
     * Opens a port on loopback, where {@code user} administers {@code registry} and its definitions.
     *
     * @param port 0 for any
     * @param tls null for none
     */
    public static AdminPort open(
            Registry<?> registry,
            Definitions definitions,
            String user,
            char[] password,
            int port,
            @Nullable SslContext tls)
            throws IOException {
        Builder builder = builder(registry, new RegistryAdministration(registry, definitions), user, password)
                .port(port);
        return tls == null ? builder.start() : builder.tls(tls).start();
    }

    /** A port for {@code registry}, where {@code user} logs in. */
    static Builder builder(Registry<?> registry, Administration administration, String user, char[] password) {
        return new Builder(registry, administration, user, password);
    }

    /** The port on which it listens. */
    public int port() {
        return server.port();
    }

    /**
     * Runs a statement of the administrator's for a caller that is not a client of this port, and audits it.
     *
     * @param caller the caller's name, in place of an address
     */
    public void perform(String sql, String caller) throws SQLException {
        long start = System.nanoTime();
        String outcome = "00000";
        String shown = AuditText.unread(sql);
        try {
            SqlText text = SqlText.of(sql);
            shown = AuditText.of(text);
            List<AdminStatement> statements = AdminSql.parse(text.statements());
            if (statements.size() != 1) {
                throw new AdminException(
                        AdminSyntaxException.SQL_STATE, "there must be one statement, not " + statements.size());
            }
            administration().perform(statements.get(0), settings.user);
        } catch (SQLException e) {
            outcome = String.valueOf(e.getSQLState());
            throw e;
        } catch (AdminSyntaxException e) {
            outcome = AdminSyntaxException.SQL_STATE;
            throw AdminException.of(e);
        } finally {
            audit().said(settings.user, caller, shown, outcome, Duration.ofNanos(System.nanoTime() - start));
        }
    }

    /** Returns the number of clients that have logged in. */
    public int sessions() {
        return count.get();
    }

    /** Closes every session, cancels its statements, and stops listening. */
    @Override
    public void close() {
        server.close();
        threads.shutdownNow();
        closeViews();
    }

    private void closeViews() {
        try {
            views.close();
        } catch (SQLException e) {
            log.warn("the views could not be closed", e);
        }
    }

    // ---- for sessions

    SystemViews views() {
        return views;
    }

    Administration administration() {
        return settings.administration;
    }

    Audit audit() {
        return settings.audit;
    }

    Instant started() {
        return started;
    }

    /** Returns the exchange that proves a client to be {@code user}. */
    Scram login(String user) {
        return user.equals(settings.user)
                ? Scram.with(verifier, random)
                : Scram.withStranger(user, strangersKey, random);
    }

    /** The pace of answers to passwords, one for all sessions. */
    LoginPace pace() {
        return pace;
    }

    void run(Runnable task) {
        threads.execute(task);
    }

    /** Returns whether there is room for a client that has logged in; if so, it counts from now on. */
    boolean admits(AdminSession session) {
        if (count.incrementAndGet() > settings.mostSessions) {
            count.decrementAndGet();
            return false;
        }
        sessions.add(session);
        return true;
    }

    void closed(AdminSession session) {
        if (sessions.remove(session)) {
            count.decrementAndGet();
        }
    }

    static AdminException tooMany() {
        return new AdminException("53300", "sorry, too many clients already");
    }

    private PgSession open(Conversation client) {
        AdminSession session = new AdminSession(this, client);
        session.open();
        return session;
    }

    /** Makes an {@link AdminPort}. Not thread-safe. */
    static final class Builder {

        private final Registry<?> registry;
        private final Administration administration;
        private final String user;
        private final Scram.Verifier verifier;
        private int port;
        private @Nullable SslContext tls;
        private Audit audit = Audit.LOG;
        private int mostSessions = MOST_SESSIONS;

        private Builder(Registry<?> registry, Administration administration, String user, char[] password) {
            this.registry = registry;
            this.administration = administration;
            this.user = user;
            this.verifier = Scram.Verifier.of(password, new SecureRandom());
        }

        /** The port; 0, the default, is any. */
        Builder port(int port) {
            this.port = port;
            return this;
        }

        /** Takes TLS only. */
        Builder tls(SslContext context) {
            this.tls = context;
            return this;
        }

        /** The audit that statements are reported to; the log by default. */
        Builder audit(Audit audit) {
            this.audit = audit;
            return this;
        }

        /** The most sessions at once. */
        Builder mostSessions(int most) {
            this.mostSessions = most;
            return this;
        }

        /** Starts it. */
        AdminPort start() throws IOException {
            return new AdminPort(this);
        }
    }
}
