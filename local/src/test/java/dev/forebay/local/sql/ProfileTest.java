// SPDX-License-Identifier: Apache-2.0
package dev.forebay.local.sql;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class ProfileTest {

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "truncate a, b | unsupported statement: Truncate",
                "CREATE EXTENSION x | unsupported statement: CreateExtension",
                "CREATE DATABASE d | unsupported statement: Createdb",
                "CREATE TABLESPACE s LOCATION '/x' | unsupported statement: CreateTableSpace",
                "CREATE FOREIGN TABLE f (a int) SERVER s | unsupported statement: CreateForeignTable",
                "CREATE FOREIGN DATA WRAPPER w | unsupported statement: CreateFdw",
                "CREATE SERVER s FOREIGN DATA WRAPPER w | unsupported statement: CreateForeignServer",
                "CREATE USER MAPPING FOR u SERVER s | unsupported statement: CreateUserMapping",
                "CREATE MATERIALIZED VIEW v AS SELECT 1 | unsupported statement: CreateTableAs",
                "CREATE OR REPLACE RULE r AS ON INSERT TO t DO NOTHING | unsupported statement: Rule",
                "CREATE POLICY p ON t | unsupported statement: CreatePolicy",
                "CREATE PUBLICATION p | unsupported statement: CreatePublication",
                "CREATE EVENT TRIGGER e ON ddl_command_start EXECUTE FUNCTION f() | unsupported statement: CreateEventTrig",
                "CREATE AGGREGATE a (int) (sfunc = f, stype = int) | unsupported statement: Define",
                "CREATE OPERATOR === (leftarg = int) | unsupported statement: Define",
                "CREATE OPERATOR CLASS c FOR TYPE int USING btree AS STORAGE int | unsupported statement: CreateOpClass",
                "CREATE TEXT SEARCH CONFIGURATION c (copy = simple) | unsupported statement: Define",
                "CREATE OR REPLACE TRIGGER t AFTER INSERT ON x EXECUTE FUNCTION f() | CREATE TRIGGER not supported",
                "CREATE CONSTRAINT TRIGGER t AFTER INSERT ON x FOR EACH ROW EXECUTE FUNCTION f() | CREATE TRIGGER not supported",
                "CREATE PROCEDURE p() LANGUAGE sql AS 'SELECT 1' | PROCEDURE is not supported",
                "CREATE TYPE m AS ENUM ('a') | CREATE TYPE not supported",
                "CREATE TYPE m AS (a int) | unsupported statement: CompositeType",
                "CREATE TYPE s.m AS RANGE (subtype = int) | unsupported statement: CreateRange",
                "CREATE OR REPLACE FUNCTION f() RETURNS int AS $$ language sql $$ LANGUAGE plpgsql | CREATE FUNCTION with language plpgsql not supported",
                "CREATE FUNCTION f() RETURNS int LANGUAGE 'c' AS 'x' | CREATE FUNCTION with language c not supported",
                "CREATE TEMP TABLE t (a int) | TEMPORARY or TEMP table not supported for CREATE TABLE",
                "CREATE LOCAL TEMPORARY TABLE t AS SELECT 1 | TEMPORARY or TEMP table not supported for CREATE TABLE",
                "CREATE UNLOGGED TABLE IF NOT EXISTS t (a int) | UNLOGGED table not supported for CREATE TABLE",
                "CREATE TABLE t AS SELECT 1 | unsupported statement: CreateTableAs",
                "CREATE TABLE t (a, b) AS SELECT 1, 2 | unsupported statement: CreateTableAs",
                "CREATE TABLE t (a int) PARTITION BY RANGE (a) | PARTITION BY clause not supported for CREATE TABLE",
                "CREATE TABLE t PARTITION OF s DEFAULT | PARTITION OF clause not supported for CREATE TABLE",
                "CREATE TABLE t (a int) INHERITS (s) | INHERITS clause not supported for CREATE TABLE",
                "CREATE TABLE t (a int) TABLESPACE s | TABLESPACE clause not supported for CREATE TABLE",
                "CREATE TABLE t (a text COLLATE \"C\") | COLLATE clause not supported",
                "CREATE TABLE t (a int, EXCLUDE USING gist (a WITH =)) | EXCLUDE constraint not supported",
                "ALTER SYSTEM SET a = 1 | unsupported statement: AlterSystem",
                "ALTER DATABASE d SET a = 1 | unsupported statement: AlterDatabase",
                "ALTER TYPE t ADD VALUE 'x' | ALTER TYPE not supported",
                "ALTER TYPE t RENAME TO u | unsupported object in RENAME statement",
                "ALTER TYPE t RENAME VALUE 'a' TO 'b' | ALTER TYPE not supported",
                "ALTER TRIGGER t ON x RENAME TO y | unsupported object in RENAME statement",
                "DROP TYPE t | unsupported object in DROP statement",
                "DROP MATERIALIZED VIEW IF EXISTS v | unsupported object in DROP statement",
                "DROP TRIGGER t ON x | unsupported object in DROP statement",
                "DROP DATABASE d | unsupported statement: Dropdb",
                "DROP USER MAPPING FOR u SERVER s | unsupported statement: DropUserMapping",
                "DROP INDEX CONCURRENTLY i | DROP INDEX CONCURRENTLY must be first action in transaction",
                "VACUUM | unsupported VACUUM statement",
                "VACUUM (ANALYZE) t | unsupported VACUUM statement",
                "LISTEN c | unsupported statement: Listen",
                "NOTIFY c, 'x' | unsupported statement: Notify",
                "UNLISTEN * | unsupported statement: Unlisten",
                "DISCARD ALL | unsupported statement: Discard",
                "PREPARE p AS SELECT 1 | unsupported statement: Prepare",
                "EXPLAIN EXECUTE p | unsupported statement: Execute",
                "DECLARE c CURSOR FOR SELECT 1 | unsupported statement: DeclareCursor",
                "LOCK TABLE t | unsupported statement: Lock",
                "DO $$ BEGIN END $$ | unsupported statement: Do",
                "MERGE INTO t USING s ON true WHEN MATCHED THEN DELETE | unsupported statement type: MERGE",
                "SAVEPOINT s | unsupported transaction statement: SAVEPOINT",
                "RELEASE s | unsupported transaction statement: RELEASE",
                "ROLLBACK TO s | unsupported transaction statement: ROLLBACK TO",
                "PREPARE TRANSACTION 'x' | unsupported transaction statement: PREPARE TRANSACTION",
                "COMMIT AND CHAIN | unsupported transaction statement: COMMIT AND CHAIN",
                "BEGIN ISOLATION LEVEL SERIALIZABLE | Unsupported isolation level: SERIALIZABLE",
                "START TRANSACTION READ ONLY, ISOLATION LEVEL READ COMMITTED | Unsupported isolation level: READ COMMITTED",
                "SET TRANSACTION READ ONLY, ISOLATION LEVEL SERIALIZABLE | Unsupported isolation level: SERIALIZABLE",
                "SET TRANSACTION ISOLATION LEVEL REPEATABLE READ | setting configuration parameter \"TRANSACTION\" not supported",
                "SET SESSION CHARACTERISTICS AS TRANSACTION READ ONLY | setting configuration parameter \"SESSION CHARACTERISTICS\" not supported",
                "SET statement_timeout = 0 | setting configuration parameter \"statement_timeout\" not supported",
                "SET LOCAL Lock_Timeout TO '1s' | setting configuration parameter \"lock_timeout\" not supported",
                "SET ROLE r | setting configuration parameter \"role\" not supported",
                "SET SESSION AUTHORIZATION r | setting configuration parameter \"session_authorization\" not supported",
                "SET my.own = 1 | setting configuration parameter \"my.own\" not supported",
                "SELECT set_config('my.own', '1', true) | setting configuration parameter \"my.own\" not supported",
                "GRANT USAGE ON SCHEMA a, public TO r | feature not supported on system entity",
                "REVOKE ALL ON SCHEMA public FROM PUBLIC | feature not supported on system entity",
                "ALTER ROLE admin PASSWORD 'x' | feature not supported on system entity",
                "ALTER USER \"admin\" SET lock_timeout = 0 | feature not supported on system entity",
                "ALTER ROLE CURRENT_USER RENAME TO boss | feature not supported on system entity",
                "GRANT CONNECT ON DATABASE d TO r | unsupported object type in GRANT",
                "ALTER DOMAIN d ADD CHECK (value > 0) | unsupported ALTER DOMAIN statement",
                "SELECT * FROM t FOR SHARE | locking clauses other than FOR UPDATE/FOR KEY SHARE are not supported",
                "SELECT * FROM (SELECT * FROM t FOR NO KEY UPDATE) x | locking clauses other than FOR UPDATE/FOR KEY SHARE are not supported",
                "SELECT * FROM t TABLESAMPLE BERNOULLI (1) | TABLESAMPLE clause not supported",
                "SELECT a INTO b FROM c | unsupported statement: CreateTableAs",
                "SELECT pg_backend_pid() | function pg_backend_pid not supported",
                "SELECT pg_catalog.pg_try_advisory_xact_lock(1) | function pg_try_advisory_xact_lock not supported",
            })
    void refusesStatements(String sql, String message) {
        assertEquals(Optional.of(SqlRefusal.unsupported(message)), judge(sql).refusal());
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "money | 0A000 datatype money not supported",
                "MONEY NOT NULL | 0A000 datatype money not supported",
                "pg_catalog.money | 0A000 datatype money not supported",
                "bit(8) | 0A000 datatype bit not supported",
                "bit varying(8) | 0A000 datatype bit varying not supported",
                "inet | 0A000 datatype inet not supported",
                "tsvector | 0A000 datatype tsvector not supported",
                "tstzmultirange | 0A000 datatype tstzmultirange not supported",
                "text[] | 0A000 datatype text[] not supported",
                "int[3][] | 0A000 datatype integer[] not supported",
                "varchar(10) ARRAY | 0A000 datatype character varying[] not supported",
                "timestamp(3) with time zone ARRAY[2] | 0A000 datatype timestamp with time zone[] not supported",
                "double precision[] | 0A000 datatype double precision[] not supported",
                "serial | 42704 type \"serial\" does not exist",
                "BIGSERIAL PRIMARY KEY | 42704 type \"bigserial\" does not exist",
            })
    void refusesTypesOfColumns(String type, String expected) {
        assertEquals(expected, refused("CREATE TABLE t (id int PRIMARY KEY, v " + type + ", w text)"));
        if (!type.contains("NOT NULL") && !type.contains("PRIMARY")) {
            assertEquals(expected, refused("ALTER TABLE t ADD COLUMN v " + type));
            assertEquals(expected, refused("CREATE DOMAIN d AS " + type));
        }
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "SELECT line('{1,2,3}') | line",
                "SELECT a, circle('x'::text) FROM t | circle",
                "SELECT '(1,2)'::point | point",
                "SELECT CAST('1' AS money) | money",
                "SELECT box '((0,0),(1,1))' | box",
                "SELECT 1 WHERE pg_catalog.point(1, 2) <@ x | point",
                "UPDATE t SET a = path('x') WHERE b | path",
                "INSERT INTO t VALUES ('1'::pg_catalog.xml) | xml",
            })
    void refusesTypesOfExpressions(String sql, String type) {
        assertEquals("0A000 datatype " + type + " not supported", refused(sql));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "ADD COLUMN a int DEFAULT 0 | ALTER TABLE ADD COLUMN with constraint not supported",
                "ADD a int NOT NULL | ALTER TABLE ADD COLUMN with constraint not supported",
                "ADD COLUMN IF NOT EXISTS a int CONSTRAINT c CHECK (a > 0) | ALTER TABLE ADD COLUMN with constraint not supported",
                "ADD COLUMN a bigint GENERATED ALWAYS AS IDENTITY (CACHE 1) | ALTER TABLE ADD COLUMN with constraint not supported",
                "ADD COLUMN a int REFERENCES b | ALTER TABLE ADD COLUMN with constraint not supported",
                "ADD COLUMN ok int, ADD COLUMN a int UNIQUE | ALTER TABLE ADD COLUMN with constraint not supported",
                "ADD COLUMN a text COLLATE \"C\" | COLLATE clause not supported",
                "ADD CONSTRAINT c CHECK (a IS NOT NULL) | unsupported ALTER TABLE ADD CONSTRAINT statement",
                "ADD CHECK (a > 0) | unsupported ALTER TABLE ADD CONSTRAINT statement",
                "ADD FOREIGN KEY (a) REFERENCES b (c) ON DELETE SET NULL | unsupported ALTER TABLE ADD CONSTRAINT statement",
                "ADD CONSTRAINT c UNIQUE (a) | unsupported ALTER TABLE ADD CONSTRAINT statement",
                "ADD PRIMARY KEY (a) | unsupported ALTER TABLE ADD CONSTRAINT statement",
                "ADD CONSTRAINT c PRIMARY KEY USING INDEX i | unsupported ALTER TABLE ADD CONSTRAINT statement",
                "VALIDATE CONSTRAINT c | unsupported ALTER TABLE VALIDATE CONSTRAINT statement",
                "ALTER COLUMN a TYPE text | unsupported ALTER TABLE ALTER COLUMN ... SET DATA TYPE statement",
                "ALTER a SET DATA TYPE text USING a::text | unsupported ALTER TABLE ALTER COLUMN ... SET DATA TYPE statement",
                "ALTER a SET NOT NULL | unsupported ALTER TABLE ALTER COLUMN ... SET NOT NULL statement",
                "ALTER a SET STATISTICS 10 | unsupported ALTER TABLE ALTER COLUMN ... SET STATISTICS statement",
                "ALTER a SET COMPRESSION lz4 | unsupported ALTER TABLE ALTER COLUMN ... SET COMPRESSION statement",
                "ALTER a SET (n_distinct = 1) | unsupported ALTER TABLE ALTER COLUMN ... SET statement",
                "ENABLE ROW LEVEL SECURITY | unsupported ALTER TABLE ENABLE ROW SECURITY statement",
                "DISABLE TRIGGER ALL | unsupported ALTER TABLE DISABLE TRIGGER ALL statement",
                "SET (fillfactor = 70) | unsupported ALTER TABLE SET statement",
                "SET UNLOGGED | unsupported ALTER TABLE SET UNLOGGED statement",
                "ATTACH PARTITION p DEFAULT | unsupported ALTER TABLE ATTACH PARTITION statement",
                "REPLICA IDENTITY FULL | unsupported ALTER TABLE REPLICA IDENTITY statement",
            })
    void refusesChangesOfTables(String action, String message) {
        assertEquals("0A000 " + message, refused("ALTER TABLE IF EXISTS ONLY s.t " + action));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "CREATE INDEX i ON t (a) | 0A000 unsupported mode. please use CREATE INDEX ASYNC.",
                "CREATE UNIQUE INDEX ON t (a) WHERE b | 0A000 unsupported mode. please use CREATE INDEX ASYNC.",
                "CREATE INDEX CONCURRENTLY i ON t (a) | 0A000 CONCURRENTLY not supported for CREATE INDEX",
                "CREATE INDEX ASYNC i ON t USING btree (a) | 0A000 USING not supported for CREATE INDEX",
                "CREATE INDEX i ON t USING gin (a) | 0A000 USING not supported for CREATE INDEX",
                "CREATE INDEX ASYNC i ON t (a DESC) | 0A000 specifying sort order not supported for index keys",
                "CREATE INDEX ASYNC i ON t (lower(a), b ASC) | 0A000 specifying sort order not supported for index keys",
                "CREATE INDEX ASYNC i ON t (a text_pattern_ops) | 0A000 opclass not supported for index keys",
                "CREATE INDEX ASYNC i ON t (a,b,c,d,e,f,g,h,i) | 54011 more than 8 column keys in an index are not supported",
                "CREATE TABLE t (a int, b int, c int, PRIMARY KEY (a,b,c,d,e,f,g,h,i)) | 54011 more than 8 column keys in an index are not supported",
                "CREATE TABLE t (a bytea PRIMARY KEY) | 0A000 datatype bytea is not supported in a key",
                "CREATE TABLE t (a jsonb, b int, UNIQUE (b, a)) | 0A000 datatype jsonb is not supported in a key",
                "CREATE SEQUENCE s | 0A000 CREATE SEQUENCE is not supported without an explicit cache size. please define CACHE greater than or equal to 65536 or equal to 1",
                "CREATE SEQUENCE IF NOT EXISTS s START 5 CACHE 20 | 0A000 CREATE SEQUENCE is not supported without an explicit cache size. please define CACHE greater than or equal to 65536 or equal to 1",
                "CREATE SEQUENCE s AS int CACHE 1 | 22023 sequence type must be bigint",
                "CREATE TABLE t (a bigint GENERATED ALWAYS AS IDENTITY) | 0A000 identity column is not supported without an explicit cache size. please define CACHE greater than or equal to 65536 or equal to 1",
                "CREATE TABLE t (a int GENERATED BY DEFAULT AS IDENTITY (CACHE 1)) | 0A000 datatype integer not supported, identity column type must be bigint",
                "CREATE TABLE t (a int2 GENERATED ALWAYS AS IDENTITY (CACHE 1)) | 0A000 datatype smallint not supported, identity column type must be bigint",
                "SELECT to_tsvector('english', a) FROM t | 42704 text search configuration \"english\" does not exist",
                "SELECT 1 WHERE a @@ plainto_tsquery('german'::regconfig, 'x') | 42704 text search configuration \"german\" does not exist",
                "COPY t FROM '/etc/passwd' | 42501 permission denied to COPY to or from a file",
                "COPY (SELECT 1) TO PROGRAM 'sh' | 42501 permission denied to COPY to or from an external program",
            })
    void refusesWithItsOwnState(String sql, String expected) {
        assertEquals(expected, refused(sql));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "CREATE TABLE t (a int PRIMARY KEY, b numeric(18, 6) NOT NULL DEFAULT 0 CHECK (b > 0), c double precision, d bytea)",
                "CREATE TABLE IF NOT EXISTS s.t (a character varying(10), b time with time zone, c interval day to second(3), d jsonb)",
                "CREATE TABLE t (a uuid REFERENCES p (id) ON DELETE SET DEFAULT DEFERRABLE, b text STORAGE PLAIN, UNIQUE (a) INCLUDE (b))",
                "CREATE TABLE t (a int, LIKE s INCLUDING ALL, CONSTRAINT c CHECK (a = ANY ('{1}'::int[])))",
                "CREATE TABLE t (a bigint GENERATED BY DEFAULT AS IDENTITY (START WITH 7 CACHE 70000), b int GENERATED ALWAYS AS (a * 2) STORED)",
                "CREATE TABLE money (point text, line int, path_id uuid)",
                "CREATE TABLE t (a my_domain, b s.money)",
                "CREATE DOMAIN d AS text CHECK (VALUE IN ('a'))",
                "CREATE SEQUENCE s AS bigint INCREMENT 2 CACHE 65536",
                "ALTER SEQUENCE s RESTART WITH 3",
                "CREATE FUNCTION f(a int[]) RETURNS int LANGUAGE SQL AS $$ SELECT 1 $$",
                "CREATE FUNCTION f() RETURNS int RETURN 1",
                "CREATE OR REPLACE VIEW v AS SELECT 1",
                "CREATE SCHEMA s",
                "CREATE ROLE r WITH LOGIN",
                "ALTER ROLE r SET search_path = admin",
                "CREATE STATISTICS s ON a, b FROM t",
                "CREATE UNIQUE INDEX ASYNC IF NOT EXISTS i ON t (a NULLS FIRST, lower(b), (c + 1)) INCLUDE (d) NULLS NOT DISTINCT WHERE a > 0",
                "ALTER TABLE t ADD COLUMN a text STORAGE DEFAULT",
                "ALTER TABLE t ADD CONSTRAINT c CHECK (a IS NOT NULL) NOT VALID",
                "ALTER TABLE t ADD CONSTRAINT c FOREIGN KEY (a) REFERENCES b NOT VALID",
                "ALTER TABLE t ADD CONSTRAINT c UNIQUE USING INDEX i",
                "ALTER TABLE ASYNC t VALIDATE CONSTRAINT c",
                "ALTER TABLE t RENAME COLUMN a TO b",
                "ALTER TABLE t RENAME CONSTRAINT a TO b",
                "ALTER TABLE t RENAME TO u",
                "ALTER TABLE t SET SCHEMA s",
                "ALTER TABLE t OWNER TO r",
                "ALTER TABLE t ALTER a SET DEFAULT 1, ALTER b DROP NOT NULL, ALTER c DROP DEFAULT",
                "ALTER TABLE t ALTER COLUMN a ADD GENERATED ALWAYS AS IDENTITY (CACHE 1)",
                "ALTER TABLE t ALTER COLUMN a SET GENERATED ALWAYS SET INCREMENT BY 2 RESTART",
                "ALTER INDEX i RENAME TO j",
                "ALTER VIEW v RENAME TO w",
                "ALTER DOMAIN d SET DEFAULT 'x'",
                "DROP TABLE IF EXISTS t CASCADE",
                "DROP INDEX i",
                "DROP FUNCTION f",
                "DROP ROLE r",
                "GRANT SELECT ON ALL TABLES IN SCHEMA public TO r",
                "GRANT USAGE ON SCHEMA mine TO r",
                "GRANT r TO s",
                "GRANT SELECT ON database TO r",
                "AWS IAM GRANT r TO 'arn:aws:iam::1:role/x'",
                "COMMENT ON TABLE t IS 'x'",
                "ANALYZE t",
                "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY",
                "START TRANSACTION",
                "SET search_path TO a, b",
                "SET LOCAL TIME ZONE 'UTC'",
                "SET NAMES 'UTF8'",
                "SET SESSION \"TimeZone\" = 'UTC'",
                "SET extra_float_digits = 3",
                "SET LOCAL role = r",
                "SET CONSTRAINTS ALL DEFERRED",
                "RESET ALL",
                "SELECT set_config('search_path', '', false)",
                "SELECT * FROM t FOR UPDATE SKIP LOCKED",
                "SELECT * FROM t FOR KEY SHARE",
                "SELECT 'FOR SHARE', \"FOR SHARE\" -- FOR SHARE",
                "SELECT substring(a FROM 2 FOR 3) FROM t",
                "INSERT INTO path (a) SELECT 1",
                "INSERT INTO money VALUES (1)",
                "WITH path (a, b) AS (SELECT 1, 2), line (c) AS MATERIALIZED (SELECT 3) SELECT * FROM path, line",
                "SELECT point FROM t AS path (a) JOIN box ON true",
                "SELECT a AS point, b money FROM t",
                "SELECT s.line(1)",
                "SELECT '127.0.0.1'::inet, '{1}'::int[], int4range(1, 5), string_to_array('a', ',')",
                "SELECT to_tsvector('simple', 'a'), to_tsvector(a), to_tsquery('one')",
                "WITH x AS (DELETE FROM t RETURNING a) INSERT INTO s SELECT * FROM x",
                "INSERT INTO t (a) VALUES (1) ON CONFLICT (a) DO UPDATE SET b = EXCLUDED.b RETURNING *",
                "CALL sys.wait_for_job('x')",
                "EXPLAIN (ANALYZE) SELECT 1",
                "COPY t FROM STDIN",
                "COPY (SELECT * FROM t) TO STDOUT (FORMAT csv)",
                "SHOW ALL",
                "",
            })
    void acceptsWhatIsSupported(String sql) {
        assertEquals(Optional.empty(), judge(sql).refusal());
    }

    @Test
    void asksTheCatalogWhereTheStatementAloneDoesNotTell() {
        Check column = judge("ALTER TABLE s.\"T\" DROP COLUMN IF EXISTS \"I'd\"")
                .checks()
                .get(0);
        assertEquals(SqlRefusal.unsupported("cannot drop primary key column I'd"), column.ifTrue());
        assertTrue(column.sql().contains("to_regclass('s.\"T\"')"), column.sql());
        assertTrue(column.sql().contains("'I''d'"), column.sql());
        assertEquals(
                List.of(SqlRefusal.unsupported("unsupported ALTER TABLE DROP CONSTRAINT statement")),
                judge("ALTER TABLE t DROP CONSTRAINT c").checks().stream()
                        .map(Check::ifTrue)
                        .toList());
        assertEquals(
                List.of("bytea", "json", "jsonb"),
                judge("CREATE INDEX ASYNC ON t (a, lower(b), (c))").checks().stream()
                        .map(check -> check.ifTrue().message().split(" ")[1])
                        .toList());
        assertEquals(List.of(), judge("CREATE INDEX ASYNC ON t (lower(b))").checks());
    }

    @Test
    void judgesTheParametersOfAStart() {
        assertEquals(Optional.empty(), Profile.SEPTEMBER_2026.judgeParameter("TimeZone"));
        assertEquals(
                Optional.of(SqlRefusal.unsupported(
                        "setting configuration parameter \"default_transaction_read_only\" not supported")),
                Profile.SEPTEMBER_2026.judgeParameter("default_transaction_read_only"));
    }

    private static Judgement judge(String sql) {
        return Profile.SEPTEMBER_2026.judge(Script.of(sql).get(0));
    }

    private static String refused(String sql) {
        SqlRefusal refusal = judge(sql).refusal().orElseThrow(() -> new AssertionError("accepted: " + sql));
        return refusal.sqlState() + " " + refusal.message();
    }
}
