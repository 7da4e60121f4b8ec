// SPDX-License-Identifier: Apache-2.0
package dev.forebay.lab.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** Messages of the extended protocol that come together. */
class PipelinesIT {

    private static final int PIPELINES = 200;

    private static LocalDsql dsql;

    @BeforeAll
    static void start() throws IOException {
        dsql = LocalDsql.builder().start();
    }

    @AfterAll
    static void stop() throws IOException {
        dsql.close();
    }

    /** PostgreSQL waits for each request of ours, once; how often it has waited is what Linux knows of its process. */
    @Test
    void whatComesInOnePieceGoesToPostgresInOnePiece() throws Exception {
        try (RawClient client = new RawClient(dsql, "admin")) {
            client.simple("SELECT 1");
            Path status = Path.of("/proc", processBehind("admin"), "status");
            assumeTrue(Files.isReadable(status), "only Linux tells how often a process waits");
            long before = waits(status);
            for (int i = 0; i < PIPELINES; i++) {
                assertEquals(
                        List.of(List.of("1")),
                        client.extended("SELECT 1").get(0).rows());
            }
            long waits = waits(status) - before;
            assertTrue(waits < PIPELINES * 3 / 2, () -> PIPELINES + " pipelines made " + waits + " requests");
        }
    }

    private static String processBehind(String user) throws SQLException {
        try (Connection connection = dsql.behind().getConnection();
                Statement statement = connection.createStatement();
                ResultSet found =
                        statement.executeQuery("SELECT pid FROM pg_stat_activity WHERE usename = '" + user + "'")) {
            assertTrue(found.next());
            String process = found.getString(1);
            assertFalse(found.next(), "more than one session");
            return process;
        }
    }

    private static long waits(Path status) throws IOException {
        return Files.readAllLines(status).stream()
                .filter(line -> line.startsWith("voluntary_ctxt_switches:"))
                .mapToLong(line -> Long.parseLong(line.split("\\s+")[1]))
                .findFirst()
                .orElseThrow();
    }
}
