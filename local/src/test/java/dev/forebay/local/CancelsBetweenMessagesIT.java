// SPDX-License-Identifier: Apache-2.0
package dev.forebay.local;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.forebay.model.Fault;
import java.io.IOException;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Cancels for a client that flushes and sends its Execute later: they end what runs when they arrive, and nothing that the client asks
 * for afterwards, as with PostgreSQL, which is asked the same.
 */
@Timeout(120)
class CancelsBetweenMessagesIT {

    private static final int ROUNDS = 20;
    private static final String CANCELED = "57014";

    /** So long that a cancel which is on its way would end it. */
    private static final String READ = "SELECT n FROM t, pg_sleep(0.05)";

    private static final String WRITE = "UPDATE t SET n = n + 1 FROM pg_sleep(0.05)";

    private static LocalDsql dsql;

    enum Server {
        POSTGRES,
        LOCAL;

        RawClient connect() throws Exception {
            RawClient client = this == LOCAL ? new RawClient(dsql, "admin") : RawClient.behind(dsql);
            client.simple("SELECT 1"); // a local session is without a PostgreSQL until then
            return client;
        }
    }

    @BeforeAll
    static void start() throws Exception {
        dsql = LocalDsql.builder().start();
        try (RawClient client = new RawClient(dsql, "admin")) {
            client.simple("CREATE TABLE t (id int PRIMARY KEY, n int)");
            client.simple("INSERT INTO t VALUES (1, 0)");
            client.simple("CREATE FUNCTION long_planned() RETURNS int IMMUTABLE LANGUAGE sql"
                    + " AS 'SELECT 1 FROM pg_sleep(600)'");
        }
    }

    @AfterAll
    static void stop() throws IOException {
        dsql.close();
    }

    @AfterEach
    void clear() {
        dsql.inject(Fault.parse("clear"));
    }

    @ParameterizedTest
    @EnumSource
    void aCancelAfterAParseSparesALaterExecute(Server server) throws Exception {
        try (RawClient client = server.connect()) {
            for (int i = 0; i < ROUNDS; i++) {
                client.parse("", WRITE).flush();
                assertEquals("1", client.next());
                client.cancel();
                assertExecuted(client, "UPDATE 1");
            }
        }
    }

    @ParameterizedTest
    @EnumSource
    void aCancelAfterABindSparesALaterExecute(Server server) throws Exception {
        try (RawClient client = server.connect()) {
            for (int i = 0; i < ROUNDS; i++) {
                client.parse("", READ).bind("").flush();
                assertEquals("12", client.next() + client.next());
                client.cancel();
                assertEquals("SELECT 1", only(client.execute().sync()).tag());
            }
        }
    }

    /** PostgreSQL may end the Parse itself, if it is still at it. */
    @ParameterizedTest
    @EnumSource
    void aCancelSentWithAParseSparesALaterExecute(Server server) throws Exception {
        try (RawClient client = server.connect()) {
            for (int i = 0; i < ROUNDS; i++) {
                client.parse("", WRITE).flush();
                client.cancel();
                String parsed = client.next();
                if (parsed.equals("1")) {
                    assertExecuted(client, "UPDATE 1");
                } else {
                    assertEquals("E " + CANCELED, parsed);
                    client.sync();
                }
            }
        }
    }

    /** The answer to the first Parse says that the second is being delayed when the cancel comes. */
    @ParameterizedTest
    @ValueSource(strings = {READ, WRITE})
    void aCancelDuringADelayedParseSparesALaterExecute(String sql) throws Exception {
        try (RawClient client = Server.LOCAL.connect()) {
            dsql.inject(Fault.parse("delay statements 500ms"));
            client.parse("", sql).send('H').parse("", sql).flush();
            assertEquals("1", client.next());
            client.cancel();
            assertEquals("1", client.next());
            dsql.inject(Fault.parse("clear"));
            assertExecuted(client, sql.equals(READ) ? "SELECT 1" : "UPDATE 1");
        }
    }

    /** What the client has asked for before it cancels is cancelled, although it has not begun. */
    @ParameterizedTest
    @ValueSource(strings = {"SELECT n FROM t, pg_sleep(600)", "UPDATE t SET n = n + 1 FROM pg_sleep(600)"})
    void aCancelDuringADelayedBindEndsAnExecuteSentBefore(String sql) throws Exception {
        try (RawClient client = Server.LOCAL.connect()) {
            dsql.inject(Fault.parse("delay statements 500ms"));
            client.parse("", sql).send('H').bind("").execute().flush();
            assertEquals("1", client.next());
            client.cancel();
            assertEquals("2E " + CANCELED, client.upToError());
            dsql.inject(Fault.parse("clear"));
            assertEquals(List.of(), client.sync());
        }
    }

    /** Planning is part of a Bind, and can take long. */
    @ParameterizedTest
    @EnumSource
    void aCancelDuringABindEndsTheBind(Server server) throws Exception {
        try (RawClient client = server.connect()) {
            client.parse("", "UPDATE t SET n = long_planned()").bind("").flush();
            awaitSleep();
            client.cancel();
            assertEquals("1E " + CANCELED, client.upToError());
            assertEquals(List.of(), client.sync());
            assertEquals('I', client.status);
            client.parse("", WRITE).flush();
            assertEquals("1", client.next());
            assertExecuted(client, "UPDATE 1");
        }
    }

    private static void assertExecuted(RawClient client, String tag) throws IOException {
        RawClient.Answer answer = only(client.bind("").execute().sync());
        assertEquals(tag, answer.tag(), () -> "cancelled by what was for another: " + answer);
    }

    private static RawClient.Answer only(List<RawClient.Answer> answers) {
        assertEquals(1, answers.size(), answers::toString);
        return answers.get(0);
    }

    private static void awaitSleep() throws SQLException {
        try (Connection connection = dsql.behind().getConnection();
                Statement statement = connection.createStatement()) {
            boolean sleeps = false;
            while (!sleeps) {
                try (ResultSet count = statement.executeQuery(
                        "SELECT count(*) > 0 FROM pg_stat_activity WHERE wait_event = 'PgSleep'")) {
                    count.next();
                    sleeps = count.getBoolean(1);
                }
            }
        }
    }
}
