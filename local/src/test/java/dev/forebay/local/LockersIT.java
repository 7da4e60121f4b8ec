// SPDX-License-Identifier: Apache-2.0
package dev.forebay.local;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;

import dev.forebay.local.RawClient.Answer;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Rows that are read FOR UPDATE. */
@Timeout(120)
class LockersIT {

    private static final String LOCK = "SELECT n FROM locked WHERE id = 1 FOR UPDATE";

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void whetherTwoWhoLockARowConflictIsASetting(boolean conflict) throws Exception {
        LocalDsql.Builder builder = LocalDsql.builder();
        try (LocalDsql dsql = (conflict ? builder : builder.lockersDoNotConflict()).start();
                RawClient one = new RawClient(dsql, "admin");
                RawClient other = new RawClient(dsql, "admin")) {
            table(one);
            assertEquals(
                    conflict ? "40001" : null,
                    secondToCommit(one, LOCK, other, LOCK).sqlState());
            assertEquals(
                    "40001",
                    secondToCommit(one, "UPDATE locked SET n = 2 WHERE id = 1", other, LOCK)
                            .sqlState(),
                    "with who writes it they conflict in any case");
        }
    }

    @Test
    void whoLocksDifferentRowsDoesNotConflict() throws Exception {
        try (LocalDsql dsql = LocalDsql.builder().start();
                RawClient one = new RawClient(dsql, "admin");
                RawClient other = new RawClient(dsql, "admin")) {
            table(one);
            assertNull(secondToCommit(one, LOCK, other, "SELECT n FROM locked WHERE id = 2 FOR UPDATE")
                    .sqlState());
        }
    }

    private static void table(RawClient client) throws Exception {
        client.simple("CREATE TABLE locked (id int PRIMARY KEY, n int)");
        client.simple("INSERT INTO locked VALUES (1, 1), (2, 1)");
    }

    private static Answer secondToCommit(RawClient one, String first, RawClient other, String second) throws Exception {
        one.simple("BEGIN");
        other.extended("BEGIN");
        one.simple(first);
        assertEquals("SELECT 1", last(other.extended(second)).tag());
        assertNull(last(one.simple("COMMIT")).sqlState());
        return last(other.extended("COMMIT"));
    }

    private static Answer last(List<Answer> answers) {
        return answers.get(answers.size() - 1);
    }
}
