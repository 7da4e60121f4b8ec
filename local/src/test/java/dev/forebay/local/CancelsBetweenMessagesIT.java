// SPDX-License-Identifier: Apache-2.0
package dev.forebay.local;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.forebay.model.Fault;
import java.io.IOException;
import java.util.List;
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
class CancelsBetweenMessagesIT extends CancelledServers {

    private static final int ROUNDS = 20;

    @BeforeAll
    static void planLong() throws Exception {
        try (RawClient client = Server.LOCAL.connect()) {
            client.simple("CREATE FUNCTION long_planned() RETURNS int IMMUTABLE LANGUAGE sql"
                    + " AS 'SELECT 1 FROM pg_sleep(600)'");
        }
    }

    @ParameterizedTest
    @EnumSource
    void aCancelAfterAParseSparesALaterExecute(Server server) throws Exception {
        try (RawClient client = connect(server)) {
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
        try (RawClient client = connect(server)) {
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
        try (RawClient client = connect(server)) {
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
        try (RawClient client = connect(Server.LOCAL)) {
            dsql.inject(Fault.parse("delay statements 500ms"));
            client.parse("", sql).send('H').parse("", sql).flush();
            assertEquals("1", client.next());
            client.cancel();
            assertEquals("1", client.next());
            dsql.inject(Fault.parse("clear"));
            assertExecuted(client, sql.equals(READ) ? "SELECT 1" : "UPDATE 1");
        }
    }

    /** A request that the client sent before it cancels is cancelled, although it has not begun. */
    @ParameterizedTest
    @ValueSource(strings = {"SELECT n FROM t, pg_sleep(600)", "UPDATE t SET n = n + 1 FROM pg_sleep(600)"})
    void aCancelDuringADelayedBindEndsAnExecuteSentBefore(String sql) throws Exception {
        try (RawClient client = connect(Server.LOCAL)) {
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
        try (RawClient client = connect(server)) {
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

    private static RawClient connect(Server server) throws Exception {
        RawClient client = server.connect();
        client.simple("SELECT 1"); // a local session is without a PostgreSQL until then
        return client;
    }
}
