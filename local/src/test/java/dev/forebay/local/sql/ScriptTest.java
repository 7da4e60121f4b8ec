// SPDX-License-Identifier: Apache-2.0
package dev.forebay.local.sql;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTimeout;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ScriptTest {

    @Test
    void splitsAtSemicolonsAndKeepsTheTexts() {
        assertEquals(
                List.of("SELECT 1", " /* two */ SELECT 2 ", "\nSELECT 3"),
                texts("SELECT 1; /* two */ SELECT 2 ;\nSELECT 3;"));
    }

    @Test
    void leavesEmptyStatementsOutButOne() {
        assertEquals(List.of("SELECT 1", " SELECT 2"), texts(";;SELECT 1;; ; SELECT 2;-- end\n"));
        assertEquals(
                List.of(Kind.EMPTY), Script.of("").stream().map(Statement::kind).toList());
        assertEquals(
                List.of(Kind.EMPTY),
                Script.of(" ; /* ; */ ; -- ;").stream().map(Statement::kind).toList());
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "SELECT ';'",
                "SELECT 'it''s ; here'",
                "SELECT E'\\';'",
                "SELECT E'a''\\';'",
                "SELECT e'a\\\\' -- ;",
                "SELECT E'a'\n'\\';'",
                "SELECT U&'d\\0061t;'",
                "SELECT 'back\\' -- ; the backslash means nothing here",
                "SELECT \"a;\"\"b;\"",
                "SELECT U&\";\"",
                "SELECT $$;$$",
                "SELECT $a$ ; $$ ; $b$ ; $a$",
                "SELECT 1 -- ;\n",
                "SELECT /* ; /* ; */ ; */ 1",
                "SELECT a$b$c -- ;\n, d$b$",
                "CREATE RULE r AS ON INSERT TO t DO (DELETE FROM a; DELETE FROM b)",
                "CREATE FUNCTION f() RETURNS int BEGIN ATOMIC SELECT CASE WHEN true THEN 1 END; SELECT 2; END",
                "CREATE OR REPLACE FUNCTION f() RETURNS int LANGUAGE sql BEGIN ATOMIC SELECT 1; END",
            })
    void doesNotSplitWithin(String sql) {
        assertEquals(List.of(sql), texts(sql));
        assertEquals(List.of(sql + "\n", " SELECT 2"), texts(sql + "\n; SELECT 2"));
    }

    @Test
    void splitsWhereOnlyTheLooksSayOtherwise() {
        assertEquals(List.of("BEGIN", " SELECT 1", " END"), texts("BEGIN; SELECT 1; END"));
        assertEquals(List.of("SELECT a$1", " SELECT $1", "x$"), texts("SELECT a$1; SELECT $1;x$"));
        assertEquals(List.of("SELECT 'a\\'", " SELECT 'b'"), texts("SELECT 'a\\'; SELECT 'b'"));
        assertEquals(List.of("SELECT 1)", " SELECT 2"), texts("SELECT 1); SELECT 2"));
    }

    /** The text between the statements is blank; with theirs it is the string. */
    @Test
    void losesNothingOfRandomStrings() {
        String[] pieces = {
            "SELECT",
            " ",
            ";",
            "'",
            "''",
            "\"",
            "$$",
            "$a$",
            "$1",
            "--",
            "\n",
            "/*",
            "*/",
            "(",
            ")",
            "[",
            "]",
            "E'",
            "U&'",
            "\\",
            "x",
            "BEGIN ATOMIC",
            "END",
            "CASE",
            "CREATE FUNCTION",
            "WITH",
            "AS",
            "INSERT INTO t",
            "EXPLAIN",
            "ANALYZE",
            "COPY",
            "FROM",
            "::",
            "CAST",
            "point",
            ".",
            ",",
            "FOR UPDATE",
            "1e+5",
            "0x1F",
            "ü",
            "\u0000",
            "\ud800",
            "ALTER TABLE",
            "ADD",
            "CREATE TABLE t (a int",
            "CREATE INDEX",
            "ON",
            "SET",
            "=",
            "ROLLBACK TO",
            "GRANT",
            "PRIMARY KEY",
            "int[]",
            "GENERATED",
            "IDENTITY",
            "DROP",
            "RENAME"
        };
        Random random = new Random(20260915);
        for (int round = 0; round < 20_000; round++) {
            StringBuilder sql = new StringBuilder();
            for (int length = random.nextInt(30); length > 0; length--) {
                sql.append(pieces[random.nextInt(pieces.length)]).append(random.nextInt(4) == 0 ? " " : "");
            }
            check(sql.toString());
        }
    }

    private static void check(String sql) {
        int at = 0;
        for (Statement statement : Script.of(sql)) {
            int found = sql.indexOf(statement.text(), at);
            assertTrue(found >= 0, sql);
            assertEquals(
                    0,
                    sql.substring(at, found)
                            .replace(";", "")
                            .replaceAll("(?s)/\\*.*\\*/|--[^\\n\\r]*|\\s", "")
                            .length(),
                    sql);
            at = found + statement.text().length();
            use(statement);
        }
    }

    private static void use(Statement statement) {
        statement.rewritten();
        statement.matching();
        statement.command();
        Profile.SEPTEMBER_2026.judge(statement);
    }

    /** A deep or endless string takes time in proportion to its length, and no stack. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "(",
                ")",
                "[",
                "'",
                "\"",
                "$",
                "$a",
                "$a$",
                "/*",
                "*/",
                "--",
                ";",
                "a",
                "1",
                ".",
                "WITH a AS (",
                "WITH a AS (SELECT 1),",
                "CAST(",
                "AS ",
                "COPY (",
                "COPY a ",
                "WITH COPY ",
                "EXPLAIN ",
                "FOR ",
                "FOR UPDATE OF a,",
                "path(a,",
                "SELECT path(path,",
                "E'a'\n",
                "'a'\n",
                "UPDATE t SET a = (",
                "INSERT INTO t (",
                "ALTER TABLE t ADD a int,",
                "CREATE TABLE t (a int,",
                "NOT ",
                "ON ",
                "FROM ",
                "IS DISTINCT FROM ",
                "CREATE INDEX ON t (a,",
                "::",
                "::point[",
                "BEGIN ATOMIC ",
                "CASE ",
                "DROP a.",
                "SET a.",
                "TABLE t(a ",
            })
    void takesLinearTimeForHostileStrings(String piece) {
        for (String start : List.of("", "SELECT ", "WITH ")) {
            String sql = start + piece.repeat((512 << 10) / piece.length());
            assertTimeout(
                    Duration.ofSeconds(10),
                    () -> Script.of(sql).stream().limit(10).forEach(ScriptTest::use),
                    start + piece);
        }
    }

    private static List<String> texts(String sql) {
        return Script.of(sql).stream().map(Statement::text).toList();
    }
}
