// SPDX-License-Identifier: Apache-2.0
package dev.forebay.testkit;

import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.ServerSocket;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import javax.sql.DataSource;
import org.postgresql.ds.PGSimpleDataSource;

/**
 * A PostgreSQL server for tests: one shared by the whole run, and others for tests that stop, freeze or exhaust theirs.
 *
 * <p>As root the server is started in a user namespace of its own, and where that is forbidden as user 65534.
 */
public final class Postgres implements AutoCloseable {

    private static final String USER = "postgres";

    private final Path data;
    private final int port;
    private final Map<String, String> settings;
    private final Thread atExit = new Thread(this::end);
    private AutoCloseable running;

    private Postgres(Map<String, String> settings) {
        this.settings = new TreeMap<>(settings);
        this.settings.putIfAbsent("fsync", "off");
        try (ServerSocket free = new ServerSocket(0)) {
            this.port = free.getLocalPort();
            this.data = Files.createTempDirectory("forebay-postgres");
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        launch();
        Runtime.getRuntime().addShutdownHook(atExit);
    }

    private static final class Shared {
        static final Postgres SERVER = new Postgres(Map.of("max_connections", "200"));
    }

    /** The server all tests share, with 200 connections; never stopped by a test. */
    public static Postgres shared() {
        return Shared.SERVER;
    }

    /** A server of one's own. */
    public static Postgres start(Map<String, String> settings) {
        return new Postgres(settings);
    }

    public int port() {
        return port;
    }

    public String url() {
        return "jdbc:postgresql://localhost:" + port + "/postgres?user=" + USER;
    }

    /** Connects anew on each call. */
    public DataSource dataSource() {
        PGSimpleDataSource source = new PGSimpleDataSource();
        source.setUrl(url());
        return source;
    }

    /** A connection of the driver's own. */
    public Connection connect() throws SQLException {
        return DriverManager.getConnection(url());
    }

    /** Runs {@code sql} on a connection beside those under test, and returns the first column of the first row. */
    public String ask(String sql) throws SQLException {
        try (Connection connection = connect();
                Statement statement = connection.createStatement()) {
            if (!statement.execute(sql)) {
                return null;
            }
            try (ResultSet result = statement.getResultSet()) {
                return result.next() ? result.getString(1) : null;
            }
        }
    }

    /** Stops the server as an administrator would, ending every session. */
    public void stop() {
        try {
            running.close();
        } catch (Exception e) {
            throw new IllegalStateException("PostgreSQL did not stop", e);
        }
    }

    /** Stops the server and starts it on the same data and port. */
    public void restart() {
        stop();
        launch();
    }

    /** Stops the processes of the server in their tracks, as a machine that hangs; {@link #thaw} lets them go on. */
    public void freeze() {
        signal("STOP");
    }

    public void thaw() {
        signal("CONT");
    }

    private void signal(String signal) {
        try {
            String pid =
                    Files.readAllLines(data.resolve("postmaster.pid")).get(0).trim();
            ProcessHandle postmaster = ProcessHandle.of(Long.parseLong(pid)).orElseThrow();
            run(List.of(), List.of("kill", "-" + signal, pid)); // first, so that it starts no others meanwhile
            List<ProcessHandle> others = postmaster.descendants().toList();
            others.forEach(process -> signal(signal, process));
            if (signal.equals("STOP")) {
                Frozen.await(postmaster.pid());
                for (ProcessHandle process : others) {
                    Frozen.await(process.pid());
                }
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** One that has ended by itself needs no signal. */
    private static void signal(String signal, ProcessHandle process) {
        try {
            run(List.of(), List.of("kill", "-" + signal, Long.toString(process.pid())));
        } catch (IllegalStateException e) {
            if (process.isAlive()) {
                throw e;
            }
        }
    }

    @Override
    public void close() {
        Runtime.getRuntime().removeShutdownHook(atExit);
        end();
    }

    private void end() {
        stop();
        delete(data);
    }

    // ---- starting

    private void launch() {
        try {
            running = launchEmbedded();
        } catch (IOException | RuntimeException e) {
            if (!USER_IS_ROOT) {
                throw new IllegalStateException("PostgreSQL did not start", e);
            }
            running = launchAsNobody();
        }
    }

    private static final boolean USER_IS_ROOT = "root".equals(System.getProperty("user.name"));

    private EmbeddedPostgres launchEmbedded() throws IOException {
        EmbeddedPostgres.Builder builder = EmbeddedPostgres.builder()
                .setPort(port)
                .setDataDirectory(data)
                .setCleanDataDirectory(false)
                .setRegisterShutdownHook(false)
                .setErrorRedirector(ProcessBuilder.Redirect.DISCARD)
                .setOutputRedirector(ProcessBuilder.Redirect.DISCARD);
        settings.forEach(builder::setServerConfig);
        return builder.start();
    }

    /** On the binaries that the embedded server has unpacked. */
    private AutoCloseable launchAsNobody() {
        List<String> asNobody = List.of("setpriv", "--reuid=65534", "--regid=65534", "--clear-groups");
        Path bin = binaries();
        run(List.of(), List.of("chmod", "a+rx", bin.getParent().getParent().toString()));
        run(List.of(), List.of("chown", "-R", "65534:65534", data.toString()));
        if (!Files.exists(data.resolve("PG_VERSION"))) {
            run(asNobody, List.of(bin + "/initdb", "-A", "trust", "-U", USER, "-D", data.toString(), "-E", "UTF-8"));
        }
        StringBuilder options = new StringBuilder("-p " + port + " -k ''");
        settings.forEach(
                (name, value) -> options.append(" -c ").append(name).append('=').append(value));
        List<String> start = List.of(
                bin + "/pg_ctl", "-w", "-D", data.toString(), "-l", data + "/log", "-o", options.toString(), "start");
        run(asNobody, start);
        return () -> run(asNobody, List.of(bin + "/pg_ctl", "-w", "-D", data.toString(), "-m", "fast", "stop"));
    }

    private static Path binaries() {
        File unpacked = new File(System.getProperty("java.io.tmpdir"), "embedded-pg");
        return Stream.of(unpacked.listFiles())
                .map(directory -> directory.toPath().resolve("bin"))
                .filter(bin -> Files.exists(bin.resolve("initdb")))
                .findFirst()
                .orElseThrow(() -> new IllegalStateException("no PostgreSQL binaries below " + unpacked));
    }

    private static void run(List<String> prefix, List<String> command) {
        List<String> all = new ArrayList<>(prefix);
        all.addAll(command);
        try {
            Process process = new ProcessBuilder(all)
                    .redirectErrorStream(true)
                    .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                    .start();
            if (!process.waitFor(60, TimeUnit.SECONDS) || process.exitValue() != 0) {
                throw new IllegalStateException(all + " failed");
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
    }

    private static void delete(Path directory) {
        try {
            Files.walkFileTree(directory, new SimpleFileVisitor<>() {
                @Override
                public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) throws IOException {
                    Files.delete(file);
                    return FileVisitResult.CONTINUE;
                }

                @Override
                public FileVisitResult postVisitDirectory(Path visited, IOException e) throws IOException {
                    Files.delete(visited);
                    return FileVisitResult.CONTINUE;
                }
            });
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
