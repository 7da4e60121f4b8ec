// SPDX-License-Identifier: Apache-2.0
package dev.forebay.local;

import com.google.errorprone.annotations.CanIgnoreReturnValue;
import com.google.errorprone.annotations.concurrent.GuardedBy;
import dev.forebay.local.iam.AccessKey;
import dev.forebay.local.iam.TokenCheck;
import dev.forebay.local.iam.TokenMaker;
import dev.forebay.local.iam.TokenRules;
import dev.forebay.local.iam.Verdict;
import dev.forebay.local.sql.Limits;
import dev.forebay.local.sql.Profile;
import dev.forebay.model.Cluster;
import dev.forebay.model.ClusterCounts;
import dev.forebay.model.ClusterSession;
import dev.forebay.model.ClusterSettings;
import dev.forebay.model.Fault;
import dev.forebay.time.SystemTime;
import dev.forebay.time.Time;
import dev.forebay.wire.Conversation;
import dev.forebay.wire.PgServer;
import dev.forebay.wire.PgSession;
import dev.forebay.wire.SelfSigned;
import io.netty.handler.ssl.ApplicationProtocolConfig;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslContextBuilder;
import java.io.IOException;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import javax.net.ssl.SSLException;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.postgresql.ds.PGSimpleDataSource;

/**
 * An Aurora DSQL on this machine, for tests: its rules for connections, tokens and statements, on a PostgreSQL of its own that
 * goes with it. Thread-safe.
 *
 * <pre>{@code
 * try (LocalDsql dsql = LocalDsql.builder().start()) {
 *     DataSource dataSource = dsql.dataSource("admin");
 *     dsql.inject(Fault.parse("drop 30%"));
 * }
 * }</pre>
 */
public final class LocalDsql implements AutoCloseable {

    /** The one database of a cluster. */
    public static final String DATABASE = BackingPostgres.DATABASE;

    private static final Duration CERTIFICATE_VALIDITY = Duration.ofDays(365);

    /**
     * No statement waits for another transaction: what PostgreSQL would wait for is an error after so long. Said by every session as
     * it starts, since a role may have settings of its own, which go before those of the server.
     */
    private static final Map<String, String> OF_EVERY_SESSION =
            Map.of("default_transaction_isolation", "repeatable read", "lock_timeout", "5ms");

    private static final Map<String, String> BACKING_SETTINGS = Map.of(
            "max_connections", "2000",
            "deadlock_timeout", "60s",
            "TimeZone", "UTC",
            "fsync", "off",
            "synchronous_commit", "off",
            "full_page_writes", "off",
            "shared_buffers", "64MB");

    private final Time time = SystemTime.shared();
    private final InstantSource clock = SystemTime.wallClock();
    private final SecureRandom secrets = new SecureRandom();
    private final String endpoint;
    private final String region;
    private final AccessKey key;
    private final String identity;
    private final boolean requiresServerName;
    private final boolean acceptsAnyPassword;
    private final boolean lockersConflict;
    private final Limits transactionLimits;
    private final Profile profile = Profile.SEPTEMBER_2026;
    private final Catalog catalog = new Catalog();
    private final Cluster cluster;
    private final TokenCheck tokens;
    private final Roles roles;
    private final Jobs jobs;
    private final ServerCounts metrics = new ServerCounts();
    private final Map<ClusterSession, Session> byCounted = new ConcurrentHashMap<>();
    private final BackingPostgres backing;
    private final String version;
    private final PgServer server;
    private final ReentrantLock lock = new ReentrantLock();

    /** The time at which the next session is looked at. */
    @GuardedBy("lock")
    private long armedAt = Long.MAX_VALUE;

    @GuardedBy("lock")
    private Time.@Nullable Scheduled alarm;

    private LocalDsql(Builder builder) throws IOException {
        this.endpoint = builder.endpoint;
        this.region = builder.region;
        this.key = builder.key != null ? builder.key : newKey();
        this.identity = builder.identity;
        this.requiresServerName = builder.requiresServerName;
        this.acceptsAnyPassword = builder.acceptsAnyPassword;
        this.lockersConflict = builder.lockersConflict;
        this.transactionLimits = builder.transactionLimits;
        this.cluster = new Cluster(builder.settings, new Random(builder.seed), time.nanos());
        this.jobs = new Jobs(new Random(builder.seed));
        this.roles = acceptsAnyPassword ? Roles.all(catalog) : Roles.grantedTo(identity, catalog);
        Set<String> hosts = new LinkedHashSet<>(List.of(endpoint, "localhost", "127.0.0.1"));
        this.tokens = new TokenCheck(new TokenRules(List.of(key), region, hosts, TokenRules.DEFAULT_CLOCK_SKEW), clock);
        SelfSigned certificate = SelfSigned.of(List.copyOf(hosts), clock.instant(), CERTIFICATE_VALIDITY);
        this.backing = BackingPostgres.start(builder.cache, secret(), BACKING_SETTINGS);
        try {
            NamedFile.write(caFile(), certificate.pem());
            this.version = prepare(backing);
            this.server = PgServer.builder(this::open, secrets)
                    .port(builder.port)
                    .tls(tls(certificate))
                    .requireTls()
                    .start();
        } catch (IOException | RuntimeException e) {
            backing.close();
            throw e;
        }
    }

    /** One with the numbers of Aurora DSQL, on any free port. */
    public static Builder builder() {
        return new Builder();
    }

    // ---- for its users

    /** The host by which to connect; it resolves on every machine. */
    public String host() {
        return "localhost";
    }

    public int port() {
        return server.port();
    }

    public String region() {
        return region;
    }

    /** The key whose tokens are good. */
    public AccessKey accessKey() {
        return key;
    }

    /** The ARN of the key's owner, to which AWS IAM GRANT grants roles. */
    public String identity() {
        return identity;
    }

    /** The certificate by which clients know the server, in PEM; it goes with the server, whatever ends that. */
    public Path caFile() {
        return backing.directory().resolve("ca.pem");
    }

    /** A token for {@code user}, from now on. */
    public String token(String user, Duration duration) {
        return new TokenMaker(host(), region, key).token(user, duration, clock.instant());
    }

    /** A JDBC URL that verifies the server fully; user and token are to be added. */
    public String jdbcUrl() {
        return "jdbc:postgresql://" + host() + ":" + port() + "/" + DATABASE + "?sslmode=verify-full&sslrootcert="
                + caFile();
    }

    /** Connections of {@code user}, each with a fresh token. */
    public DataSource dataSource(String user) {
        return new TokenDataSource(this, user, "");
    }

    /** Connections of {@code user}, each with a fresh token, that look for names in {@code schema}. */
    public DataSource dataSource(String user, String schema) {
        return new TokenDataSource(this, user, schema);
    }

    /** The PostgreSQL behind it, as its superuser and past all rules: to prepare a test, or to compare. */
    public DataSource behind() {
        return backing.dataSource();
    }

    /** Puts a fault in force and returns how many sessions it closes. */
    @CanIgnoreReturnValue
    public int inject(Fault fault) {
        var dropped = cluster.inject(fault, time.nanos());
        dropped.forEach(this::close);
        if (fault instanceof Fault.ExpireTokens) {
            tokens.expireIssuedBefore(clock.instant());
        } else if (fault instanceof Fault.Clear) {
            tokens.expireIssuedBefore(Instant.MIN);
        }
        return dropped.size();
    }

    /** The numbers in force. */
    public ClusterSettings settings() {
        return cluster.settings();
    }

    /** Puts other numbers in force, for the open sessions too. */
    public void reconfigure(ClusterSettings settings) {
        cluster.reconfigure(settings, time.nanos());
        arm();
    }

    /** Connects, refusals and sessions so far. */
    public ClusterCounts counts() {
        return cluster.counts();
    }

    /** One line about what is going on. */
    public String status() {
        ClusterCounts counts = counts();
        return "sessions=" + counts.open() + " in_transaction=" + counts.inTransaction() + " admitted="
                + counts.admitted() + " refused=" + counts.refused() + " denied=" + metrics.denials() + " commits="
                + metrics.commits() + " errors=" + metrics.failures();
    }

    /** The metrics, in the text form of Prometheus. */
    public String metricsText() {
        return MetricsText.of(counts(), metrics, server.clients());
    }

    /** Closes every session and ends its PostgreSQL. */
    @Override
    public void close() throws IOException {
        lock.lock();
        try {
            if (alarm != null) {
                alarm.cancel();
            }
            armedAt = Long.MIN_VALUE;
        } finally {
            lock.unlock();
        }
        server.close();
        backing.close();
    }

    @Override
    public String toString() {
        return "LocalDsql[" + host() + ":" + port() + "]";
    }

    // ---- for its sessions

    Cluster cluster() {
        return cluster;
    }

    Catalog catalog() {
        return catalog;
    }

    Profile profile() {
        return profile;
    }

    Limits transactionLimits() {
        return transactionLimits;
    }

    Roles roles() {
        return roles;
    }

    Jobs jobs() {
        return jobs;
    }

    ServerCounts metrics() {
        return metrics;
    }

    boolean requiresServerName() {
        return requiresServerName;
    }

    boolean lockersConflict() {
        return lockersConflict;
    }

    String version() {
        return version;
    }

    long now() {
        return time.nanos();
    }

    PGSimpleDataSource driver() {
        PGSimpleDataSource source = new PGSimpleDataSource();
        source.setUrl(jdbcUrl());
        return source;
    }

    Verdict verify(String user, String password, String clusterId) {
        return acceptsAnyPassword
                ? new Verdict.Accepted(key.id(), clock.instant(), clock.instant())
                : tokens.verify(user, password, clusterId);
    }

    /** What answers {@code client}, as the role that it is. */
    Backend connect(
            Conversation client, StartUpSettings settings, Backend.Aside aside, Consumer<@Nullable Failure> gone) {
        Map<String, String> startup = new LinkedHashMap<>();
        startup.put("user", client.startup().getOrDefault("user", ""));
        OF_EVERY_SESSION.forEach(startup::put);
        settings.addTo(startup);
        return backend(client, startup, aside, gone);
    }

    /** Puts one query to PostgreSQL as its superuser; unlike a client's it waits for others. */
    void ask(Conversation client, String sql, Consumer<@Nullable String> then, Consumer<@Nullable Failure> gone) {
        Map<String, String> startup = new LinkedHashMap<>();
        startup.put("user", BackingPostgres.SUPERUSER);
        Backend backend = backend(client, startup, (type, payload) -> {}, gone);
        new Exchange(backend)
                .query(sql, Answers.of(Answers.End.READY, answers -> {
                    backend.close();
                    then.accept(answers.value());
                }))
                .send();
    }

    private Backend backend(
            Conversation client, Map<String, String> startup, Backend.Aside aside, Consumer<@Nullable Failure> gone) {
        startup.put("database", DATABASE);
        startup.put("client_encoding", "UTF8");
        return new Backend(
                client.eventLoop(), client.allocator(), backing.address(), startup, backing.password(), aside, gone);
    }

    void opened(Session session, ClusterSession counted) {
        byCounted.put(counted, session);
        arm();
    }

    void closed(Session session) {
        byCounted.values().remove(session);
    }

    // ---- the end of an hour

    /** Sees to it that sessions are looked at when the first of them is due. */
    private void arm() {
        long next = cluster.nextDeadline();
        lock.lock();
        try {
            if (next < armedAt) {
                if (alarm != null) {
                    alarm.cancel();
                }
                armedAt = next;
                alarm = time.schedule(next, this::closeDue);
            }
        } finally {
            lock.unlock();
        }
    }

    private void closeDue() {
        lock.lock();
        try {
            armedAt = armedAt == Long.MIN_VALUE ? Long.MIN_VALUE : Long.MAX_VALUE;
        } finally {
            lock.unlock();
        }
        cluster.due(time.nanos()).forEach(this::close);
        arm();
    }

    private void close(ClusterSession counted) {
        Session session = byCounted.get(counted);
        if (session != null) {
            session.expire();
        }
    }

    // ---- starting

    private static String prepare(BackingPostgres backing) throws IOException {
        try (Connection connection = backing.connect();
                Statement statement = connection.createStatement()) {
            statement.execute("CREATE ROLE " + Roles.ADMIN + " LOGIN CREATEROLE");
            statement.execute("UPDATE pg_database SET datistemplate = false");
            statement.execute("DROP DATABASE template0");
            statement.execute("DROP DATABASE template1");
            statement.execute("ALTER DATABASE " + DATABASE + " OWNER TO admin");
            statement.execute("GRANT ALL ON SCHEMA public TO admin");
            statement.execute(Roles.withPassword(Roles.ADMIN, "true"));
            statement.execute(Jobs.SCHEMA);
            statement.execute(Roles.SCHEMA);
            statement.execute("DELETE FROM pg_ts_config WHERE cfgname <> 'simple'");
            try (ResultSet result = statement.executeQuery("SHOW server_version")) {
                result.next();
                return result.getString(1);
            }
        } catch (SQLException e) {
            throw new IOException("the PostgreSQL behind it could not be prepared: " + e.getMessage(), e);
        }
    }

    private static SslContext tls(SelfSigned certificate) throws SSLException {
        return SslContextBuilder.forServer(certificate.key(), certificate.certificate())
                .applicationProtocolConfig(new ApplicationProtocolConfig(
                        ApplicationProtocolConfig.Protocol.ALPN,
                        ApplicationProtocolConfig.SelectorFailureBehavior.NO_ADVERTISE,
                        ApplicationProtocolConfig.SelectedListenerFailureBehavior.ACCEPT,
                        "postgresql"))
                .build();
    }

    private AccessKey newKey() {
        return AccessKey.of("AKIALOCAL" + secret().substring(0, 11).toUpperCase(Locale.ROOT), secret());
    }

    private String secret() {
        byte[] bytes = new byte[20];
        secrets.nextBytes(bytes);
        return HexFormat.of().formatHex(bytes);
    }

    private PgSession open(Conversation client) {
        Session session = new Session(this, client);
        session.open();
        return session;
    }

    /** Makes a {@link LocalDsql}. Not thread-safe. */
    public static final class Builder {

        private int port;
        private String endpoint = "local.dsql.us-east-1.on.aws";
        private String region = "us-east-1";
        private @Nullable AccessKey key;
        private String identity = "arn:aws:iam::123456789012:user/local";
        private ClusterSettings settings = ClusterSettings.dsql();
        private Limits transactionLimits = Limits.DEFAULT;
        private boolean requiresServerName;
        private boolean acceptsAnyPassword;
        private boolean lockersConflict = true;
        private long seed = 1;
        private Path cache = defaultCache();

        private Builder() {}

        private static Path defaultCache() {
            String cache = System.getenv("XDG_CACHE_HOME");
            Path root = cache != null && !cache.isEmpty()
                    ? Path.of(cache)
                    : Path.of(System.getProperty("user.home", "."), ".cache");
            return root.resolve("forebay");
        }

        /** The port; 0, the default, is any. */
        public Builder port(int port) {
            this.port = port;
            return this;
        }

        /** The endpoint in the cloud for which tokens are good as well. */
        public Builder endpoint(String endpoint, String region) {
            if (!endpoint.matches("[A-Za-z0-9.-]+") || !region.matches("[a-z0-9-]+")) {
                throw new IllegalArgumentException(
                        "an endpoint is a host name, and a region is like us-east-1: " + endpoint + ", " + region);
            }
            this.endpoint = endpoint;
            this.region = region;
            return this;
        }

        /** The key whose tokens are good; by default one is made. */
        public Builder accessKey(AccessKey key) {
            this.key = key;
            return this;
        }

        /** The ARN of the key's owner, to which AWS IAM GRANT grants roles. */
        public Builder identity(String arn) {
            if (!arn.startsWith("arn:")) {
                throw new IllegalArgumentException("an identity is an ARN: " + arn);
            }
            this.identity = arn;
            return this;
        }

        /** The rules for connections. */
        public Builder settings(ClusterSettings settings) {
            this.settings = settings;
            return this;
        }

        /** The limits of a transaction. */
        public Builder transactionLimits(Limits limits) {
            this.transactionLimits = limits;
            return this;
        }

        /** Refuses clients that do not name the server in their TLS handshake, as Java does not for localhost. */
        public Builder requireServerName() {
            this.requiresServerName = true;
            return this;
        }

        /** Lets everyone in who can connect. */
        public Builder acceptAnyPassword() {
            this.acceptsAnyPassword = true;
            return this;
        }

        /** Lets two transactions read the same row FOR UPDATE; by default one of them loses. On a cluster that is unverified. */
        public Builder lockersDoNotConflict() {
            this.lockersConflict = false;
            return this;
        }

        /** The seed from which faults are drawn. */
        public Builder seed(long seed) {
            this.seed = seed;
            return this;
        }

        /** The directory into which the binaries of PostgreSQL are unpacked, once. */
        public Builder cache(Path cache) {
            this.cache = cache;
            return this;
        }

        /** Starts it; it accepts clients when this returns. */
        public LocalDsql start() throws IOException {
            return new LocalDsql(this);
        }
    }
}
