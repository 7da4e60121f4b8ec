// SPDX-License-Identifier: Apache-2.0
package dev.forebay.console.admin;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.forebay.console.state.Definitions;
import dev.forebay.registry.jdbc.JdbcRegistry;
import dev.forebay.registry.jdbc.RemoteConnection;
import java.lang.reflect.Proxy;
import java.nio.file.Path;
import java.sql.Driver;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Rows of the views and answers of the procedures, over connections that work: a database in memory takes them. */
@Timeout(120)
class ViewRowsTest {

    private static final Duration LONG = Duration.ofSeconds(30);

    /** In the place of PostgreSQL's driver. */
    private static final Driver IN_MEMORY = (Driver) Proxy.newProxyInstance(
            ViewRowsTest.class.getClassLoader(),
            new Class<?>[] {Driver.class},
            (proxy, method, arguments) -> method.getName().equals("connect")
                    ? DriverManager.getConnection("jdbc:h2:mem:")
                    : method.invoke(Driver.class, arguments));

    @TempDir
    Path directory;

    private JdbcRegistry registry;
    private Definitions definitions;
    private RegistryAdministration administration;
    private SystemViews views;
    private ViewReader reader;

    @BeforeEach
    void open() throws Exception {
        registry = JdbcRegistry.builder().drivers(type -> IN_MEMORY).build();
        definitions = Definitions.open(directory, Map.of(), registry, InstantSource.system());
        administration = new RegistryAdministration(registry, definitions);
        views = new SystemViews(registry);
        reader = new ViewReader(views, "admin", 1, Instant.EPOCH, new SessionSettings("admin"));
        run("CREATE SERVER s FOREIGN DATA WRAPPER postgres_fdw OPTIONS (host 'h', dbname 'd', reset_on_release 'false',"
                + " enable_health_check 'false', min_connections '0', warmup_on_create 'false', max_connections '4')");
        run("CREATE USER MAPPING FOR PUBLIC SERVER s OPTIONS (user 'app', password 'secret')");
    }

    @AfterEach
    void close() throws Exception {
        reader.close();
        views.close();
        registry.close();
        definitions.close();
    }

    private List<?> run(String sql) throws SQLException {
        try {
            List<?> rows = List.of();
            for (AdminStatement statement : AdminSql.parse(sql)) {
                rows = administration.perform(statement, "root").rows();
            }
            return rows;
        } catch (AdminSyntaxException e) {
            throw new AssertionError(sql, e);
        }
    }

    private List<?> ask(String sql) throws SQLException {
        try (ViewReader.Prepared prepared = reader.prepare(sql)) {
            return prepared.run(List.of()).rows();
        }
    }

    private void use(String user, int statements) throws SQLException {
        try (RemoteConnection remote = registry.acquire("s", user, LONG);
                Statement statement = remote.connection().createStatement()) {
            for (int i = 0; i < statements; i++) {
                statement.execute("SELECT 1");
            }
        }
    }

    @Test
    void aBorrowedConnectionIsARowWithTheTimeItIsHeld() throws Exception {
        use("ann", 2);
        String row = "SELECT server_name, local_user, connection_id > 0, state, last_used >= created_at, use_count,"
                + " query_count, held_ms >= 0 FROM sys.remote_connections";
        assertEquals(List.of(Arrays.asList("s", "ann", true, "CONNECTED", true, 1L, 2L, null)), ask(row));
        try (RemoteConnection remote = registry.acquire("s", "ann", LONG)) {
            assertEquals(List.of(List.of("s", "ann", true, "BORROWED", true, 2L, 2L, true)), ask(row));
            remote.connection().setAutoCommit(false);
            try (Statement statement = remote.connection().createStatement()) {
                statement.execute("SELECT 1");
            }
            assertEquals(List.of(List.of("s", "ann", true, "IN_TRANSACTION", true, 2L, 3L, true)), ask(row));
        }
    }

    @Test
    void aUserIsARowWithCounts() throws Exception {
        use("ann", 1);
        use("ann", 1);
        try (RemoteConnection remote = registry.acquire("s", "bob", LONG)) {
            assertTrue(remote.connection().isValid(1));
            assertEquals(
                    List.of(
                            List.of("s", "ann", 1, 0, 1, 0, 2L, 2L, 1L, 0L, 0L),
                            List.of("s", "bob", 1, 1, 0, 0, 1L, 0L, 1L, 0L, 0L)),
                    ask("SELECT server_name, local_user, total_connections, active_connections, idle_connections,"
                            + " waiting_requests, total_acquires, total_releases, connections_created,"
                            + " connections_destroyed, acquire_timeouts FROM sys.remote_user_pool_stats"
                            + " ORDER BY local_user"));
        }
    }

    @Test
    void aWarmUpSaysHowManyAreOpenAndAnEvictionHowManyWere() throws Exception {
        use("ann", 1);
        assertEquals(List.of(List.of("s", 3)), run("CALL sys.warmup_pool('s', 3)"));
        assertEquals(List.of(List.of(3L)), ask("SELECT count(*) FROM sys.remote_connections"));
        assertEquals(List.of(List.of("s", 3)), run("CALL sys.evict_idle_connections('s')"));
        assertEquals(List.of(List.of("s", 0)), run("CALL sys.evict_idle_connections('s')"));
    }

    @Test
    void closingAllCountsTheBorrowedOnesWhichMayFinish() throws Exception {
        use("bob", 1);
        try (RemoteConnection remote = registry.acquire("s", "ann", LONG)) {
            assertEquals(List.of(List.of("s", 2)), run("CALL sys.close_all_connections('s')"));
            assertTrue(remote.connection().isValid(1));
        }
    }

    @Test
    void aTestOfALivingServerTellsItsVersion() throws Exception {
        List<?> row = (List<?>) run("CALL sys.test_connection('s')").get(0);
        assertEquals(List.of("s", "root", true), row.subList(0, 3));
        assertTrue((Double) row.get(3) >= 0, row.toString());
        assertTrue(String.valueOf(row.get(4)).startsWith("2."), row.toString());
        assertEquals(null, row.get(5));
    }
}
