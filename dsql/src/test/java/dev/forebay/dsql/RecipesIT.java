// SPDX-License-Identifier: Apache-2.0
package dev.forebay.dsql;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.zaxxer.hikari.HikariDataSource;
import dev.forebay.ForebayConfig;
import dev.forebay.ForebayDataSource;
import dev.forebay.local.LocalDsql;
import dev.forebay.tx.Transactions;
import dev.forebay.tx.TxListener;
import dev.forebay.tx.TxRetryPolicy;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.BooleanSupplier;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import javax.sql.DataSource;
import org.flywaydb.core.Flyway;
import org.flywaydb.core.api.FlywayException;
import org.flywaydb.core.api.configuration.FluentConfiguration;
import org.jooq.SQLDialect;
import org.jooq.exception.DataAccessException;
import org.jooq.impl.DSL;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import software.amazon.awssdk.auth.credentials.AwsBasicCredentials;

/** The recipes of docs/recipes.md work on the local DSQL, and the page prints the code that is run here. */
@Timeout(120)
class RecipesIT {

    private static final Path PAGE = Path.of("..", "docs", "recipes.md");
    private static final Pattern BLOCK = Pattern.compile("(?ms)^```java\\n(.*?)^```$");
    private static final Pattern MIGRATION =
            Pattern.compile("(?ms)^```(?:sql\\n--|properties\\n#) (V\\S+)\\n(.*?)^```$");

    private static LocalDsql dsql;
    private static DataSource admin;

    @TempDir
    private Path directory;

    @BeforeAll
    static void start() throws Exception {
        dsql = LocalDsql.builder().start();
        admin = dsql.dataSource("admin");
    }

    @AfterAll
    static void stop() throws Exception {
        dsql.close();
    }

    // ---- HikariCP on top

    @Test
    void hikariHoldsItsConnectionsAndTheReservoirKeepsItsOwnReadyBeside() throws SQLException {
        try (ForebayDataSource reservoir = Recipes.reservoir(environment(), RecipesIT::open);
                HikariDataSource hikari = Recipes.hikari(reservoir)) {
            List<Connection> held = new ArrayList<>();
            for (int i = 0; i < 20; i++) {
                held.add(hikari.getConnection());
            }
            await(() -> reservoir.stats().ready() == 5 && reservoir.stats().borrowed() == 20);
            assertTrue(dsql.status().contains("sessions=25 "), dsql.status());
            for (Connection connection : held) {
                connection.close();
            }
            assertEquals(20, reservoir.stats().borrowed());
        }
        await(() -> dsql.status().contains("sessions=0 "));
    }

    /** The page's arithmetic: HikariCP lets a connection go before the reservoir would no longer hand it out. */
    @Test
    void hikarisLifetimeEndsBeforeThatOfTheReservoir() throws SQLException {
        ForebayConfig config = ForebayConfig.builder().build();
        long shortest = config.baseLifetime()
                .minus(config.lifetimeJitter().dividedBy(2))
                .minus(config.guardWindow())
                .toMillis();
        try (ForebayDataSource reservoir = Recipes.reservoir(environment(), RecipesIT::open);
                HikariDataSource hikari = Recipes.hikari(reservoir)) {
            assertTrue(hikari.getMaxLifetime() < shortest, hikari.getMaxLifetime() + " < " + shortest);
        }
    }

    private static ForebayConfig environment() {
        return ForebayConfig.builder()
                .clusterEndpoint("localhost:" + dsql.port())
                .region(dsql.region())
                .caFile(dsql.caFile().toString())
                .build();
    }

    private static ForebayDataSource open(ForebayConfig config) throws SQLException {
        return AuroraDsql.builder(config)
                .credentials(() -> AwsBasicCredentials.create(
                        dsql.accessKey().id(), dsql.accessKey().secret()))
                .build();
    }

    // ---- jOOQ

    @Test
    void everyDepositOfManyAtOnceIsKeptBothWays() throws Exception {
        UUID id = account();
        LongAdder conflicts = new LongAdder();
        try (ForebayDataSource pool = open(environment().toBuilder().maxOpen(8).build())) {
            Transactions tx = Transactions.builder(pool)
                    .policy(TxRetryPolicy.BRIEF.withMaxRetries(200))
                    .listener(counting(conflicts))
                    .build();
            List<Callable<Void>> deposits = new ArrayList<>();
            for (int i = 0; i < 40; i++) {
                boolean inside = i % 2 == 0;
                deposits.add(() -> {
                    if (inside) {
                        Recipes.depositInside(tx, id, 1);
                    } else {
                        Recipes.deposit(pool, tx, id, 1);
                    }
                    return null;
                });
            }
            atOnce(deposits);
        }
        assertEquals("40", value("SELECT balance FROM accounts WHERE id = '" + id + "'"));
        assertTrue(conflicts.sum() > 0, "nobody met anybody");
        execute("DROP TABLE accounts"); // Flyway wants to begin with nothing
    }

    /** What the page warns of: a transaction within jOOQ's is a savepoint. */
    @Test
    void aTransactionWithinOneOfJooqsIsRefused() {
        DataAccessException refused = assertThrows(
                DataAccessException.class,
                () -> DSL.using(admin, SQLDialect.POSTGRES)
                        .transaction(outer -> outer.dsl()
                                .transaction(inner -> inner.dsl().selectOne().fetch())));
        assertEquals("0A000", refused.sqlState());
    }

    private static TxListener counting(LongAdder conflicts) {
        return new TxListener() {
            @Override
            public void retrying(String operation, String sqlState, int attempt, long delayNanos) {
                conflicts.increment();
            }
        };
    }

    private static UUID account() throws SQLException {
        execute("CREATE TABLE accounts (id UUID PRIMARY KEY, balance BIGINT NOT NULL)");
        UUID id = UUID.randomUUID();
        execute("INSERT INTO accounts VALUES ('" + id + "', 0)");
        return id;
    }

    // ---- Flyway

    /** What stops Flyway's own type for PostgreSQL, in the words that the page quotes. */
    @Test
    void restoringTheRoleIsRefused() throws IOException {
        SQLException refused = assertThrows(SQLException.class, () -> execute("SET ROLE 'admin'"));
        assertEquals("0A000", refused.getSQLState());
        assertTrue(Files.readString(PAGE).contains("    " + refused.getMessage() + "\n"), refused::getMessage);
    }

    @Test
    void theMigrationsOfThePageAreAppliedOnce() throws Exception {
        assertEquals(3, writeMigrations());
        assertEquals(3, Recipes.migrate(admin, "filesystem:" + directory));
        assertEquals(0, Recipes.migrate(admin, "filesystem:" + directory));
        assertEquals("3", value("SELECT count(*) FROM flyway_schema_history WHERE success"));
        assertEquals("2", value("SELECT count(*) FROM colours"));
        assertEquals("1", value("SELECT count(*) FROM pg_indexes WHERE indexname = 'items_by_colour'"));
    }

    /** Else it would seem to succeed, record nothing, and let migrations run again that are there already. */
    @Test
    void aBaselineIsRefusedAndNotPassedOver() throws Exception {
        execute("CREATE SCHEMA grown");
        execute("CREATE TABLE grown.already_there (id UUID PRIMARY KEY)");
        FluentConfiguration grown = Flyway.configure().dataSource(admin).schemas("grown");
        assertThrows(UnsupportedOperationException.class, () -> grown.load().baseline());
        assertThrows(
                UnsupportedOperationException.class,
                () -> grown.baselineOnMigrate(true).load().migrate());
    }

    /** As the page says: what failed half way is mended, repaired and migrated again. */
    @Test
    void aMigrationThatFailedHalfWayIsRepaired() throws Exception {
        Path half = directory.resolve("V1__half.sql");
        Files.writeString(directory.resolve("V1__half.sql.conf"), "executeInTransaction=false\n");
        String first = "CREATE TABLE IF NOT EXISTS halves.one (id UUID PRIMARY KEY);\n";
        Files.writeString(half, first + "CREATE TABLE nonsense (;\n");
        execute("CREATE SCHEMA halves");
        FluentConfiguration halves =
                Flyway.configure().dataSource(admin).schemas("halves").locations("filesystem:" + directory);
        assertThrows(FlywayException.class, () -> halves.load().migrate());
        Files.writeString(half, first + "CREATE TABLE IF NOT EXISTS halves.two (id UUID PRIMARY KEY);\n");
        assertThrows(FlywayException.class, () -> halves.load().migrate());
        halves.load().repair();
        assertEquals(1, halves.load().migrate().migrationsExecuted);
    }

    /** Writes what the page shows, and says how many migrations that is. */
    private int writeMigrations() throws IOException {
        int migrations = 0;
        for (MatchResult migration :
                MIGRATION.matcher(Files.readString(PAGE)).results().toList()) {
            Files.writeString(directory.resolve(migration.group(1)), migration.group(2));
            migrations += migration.group(1).endsWith(".sql") ? 1 : 0;
        }
        return migrations;
    }

    // ---- the page

    @Test
    void thePagePrintsTheCodeThatRuns() throws IOException {
        String source = Files.readString(Path.of("src/test/java/dev/forebay/dsql/Recipes.java"));
        String type = Files.readString(Path.of("src/test/java/dev/forebay/dsql/DsqlDatabaseType.java"));
        List<String> examples = BLOCK.matcher(Files.readString(PAGE))
                .results()
                .map(block -> block.group(1))
                .toList();
        assertFalse(examples.isEmpty());
        for (String example : examples) {
            assertTrue(
                    type.contains(example) || source.replaceAll("(?m)^ {8}", "").contains("\n" + example),
                    () -> "not in Recipes:\n" + example);
        }
    }

    // ---- helpers

    private static void atOnce(List<Callable<Void>> work) throws Exception {
        ExecutorService threads = Executors.newFixedThreadPool(8);
        try {
            for (Future<Void> done : threads.invokeAll(work)) {
                done.get();
            }
        } finally {
            threads.shutdownNow();
        }
    }

    private static void execute(String sql) throws SQLException {
        try (Connection connection = admin.getConnection();
                Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }

    private static String value(String sql) throws SQLException {
        try (Connection connection = admin.getConnection();
                Statement statement = connection.createStatement();
                ResultSet result = statement.executeQuery(sql)) {
            assertTrue(result.next());
            return result.getString(1);
        }
    }

    private static void await(BooleanSupplier condition) {
        while (!condition.getAsBoolean()) {
            Thread.onSpinWait(); // the test's own limit ends this
        }
    }
}
