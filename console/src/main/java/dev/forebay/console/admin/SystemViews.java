// SPDX-License-Identifier: Apache-2.0
package dev.forebay.console.admin;

import com.sun.management.ThreadMXBean;
import dev.forebay.registry.Registry;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.security.SecureRandom;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.HexFormat;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;

/**
 * The views of a registry, and PostgreSQL's catalogue, in a database in memory that only this instance knows. Thread-safe.
 *
 * <h2>What a reader may do</h2>
 *
 * <p>Three things stand in each other's way. {@link ViewSql} lets only known functions through, and H2 never sees the text
 * of a client. The user of H2's that asks may read these views and change nothing. And the use of a statement is bounded:
 * its time, and the bytes that its thread allocates, because H2 keeps the rows that it sorts in memory.
 */
final class SystemViews implements AutoCloseable {

    /** The most bytes that a statement allocates, unless the heap is small. */
    private static final long MOST_BYTES = 256L << 20;

    private static final long LOOK_MILLIS = 20;
    private static final String READER = "reader";

    private final Registry<?> registry;
    private final String url;
    private final String password = random();
    private final Connection owner;
    private final Map<Running, Running> running = new ConcurrentHashMap<>();
    private final ScheduledExecutorService watch;
    private final ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    private final long mostBytes = Math.min(MOST_BYTES, Runtime.getRuntime().maxMemory() / 4);

    SystemViews(Registry<?> registry) throws SQLException {
        this.registry = registry;
        this.url = "jdbc:h2:mem:forebay-" + random()
                + ";MODE=PostgreSQL;DATABASE_TO_LOWER=TRUE;DB_CLOSE_ON_EXIT=FALSE;TIME ZONE=UTC";
        this.owner = DriverManager.getConnection(url, "owner", random());
        try (Statement statement = owner.createStatement()) {
            create(statement);
        } catch (SQLException e) {
            owner.close();
            throw e;
        }
        this.watch = Executors.newSingleThreadScheduledExecutor(task -> {
            Thread thread = new Thread(task, "forebay-admin-watch");
            thread.setDaemon(true);
            return thread;
        });
        var unused = watch.scheduleWithFixedDelay(this::look, LOOK_MILLIS, LOOK_MILLIS, TimeUnit.MILLISECONDS);
    }

    private static String random() {
        byte[] bytes = new byte[16];
        new SecureRandom().nextBytes(bytes);
        return HexFormat.of().formatHex(bytes);
    }

    Registry<?> registry() {
        return registry;
    }

    // ---- making them

    private void create(Statement statement) throws SQLException {
        for (String schema : new String[] {"internal", "sys", ViewSql.CATALOGUE, "info"}) {
            statement.execute("CREATE SCHEMA " + schema);
        }
        String functions = SystemFunctions.class.getName();
        statement.execute("CREATE ALIAS internal.settings FOR '" + functions + ".settings'");
        for (String name : SystemFunctions.NAMES) {
            statement.execute("CREATE ALIAS " + ViewSql.function(name) + " FOR '" + functions + "." + name + "'");
        }
        for (View view : View.values()) {
            String columns = view.columns().stream()
                    .map(column -> column.name() + " " + h2Type(column.type()))
                    .collect(Collectors.joining(", "));
            statement.execute("CREATE TABLE sys." + view.label() + " (" + columns + ") ENGINE \""
                    + ViewEngine.class.getName() + "\"");
        }
        for (String definition : catalogue().split(";\\s*\\n")) {
            statement.execute(definition);
        }
        for (View view : View.values()) {
            describe(statement, view);
        }
        statement.execute("INSERT INTO pg.pg_database VALUES (1, '" + AdminPort.DATABASE
                + "', 10, 6, 'c', 'C', 'C', NULL, FALSE, TRUE, -1, 0, 1663, NULL)");
        statement.execute("CREATE USER " + READER + " PASSWORD '" + password + "'");
        for (String schema : new String[] {"sys", ViewSql.CATALOGUE, "info"}) {
            statement.execute("GRANT SELECT ON SCHEMA " + schema + " TO " + READER);
        }
    }

    private static String h2Type(Answer.Type type) {
        return switch (type) {
            case BOOL -> "BOOLEAN";
            case INT4 -> "INTEGER";
            case INT8 -> "BIGINT";
            case FLOAT8 -> "DOUBLE PRECISION";
            case TIMESTAMPTZ -> "TIMESTAMP WITH TIME ZONE";
            case TEXT -> "VARCHAR";
        };
    }

    private static void describe(Statement statement, View view) throws SQLException {
        long oid = SystemFunctions.oid(view);
        statement.execute("INSERT INTO pg.pg_class (oid, relname, relnamespace, relnatts) VALUES (" + oid + ", '"
                + view.label() + "', 2200, " + view.columns().size() + ")");
        int number = 0;
        for (Answer.Column column : view.columns()) {
            statement.execute("INSERT INTO pg.pg_attribute (attrelid, attname, atttypid, attlen, attnum) VALUES (" + oid
                    + ", '" + column.name() + "', " + column.type().oid + ", " + column.type().size + ", " + ++number
                    + ")");
        }
    }

    private static String catalogue() {
        try (InputStream in = SystemViews.class.getResourceAsStream("catalogue.sql")) {
            if (in == null) {
                throw new IllegalStateException("bug: the catalogue is not in the jar");
            }
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    // ---- reading them

    /** A connection that may read them and nothing else. */
    Connection open() throws SQLException {
        return DriverManager.getConnection(url + ";SCHEMA_SEARCH_PATH=sys," + ViewSql.CATALOGUE, READER, password);
    }

    /** Watches the allocation of {@code statement} on this thread, until the result is closed. */
    Running watch(PreparedStatement statement) {
        Running started = new Running(statement, Thread.currentThread().getId());
        running.put(started, started);
        return started;
    }

    private void look() {
        for (Running each : running.keySet()) {
            each.look();
        }
    }

    @Override
    public void close() throws SQLException {
        watch.shutdownNow();
        try (Statement statement = owner.createStatement()) {
            statement.execute("SHUTDOWN IMMEDIATELY");
        }
    }

    /** A statement that runs. */
    final class Running implements AutoCloseable {
        private final PreparedStatement statement;
        private final long thread;
        private final long before;
        private volatile boolean tooMuch;

        private Running(PreparedStatement statement, long thread) {
            this.statement = statement;
            this.thread = thread;
            this.before = threads.getThreadAllocatedBytes(thread);
        }

        private void look() {
            if (!tooMuch && threads.getThreadAllocatedBytes(thread) - before > mostBytes) {
                tooMuch = true;
                try {
                    statement.cancel();
                } catch (SQLException e) {
                    tooMuch = false; // retried at the next look
                }
            }
        }

        /** Returns whether it was cancelled for its allocation. */
        boolean tookTooMuch() {
            return tooMuch;
        }

        @Override
        public void close() {
            running.remove(this);
        }
    }
}
