// SPDX-License-Identifier: Apache-2.0
package dev.forebay.local;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.forebay.local.RawClient.Answer;
import java.io.IOException;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Jobs, which Aurora DSQL runs behind a client's back. */
@Timeout(120)
class JobsIT {

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
        ask("DROP TABLE IF EXISTS t");
        ask("CREATE TABLE t (id int PRIMARY KEY, a int)");
    }

    @AfterEach
    void leave() throws Exception {
        client.close();
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void anIndexIsMadeByAJob(boolean extended) throws Exception {
        Answer made = one(extended, "CREATE INDEX ASYNC by_a ON t (a)");
        assertEquals("CREATE INDEX", made.tag());
        assertJob(made, "INDEX_BUILD");
        assertEquals(
                List.of(List.of("public.by_a", "by_a")),
                ask("SELECT object_name, object_id::regclass::text FROM sys.jobs WHERE job_id = '" + id(made) + "'")
                        .rows());
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void aConstraintIsValidatedByAJob(boolean extended) throws Exception {
        assertEquals(
                "ALTER TABLE",
                ask("ALTER TABLE t ADD CONSTRAINT small CHECK (a < 10) NOT VALID")
                        .tag());
        Answer validated = one(extended, "ALTER TABLE ASYNC t VALIDATE CONSTRAINT small");
        assertEquals("ALTER TABLE", validated.tag());
        assertJob(validated, "VALIDATE_CONSTRAINT");
        assertEquals(
                List.of(List.of("t")),
                ask("SELECT convalidated FROM pg_constraint WHERE conname = 'small'")
                        .rows());
    }

    @Test
    void nothingElseIsDoneByAJob() throws Exception {
        assertEquals("42601", ask("ALTER TABLE ASYNC t ADD COLUMN b int").sqlState());
        assertEquals("0A000", ask("ALTER TABLE t VALIDATE CONSTRAINT small").sqlState());
    }

    @Test
    void aJobOfATransactionThatIsRolledBackThereWasNot() throws Exception {
        ask("BEGIN");
        Answer made = ask("CREATE INDEX ASYNC gone ON t (a)");
        ask("ROLLBACK");
        assertEquals("42704", ask("CALL sys.wait_for_job('" + id(made) + "')").sqlState());
    }

    @Test
    void onlyJobsAreWaitedFor() throws Exception {
        assertEquals(
                "42704",
                ask("CALL sys.wait_for_job('abcdefghijklmnopqrstuvwxyz')").sqlState());
        assertEquals("22P02", ask("CALL sys.wait_for_job('no id')").sqlState());
        assertEquals("42501", ask("DELETE FROM sys.jobs").sqlState());
    }

    private void assertJob(Answer answer, String kind) throws IOException {
        assertEquals(List.of("job_id"), answer.columns());
        assertTrue(id(answer).matches("[a-z2-7]{26}"), id(answer));
        assertEquals("CALL", ask("CALL sys.wait_for_job('" + id(answer) + "')").tag());
        assertEquals(
                List.of(List.of("completed", kind)),
                ask("SELECT status, job_type FROM sys.jobs WHERE job_id = '" + id(answer) + "'")
                        .rows());
    }

    private static String id(Answer answer) {
        return answer.rows().get(0).get(0);
    }

    private Answer ask(String sql) throws IOException {
        return one(false, sql);
    }

    private Answer one(boolean extended, String sql) throws IOException {
        List<Answer> answers = extended ? client.extended(sql) : client.simple(sql);
        assertEquals(1, answers.size());
        return answers.get(0);
    }
}
