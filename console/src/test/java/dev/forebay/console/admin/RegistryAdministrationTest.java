// SPDX-License-Identifier: Apache-2.0
package dev.forebay.console.admin;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.forebay.console.state.Definitions;
import dev.forebay.console.state.KeptMapping;
import dev.forebay.console.state.SecretText;
import dev.forebay.registry.DatabaseType;
import dev.forebay.registry.RegistryException;
import dev.forebay.registry.UserMapping;
import dev.forebay.registry.jdbc.JdbcRegistry;
import java.nio.file.Path;
import java.sql.SQLException;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class RegistryAdministrationTest {

    /** As section 10.2 of the document has it. */
    static final String LEGACY_PG = """
            CREATE SERVER legacy_pg
                FOREIGN DATA WRAPPER postgresql_fdw
                OPTIONS (
                    host 'db.example.com',
                    port '5432',
                    dbname 'production',
                    -- Pool configuration
                    min_connections '2',
                    max_connections '20',
                    connect_timeout '5000',
                    query_timeout '30000',
                    idle_timeout '300000',
                    -- Health check
                    health_check_interval '30000',
                    health_check_query 'SELECT 1',
                    -- Behavior
                    reset_on_release 'true',
                    validate_on_acquire 'false'
                );
            """;

    private static final String SHORT =
            "CREATE SERVER s FOREIGN DATA WRAPPER postgres_fdw OPTIONS (host 'h', dbname 'd', enable_health_check 'false')";

    @TempDir
    Path directory;

    private JdbcRegistry registry;
    private Definitions definitions;
    private RegistryAdministration administration;
    private Instant now = Instant.parse("2026-11-16T10:00:00Z");

    @BeforeEach
    void start() throws Exception {
        registry = JdbcRegistry.builder()
                .drivers(type -> {
                    throw new SQLException("no driver in this test", "08001");
                })
                .allow((host, port) -> !host.equals("forbidden"))
                .build();
        definitions = Definitions.open(directory, Map.of(), registry, (InstantSource) () -> now);
        administration = new RegistryAdministration(registry, definitions);
    }

    @AfterEach
    void end() throws Exception {
        registry.close();
        definitions.close();
    }

    private Answer run(String sql) throws SQLException {
        Answer last = Answer.done("");
        try {
            for (AdminStatement statement : AdminSql.parse(sql)) {
                last = administration.perform(statement, "root");
            }
        } catch (AdminSyntaxException e) {
            throw new AssertionError(sql, e);
        }
        return last;
    }

    @Test
    void columnsAreToldBeforeACall() throws Exception {
        run(SHORT);
        for (String sql : List.of(
                "CALL sys.warmup_pool('s', 0)",
                "CALL sys.evict_idle_connections('s')",
                "CALL sys.close_all_connections('s')",
                "CALL sys.test_connection('s')")) {
            Answer answer = run(sql);
            assertEquals(administration.columns(AdminSql.parse(sql).get(0)), answer.columns());
            assertEquals(answer.columns().size(), answer.rows().get(0).size());
        }
        assertEquals(List.of(), administration.columns(AdminSql.parse(SHORT).get(0)));
    }

    private AdminException fails(String state, String sql) {
        SQLException error = assertThrows(SQLException.class, () -> run(sql), sql);
        assertEquals(state, error.getSQLState(), error.getMessage());
        return error instanceof AdminException statement ? statement : new AdminException(state, error.getMessage());
    }

    @Test
    void theDocumentsStatementMakesAServer() throws Exception {
        assertEquals("CREATE SERVER", run(LEGACY_PG).tag());
        assertEquals(DatabaseType.POSTGRESQL, registry.server("legacy_pg").type());
        assertEquals("20", registry.server("legacy_pg").options().get("max_connections"));
        assertEquals("root", registry.server("legacy_pg").owner().orElseThrow());
        assertEquals(
                registry.servers(),
                definitions.servers().values().stream().map(s -> s.definition()).toList());
    }

    @ParameterizedTest
    @CsvSource({
        "postgresql_fdw, POSTGRESQL",
        "postgres_fdw, POSTGRESQL",
        "mysql_fdw, MYSQL",
        "mariadb_fdw, MARIADB",
        "mssql_fdw, MSSQL",
        "firebird_fdw, FIREBIRD",
        "scratchbird_fdw, SCRATCHBIRD",
        "dsql_fdw, AURORA_DSQL"
    })
    void aWrapperStandsForAType(String wrapper, DatabaseType type) throws Exception {
        assertEquals(type, RegistryAdministration.type(wrapper, null));
    }

    @Test
    void typeSaysItMoreExactlyOrIsRefused() throws Exception {
        assertEquals(DatabaseType.MARIADB, RegistryAdministration.type("mysql_fdw", "mariadb"));
        fails("22023", SHORT.replace("FOREIGN", "TYPE 'firebird' FOREIGN"));
        fails("22023", SHORT.replace("FOREIGN", "TYPE 'warehouse' FOREIGN"));
        String message =
                fails("42704", SHORT.replace("postgres_fdw", "postgress_fdw")).getMessage();
        assertTrue(message.contains("did you mean postgres_fdw?"), message);
    }

    @Test
    void theNearestWrapperIsSuggestedOrAllAreListed() {
        String near = fails("42704", SHORT.replace("postgres_fdw", "dsq_fdw")).getMessage();
        assertTrue(near.endsWith("; did you mean dsql_fdw?"), near);
        String far = fails("42704", SHORT.replace("postgres_fdw", "file_fdw")).getMessage();
        assertTrue(far.contains("; there are: postgresql_fdw, "), far);
    }

    @Test
    void aServerIsMadeOnce() throws Exception {
        run(SHORT);
        fails("42710", SHORT);
        run(SHORT.replace("SERVER s", "SERVER IF NOT EXISTS s").replace("'h'", "'other'"));
        assertEquals("h", registry.server("s").options().get("host"));
    }

    @Test
    void anOptionThatCannotBeUsedIsPointedAt() {
        AdminException unknown = fails("RD032", SHORT.replace("dbname 'd'", "dbname 'd', max_conections '3'"));
        assertEquals(SHORT.indexOf("dbname 'd'") + 13, unknown.position());
        assertTrue(unknown.getMessage().contains("did you mean max_connections?"), unknown.getMessage());
        AdminException wrong = fails("RD032", SHORT.replace("dbname 'd'", "port 'x', dbname 'd'"));
        assertEquals(SHORT.indexOf("dbname 'd'") + 1, wrong.position());
        AdminException misleading = fails("RD032", SHORT.replace("dbname 'd'", "dbname 'd', ssl_mode 'host'"));
        assertEquals(SHORT.indexOf("dbname 'd'") + 13, misleading.position(), misleading.getMessage());
        AdminException misplaced = fails("RD032", SHORT.replace("dbname 'd'", "password 'hunter2', dbname 'd'"));
        assertTrue(misplaced.getMessage().contains("user mapping"), misplaced.getMessage());
        fails("RD032", "CREATE SERVER s FOREIGN DATA WRAPPER postgres_fdw OPTIONS (dbname 'd')");
        assertTrue(registry.servers().isEmpty() && definitions.servers().isEmpty());
    }

    @Test
    void whatTheRegistryRefusesIsNotKept() throws Exception {
        fails("RD032", SHORT.replace("'h'", "'forbidden'"));
        run(SHORT);
        fails("RD032", "ALTER SERVER s OPTIONS (SET host 'forbidden')");
        assertEquals("h", registry.server("s").options().get("host"));
        assertEquals("h", definitions.servers().get("s").definition().options().get("host"));
    }

    @Test
    void addIsForNewOptionsAndSetAndDropAreForOldOnes() throws Exception {
        run(SHORT);
        run("ALTER SERVER s VERSION '16' OPTIONS (SET host 'h2', ADD port '5433', DROP enable_health_check)");
        assertEquals(
                Map.of("host", "h2", "port", "5433", "dbname", "d"),
                registry.server("s").options());
        assertEquals("16", registry.server("s").version().orElseThrow());
        String twice = "ALTER SERVER s OPTIONS (ADD host 'h3')";
        assertEquals(twice.indexOf("host") + 1, fails("42710", twice).position());
        fails("42710", "ALTER SERVER s OPTIONS (host 'h3')");
        String missing = "ALTER SERVER s OPTIONS (SET port '1', DROP max_connections)";
        assertEquals(missing.indexOf("max_") + 1, fails("42704", missing).position());
        fails("42704", "ALTER SERVER s OPTIONS (SET max_lifetime '1')");
        assertEquals("5433", registry.server("s").options().get("port"), "nothing of a failed statement is done");
        fails("42704", "ALTER SERVER t OPTIONS (SET host 'h3')");
        fails("RD032", "ALTER SERVER s OPTIONS (DROP host)");
    }

    @Test
    void anAlterationIsDatedAndTheMakingStays() throws Exception {
        run(SHORT);
        Instant made = now;
        now = now.plusSeconds(60);
        run("ALTER SERVER s OPTIONS (ADD port '5433')");
        assertEquals(made, definitions.servers().get("s").created());
        assertEquals(now, definitions.servers().get("s").modified());
    }

    @Test
    void aServerGetsAnotherOwnerAndAnotherName() throws Exception {
        run(SHORT + "; CREATE USER MAPPING FOR alice SERVER s OPTIONS (user 'a', password 'hunter2')");
        run(SHORT.replace("SERVER s", "SERVER t"));
        run("ALTER SERVER s OWNER TO bob");
        assertEquals("bob", registry.server("s").owner().orElseThrow());
        fails("42710", "ALTER SERVER s RENAME TO t");
        fails("42704", "ALTER SERVER u RENAME TO v");
        run("ALTER SERVER s RENAME TO r");
        assertEquals(1, registry.mappings("r").size());
        assertThrows(RegistryException.class, () -> registry.server("s"));
        reopen();
        assertEquals(
                SecretText.of("hunter2"),
                definitions.servers().get("r").mappings().get("alice").password());
    }

    private void reopen() throws Exception {
        end();
        start();
    }

    @Test
    void aServerWithMappingsIsDroppedOnlyWithThem() throws Exception {
        run(SHORT + "; CREATE USER MAPPING FOR alice SERVER s OPTIONS (user 'a')");
        fails("2BP01", "DROP SERVER s");
        fails("2BP01", "DROP SERVER s RESTRICT");
        run("DROP SERVER s CASCADE");
        assertTrue(registry.servers().isEmpty() && definitions.servers().isEmpty());
        fails("42704", "DROP SERVER s");
        run("DROP SERVER IF EXISTS s");
    }

    @Test
    void mappingsAreMadeChangedAndDropped() throws Exception {
        run(SHORT);
        run(
                "CREATE USER MAPPING FOR alice SERVER s OPTIONS (user 'a', password 'hunter2', driver.\"sslPassword\" 'x')");
        run("CREATE USER MAPPING FOR PUBLIC SERVER s OPTIONS (user 'p', password '$P')");
        run("CREATE USER MAPPING FOR USER SERVER s OPTIONS (user 'r', auth 'CERTIFICATE')");
        fails("RD032", "ALTER USER MAPPING FOR USER SERVER s OPTIONS (SET auth 'kerberos')");
        KeptMapping alice = definitions.servers().get("s").mappings().get("alice");
        assertEquals(Map.of("sslPassword", "x"), alice.options());
        assertEquals(3, registry.mappings("s").size());
        assertEquals(
                UserMapping.Auth.CERTIFICATE,
                definitions.servers().get("s").mappings().get("root").auth());
        fails("42710", "CREATE USER MAPPING FOR alice SERVER s OPTIONS (user 'a')");
        run("CREATE USER MAPPING IF NOT EXISTS FOR alice SERVER s OPTIONS (user 'z')");
        run("ALTER USER MAPPING FOR alice SERVER s OPTIONS (SET user 'b', DROP password)");
        alice = definitions.servers().get("s").mappings().get("alice");
        assertEquals("b", alice.remoteUser());
        assertEquals(null, alice.password());
        fails("42704", "ALTER USER MAPPING FOR alice SERVER s OPTIONS (SET password 'x')");
        fails("42710", "ALTER USER MAPPING FOR alice SERVER s OPTIONS (ADD user 'x')");
        fails("42704", "ALTER USER MAPPING FOR nobody SERVER s OPTIONS (SET user 'x')");
        run("DROP USER MAPPING FOR alice SERVER s");
        fails("42704", "DROP USER MAPPING FOR alice SERVER s");
        run("DROP USER MAPPING IF EXISTS FOR alice SERVER s; DROP USER MAPPING IF EXISTS FOR alice SERVER gone");
        assertEquals(2, registry.mappings("s").size());
    }

    @Test
    void aMappingThatCannotBeUsedIsPointedAtAndItsSecretIsNotRepeated() throws Exception {
        run(SHORT);
        String sql = "CREATE USER MAPPING FOR a SERVER s OPTIONS (user 'a', pasword 'hunter2')";
        AdminException unknown = fails("RD032", sql);
        assertEquals(sql.indexOf("pasword") + 1, unknown.position());
        assertTrue(unknown.getMessage().contains("did you mean password?"), unknown.getMessage());
        assertFalse(unknown.getMessage().contains("hunter2"), unknown.getMessage());
        fails("RD032", "CREATE USER MAPPING FOR a SERVER s OPTIONS (password 'hunter2')");
        fails("RD032", "CREATE USER MAPPING FOR a SERVER s OPTIONS (user 'a', password 'file:relative')");
        fails("RD032", "CREATE USER MAPPING FOR a SERVER s OPTIONS (user 'a', auth 'magic')");
        fails("42704", "CREATE USER MAPPING FOR a SERVER t OPTIONS (user 'a')");
        fails("42939", "CREATE USER MAPPING FOR \"PUBLIC\" SERVER s OPTIONS (user 'a')");
        assertTrue(registry.mappings("s").isEmpty());
    }

    @Test
    void proceduresSayWhatTheyTake() throws Exception {
        run(SHORT);
        fails("42883", "CALL sys.warm_pool('s', 1)");
        fails("42883", "CALL sys.warmup_pool('s')");
        fails("42883", "CALL sys.evict_idle_connections('s', 1)");
        fails("22023", "CALL sys.warmup_pool('s', 'many')");
        fails("22023", "CALL sys.warmup_pool('s', '-1')");
        fails("RD030", "CALL sys.warmup_pool('t', 1)");
        fails("RD030", "CALL sys.test_connection('t')");
        assertEquals(
                List.of(List.of("s", 0)), run("CALL sys.warmup_pool('s', 2)").rows());
        assertEquals(
                List.of(List.of("s", 0)),
                run("CALL sys.evict_idle_connections('s')").rows());
        assertEquals(
                List.of(List.of("s", 0)), run("CALL close_all_connections('s')").rows());
    }

    @Test
    void aTestThatFailsIsARowThatSaysWhy() throws Exception {
        run(SHORT + "; ALTER SERVER s OPTIONS (ADD acquire_timeout '50')");
        run("CREATE USER MAPPING FOR alice SERVER s OPTIONS (user 'a', password 'hunter2')");
        Answer answer = run("CALL sys.test_connection('s')");
        assertEquals("alice", answer.rows().get(0).get(1), "root has no mapping, so the first who has one");
        assertEquals(false, answer.rows().get(0).get(2));
        assertTrue(String.valueOf(answer.rows().get(0).get(5)).startsWith("RD0"), answer.toString());
        assertFalse(answer.toString().contains("hunter2"), answer.toString());
    }

    @Test
    void pauseAndResumeAreForOneOrForAll() throws Exception {
        run(SHORT + ";" + SHORT.replace("SERVER s", "SERVER t"));
        assertEquals("PAUSE", run("PAUSE s").tag());
        assertTrue(registry.serverStats("s").paused());
        assertFalse(registry.serverStats("t").paused());
        run("PAUSE");
        assertTrue(registry.serverStats("t").paused());
        assertEquals("RESUME", run("RESUME").tag());
        assertFalse(
                registry.serverStats("s").paused() || registry.serverStats("t").paused());
        assertEquals("RECONNECT", run("RECONNECT t").tag());
        fails("RD030", "PAUSE u");
    }
}
