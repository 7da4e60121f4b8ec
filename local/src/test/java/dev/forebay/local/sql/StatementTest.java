// SPDX-License-Identifier: Apache-2.0
package dev.forebay.local.sql;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class StatementTest {

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "begin transaction | BEGIN | ''",
                "START TRANSACTION READ ONLY | BEGIN | ''",
                "START_X | OTHER | ''",
                "COMMIT WORK | COMMIT | ''",
                "end | COMMIT | ''",
                "COMMIT PREPARED 'x' | OTHER | ''",
                "ROLLBACK | ROLLBACK | ''",
                "abort | ROLLBACK | ''",
                "ROLLBACK TO SAVEPOINT a | OTHER | ''",
                "ROLLBACK WORK TO a | OTHER | ''",
                "CREATE TABLE t (a int) | DDL | ''",
                "GRANT SELECT ON t TO r | DDL | ''",
                "REVOKE ALL ON t FROM r | DDL | ''",
                "COMMENT ON TABLE t IS 'x' | DDL | ''",
                "AWS IAM GRANT r TO 'arn' | DDL | ''",
                "/* x */ insert into t values (1) | INSERT | writes",
                "UPDATE t SET a = 1 | UPDATE | writes",
                "DELETE FROM t | DELETE | writes",
                "MERGE INTO t USING s ON true WHEN MATCHED THEN DELETE | MERGE | writes",
                "WITH x AS (SELECT 1) INSERT INTO t SELECT * FROM x | INSERT | writes",
                "WITH RECURSIVE x(n) AS (SELECT 1), y AS MATERIALIZED (SELECT 2) UPDATE t SET a = 1 | UPDATE | writes",
                "WITH x AS (DELETE FROM t RETURNING a) SELECT * FROM x | SELECT | writes",
                "WITH x AS (WITH y AS (SELECT 1) DELETE FROM t RETURNING a) SELECT * FROM x | SELECT | writes",
                "WITH insert AS (SELECT 1) SELECT * FROM insert | SELECT | ''",
                "WITH x AS (SELECT 1) SEARCH DEPTH FIRST BY a SET b DELETE FROM t | DELETE | writes",
                "SELECT 1 | SELECT | ''",
                "(SELECT 1) UNION (SELECT 2) | SELECT | ''",
                "VALUES (1) | SELECT | ''",
                "TABLE t | SELECT | ''",
                "SELECT 'FOR UPDATE' | SELECT | ''",
                "SELECT * FROM t FOR UPDATE | LOCKING_SELECT | locks",
                "select * from t for key share of t skip locked | LOCKING_SELECT | locks",
                "SELECT * FROM (SELECT * FROM t FOR UPDATE) x | LOCKING_SELECT | locks",
                "SELECT substring('abc' FOR 2) | SELECT | ''",
                "INSERT INTO t SELECT * FROM s FOR UPDATE | INSERT | writes locks",
                "CREATE POLICY p ON t FOR UPDATE USING (true) | DDL | ''",
                "COPY t (a, b) FROM STDIN | COPY_IN | writes",
                "COPY t TO STDOUT | COPY_OUT | ''",
                "COPY (SELECT * FROM t) TO STDOUT | COPY_OUT | ''",
                "COPY (DELETE FROM t RETURNING a) TO STDOUT | COPY_OUT | writes",
                "SET search_path TO a | SET | ''",
                "RESET ALL | SET | ''",
                "SHOW server_version | SHOW | ''",
                "EXPLAIN DELETE FROM t | EXPLAIN | ''",
                "EXPLAIN ANALYZE DELETE FROM t | EXPLAIN | writes",
                "EXPLAIN (VERBOSE, ANALYZE) DELETE FROM t | EXPLAIN | writes",
                "EXPLAIN (ANALYZE off) DELETE FROM t | EXPLAIN | ''",
                "EXPLAIN ANALYZE VERBOSE WITH x AS (DELETE FROM t RETURNING 1) SELECT 1 | EXPLAIN | writes",
                "EXPLAIN ANALYZE SELECT * FROM t FOR UPDATE | EXPLAIN | locks",
                "EXPLAIN (SELECT 1) | EXPLAIN | ''",
                "CALL p(1) | CALL | ''",
                "ANALYZE t | OTHER | ''",
                "'nonsense' | OTHER | ''",
            })
    void isWhatItsWordsSay(String sql, Kind kind, String does) {
        Statement statement = statement(sql);
        assertEquals(kind, statement.kind());
        assertEquals(does.contains("writes"), statement.writes(), "writes");
        assertEquals(does.contains("locks"), statement.locks(), "locks");
        assertEquals(kind == Kind.DDL, statement.isDdl());
    }

    @Test
    void losesTheWordsThatOnlyDsqlKnows() {
        assertEquals(
                "CREATE UNIQUE INDEX  i ON t (a)",
                statement("CREATE UNIQUE INDEX ASYNC i ON t (a)").rewritten());
        assertEquals(
                "/* 1 */ create index  IF NOT EXISTS i ON t (a) ",
                statement("/* 1 */ create index async IF NOT EXISTS i ON t (a) ")
                        .rewritten());
        assertEquals(
                "ALTER TABLE  t VALIDATE CONSTRAINT c",
                statement("ALTER TABLE ASYNC t VALIDATE CONSTRAINT c").rewritten());
        assertEquals(
                "SET dsql.disable_sync_create_index = off",
                statement("SET disable_sync_create_index = off").rewritten());
        assertEquals(
                "CREATE INDEX \"async\" ON t (a)",
                statement("CREATE INDEX \"async\" ON t (a)").rewritten());
        assertTrue(statement("CREATE INDEX ASYNC ON t (a)").isAsync());
        assertFalse(statement("CREATE INDEX ON t (a)").isAsync());
        assertTrue(statement("ALTER TABLE ASYNC t VALIDATE CONSTRAINT c").isAsync());
        assertFalse(statement("ALTER TABLE ASYNC t ADD COLUMN b int").isAsync());
        assertFalse(statement("ALTER TABLE async VALIDATE CONSTRAINT c").isAsync());
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "UPDATE t SET a = $1 WHERE b = $2 | SELECT count(*) FROM t WHERE b = $2",
                "UPDATE ONLY s.t AS x SET a = 1, (b, c) = (SELECT 1, 2 WHERE true) RETURNING * | SELECT count(*) FROM ONLY s.t AS x",
                "UPDATE t SET a = b IS DISTINCT FROM c WHERE d | SELECT count(*) FROM t WHERE d",
                "UPDATE t SET a = s.a FROM s, r WHERE t.id = s.id | SELECT count(*) FROM t WHERE EXISTS (SELECT FROM s, r WHERE t.id = s.id ~)",
                "WITH x AS (SELECT 1) UPDATE t SET a = 1 WHERE b IN (TABLE x) | WITH x AS (SELECT 1) SELECT count(*) FROM t WHERE b IN (TABLE x)",
                "DELETE FROM t | SELECT count(*) FROM t",
                "DELETE FROM t x USING s WHERE x.a = s.a RETURNING x.* | SELECT count(*) FROM t x WHERE EXISTS (SELECT FROM s WHERE x.a = s.a ~)",
                "DELETE FROM t USING s | SELECT count(*) FROM t WHERE EXISTS (SELECT FROM s ~)",
                "DELETE FROM t WHERE a IN (SELECT a FROM s FOR UPDATE) | SELECT count(*) FROM t WHERE a IN (SELECT a FROM s )",
                "INSERT INTO t VALUES (1, (2)), (DEFAULT, 3) | SELECT 2::bigint AS count",
                "INSERT INTO t (a, b) VALUES ($1, $2) ON CONFLICT (a) DO UPDATE SET b = 1 RETURNING a | SELECT 1::bigint AS count",
                "INSERT INTO t DEFAULT VALUES | SELECT 1::bigint AS count",
                "INSERT INTO t (a) SELECT b FROM s ON CONFLICT DO NOTHING | SELECT count(*) FROM (SELECT b FROM s ~) AS source",
                "INSERT INTO t SELECT a FROM s JOIN r ON conflicts WHERE true RETURNING a | SELECT count(*) FROM (SELECT a FROM s JOIN r ON conflicts WHERE true ~) AS source",
                "INSERT INTO t (a) (SELECT 1) | SELECT count(*) FROM (SELECT 1) AS source",
                "INSERT INTO t WITH x AS (SELECT 1) SELECT * FROM x | SELECT count(*) FROM (WITH x AS (SELECT 1) SELECT * FROM x ~) AS source",
                "SELECT * FROM t WHERE a = 1 FOR UPDATE OF t NOWAIT LIMIT 1 | SELECT * FROM t WHERE a = 1 LIMIT 1",
                "SELECT * FROM t, s FOR UPDATE OF t FOR KEY SHARE OF s | SELECT * FROM t, s",
            })
    void tellsWhatItWouldTouch(String sql, String expected) {
        String matching = statement(sql).matching().orElseThrow();
        assertEquals(expected, matching.replace("\n", " ~"));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "SELECT 1",
                "UPDATE t SET a = 1 WHERE CURRENT OF c",
                "WITH x AS (DELETE FROM s RETURNING a) UPDATE t SET a = 1",
                "COPY t FROM STDIN",
                "EXPLAIN ANALYZE DELETE FROM t",
                "UPDATE t",
                "DELETE t",
                "INSERT INTO t",
            })
    void admitsThatItCannotTell(String sql) {
        assertEquals(Optional.empty(), statement(sql).matching());
    }

    @Test
    void leavesWhatFollowsAComment() {
        assertEquals(
                "SELECT count(*) FROM t WHERE EXISTS (SELECT FROM s WHERE a -- here\n= b\n)",
                statement("DELETE FROM t USING s WHERE a -- here\n= b -- there")
                        .matching()
                        .orElseThrow());
    }

    @Test
    void whatAwsGrantsIsACallToPostgres() {
        Statement grant = statement("aws iam grant \"My role\" to 'arn:aws:iam::123456789012:role/o''neil'");
        assertEquals("AWS IAM GRANT", grant.iamGrant().orElseThrow());
        assertEquals("CALL sys.iam_grant('My role', 'arn:aws:iam::123456789012:role/o''neil')", grant.rewritten());
        Statement revoke = statement("AWS IAM REVOKE Reader FROM 'arn'");
        assertEquals("AWS IAM REVOKE", revoke.iamGrant().orElseThrow());
        assertEquals("CALL sys.iam_revoke('reader', 'arn')", revoke.rewritten());
        for (String malformed : List.of(
                "AWS IAM GRANT r",
                "AWS IAM GRANT r FROM 'arn'",
                "AWS IAM GRANT r TO arn",
                "AWS IAM GRANT r TO 'a' x")) {
            assertEquals(malformed, statement(malformed).rewritten());
            assertTrue(statement(malformed).iamGrant().isEmpty(), malformed);
        }
        assertTrue(statement("GRANT r TO s").iamGrant().isEmpty());
    }

    private static Statement statement(String sql) {
        return Script.of(sql).get(0);
    }
}
