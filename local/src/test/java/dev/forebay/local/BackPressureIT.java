// SPDX-License-Identifier: Apache-2.0
package dev.forebay.local;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.ByteBufAllocatorMetric;
import io.netty.buffer.ByteBufAllocatorMetricProvider;
import java.io.IOException;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.function.LongSupplier;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** PostgreSQL is made to wait for a client that does not read: the server does not keep what the client is owed. */
@Timeout(120)
class BackPressureIT {

    private static final long MOST_BYTES = 16 << 20;

    /** Something stands still if it has not changed for so long. */
    private static final Duration STANDSTILL = Duration.ofMillis(1500);

    private static LocalDsql dsql;

    @BeforeAll
    static void start() throws IOException {
        dsql = LocalDsql.builder().start();
    }

    @AfterAll
    static void stop() throws IOException {
        dsql.close();
    }

    @Test
    void aCopyWaitsForAClientThatDoesNotRead() throws Exception {
        try (RawClient client = new RawClient(dsql, "admin");
                Connection behind = dsql.behind().getConnection()) {
            long before = usedBytes();
            client.raw(RawClient.message(
                    'Q',
                    RawClient.string("COPY (SELECT repeat('x', 1000) FROM generate_series(1, 100000)) TO STDOUT")));
            awaitStandstill(() -> {
                long used = usedBytes() - before;
                assertTrue(used < MOST_BYTES, () -> used + " bytes are kept for a client that does not read");
                return waitsForUs(behind) ? used : System.nanoTime();
            });
            assertEquals("COPY 100000", client.answers().get(0).tag());
        }
    }

    /** Rows that are locked are kept until it is known whether they met another transaction. */
    @Test
    void whatIsKeptHasABound() throws Exception {
        try (RawClient client = new RawClient(dsql, "admin")) {
            client.simple("CREATE TABLE locked (id int PRIMARY KEY)");
            client.simple("INSERT INTO locked VALUES (1)");
            String rows = "SELECT repeat('x', 1000000) FROM locked, generate_series(1, %d) FOR UPDATE OF locked";
            assertEquals(
                    "SELECT 10", client.simple(String.format(rows, 10)).get(0).tag());
            assertEquals("54000", client.simple(String.format(rows, 100)).get(0).sqlState());
            assertEquals(
                    "54000", client.extended(String.format(rows, 100)).get(0).sqlState());
            assertEquals("SELECT 1", client.simple("SELECT 1").get(0).tag());
        }
    }

    private static void awaitStandstill(LongSupplier moving) {
        long since = System.nanoTime();
        long last = moving.getAsLong();
        while (System.nanoTime() - since < STANDSTILL.toNanos()) {
            long now = moving.getAsLong();
            if (now != last) {
                last = now;
                since = System.nanoTime();
            }
        }
    }

    /** Whether PostgreSQL waits until we take more of what it has to say. */
    private static boolean waitsForUs(Connection behind) {
        try (PreparedStatement statement =
                        behind.prepareStatement("SELECT wait_event FROM pg_stat_activity WHERE usename = 'admin'");
                ResultSet result = statement.executeQuery()) {
            return result.next() && "ClientWrite".equals(result.getString(1));
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }

    private static long usedBytes() {
        ByteBufAllocatorMetric metric = ((ByteBufAllocatorMetricProvider) ByteBufAllocator.DEFAULT).metric();
        return metric.usedHeapMemory() + metric.usedDirectMemory();
    }
}
