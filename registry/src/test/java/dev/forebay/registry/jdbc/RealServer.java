// SPDX-License-Identifier: Apache-2.0
package dev.forebay.registry.jdbc;

import dev.forebay.registry.DatabaseType;
import dev.forebay.testkit.Frozen;
import dev.forebay.testkit.Postgres;
import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;

/** A database server of a test's own, with a user {@code app} whose password is {@code secret}. */
abstract class RealServer implements AutoCloseable {

    static final String USER = "app";
    static final String PASSWORD = "secret";

    private final DatabaseType type;
    private final int port;

    private RealServer(DatabaseType type) {
        this.type = type;
        try (ServerSocket free = new ServerSocket(0)) {
            this.port = free.getLocalPort();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    DatabaseType type() {
        return type;
    }

    int port() {
        return port;
    }

    abstract String database();

    /** A statement that takes longer than any test; null if the type has none. */
    abstract String sleep();

    /** A statement that changes what no JDBC call can, and one that shows it; null if a reset cannot undo it. */
    abstract String[] dirt();

    /** A statement that leaves the database of the session, and one that names it; null if the type has none. */
    String[] elsewhere() {
        return null;
    }

    abstract String[] inTransaction();

    /** Ends all sessions of the user, as an administrator would. */
    abstract void killSessions() throws Exception;

    /** Has it take few sessions of the user, and tells how many; 0 if the type knows no such limit. */
    int limitSessions() throws Exception {
        return 0;
    }

    void unlimitSessions() throws Exception {}

    abstract void stop() throws Exception;

    abstract void start() throws Exception;

    abstract void freeze() throws Exception;

    abstract void thaw() throws Exception;

    @Override
    public abstract void close() throws Exception;

    @Override
    public String toString() {
        return type.label();
    }

    // ---- PostgreSQL, embedded

    static RealServer postgres() throws Exception {
        Path rules = Files.createTempFile("forebay-hba", ".conf");
        Files.writeString(rules, "host all app all scram-sha-256\nhost all all all trust\n");
        Files.setPosixFilePermissions(rules, PosixFilePermissions.fromString("rw-r--r--"));
        Postgres server = Postgres.start(Map.of("hba_file", "'" + rules + "'", "max_connections", "50"));
        server.ask("CREATE USER app SUPERUSER PASSWORD 'secret'");
        return new RealServer(DatabaseType.POSTGRESQL) {
            @Override
            int port() {
                return server.port();
            }

            @Override
            String database() {
                return "postgres";
            }

            @Override
            String sleep() {
                return "SELECT pg_sleep(60)";
            }

            @Override
            String[] dirt() {
                return new String[] {"SET search_path TO nowhere", "SHOW search_path", "\"$user\", public"};
            }

            @Override
            String[] inTransaction() {
                return new String[] {
                    "CREATE TABLE kept (x integer)", "INSERT INTO kept VALUES (1)", "SELECT count(*) FROM kept"
                };
            }

            @Override
            void killSessions() throws SQLException {
                server.ask("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = 'app'");
            }

            @Override
            int limitSessions() throws SQLException {
                server.ask("ALTER ROLE app NOSUPERUSER CONNECTION LIMIT 3");
                return 3;
            }

            @Override
            void unlimitSessions() throws SQLException {
                server.ask("ALTER ROLE app SUPERUSER CONNECTION LIMIT -1");
            }

            @Override
            void stop() {
                server.stop();
            }

            @Override
            void start() {
                server.restart();
            }

            @Override
            void freeze() {
                server.freeze();
            }

            @Override
            void thaw() {
                server.thaw();
            }

            @Override
            public void close() throws IOException {
                server.close();
                Files.delete(rules);
            }
        };
    }

    // ---- MariaDB and Firebird, where they are installed

    /** Where a program is, as the check of requirements looks for it: on the path, then in /usr/sbin. */
    private static Optional<Path> program(String name) {
        String path = System.getenv().getOrDefault("PATH", "") + File.pathSeparator + "/usr/sbin";
        return Arrays.stream(path.split(File.pathSeparator))
                .map(directory -> Path.of(directory, name))
                .filter(Files::isExecutable)
                .findFirst();
    }

    static boolean hasMariaDb() {
        return program("mariadbd").isPresent() && "root".equals(System.getProperty("user.name"));
    }

    static boolean hasFirebird() {
        return program("firebird").isPresent() && "root".equals(System.getProperty("user.name"));
    }

    private abstract static class OfAProcess extends RealServer {
        final Path home;
        private Process process;

        OfAProcess(DatabaseType type) throws IOException {
            super(type);
            home = Files.createTempDirectory("forebay-" + type.label());
            Files.setPosixFilePermissions(home, PosixFilePermissions.fromString("rwxrwxrwx"));
        }

        abstract List<String> command();

        @Override
        void start() throws Exception {
            process = new ProcessBuilder(command())
                    .redirectErrorStream(true)
                    .redirectOutput(home.resolve("log").toFile())
                    .start();
            awaitAnswer();
        }

        private void awaitAnswer() throws Exception {
            long until = System.nanoTime() + TimeUnit.SECONDS.toNanos(60);
            while (true) {
                try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port())) {
                    if (socket.isConnected()) {
                        return;
                    }
                } catch (IOException e) {
                    if (!process.isAlive() || System.nanoTime() > until) {
                        throw new IllegalStateException(
                                this + " did not start: " + Files.readString(home.resolve("log")), e);
                    }
                    LockSupport.parkNanos(20_000_000);
                }
            }
        }

        @Override
        void stop() throws Exception {
            process.destroyForcibly().waitFor();
        }

        @Override
        void freeze() throws Exception {
            run(List.of("kill", "-STOP", Long.toString(process.pid())), "");
            Frozen.await(process.pid());
        }

        @Override
        void thaw() throws Exception {
            run(List.of("kill", "-CONT", Long.toString(process.pid())), "");
        }

        @Override
        public void close() throws Exception {
            stop();
            try (Stream<Path> files = Files.walk(home)) {
                files.sorted(Comparator.reverseOrder())
                        .forEach(file -> file.toFile().delete());
            }
        }

        void run(List<String> command, String input) throws Exception {
            Process run = new ProcessBuilder(command)
                    .redirectErrorStream(true)
                    .redirectOutput(home.resolve("tool.log").toFile())
                    .start();
            run.getOutputStream().write(input.getBytes(StandardCharsets.UTF_8));
            run.getOutputStream().close();
            if (!run.waitFor(60, TimeUnit.SECONDS) || run.exitValue() != 0) {
                throw new IllegalStateException(command + ": " + Files.readString(home.resolve("tool.log")));
            }
        }
    }

    static RealServer mariaDb() throws Exception {
        return mariaDb(DatabaseType.MARIADB);
    }

    /** A MariaDB server for a registry that takes it for {@code type}, and so uses the driver of that. */
    static RealServer mariaDb(DatabaseType type) throws Exception {
        OfAProcess server = new OfAProcess(type) {
            @Override
            List<String> command() {
                return List.of(
                        program("mariadbd").orElseThrow().toString(),
                        "--no-defaults",
                        "--user=root",
                        "--datadir=" + home.resolve("data"),
                        "--port=" + port(),
                        "--bind-address=127.0.0.1",
                        "--socket=" + home.resolve("socket"),
                        "--pid-file=" + home.resolve("pid"),
                        "--init-file=" + home.resolve("init.sql"));
            }

            @Override
            String database() {
                return "db";
            }

            @Override
            String sleep() {
                return "SELECT SLEEP(60)";
            }

            @Override
            String[] dirt() {
                return new String[] {"SET @x = 'dirty'", "SELECT COALESCE(@x, 'clean')", "clean"};
            }

            @Override
            String[] elsewhere() {
                return new String[] {"USE information_schema", "SELECT DATABASE()"};
            }

            @Override
            String[] inTransaction() {
                return new String[] {
                    "CREATE TABLE kept (x integer)", "INSERT INTO kept VALUES (1)", "SELECT count(*) FROM kept"
                };
            }

            @Override
            void killSessions() throws Exception {
                administer("KILL USER app;\n");
            }

            private void administer(String sql) throws Exception {
                run(
                        List.of(
                                "mariadb",
                                "--no-defaults",
                                "-S",
                                home.resolve("socket").toString(),
                                "-u",
                                "root"),
                        sql);
            }

            @Override
            int limitSessions() throws Exception {
                administer("SET GLOBAL max_connections = 10;\n");
                return 10;
            }

            @Override
            void unlimitSessions() throws Exception {
                administer("SET GLOBAL max_connections = 151;\n");
            }
        };
        Files.writeString(server.home.resolve("init.sql"), """
                CREATE DATABASE IF NOT EXISTS db;
                CREATE USER IF NOT EXISTS 'app'@'%' IDENTIFIED BY 'secret';
                GRANT ALL ON *.* TO 'app'@'%';
                FLUSH PRIVILEGES;
                """);
        server.run(
                List.of(
                        "mariadb-install-db",
                        "--no-defaults",
                        "--user=root",
                        "--datadir=" + server.home.resolve("data"),
                        "--auth-root-authentication-method=normal",
                        "--skip-test-db"),
                "");
        server.start();
        return server;
    }

    static RealServer firebird() throws Exception {
        List<String> asFirebird = List.of("setpriv", "--reuid=firebird", "--regid=firebird", "--init-groups");
        OfAProcess server = new OfAProcess(DatabaseType.FIREBIRD) {
            @Override
            List<String> command() {
                List<String> command = new ArrayList<>(asFirebird);
                command.addAll(List.of(program("firebird").orElseThrow().toString(), "-p", Integer.toString(port())));
                return command;
            }

            @Override
            String database() {
                return home.resolve("db.fdb").toString();
            }

            @Override
            String sleep() {
                return "EXECUTE BLOCK AS DECLARE n BIGINT = 0; BEGIN WHILE (n < 100000000000) DO n = n + 1; END";
            }

            @Override
            String[] dirt() {
                return null; // Firebird 3 cannot reset a session
            }

            @Override
            String[] inTransaction() {
                return new String[] {
                    "RECREATE TABLE kept (x integer)", "INSERT INTO kept VALUES (1)", "SELECT count(*) FROM kept"
                };
            }

            @Override
            void killSessions() throws Exception {
                List<String> command = new ArrayList<>(asFirebird);
                command.addAll(List.of(
                        "isql-fb",
                        "-q",
                        "-user",
                        USER,
                        "-password",
                        PASSWORD,
                        "-role",
                        "RDB$ADMIN",
                        "localhost/" + port() + ":" + database()));
                run(
                        command,
                        "DELETE FROM MON$ATTACHMENTS WHERE MON$ATTACHMENT_ID <> CURRENT_CONNECTION AND MON$USER = 'APP';\nCOMMIT;\n");
            }
        };
        server.run(List.of("mkdir", "-p", "/run/firebird3.0"), "");
        server.run(List.of("chown", "firebird:firebird", "/run/firebird3.0"), "");
        List<String> command = new ArrayList<>(asFirebird);
        command.addAll(List.of("isql-fb", "-q"));
        server.run(
                command,
                "CREATE DATABASE '" + server.database() + "' USER 'SYSDBA';\n"
                        + "CREATE OR ALTER USER app PASSWORD 'secret' GRANT ADMIN ROLE USING PLUGIN Srp;\n"
                        + "GRANT RDB$ADMIN TO app;\nGRANT CREATE TABLE TO app;\nCOMMIT;\n");
        server.start();
        return server;
    }
}
