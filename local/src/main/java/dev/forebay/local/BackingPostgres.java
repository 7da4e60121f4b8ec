// SPDX-License-Identifier: Apache-2.0
package dev.forebay.local;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.SocketAddress;
import java.net.UnixDomainSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import javax.sql.DataSource;
import org.postgresql.ds.PGSimpleDataSource;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The PostgreSQL behind a local DSQL: a process of this one, on loopback, with a secret password.
 *
 * <p>It does not outlive this process, whatever ends that. A shell stands between them and reads from a pipe that nobody
 * writes to; when this process is gone the pipe ends, and the shell stops the server and deletes its data. If the shell is
 * killed too, the next start deletes them: see {@link DataDirectory}. As root the server runs in a user namespace of its own, since it
 * refuses root; where that is forbidden, as user 65534. Thread-safe.
 */
final class BackingPostgres implements AutoCloseable {

    private static final Logger log = LoggerFactory.getLogger(BackingPostgres.class);

    /** Its name begins as those of PostgreSQL's own roles do, so that tools do not list it among the user's. */
    static final String SUPERUSER = "pg_system";

    static final String DATABASE = "postgres";

    /** The superuser's first name: initdb refuses the final one. */
    private static final String FIRST_NAME = "forebay";

    /** A socket's path has at most 103 bytes everywhere; its name there takes up to 15, and that of its lock file five more. */
    private static final int LONGEST_SOCKET_DIRECTORY = 80;

    private static final int TRIES = 3;
    private static final long START_SECONDS = 60;
    private static final long STOP_SECONDS = 20;
    private static final long ABSENT_NANOS = TimeUnit.SECONDS.toNanos(5);

    /**
     * $1 is the data directory; what follows is the server's command. A signal to all processes, such as Ctrl-C, must not end
     * the shell before its work is done. A server that has not begun to listen to signals ignores INT, as a shell's background
     * processes do, but TERM ends it; one that has would wait for its clients after TERM, and INT ends it.
     */
    private static final String KEEPER =
            "trap '' INT TERM HUP QUIT; data=$1; shift; (trap - TERM; exec \"$@\") & server=$!; read -r line; "
                    + "kill -TERM $server; kill -INT $server; wait $server; rm -rf \"$data\"";

    private static final Pattern COMPLAINT = Pattern.compile("(?:FATAL|PANIC|ERROR|error): ");

    private final Path data;
    private final int port;
    private final String password;
    private final Process keeper;

    private BackingPostgres(Path data, int port, String password, Process keeper) {
        this.data = data;
        this.port = port;
        this.password = password;
        this.keeper = keeper;
    }

    /**
     * Starts one; a thread that is interrupted meanwhile fails, and leaves nothing.
     *
     * @param cache where the binaries are kept
     * @param password for its superuser
     * @param settings of the server
     */
    static BackingPostgres start(Path cache, String password, Map<String, String> settings) throws IOException {
        Path home = Binaries.unpacked(cache);
        Path temporary = Path.of(System.getProperty("java.io.tmpdir"));
        DataDirectory.sweep(temporary);
        Path data = DataDirectory.create(temporary);
        try {
            As as = As.find(data);
            initialize(home, data, password, as);
            return launch(home, data, password, settings, as);
        } catch (IOException | RuntimeException e) {
            Directories.delete(data);
            throw e;
        }
    }

    int port() {
        return port;
    }

    /** The address on which it listens: a Unix-domain socket, which costs both ends less than loopback, unless its path would be too long. */
    SocketAddress address() {
        return takesSocket(data)
                ? UnixDomainSocketAddress.of(data.resolve(".s.PGSQL." + port))
                : new InetSocketAddress(InetAddress.getLoopbackAddress(), port);
    }

    private static boolean takesSocket(Path data) {
        return data.toString().getBytes(StandardCharsets.UTF_8).length <= LONGEST_SOCKET_DIRECTORY;
    }

    String password() {
        return password;
    }

    /** The directory of its data, which is deleted with it. */
    Path directory() {
        return data;
    }

    /** A connection of the superuser, past all rules. */
    Connection connect() throws SQLException {
        return dataSource().getConnection();
    }

    DataSource dataSource() {
        return dataSource(SUPERUSER);
    }

    private DataSource dataSource(String user) {
        PGSimpleDataSource source = new PGSimpleDataSource();
        source.setServerNames(new String[] {InetAddress.getLoopbackAddress().getHostAddress()});
        source.setPortNumbers(new int[] {port});
        source.setDatabaseName(DATABASE);
        source.setUser(user);
        source.setPassword(password);
        source.setSslMode("disable");
        return source;
    }

    @Override
    public void close() throws IOException {
        keeper.getOutputStream().close();
        try {
            if (!keeper.waitFor(STOP_SECONDS, TimeUnit.SECONDS)) {
                log.warn("PostgreSQL did not stop within {} s and is killed", STOP_SECONDS);
                keeper.descendants().forEach(ProcessHandle::destroyForcibly);
                keeper.destroyForcibly();
                Directories.delete(data);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    // ---- starting

    private static void initialize(Path home, Path data, String password, As as) throws IOException {
        Path secret = Files.createTempFile(data, "password", "");
        try {
            NamedFile.write(secret, password);
            as.give(secret);
            run(
                    "setting PostgreSQL up in " + data,
                    as.command(
                            home.resolve("bin/initdb").toString(),
                            "--no-sync",
                            "--no-instructions",
                            "--auth=password",
                            "--pwfile=" + secret,
                            "--username=" + FIRST_NAME,
                            "--encoding=UTF8",
                            "--locale=C",
                            "--pgdata=" + data.resolve("pg")));
        } finally {
            Files.deleteIfExists(secret);
        }
    }

    private static BackingPostgres launch(Path home, Path data, String password, Map<String, String> settings, As as)
            throws IOException {
        IOException last = new IOException("not tried");
        for (int i = 0; i < TRIES; i++) {
            int port = freePort();
            Process keeper = keeper(home, data, port, settings, as);
            BackingPostgres server = new BackingPostgres(data, port, password, keeper);
            try {
                server.await();
                return server;
            } catch (IOException e) { // most likely someone was faster with the port
                if (Thread.currentThread().isInterrupted()) {
                    awaitEnd(keeper); // it stops the server, wherever that is, and deletes the data
                    throw e;
                }
                last = e;
                keeper.descendants().forEach(ProcessHandle::destroyForcibly);
                keeper.destroyForcibly();
            }
        }
        throw last;
    }

    private static Process keeper(Path home, Path data, int port, Map<String, String> settings, As as)
            throws IOException {
        List<String> server = new ArrayList<>(List.of(
                home.resolve("bin/postgres").toString(),
                "-D",
                data.resolve("pg").toString(),
                "-p",
                Integer.toString(port),
                "-h",
                InetAddress.getLoopbackAddress().getHostAddress(),
                "-k",
                takesSocket(data) ? data.toString() : ""));
        settings.forEach((name, value) -> server.addAll(List.of("-c", name + "=" + value)));
        List<String> command = new ArrayList<>(List.of("sh", "-c", KEEPER, "forebay-postgres", data.toString()));
        command.addAll(as.command(server.toArray(String[]::new)));
        return new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(data.resolve("log").toFile())
                .start();
    }

    /** Until it answers, or has ended. The shell takes a moment to start it, so that it is not there yet says little. */
    private void await() throws IOException {
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(START_SECONDS);
        long lastSeen = System.nanoTime();
        while (true) {
            try (Connection connection = dataSource(FIRST_NAME).getConnection();
                    Statement statement = connection.createStatement()) {
                statement.execute(
                        "UPDATE pg_authid SET rolname = '" + SUPERUSER + "' WHERE rolname = '" + FIRST_NAME + "'");
                return;
            } catch (SQLException e) {
                long now = System.nanoTime();
                if (keeper.descendants().findAny().isPresent()) {
                    lastSeen = now;
                }
                if (now - lastSeen > ABSENT_NANOS || now > deadline) {
                    throw new IOException("PostgreSQL did not start: " + tail(data.resolve("log")), e);
                }
            }
            try {
                Thread.sleep(20);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new IOException("interrupted while PostgreSQL was starting", e);
            }
        }
    }

    private static String tail(Path file) throws IOException {
        List<String> lines = Files.exists(file) ? Files.readAllLines(file, StandardCharsets.UTF_8) : List.of();
        return String.join(" / ", lines.subList(Math.max(0, lines.size() - 5), lines.size()));
    }

    private static int freePort() throws IOException {
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            return socket.getLocalPort();
        }
    }

    private static void run(String what, List<String> command) throws IOException {
        if (Thread.currentThread().isInterrupted()) {
            throw new IOException("interrupted");
        }
        Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
        process.getOutputStream().close();
        CompletableFuture<String> output = CompletableFuture.supplyAsync(() -> output(process));
        try {
            if (process.waitFor() != 0) { // an interrupt does not end a read
                throw new IOException(what + " failed: " + complaint(output.join()));
            }
        } catch (InterruptedException e) {
            kill(process);
            Thread.currentThread().interrupt();
            throw new IOException("interrupted", e);
        }
    }

    private static String output(Process process) {
        try {
            return new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Ends a process with those that it has started, so that none of them writes any more. */
    private static void kill(Process process) {
        List<ProcessHandle> all = new ArrayList<>(process.descendants().toList());
        all.add(process.toHandle());
        all.forEach(ProcessHandle::destroyForcibly);
        all.forEach(
                one -> one.onExit().orTimeout(STOP_SECONDS, TimeUnit.SECONDS).join());
    }

    /** Has the shell end everything, although this thread is interrupted. */
    private static void awaitEnd(Process keeper) throws IOException {
        keeper.getOutputStream().close();
        keeper.onExit()
                .completeOnTimeout(keeper, STOP_SECONDS, TimeUnit.SECONDS)
                .join();
    }

    /** The first line that says what is wrong, and the hint behind it, of all that a program has printed. */
    static String complaint(String output) {
        List<String> lines = output.lines().filter(line -> !line.isBlank()).toList();
        String wrong = lines.stream()
                .filter(line -> COMPLAINT.matcher(line).find())
                .findFirst()
                .orElse(lines.isEmpty() ? "" : lines.get(lines.size() - 1));
        String hint = lines.stream()
                .filter(line -> line.contains("HINT:"))
                .findFirst()
                .map(line -> " (" + line.replaceFirst(".*HINT: *", "") + ")")
                .orElse("");
        return wrong.replaceFirst("^.*?(?:FATAL|PANIC|ERROR|error): *", "") + hint;
    }

    /** The user as which the server runs. */
    private record As(List<String> prefix, boolean nobody) {

        static As find(Path data) throws IOException {
            if (!"root".equals(System.getProperty("user.name"))) {
                return new As(List.of(), false);
            }
            try {
                run("unshare", List.of("unshare", "-U", "true"));
                return new As(List.of("unshare", "-U"), false);
            } catch (IOException e) {
                log.debug("no user namespace here, so PostgreSQL runs as user 65534", e);
                As as = new As(List.of("setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"), true);
                Files.setPosixFilePermissions(data, PosixFilePermissions.fromString("rwxr-xr-x"));
                as.give(data);
                return as;
            }
        }

        void give(Path path) throws IOException {
            if (nobody) {
                run("chown", List.of("chown", "65534:65534", path.toString()));
            }
        }

        List<String> command(String... words) {
            List<String> all = new ArrayList<>(prefix);
            all.addAll(List.of(words));
            return all;
        }
    }
}
