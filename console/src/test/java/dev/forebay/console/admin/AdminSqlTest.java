// SPDX-License-Identifier: Apache-2.0
package dev.forebay.console.admin;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.forebay.console.admin.AdminStatement.AlterMapping;
import dev.forebay.console.admin.AdminStatement.AlterServer;
import dev.forebay.console.admin.AdminStatement.Call;
import dev.forebay.console.admin.AdminStatement.ChangeOwner;
import dev.forebay.console.admin.AdminStatement.Control;
import dev.forebay.console.admin.AdminStatement.CreateMapping;
import dev.forebay.console.admin.AdminStatement.CreateServer;
import dev.forebay.console.admin.AdminStatement.DropMapping;
import dev.forebay.console.admin.AdminStatement.DropServer;
import dev.forebay.console.admin.AdminStatement.Option;
import dev.forebay.console.admin.AdminStatement.Option.Change;
import dev.forebay.console.admin.AdminStatement.Query;
import dev.forebay.console.admin.AdminStatement.RenameServer;
import dev.forebay.console.admin.AdminStatement.Who;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What an administrator types is understood, and what is wrong is pointed at. */
class AdminSqlTest {

    /** As the document has it, comments and all. */
    private static final String DOCUMENTED = """
            CREATE SERVER legacy_pg
                FOREIGN DATA WRAPPER postgresql_fdw
                OPTIONS (
                    host 'db.example.com',
                    port '5432',
                    dbname 'production',
                    -- Pool configuration
                    min_connections '2',
                    health_check_query 'SELECT 1',
                    reset_on_release 'true'
                );
            """;

    private static AdminStatement one(String sql) throws AdminSyntaxException {
        List<AdminStatement> all = AdminSql.parse(sql);
        assertEquals(1, all.size(), all.toString());
        return all.get(0);
    }

    @Test
    void theDocumentedStatementCreatesAServer() throws AdminSyntaxException {
        CreateServer server = assertInstanceOf(CreateServer.class, one(DOCUMENTED));
        assertEquals("legacy_pg", server.name());
        assertEquals("postgresql_fdw", server.wrapper());
        assertEquals(
                List.of("host", "port", "dbname", "min_connections", "health_check_query", "reset_on_release"),
                server.options().stream().map(Option::key).toList());
        assertEquals("SELECT 1", server.options().get(4).value());
        assertEquals(DOCUMENTED.indexOf("host") + 1, server.options().get(0).position());
    }

    @Test
    void everyPartOfADefinitionIsRead() throws AdminSyntaxException {
        assertEquals(
                new CreateServer("My \"S", true, "warehouse", "15", "mysql_fdw", List.of()),
                one(
                        "create server if not exists \"My \"\"S\" type 'warehouse' version '15' foreign data wrapper MYSQL_FDW"));
        assertEquals(
                new AlterServer(
                        "s",
                        "16",
                        List.of(
                                new Option(Change.SET, "host", "it's", 42),
                                new Option(Change.ADD, "port", "1", 60),
                                new Option(Change.DROP, "dbname", null, 75),
                                new Option(Change.ADD, "user", "", 83))),
                one("ALTER SERVER S VERSION '16' OPTIONS (SET host 'it''s', ADD port '1', DROP dbname, user '')"));
        assertEquals(new ChangeOwner("s", "ops"), one("ALTER SERVER s OWNER TO ops"));
        assertEquals(new RenameServer("s", "t"), one("ALTER SERVER s RENAME TO t;"));
        assertEquals(new DropServer("s", false, false), one("DROP SERVER s RESTRICT"));
        assertEquals(new DropServer("s", true, true), one("DROP SERVER IF EXISTS s CASCADE"));
    }

    @Test
    void mappingsAreForANameForOneselfOrForAll() throws AdminSyntaxException {
        CreateMapping mapping = assertInstanceOf(
                CreateMapping.class, one("CREATE USER MAPPING FOR ann SERVER s OPTIONS (user 'a', password 'b')"));
        assertEquals(new Who("ann", false), mapping.who());
        assertEquals("b", mapping.options().get(1).value());
        assertEquals(
                new AlterMapping(new Who(null, true), "s", List.of(new Option(Change.SET, "password", "x", 53))),
                one("ALTER USER MAPPING FOR PUBLIC SERVER s OPTIONS (SET password 'x')"));
        assertEquals(
                new DropMapping(new Who(null, false), "s", true), one("DROP USER MAPPING IF EXISTS FOR USER SERVER s"));
        assertEquals(
                new DropMapping(new Who(null, false), "s", false), one("DROP USER MAPPING FOR CURRENT_USER SERVER s"));
        assertEquals(
                new DropMapping(new Who("public", false), "s", false),
                one("DROP USER MAPPING FOR \"public\" SERVER s"));
    }

    @Test
    void callsShowsAndControlsAreRead() throws AdminSyntaxException {
        assertEquals(new Call("sys.warmup_pool", List.of("legacy", "2")), one("CALL sys.warmup_pool('legacy', 2)"));
        assertEquals(new Call("sys.x", List.of()), one("call SYS.X ( )"));
        assertEquals(new Query("SHOW POOLS"), one("SHOW POOLS"));
        assertEquals(new Control(Control.Verb.PAUSE, null), one("PAUSE;"));
        assertEquals(new Control(Control.Verb.RECONNECT, "s"), one("reconnect s"));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "SELECT * FROM sys.remote_pool_stats WHERE server_name = 'a;b'",
                "SHOW server_version",
                "CREATE TABLE t (a int)",
                "\"create\" server",
                "BEGIN"
            })
    void whatChangesNothingHereIsAQuery(String sql) throws AdminSyntaxException {
        assertEquals(new Query(sql), one(sql + " ;"));
    }

    @Test
    void semicolonsSeparateStatements() throws AdminSyntaxException {
        assertEquals(
                List.of(new Query("SELECT 1"), new Query("SHOW SERVERS"), new Query("SELECT 2")),
                AdminSql.parse(";;SELECT 1; SHOW SERVERS; /* a ; /* b */ ; */ SELECT 2 -- ; 3"));
        assertEquals(List.of(), AdminSql.parse(" ; -- nothing\n"));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '~',
            value = {
                "CREATE SERVER|14|found the end where the name of a server belongs",
                "CREATE SERVER s WRAPPER x|17|found \"WRAPPER\" where FOREIGN belongs",
                "CREATE SERVER s FOREIGN DATA WRAPPER w OPTIONS (host db)|54|found \"db\" where a value in quotes belongs",
                "CREATE SERVER s FOREIGN DATA WRAPPER w OPTIONS (a 'x', A 'y')|56|option 'a' is given twice",
                "CREATE SERVER s FOREIGN DATA WRAPPER w OPTIONS (a 'x'|54|found the end where ')' belongs",
                "ALTER SERVER s|15|found the end where VERSION, OPTIONS, OWNER TO or RENAME TO belongs",
                "ALTER SERVER s OPTIONS (PUT a 'x')|25|found \"PUT\" where SET, ADD, DROP or the name of an option belongs",
                "ALTER SERVER s OPTIONS (DROP a 'x')|32|found a value where ')' belongs",
                "DROP SERVER s CASCADE now|23|found \"now\" where the end of the statement belongs",
                "CREATE USER MAPPING ann|21|found \"ann\" where FOR belongs",
                "CREATE USER bob|13|found \"bob\" where MAPPING belongs",
                "CALL sys.x(SELECT)|12|found \"SELECT\" where a value in quotes or a number belongs",
                "SELECT 'a|8|a quote has no end",
                "SELECT /* a /* b */|8|a comment has no end"
            })
    void anErrorPointsAtItsPlace(String sql, int position, String message) {
        AdminSyntaxException e = assertThrows(AdminSyntaxException.class, () -> AdminSql.parse(sql));
        assertEquals(message, e.getMessage());
        assertEquals(position, e.position(), message);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '~',
            value = {
                "ALTER USER MAPPING FOR a SERVER s OPTIONS (SET user 'a', password  'hunter2')|ALTER USER MAPPING FOR a SERVER s OPTIONS (SET user 'a', password '***')",
                "CREATE SERVER s FOREIGN DATA WRAPPER w OPTIONS (host 'h', driver.sslpassword 'hunter2')|CREATE SERVER s FOREIGN DATA WRAPPER w OPTIONS (host 'h', driver.sslpassword '***')",
                "SELECT 'hunter2' /* hunter2 */|SELECT '***'"
            })
    void theAuditHasNoSecrets(String sql, String redacted) throws AdminSyntaxException {
        assertEquals(redacted, AuditText.of(SqlText.of(sql)));
    }

    @Test
    void whatGoesToADriverKeepsItsCase() throws AdminSyntaxException {
        String options = "(HOST 'h', driver.ApplicationName 'a', DRIVER.\"socketFactory\" 'b')";
        AdminStatement.CreateServer created = (AdminStatement.CreateServer)
                one("CREATE SERVER s FOREIGN DATA WRAPPER postgresql_fdw OPTIONS " + options);
        assertEquals(
                List.of("host", "driver.ApplicationName", "driver.socketFactory"),
                created.options().stream().map(AdminStatement.Option::key).toList());
    }

    @Test
    void noStatementShowsWhatItsOptionsHold() throws AdminSyntaxException {
        String shown = one("CREATE USER MAPPING FOR a SERVER s OPTIONS (password 'hunter2')")
                .toString();
        assertTrue(shown.contains("password"));
        assertFalse(shown.contains("hunter2"), shown);
        AdminSyntaxException e = assertThrows(
                AdminSyntaxException.class, () -> AdminSql.parse("ALTER USER MAPPING FOR a SERVER 'hunter2'"));
        assertFalse(e.getMessage().contains("hunter2"));
    }
}
