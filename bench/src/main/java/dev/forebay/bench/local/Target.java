// SPDX-License-Identifier: Apache-2.0
package dev.forebay.bench.local;

import dev.forebay.local.LocalDsql;
import dev.forebay.wire.SelfSigned;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.time.Instant;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.postgresql.ds.PGSimpleDataSource;
import org.postgresql.jdbc.PreferQueryMode;

/** A server that is measured, and the way to reach it. */
record Target(String name, String host, int port, String user, String password, String sslMode, String rootFile) {

    private static final Duration PATIENCE = Duration.ofSeconds(5);

    /** Returns the PostgreSQL behind, in plain TCP. */
    static Target direct(LocalDsql dsql) {
        return behind(dsql, "direct", "disable");
    }

    /** Returns the PostgreSQL behind, in TLS, which it is made to offer for this. */
    static Target directInTls(LocalDsql dsql) throws SQLException {
        SelfSigned certificate = SelfSigned.of(List.of("localhost"), Instant.now(), Duration.ofDays(1));
        try (Connection connection = dsql.behind().getConnection();
                Statement statement = connection.createStatement()) {
            store(statement, "server.crt", certificate.pem());
            store(statement, "server.key", pem(certificate));
            statement.execute("ALTER SYSTEM SET ssl = on");
            statement.execute("SELECT pg_reload_conf()");
        }
        Target target = behind(dsql, "direct in TLS", "require");
        long deadline = System.nanoTime() + PATIENCE.toNanos();
        while (true) { // it reloads on a signal, and takes a moment
            try (Connection connection = target.connect(true)) {
                return target;
            } catch (SQLException e) {
                if (System.nanoTime() > deadline) {
                    throw e;
                }
                LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(50));
            }
        }
    }

    /** Returns the local DSQL, in TLS, which it insists on. */
    static Target through(LocalDsql dsql) {
        return new Target(
                "through",
                dsql.host(),
                dsql.port(),
                "admin",
                dsql.token("admin", Duration.ofHours(1)),
                "verify-full",
                dsql.caFile().toString());
    }

    private static Target behind(LocalDsql dsql, String name, String sslMode) {
        PGSimpleDataSource behind = (PGSimpleDataSource) dsql.behind();
        return new Target(
                name,
                behind.getServerNames()[0],
                behind.getPortNumbers()[0],
                String.valueOf(behind.getUser()),
                String.valueOf(behind.getPassword()),
                sslMode,
                "");
    }

    /** Writes a file through PostgreSQL, so that PostgreSQL owns it. */
    private static void store(Statement statement, String file, String text) throws SQLException {
        String encoded = Base64.getEncoder().encodeToString(text.getBytes(StandardCharsets.US_ASCII));
        statement.execute("COPY (SELECT '" + encoded + "') TO PROGRAM 'base64 -d > " + file + "'");
    }

    private static String pem(SelfSigned certificate) {
        return "-----BEGIN PRIVATE KEY-----\n"
                + Base64.getMimeEncoder().encodeToString(certificate.key().getEncoded())
                + "\n-----END PRIVATE KEY-----\n";
    }

    Connection connect(boolean simple) throws SQLException {
        PGSimpleDataSource source = new PGSimpleDataSource();
        source.setServerNames(new String[] {host});
        source.setPortNumbers(new int[] {port});
        source.setDatabaseName(LocalDsql.DATABASE);
        source.setUser(user);
        source.setPassword(password);
        source.setSslMode(sslMode);
        if (!rootFile.isEmpty()) {
            source.setSslRootCert(rootFile);
        }
        source.setPreferQueryMode(PreferQueryMode.of(simple ? "simple" : "extended"));
        return source.getConnection();
    }

    /** Returns the environment of programs that use libpq. */
    Map<String, String> environment() {
        return Map.of(
                "PGHOST", host,
                "PGPORT", Integer.toString(port),
                "PGUSER", user,
                "PGPASSWORD", password,
                "PGDATABASE", LocalDsql.DATABASE,
                "PGSSLMODE", sslMode,
                "PGSSLROOTCERT", rootFile);
    }

    /** Returns its name, not the password. */
    @Override
    public String toString() {
        return name;
    }
}
