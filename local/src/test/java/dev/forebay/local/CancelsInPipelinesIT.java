// SPDX-License-Identifier: Apache-2.0
package dev.forebay.local;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import dev.forebay.model.Fault;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Cancels for a client that sends statements without waiting for answers: one ends the statement that the server is at, even if a fault
 * delays it, and spares those behind the next Sync. Where no fault is needed, PostgreSQL is asked the same.
 */
@Timeout(60)
class CancelsInPipelinesIT extends CancelledServers {

    private static final int SEVERAL = 5;
    private static final long SIGINT = 1 << 1;
    private static final Fault DELAY = Fault.parse("delay statements 2s");
    private static final String ENDLESS = "SELECT n FROM t, pg_sleep(600)";

    enum Protocol {
        SIMPLE,
        EXTENDED;

        /** Adds a statement and what ends its exchange. */
        RawClient add(RawClient client, String sql) throws IOException {
            return this == SIMPLE
                    ? client.addSimple(sql)
                    : client.addExtended(sql).send('S');
        }
    }

    private static Stream<Arguments> all() {
        return Stream.of(Server.values())
                .flatMap(server -> Stream.of(Protocol.values()).map(protocol -> Arguments.of(server, protocol)));
    }

    private static Stream<Arguments> delayed() {
        return Stream.of(Protocol.values())
                .flatMap(protocol -> Stream.of("SELECT 1", WRITE).map(sql -> Arguments.of(protocol, sql)));
    }

    @ParameterizedTest
    @MethodSource("all")
    void aCancelEndsTheFirstAndSparesTheSecond(Server server, Protocol protocol) throws Exception {
        try (RawClient client = server.connect()) {
            protocol.add(client, ENDLESS);
            protocol.add(client, WRITE).raw(new byte[0]);
            awaitSleep();
            client.cancel();
            assertCanceled(client);
            assertSpared(server, client, "UPDATE 1");
        }
    }

    @ParameterizedTest
    @MethodSource("all")
    void aCancelAfterTheFirstEndsTheSecond(Server server, Protocol protocol) throws Exception {
        try (RawClient client = server.connect()) {
            protocol.add(client, WRITE);
            protocol.add(client, ENDLESS);
            protocol.add(client, READ).raw(new byte[0]);
            assertDone(client, "UPDATE 1");
            awaitSleep();
            client.cancel();
            assertCanceled(client);
            assertSpared(server, client, "SELECT 1");
        }
    }

    /** A Query is cancelled as a whole: if its first statement is done in time, the next one is hit. */
    @ParameterizedTest
    @EnumSource
    void aCancelEndsAQueryOfSeveralStatements(Server server) throws Exception {
        try (RawClient client = server.connect()) {
            client.addSimple("SELECT 1; " + ENDLESS + "; " + READ).raw(new byte[0]);
            awaitSleep();
            client.cancel();
            List<RawClient.Answer> answers = client.answers();
            assertEquals(2, answers.size(), answers::toString);
            assertEquals(CANCELED, answers.get(1).sqlState());
        }
    }

    /** The end of the first says that the second is being delayed. */
    @ParameterizedTest
    @MethodSource("delayed")
    void aCancelEndsADelayedStatementAndSparesTheNext(Protocol protocol, String sql) throws Exception {
        try (RawClient client = Server.LOCAL.connect()) {
            protocol.add(client, ENDLESS);
            protocol.add(client, sql);
            protocol.add(client, READ).raw(new byte[0]);
            awaitSleep();
            dsql.inject(DELAY);
            client.cancel();
            assertCanceled(client);
            client.cancel();
            dsql.inject(Fault.parse("clear"));
            assertCanceled(client);
            assertEquals('I', client.status);
            assertDone(client, "SELECT 1");
        }
    }

    /** The server takes its messages between two cancels, so the statement has arrived before the last of several. */
    @ParameterizedTest
    @MethodSource("delayed")
    void aCancelEndsTheFirstStatementOfASession(Protocol protocol, String sql) throws Exception {
        try (RawClient client = Server.LOCAL.connect()) {
            dsql.inject(DELAY);
            protocol.add(client, sql).raw(new byte[0]);
            for (int i = 0; i < SEVERAL; i++) {
                client.cancel();
            }
            dsql.inject(Fault.parse("clear"));
            assertCanceled(client);
            protocol.add(client, READ).raw(new byte[0]);
            assertDone(client, "SELECT 1");
        }
    }

    /**
     * PostgreSQL forgets a cancel that comes before it has read the statement, as when it was stopped meanwhile. The end of a
     * statement that is refused without it says that the next one has arrived.
     */
    @ParameterizedTest
    @EnumSource
    @EnabledOnOs(OS.LINUX)
    void aCancelReachesAStatementThatPostgresHasNotRead(Protocol protocol) throws Exception {
        try (RawClient client = Server.LOCAL.connect()) {
            client.simple("SELECT 1");
            String pid = newestBackend();
            signal("STOP", pid);
            try {
                protocol.add(client.addSimple("VACUUM"), ENDLESS).raw(new byte[0]);
                assertEquals("0A000", only(client.answers()).sqlState());
                client.cancel();
                awaitInterrupt(pid);
            } finally {
                signal("CONT", pid);
            }
            assertCanceled(client);
            protocol.add(client, READ).raw(new byte[0]);
            assertDone(client, "SELECT 1");
        }
    }

    private static String newestBackend() throws SQLException {
        try (Connection connection = dsql.behind().getConnection();
                Statement statement = connection.createStatement();
                ResultSet pid = statement.executeQuery("SELECT pid FROM pg_stat_activity WHERE usename = 'admin'"
                        + " ORDER BY backend_start DESC LIMIT 1")) {
            pid.next();
            return pid.getString(1);
        }
    }

    private static void signal(String name, String pid) throws Exception {
        assertEquals(0, new ProcessBuilder("kill", "-" + name, pid).start().waitFor());
    }

    /** Waits until a process that is stopped has been sent a SIGINT: it is pending, or blocked because its handler is about to run. */
    private static void awaitInterrupt(String pid) throws IOException {
        boolean sent = false;
        while (!sent) {
            assertFalse(Thread.interrupted(), "no cancel came to PostgreSQL");
            sent = Files.readAllLines(Path.of("/proc", pid, "status")).stream()
                    .filter(line ->
                            line.startsWith("ShdPnd:") || line.startsWith("SigPnd:") || line.startsWith("SigBlk:"))
                    .anyMatch(line -> (Long.parseUnsignedLong(line.substring(7).strip(), 16) & SIGINT) != 0);
        }
    }

    private static void assertCanceled(RawClient client) throws IOException {
        assertEquals(CANCELED, only(client.answers()).sqlState());
    }

    private static void assertDone(RawClient client, String tag) throws IOException {
        RawClient.Answer answer = only(client.answers());
        assertEquals(tag, answer.tag(), answer::toString);
    }

    /** PostgreSQL itself signals twice for one cancel, and the second signal may hit the next statement. */
    private static void assertSpared(Server server, RawClient client, String tag) throws IOException {
        RawClient.Answer answer = only(client.answers());
        if (server == Server.LOCAL || !CANCELED.equals(answer.sqlState())) {
            assertEquals(tag, answer.tag(), answer::toString);
        }
    }
}
