// SPDX-License-Identifier: Apache-2.0
package dev.forebay.local;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.forebay.model.ClusterSettings;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.ByteBufAllocatorMetric;
import io.netty.buffer.ByteBufAllocatorMetricProvider;
import java.io.DataInputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** The cost of sessions that ask nothing, and of one that does not listen. */
class IdleSessionsIT {

    private static final int SESSIONS = 1000;
    private static final int ROWS = 50_000;
    private static final long PATIENCE_NANOS = Duration.ofSeconds(60).toNanos();

    private static LocalDsql dsql;

    @BeforeAll
    static void start() throws IOException {
        dsql = LocalDsql.builder()
                .settings(ClusterSettings.builder().connectBurst(2L * SESSIONS).build())
                .start();
    }

    @AfterAll
    static void stop() throws IOException {
        dsql.close();
    }

    @Test
    void aThousandIdleSessionsTakeNoPostgresUntilTheyAsk() throws Exception {
        List<RawClient> clients = new ArrayList<>();
        try (Connection watching = dsql.behind().getConnection()) {
            long begun = System.nanoTime();
            while (backends(watching) > 0) { // those of before are on their way out
                assertTrue(System.nanoTime() - begun < PATIENCE_NANOS, "sessions of PostgreSQL are left");
            }
            String token = dsql.token("admin", Duration.ofHours(1));
            for (int i = 0; i < SESSIONS; i++) {
                clients.add(new RawClient(dsql, "admin", token));
            }
            assertEquals(0, backends(watching));
            for (RawClient client : clients.subList(0, 20)) {
                assertEquals(
                        List.of(List.of("1")), client.simple("SELECT 1").get(0).rows());
            }
            assertEquals(20, backends(watching));
        } finally {
            for (RawClient client : clients) {
                client.close();
            }
        }
    }

    /** How many sessions PostgreSQL has, the one that asks not counted. */
    private static int backends(Connection watching) throws SQLException {
        try (Statement statement = watching.createStatement();
                ResultSet row = statement.executeQuery("SELECT count(*) FROM pg_stat_activity"
                        + " WHERE backend_type = 'client backend' AND pid <> pg_backend_pid()")) {
            row.next();
            return row.getInt(1);
        }
    }

    @Test
    void aClientThatDoesNotReadHoldsPostgresBackRatherThanFillingTheMemory() throws Exception {
        try (RawClient client = new RawClient(dsql, "admin")) {
            client.simple("SELECT 1");
            long before = allocated();
            String sql = "SELECT repeat('x', 1000) FROM generate_series(1, " + ROWS + ")";
            client.raw(query(sql));
            awaitBlocked(sql);
            long taken = allocated() - before;
            assertTrue(taken < 16 << 20, "of 50 MB so many bytes are in memory: " + taken);
            assertEquals(ROWS, rows(client.input()));
        }
    }

    /** Waits until PostgreSQL waits for its client, and goes on waiting. */
    private static void awaitBlocked(String sql) throws SQLException {
        String waits = "SELECT coalesce(max(wait_event), '') FROM pg_stat_activity WHERE query = '"
                + sql.replace("'", "''") + "' AND pid <> pg_backend_pid()";
        long begun = System.nanoTime();
        try (Connection connection = dsql.behind().getConnection();
                Statement statement = connection.createStatement()) {
            for (int blocked = 0; blocked < 200; ) {
                assertTrue(System.nanoTime() - begun < PATIENCE_NANOS, "PostgreSQL is not held back");
                try (ResultSet row = statement.executeQuery(waits)) {
                    row.next();
                    blocked = "ClientWrite".equals(row.getString(1)) ? blocked + 1 : 0;
                }
            }
        }
    }

    private static int rows(DataInputStream in) throws IOException {
        for (int rows = 0; true; ) {
            int type = in.readUnsignedByte();
            in.skipNBytes(in.readInt() - 4L);
            if (type == 'Z') {
                return rows;
            }
            rows += type == 'D' ? 1 : 0;
        }
    }

    private static byte[] query(String sql) {
        byte[] text = (sql + "\0").getBytes(StandardCharsets.UTF_8);
        return ByteBuffer.allocate(text.length + 5)
                .put((byte) 'Q')
                .putInt(text.length + 4)
                .put(text)
                .array();
    }

    private static long allocated() {
        ByteBufAllocatorMetric metric = ((ByteBufAllocatorMetricProvider) ByteBufAllocator.DEFAULT).metric();
        return metric.usedDirectMemory() + metric.usedHeapMemory();
    }
}
