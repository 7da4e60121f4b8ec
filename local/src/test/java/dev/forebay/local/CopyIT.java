// SPDX-License-Identifier: Apache-2.0
package dev.forebay.local;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.forebay.local.RawClient.Answer;
import java.io.IOException;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** COPY from a client: the rules of a transaction hold for it, and what does not belong in it is refused. */
@Timeout(120)
class CopyIT {

    private static final String COPY = "COPY t FROM STDIN";

    private static LocalDsql dsql;

    private RawClient client;

    @BeforeAll
    static void start() throws Exception {
        dsql = LocalDsql.builder().start();
    }

    @AfterAll
    static void stop() throws Exception {
        dsql.close();
    }

    @BeforeEach
    void connect() throws Exception {
        client = new RawClient(dsql, "admin");
        client.simple("DROP TABLE IF EXISTS t");
        client.simple("CREATE TABLE t (id int PRIMARY KEY, a text)");
    }

    @AfterEach
    void leave() throws Exception {
        client.close();
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void rowsAreCopied(boolean extended) throws Exception {
        assertEquals("COPY 3000", copy(extended, rows(1, 3000)).tag());
        assertEquals("3000", count());
        assertEquals('I', client.status);
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void oneRowTooManyIsRefusedAndNothingIsKept(boolean extended) throws Exception {
        Answer refused = copy(extended, rows(1, 3001));
        assertEquals("54000", refused.sqlState());
        assertEquals("transaction row limit exceeded", refused.message());
        assertEquals("0", count());
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void rowsCopiedCountWithTheOthersOfATransaction(boolean extended) throws Exception {
        client.simple("BEGIN");
        client.simple("INSERT INTO t SELECT i, '' FROM generate_series(1, 2000) i");
        assertEquals("54000", copy(extended, rows(2001, 3001)).sqlState());
        assertEquals('E', client.status);
        client.simple("ROLLBACK");
        assertEquals("0", count());
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void tenMebibytesAreTheMostAtCommit(boolean extended) throws Exception {
        String long1 = "x".repeat(6 << 20);
        client.simple("BEGIN");
        assertEquals("COPY 1", copy(extended, "1\t" + long1 + "\n").tag());
        assertEquals("COPY 1", copy(extended, "2\t" + long1 + "\n").tag());
        assertEquals("54000", client.simple("COMMIT").get(0).sqlState());
        assertEquals("0", count());
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void noDdlFollowsACopyInItsTransaction(boolean extended) throws Exception {
        client.simple("BEGIN");
        copy(extended, rows(1, 1));
        assertEquals(
                "ddl and dml are not supported in the same transaction",
                client.simple("CREATE TABLE other (id int PRIMARY KEY)").get(0).message());
        client.simple("ROLLBACK");
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void aCopyThatMeetsAnotherTransactionIsAConflict(boolean extended) throws Exception {
        try (RawClient other = new RawClient(dsql, "admin")) {
            other.simple("BEGIN");
            other.simple("INSERT INTO t VALUES (1, 'first')");
            Answer conflict = copy(extended, rows(1, 1));
            assertEquals("40001", conflict.sqlState());
            assertEquals("change conflicts with another transaction (OC000)", conflict.message());
            assertEquals("COMMIT", other.simple("COMMIT").get(0).tag());
        }
        assertEquals("1", count());
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void aMessageAmidTheDataEndsTheCopyAndTheSessionGoesOn(boolean extended) throws Exception {
        begin(extended);
        client.raw(RawClient.message('d', rows(1, 1).getBytes()));
        client.raw(RawClient.message('Q', RawClient.string("SELECT 1")));
        if (extended) {
            client.raw(RawClient.message('S'));
        }
        Answer refused = last(client.answers());
        assertEquals("08P01", refused.sqlState());
        assertEquals("unexpected message type 0x51 during COPY from stdin", refused.message());
        assertEquals("0", count());
    }

    @Test
    void aClientThatGivesUpIsQuoted() throws Exception {
        begin(false);
        client.raw(RawClient.message('f', RawClient.string("no more")));
        Answer refused = last(client.answers());
        assertEquals("57014", refused.sqlState());
        assertEquals("COPY from stdin failed: no more", refused.message());
    }

    // ---- helpers

    private Answer copy(boolean extended, String data) throws IOException {
        begin(extended);
        client.raw(RawClient.message('d', data.getBytes()));
        client.raw(RawClient.message('c'));
        if (extended) {
            client.raw(RawClient.message('S'));
        }
        return last(client.answers());
    }

    private void begin(boolean extended) throws IOException {
        if (extended) {
            client.raw(RawClient.message('P', RawClient.string(""), RawClient.string(COPY), new byte[2]));
            client.raw(RawClient.message('B', RawClient.string(""), RawClient.string(""), new byte[6]));
            client.raw(RawClient.message('E', RawClient.string(""), new byte[4]));
            client.raw(RawClient.message('H'));
        } else {
            client.raw(RawClient.message('Q', RawClient.string(COPY)));
        }
    }

    private static Answer last(List<Answer> answers) {
        assertEquals(1, answers.size(), answers::toString);
        return answers.get(0);
    }

    private String count() throws IOException {
        return client.simple("SELECT count(*) FROM t").get(0).rows().get(0).get(0);
    }

    private static String rows(int from, int to) {
        return IntStream.rangeClosed(from, to).mapToObj(i -> i + "\tx\n").collect(Collectors.joining());
    }
}
