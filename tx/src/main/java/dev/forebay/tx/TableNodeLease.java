// SPDX-License-Identifier: Apache-2.0
package dev.forebay.tx;

import dev.forebay.time.SystemTime;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.ReentrantLock;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A node for {@link SnowflakeIds}, leased from a table of the database, stretch by stretch. Thread-safe.
 *
 * <p>The table has a row for each node that was ever leased, with the end of its last stretch in milliseconds since 1970,
 * which is the fence: <pre>{@code CREATE TABLE snowflake_nodes (node int PRIMARY KEY, until_millis bigint NOT NULL)}</pre>
 *
 * <p>A stretch begins where the last one of its node ended, or now if that has passed. A crashed process leaves a node
 * behind that is free again once its stretch is over. It {@linkplain #extendedOn extends itself} on a scheduler, or the
 * holder {@linkplain #extend extends} it in time; without that, ids end with the stretch.
 */
public final class TableNodeLease implements NodeLease {

    private static final Logger log = LoggerFactory.getLogger(TableNodeLease.class);

    private static final String DUPLICATE = "23505";

    private final Transactions tx;
    private final String table;
    private final Duration stretch;
    private final InstantSource clock;
    private final ReentrantLock extending = new ReentrantLock();
    private final int node;
    private final Instant from;
    private final AtomicLong untilMillis;

    private TableNodeLease(
            Transactions tx,
            String table,
            Duration stretch,
            InstantSource clock,
            int node,
            Instant from,
            long untilMillis) {
        this.tx = tx;
        this.table = table;
        this.stretch = stretch;
        this.clock = clock;
        this.node = node;
        this.from = from;
        this.untilMillis = new AtomicLong(untilMillis);
    }

    /**
     * Leases the node that has been free for longest, or one that was never leased.
     *
     * @param table the table, which exists
     * @param stretch the length of a lease, in whole milliseconds
     * @throws SQLException if the database cannot be asked, or conflicts were too many
     * @throws IllegalStateException if all the nodes are leased
     */
    public static TableNodeLease take(Transactions tx, String table, Duration stretch) throws SQLException {
        return take(tx, table, stretch, SystemTime.wallClock());
    }

    static TableNodeLease take(Transactions tx, String table, Duration stretch, InstantSource clock)
            throws SQLException {
        if (!table.matches("[A-Za-z_][A-Za-z0-9_.]*")) {
            throw new IllegalArgumentException("not the name of a table: " + table);
        }
        if (stretch.toMillis() < 1) {
            throw new IllegalArgumentException("a stretch is a millisecond at least: " + stretch);
        }
        for (int beaten = 0; ; beaten++) {
            try {
                return tx.call("lease node", c -> take(c, tx, table, stretch, clock));
            } catch (SQLException e) {
                boolean another = e instanceof ConditionFailedException || DUPLICATE.equals(e.getSQLState());
                if (!another || beaten > SnowflakeIds.MOST_NODE) {
                    throw e; // otherwise another process has leased that node first, and there are more
                }
            }
        }
    }

    private static TableNodeLease take(
            Connection c, Transactions tx, String table, Duration stretch, InstantSource clock) throws SQLException {
        long now = clock.millis();
        Map<Integer, Long> ends = ends(c, table);
        int node = choose(ends, now);
        Long end = ends.get(node);
        long from = end == null ? now : Math.max(end, now);
        long until = from + stretch.toMillis();
        if (end == null) {
            insert(c, table, node, until);
        } else {
            swap(c, table, node, end, until);
        }
        return new TableNodeLease(tx, table, stretch, clock, node, Instant.ofEpochMilli(from), until);
    }

    /** Returns the node that has been free for longest, otherwise one that was never leased. */
    private static int choose(Map<Integer, Long> ends, long now) {
        return ends.entrySet().stream()
                .filter(lease -> lease.getValue() <= now)
                .min(Map.Entry.comparingByValue())
                .map(Map.Entry::getKey)
                .orElseGet(() -> neverLeased(ends));
    }

    private static int neverLeased(Map<Integer, Long> ends) {
        for (int node = 0; node <= SnowflakeIds.MOST_NODE; node++) {
            if (!ends.containsKey(node)) {
                return node;
            }
        }
        throw new IllegalStateException("all " + (SnowflakeIds.MOST_NODE + 1) + " nodes for ids are leased");
    }

    /**
     * Moves its end to a stretch from now; does nothing if it is there already.
     *
     * @throws ConditionFailedException if its stretch was over and another has the node now; then {@link #take} another
     */
    public void extend() throws SQLException {
        extending.lock();
        try {
            long end = untilMillis.get();
            long later = clock.millis() + stretch.toMillis();
            if (later > end) {
                tx.run("extend node", c -> swap(c, table, node, end, later));
                untilMillis.set(later);
            }
        } finally {
            extending.unlock();
        }
    }

    /**
     * Extends the lease every third of a stretch until {@code scheduler} is shut down, and returns it. A failure is
     * logged, and retried after the next third.
     */
    public TableNodeLease extendedOn(ScheduledExecutorService scheduler) {
        long third = Math.max(1, stretch.toMillis() / 3);
        ScheduledFuture<?> unused =
                scheduler.scheduleWithFixedDelay(this::extendOrWarn, third, third, TimeUnit.MILLISECONDS);
        return this;
    }

    private void extendOrWarn() {
        try {
            extend();
        } catch (SQLException | RuntimeException | Error e) { // a scheduler drops a task that has thrown
            log.warn("node {} of {} was not extended; its ids end at {}: {}", node, table, until(), e.toString());
        }
    }

    @Override
    public int node() {
        return node;
    }

    @Override
    public Instant from() {
        return from;
    }

    @Override
    public Instant until() {
        return Instant.ofEpochMilli(untilMillis.get());
    }

    private static Map<Integer, Long> ends(Connection c, String table) throws SQLException {
        try (PreparedStatement query = c.prepareStatement("SELECT node, until_millis FROM " + table);
                ResultSet rows = query.executeQuery()) {
            Map<Integer, Long> ends = new TreeMap<>();
            while (rows.next()) {
                ends.put(rows.getInt(1), rows.getLong(2));
            }
            return ends;
        }
    }

    private static void insert(Connection c, String table, int node, long until) throws SQLException {
        try (PreparedStatement insert =
                c.prepareStatement("INSERT INTO " + table + " (node, until_millis) VALUES (?, ?)")) {
            insert.setInt(1, node);
            insert.setLong(2, until);
            insert.executeUpdate();
        }
    }

    private static void swap(Connection c, String table, int node, long expected, long until) throws SQLException {
        Fenced.on(c)
                .entity("node " + node)
                .update("UPDATE " + table + " SET until_millis = ? WHERE node = ? AND until_millis = ?", until, node)
                .expecting(expected);
    }
}
