// SPDX-License-Identifier: Apache-2.0
package dev.forebay.console.admin;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.forebay.registry.DatabaseType;
import dev.forebay.registry.jdbc.JdbcRegistry;
import java.io.ByteArrayInputStream;
import java.io.InputStreamReader;
import java.io.Reader;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.TreeSet;
import org.h2.tools.Csv;
import org.h2.util.Utils;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What questions see, and what they cannot reach. */
@Timeout(120)
final class SystemViewsTest {

    private JdbcRegistry registry;
    private SystemViews views;
    private ViewReader reader;

    @BeforeEach
    void open() throws Exception {
        registry = JdbcRegistry.builder().build();
        registry.register(TestPort.server("legacy_pg", DatabaseType.POSTGRESQL, "db.example.com"));
        views = new SystemViews(registry);
        reader = new ViewReader(views, "admin", 1, Instant.EPOCH, new SessionSettings("admin"));
    }

    @AfterEach
    void close() throws Exception {
        reader.close();
        views.close();
        registry.close();
    }

    private Answer ask(String sql) throws SQLException {
        try (ViewReader.Prepared prepared = reader.prepare(sql)) {
            return prepared.run(List.of());
        }
    }

    private String refused(String sql) {
        return assertThrows(SQLException.class, () -> ask(sql), sql).getSQLState();
    }

    // ---- what they see

    @Test
    void theViewsHaveTheColumnsThatWereAskedFor() throws Exception {
        assertEquals(
                "[server_name, db_type, healthy, total_conns, active, idle, waiting, acquires, timeouts, avg_acquire_time_ms]",
                names("remote_pool_stats"));
        assertEquals(
                "[server_name, local_user, total_connections, active_connections, idle_connections, waiting_requests,"
                        + " total_acquires, total_releases, connections_created, connections_destroyed, acquire_timeouts,"
                        + " validation_failures, avg_connection_lifetime_sec, avg_acquire_wait_ms]",
                names("remote_user_pool_stats"));
        assertEquals(
                "[server_name, local_user, connection_id, state, created_at, last_used, last_validated, use_count, query_count,"
                        + " held_ms]",
                names("remote_connections"));
        assertEquals(
                "[server_name, is_healthy, last_check, consecutive_failures, error_message]",
                names("remote_server_status"));
    }

    private String names(String view) throws SQLException {
        return ask("SELECT * FROM sys." + view).columns().stream()
                .map(Answer.Column::name)
                .toList()
                .toString();
    }

    @Test
    void aViewIsAsTheRegistryIsNow() throws Exception {
        assertEquals(1, ask("SELECT * FROM sys.remote_pool_stats").rows().size());
        registry.register(TestPort.server("second", DatabaseType.MYSQL, "h"));
        assertEquals(2, ask("SELECT * FROM sys.remote_pool_stats").rows().size());
        registry.markUnhealthy("second", "by hand");
        assertEquals(
                List.of(List.of("second", false, "by hand")),
                ask("SELECT server_name, is_healthy, error_message FROM sys.remote_server_status WHERE NOT is_healthy")
                        .rows());
    }

    @Test
    void optionsAreShownWithoutWhatMayBeSecret() throws Exception {
        String options = String.valueOf(
                ask("SELECT options FROM sys.foreign_servers").rows().get(0).get(0));

        assertTrue(options.contains("host=db.example.com"), options);
        assertTrue(options.contains("driver.sslpassword=****"), options);
        assertTrue(options.contains("ssl_key=****"), options);
        assertFalse(options.contains(TestPort.SECRET), options);
    }

    @Test
    void aQuestionThatIsNestedTooDeeplyIsRefusedAndTheNextIsAnswered() throws Exception {
        assertEquals("54001", refused("SELECT " + "(".repeat(50_000) + "1" + ")".repeat(50_000)));
        assertEquals(List.of(List.of(1)), ask("SELECT 1").rows());
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "SELECT a FROM (SELECT server_name FROM sys.foreign_servers) x(a)",
                "SELECT a FROM (VALUES ('legacy_pg')) AS x(a)",
                "SELECT y.a FROM sys.foreign_servers JOIN (VALUES ('legacy_pg')) y(a) ON TRUE",
                "SELECT y.a FROM sys.foreign_servers, ((VALUES ('legacy_pg'))) y(a)",
                "WITH x(a) AS (SELECT server_name FROM sys.foreign_servers) SELECT a FROM x",
                "SELECT DISTINCT ON (server_name) upper(lower('legacy_pg')) AS x FROM sys.foreign_servers"
            })
    void anAliasMayNameItsColumns(String sql) throws Exception {
        assertEquals(1, ask(sql).rows().size());
        assertEquals("legacy_pg", String.valueOf(ask(sql).rows().get(0).get(0)).toLowerCase(Locale.ROOT));
    }

    @Test
    void aStatementSeesAViewOnceHoweverOftenItNamesIt() throws Exception {
        Question question =
                new Question(registry, "admin", 1, Instant.EPOCH, new SessionSettings("admin"), Duration.ofSeconds(30));
        List<List<Object>> before = question.rows(View.FOREIGN_SERVERS);
        registry.register(TestPort.server("second", DatabaseType.MYSQL, "h"));

        assertEquals(before, question.rows(View.FOREIGN_SERVERS));
    }

    @Test
    void severalLiveInOneProgramme() throws Exception {
        try (JdbcRegistry other = JdbcRegistry.builder().build();
                SystemViews second = new SystemViews(other);
                ViewReader there = new ViewReader(second, "admin", 1, Instant.EPOCH, new SessionSettings("admin"));
                ViewReader.Prepared prepared = there.prepare("SELECT * FROM sys.foreign_servers")) {
            assertEquals(0, prepared.run(List.of()).rows().size());
            assertEquals(1, ask("SELECT * FROM sys.foreign_servers").rows().size());
        }
    }

    // ---- what they cannot reach

    @ParameterizedTest
    @ValueSource(
            strings = {
                "SELECT * FROM CSVREAD('/etc/passwd')",
                "SELECT FILE_READ('/etc/passwd')",
                "SELECT FILE_WRITE('x', '/tmp/never-written')",
                "SELECT DISTINCT ON (1) FILE_READ('/etc/passwd')",
                "SELECT DISTINCT ON (1) H2VERSION()",
                "SELECT DISTINCT ON ((1), (2)) SPACE(1000000)",
                "SELECT * FROM (SELECT DISTINCT ON (1) DATABASE_PATH() AS x) AS y",
                "SELECT * FROM dual",
                "SELECT \"FILE_READ\"('/etc/passwd')",
                "SELECT \"file_read\"('/etc/passwd')",
                "SELECT `FILE_READ`('/etc/passwd')",
                "SELECT [FILE_READ]('/etc/passwd')",
                "SELECT $$'$$, FILE_READ('/etc/passwd'), $$'$$",
                "SELECT U&'\\0027', FILE_READ('/etc/passwd')",
                "SELECT U&\"file_read\"('/etc/passwd')",
                "SELECT E'\\', FILE_READ(chr(47)), '",
                "SELECT 1 // ' \n , FILE_READ('/etc/passwd')",
                "SELECT /* ' */ FILE_READ/**/('/etc/passwd')",
                "SELECT LINK_SCHEMA('a', '', 'jdbc:h2:mem:x', 'sa', '', 'PUBLIC')",
                "SELECT sys.FILE_READ('/etc/passwd')",
                "SELECT pg_catalog.FILE_READ('/etc/passwd')",
                "SELECT public.FILE_READ('/etc/passwd')",
                "SELECT * FROM internal.view_of('FOREIGN_SERVERS')",
                "SELECT * FROM internal.settings()",
                "SELECT * FROM information_schema.sessions",
                "SELECT * FROM information_schema.settings",
                "SELECT * FROM \"information_schema\".\"settings\"",
                "SELECT * FROM INFORMATION_SCHEMA.USERS",
                "SELECT * FROM SYSTEM_RANGE(1, 1000000000)",
                "SELECT DATABASE_PATH()",
                "SELECT MEMORY_FREE()",
                "SELECT ABORT_SESSION(1)",
                "SELECT SESSION_ID()",
                "SELECT RANDOM_UUID()",
                "SELECT REPEAT('x', 1000000000)",
                "SELECT SPACE(1000000000)",
                "SELECT REPLACE(REPLACE(REPLACE('aaaaaaaaaa','a','bbbbbbbbbb'),'b',sys.x),'b','')",
                "SELECT * FROM FINAL TABLE (DELETE FROM pg.pg_class)",
                "SELECT * FROM TABLE(a INT = (1, 2))",
                "WITH x AS (SELECT 1) DELETE FROM pg.pg_class",
                "WITH RECURSIVE t(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM t) SELECT count(*) FROM t",
                "SELECT * FROM pg.pg_class FOR UPDATE",
                "SELECT @x := 5",
                "SELECT CAST(X'aced0005' AS JAVA_OBJECT)",
                "EXPLAIN ANALYZE DELETE FROM pg.pg_class",
                "CREATE ALIAS x AS 'int x() { return 1; }'",
                "CREATE TABLE sys.x (a int)",
                "INSERT INTO pg.pg_class (oid) VALUES (1)",
                "DROP ALL OBJECTS",
                "SCRIPT TO '/tmp/never-written'",
                "RUNSCRIPT FROM '/etc/passwd'",
                "BACKUP TO '/tmp/never-written'",
                "SHUTDOWN",
                "CALL FILE_READ('/etc/passwd')",
                "SELECT 1; SHUTDOWN"
            })
    void aQuestionReachesNothingElse(String sql) throws Exception {
        String state = refused(sql);

        assertTrue(
                Set.of("42601", "42883", "42P01", "0A000", "42501", "3F000", "42703", "42704")
                        .contains(state),
                state);
        assertEquals(1, ask("SELECT * FROM sys.foreign_servers").rows().size());
    }

    @Test
    void noFunctionOfH2sCanBeCalledThatIsNotOnTheList() throws Exception {
        Set<String> allowed = new TreeSet<>(Set.of(ViewSql.FUNCTIONS.toArray(String[]::new)));
        allowed.addAll(ViewSql.GRAMMAR);
        allowed.addAll(ViewSql.TYPES);
        allowed.addAll(SystemFunctions.NAMES);
        int tried = 0;
        for (String name : h2Functions()) {
            if (!allowed.contains(name)) {
                tried++;
                for (String arguments : List.of("()", "('/etc/passwd')", "(1, 2)")) {
                    assertTrue(Set.of("42883", "0A000").contains(refused("SELECT " + name + arguments)), name);
                    assertTrue(Set.of("42883", "0A000").contains(refused("SELECT * FROM " + name + arguments)), name);
                }
            }
        }
        assertTrue(tried > 150, "only " + tried);
        for (String dangerous : List.of(
                "file_read",
                "file_write",
                "csvread",
                "csvwrite",
                "link_schema",
                "abort_session",
                "cancel_session",
                "database_path",
                "memory_used",
                "lock_mode",
                "data_type_sql",
                "session_id",
                "truncate_value",
                "set",
                "sleep",
                "repeat",
                "space",
                "lpad",
                "rpad",
                "xmltext",
                "encrypt",
                "compress",
                "table",
                "system_range")) {
            assertFalse(allowed.contains(dangerous), dangerous);
        }
    }

    /** The names in H2's own help. */
    private static Set<String> h2Functions() throws Exception {
        Set<String> names = new TreeSet<>();
        Csv csv = new Csv();
        csv.setLineCommentCharacter('#');
        try (Reader in = new InputStreamReader(
                        new ByteArrayInputStream(Utils.getResource("/org/h2/res/help.csv")), StandardCharsets.UTF_8);
                ResultSet help = csv.read(in, null)) {
            while (help.next()) {
                if (help.getString(1).matches("(?s)(Functions|Aggregate Functions|Window Functions).*")) {
                    for (String name : help.getString(2).split("[ ,]+")) {
                        if (name.matches("[A-Z][A-Z0-9_]+")) {
                            names.add(name.toLowerCase(java.util.Locale.ROOT));
                        }
                    }
                }
            }
        }
        return names;
    }

    @Test
    void theUserWhoAsksCouldDoNothingElseEither() throws Exception {
        try (Connection connection = views.open();
                Statement statement = connection.createStatement()) {
            List<String> done = new ArrayList<>();
            for (String sql : List.of(
                    "SELECT FILE_READ('/etc/passwd')",
                    "SELECT * FROM CSVREAD('/etc/passwd')",
                    "DELETE FROM pg.pg_class",
                    "CREATE TABLE sys.x (a INT)",
                    "CREATE ALIAS x AS 'int x() { return 1; }'",
                    "DROP VIEW pg.pg_roles",
                    "SHUTDOWN",
                    "SCRIPT",
                    "CREATE USER eve PASSWORD 'x' ADMIN",
                    "SET MODE REGULAR")) {
                try {
                    statement.execute(sql);
                    done.add(sql);
                } catch (SQLException e) {
                    assertTrue(Set.of(90040, 90096, 90022, 42102).contains(e.getErrorCode()), sql + e.getMessage());
                }
            }
            assertEquals(List.of(), done);
        }
    }

    // ---- what they cost

    @Test
    void aThousandServersCanBeJoined() throws Exception {
        for (int i = 0; i < 999; i++) {
            registry.register(TestPort.server("s" + i, DatabaseType.POSTGRESQL, "h"));
        }
        assertEquals(
                1000,
                ask("SELECT a.server_name, b.host FROM sys.remote_pool_stats a JOIN sys.foreign_servers b USING (server_name)")
                        .rows()
                        .size());
    }

    @Test
    void aStatementThatNeedsTooMuchMemoryIsEnded() throws Exception {
        for (int i = 0; i < 300; i++) {
            registry.register(TestPort.server("s" + i, DatabaseType.POSTGRESQL, "h"));
        }
        String view = "sys.foreign_servers";

        assertEquals(
                "53200",
                refused("SELECT a.options || b.options || c.server_name FROM " + view + " a, " + view + " b, " + view
                        + " c, " + view + " d ORDER BY 1"));
        assertEquals(301, ask("SELECT * FROM " + view).rows().size());
    }

    @Test
    void aStatementThatTakesTooLongIsEnded() throws Exception {
        SessionSettings settings = new SessionSettings("admin");
        settings.set("statement_timeout", "1s");
        for (int i = 0; i < 100; i++) {
            registry.register(TestPort.server("s" + i, DatabaseType.POSTGRESQL, "h"));
        }
        try (ViewReader hurried = new ViewReader(views, "admin", 1, Instant.EPOCH, settings);
                ViewReader.Prepared prepared = hurried.prepare("SELECT count(*) FROM foreign_servers a,"
                        + " foreign_servers b, foreign_servers c, foreign_servers d, foreign_servers e")) {
            SQLException ended = assertThrows(SQLException.class, () -> prepared.run(List.of()));
            assertTrue(Set.of("57014", "53200").contains(ended.getSQLState()), ended.toString());
        }
    }
}
