// SPDX-License-Identifier: Apache-2.0
package dev.forebay.local;

import static dev.forebay.local.RawClient.string;
import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.forebay.model.Fault;
import java.io.IOException;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** When errors of the extended protocol are sent: a client that flushes, and sends its Sync once it knows, must not wait for ever. */
@Timeout(60)
class ErrorsAtFlushIT {

    private static LocalDsql dsql;

    @BeforeAll
    static void start() throws Exception {
        dsql = LocalDsql.builder().start();
        try (RawClient client = new RawClient(dsql, "admin")) {
            client.simple("CREATE TABLE t (id int PRIMARY KEY)");
            client.simple("INSERT INTO t VALUES (1)");
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

    private interface Sending {
        void send(RawClient client) throws IOException;
    }

    /** An error in each message that can have one. */
    enum Wrong {
        PARSE_OF_NONSENSE(client -> client.parse("", "SELEC 1").describe()),
        PARSE_OF_AN_UNKNOWN_TABLE(client -> client.parse("", "SELECT * FROM nowhere")),
        PARSE_OF_TWO_STATEMENTS(client -> client.parse("", "SELECT 1; SELECT 2")),
        PARSE_OF_A_NAME_IN_USE(client -> client.parse("again", "SELECT 1").parse("again", "SELECT 1")),
        BIND_OF_AN_UNKNOWN_STATEMENT(client -> client.bind("unknown")),
        BIND_WITHOUT_ITS_PARAMETER(client -> client.parse("", "SELECT $1::int").bind("")),
        DESCRIBE_OF_AN_UNKNOWN_STATEMENT(client -> client.send('D', new byte[] {'S'}, string("unknown"))),
        DESCRIBE_OF_AN_UNKNOWN_PORTAL(client -> client.send('D', new byte[] {'P'}, string("unknown"))),
        EXECUTE_OF_AN_UNKNOWN_PORTAL(client -> client.send('E', string("unknown"), new byte[4])),
        EXECUTE_THAT_READS(client ->
                client.parse("", "SELECT 1 / (id - 1) FROM t").bind("").execute()),
        EXECUTE_THAT_WRITES(
                client -> client.parse("", "INSERT INTO t VALUES (1)").bind("").execute());

        private final Sending messages;

        Wrong(Sending messages) {
            this.messages = messages;
        }
    }

    @ParameterizedTest
    @EnumSource
    void anErrorIsSentAtFlushAsPostgresDoes(Wrong wrong) throws Exception {
        try (RawClient local = new RawClient(dsql, "admin");
                RawClient postgres = RawClient.behind(dsql)) {
            assertEquals(answer(postgres, wrong), answer(local, wrong));
            assertReady(local, 'I');
        }
    }

    @ParameterizedTest
    @EnumSource
    void anErrorInATransactionIsSentAtFlush(Wrong wrong) throws Exception {
        try (RawClient local = new RawClient(dsql, "admin");
                RawClient postgres = RawClient.behind(dsql)) {
            for (RawClient client : List.of(local, postgres)) {
                client.extended("BEGIN");
            }
            assertEquals(answer(postgres, wrong), answer(local, wrong));
            assertReady(local, 'E');
            local.parse("", "SELECT 1").flush();
            assertEquals("E 25P02", local.upToError());
            assertReady(local, 'E');
        }
    }

    /** PostgreSQL flushes an error by itself. */
    @ParameterizedTest
    @EnumSource
    void anErrorIsSentWithoutFlushToo(Wrong wrong) throws Exception {
        try (RawClient local = new RawClient(dsql, "admin");
                RawClient postgres = RawClient.behind(dsql)) {
            for (RawClient client : List.of(local, postgres)) {
                wrong.messages.send(client);
                client.raw(new byte[0]);
            }
            assertEquals(postgres.upToError(), local.upToError());
            assertReady(local, 'I');
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"TRUNCATE t", "SELECT * FROM t FOR SHARE", "SAVEPOINT s", "SET statement_timeout = 1"})
    void aRefusalOfTheClustersIsSentAtFlush(String sql) throws Exception {
        try (RawClient client = new RawClient(dsql, "admin")) {
            client.parse("", sql).describe().flush();
            assertEquals("E 0A000", client.upToError());
            assertReady(client, 'I');
        }
    }

    @Test
    void aLimitOfTheClustersIsSentAtFlush() throws Exception {
        try (RawClient client = new RawClient(dsql, "admin")) {
            client.parse("", "INSERT INTO t SELECT generate_series(2, 3002)")
                    .bind("")
                    .execute()
                    .flush();
            assertEquals("12E 54000", client.upToError());
            assertReady(client, 'I');
        }
    }

    @Test
    void aCommitThatFailsIsSentAtFlush() throws Exception {
        try (RawClient client = new RawClient(dsql, "admin")) {
            client.extended("BEGIN");
            client.extended("INSERT INTO t VALUES (2)");
            dsql.inject(Fault.parse("fail commits 1 OC000"));
            client.parse("", "COMMIT").bind("").execute().flush();
            assertEquals("12E 40001", client.upToError());
            assertReady(client, 'I');
        }
    }

    private static String answer(RawClient client, Wrong wrong) throws IOException {
        wrong.messages.send(client);
        client.flush();
        return client.upToError();
    }

    /** Messages that are skipped until the Sync are not answered, and then all is as before. */
    private static void assertReady(RawClient client, char status) throws IOException {
        assertEquals(List.of(), client.parse("", "SELECT 1").bind("").execute().sync());
        assertEquals(status, client.status);
    }
}
