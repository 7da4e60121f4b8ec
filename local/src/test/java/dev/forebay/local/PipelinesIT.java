// SPDX-License-Identifier: Apache-2.0
package dev.forebay.local;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
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
import org.junit.jupiter.api.Timeout;

/** Messages of the extended protocol that come together. */
class PipelinesIT {

    private static final int PIPELINES = 200;

    private static final int LONG_PIPELINE = 5_000;

    private static final String TOO_MANY = "INSERT INTO rows SELECT generate_series(1, 3001)";

    private static LocalDsql dsql;

    @BeforeAll
    static void start() throws Exception {
        dsql = LocalDsql.builder().start();
        try (RawClient client = new RawClient(dsql, "admin")) {
            client.simple("CREATE TABLE rows (id int)");
        }
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
            assertTrue(waits < PIPELINES * 5 / 4, () -> PIPELINES + " pipelines made " + waits + " requests");
        }
    }

    @Test
    void aSecondStatementOfTheSameNameIsRefusedAndTheFirstStays() throws Exception {
        try (RawClient client = new RawClient(dsql, "admin")) {
            client.parse("name", TOO_MANY).sync();
            assertEquals("42P05", client.parse("name", "SELECT 1").sync().get(0).sqlState());
            assertTooMany(client.bind("name").execute().sync());
        }
    }

    @Test
    void whatIsSkippedAfterAnErrorIsNotPrepared() throws Exception {
        try (RawClient client = new RawClient(dsql, "admin")) {
            client.parse("", TOO_MANY).sync();
            List<RawClient.Answer> answers = client.parse("wrong", "SELECT nothing")
                    .parse("", "SELECT 1")
                    .sync();
            assertEquals("42703", answers.get(0).sqlState());
            assertTooMany(client.bind("").execute().sync());
        }
    }

    @Test
    void whatIsSkippedAfterAnErrorIsNotClosed() throws Exception {
        try (RawClient client = new RawClient(dsql, "admin")) {
            client.parse("name", TOO_MANY).sync();
            client.parse("wrong", "SELECT nothing").close("name").sync();
            assertTooMany(client.bind("name").execute().sync());
        }
    }

    /** PostgreSQL's answer to the first message is what leads to the second. */
    @Test
    void aMalformedMessageBehindAnAnswerEndsItsSessionWithAWord() throws Exception {
        try (RawClient client = new RawClient(dsql, "admin");
                RawClient other = new RawClient(dsql, "admin")) {
            client.send('Q', RawClient.string("SELECT 1")).send('P', new byte[] {'x'});
            assertEquals(List.of(List.of("1")), client.sync().get(0).rows());
            IOException end = assertThrows(IOException.class, client::answers);
            assertEquals("the connection was closed after 08P01 a string without an end", end.getMessage());
            assertEquals(List.of(List.of("1")), other.simple("SELECT 1").get(0).rows());
        }
    }

    /** Each is looked at a few times: if all were, for each of them, this would take minutes. */
    @Test
    @Timeout(30)
    void aLongPipelineIsNotLookedAtAgainForEachOfItsMessages() throws Exception {
        String sql = "SELECT " + "1 + ".repeat(10) + "1";
        try (RawClient client = new RawClient(dsql, "admin")) {
            for (int i = 0; i < LONG_PIPELINE; i++) {
                client.parse("", sql);
            }
            assertEquals(List.of(), client.sync());
            for (int i = 0; i < LONG_PIPELINE; i++) {
                client.parse("", sql);
            }
            assertTooMany(client.parse("", TOO_MANY).bind("").execute().sync());
        }
    }

    /** Only what is seen as a statement that writes is refused for its rows. */
    private static void assertTooMany(List<RawClient.Answer> answers) {
        assertEquals("54000", answers.get(0).sqlState(), answers::toString);
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
