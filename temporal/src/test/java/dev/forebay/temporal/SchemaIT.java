// SPDX-License-Identifier: Apache-2.0
package dev.forebay.temporal;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.forebay.ForebayConfig;
import dev.forebay.ForebayDataSource;
import dev.forebay.local.LocalDsql;
import dev.forebay.temporal.Schema.Finding;
import dev.forebay.temporal.Schema.Kind;
import dev.forebay.tx.Transactions;
import dev.forebay.tx.TxRetryPolicy;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Predicate;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

final class SchemaIT extends OnBothDatabases {

    private static final AtomicInteger made = new AtomicInteger();
    private static final Schema.Progress SILENT = (number, steps, what) -> {};

    private LocalDsql server;
    private String name;
    private ForebayDataSource fresh;

    @BeforeEach
    void makeAFreshSchema(LocalDsql server) throws SQLException {
        this.server = server;
        name = "schema_it_" + made.incrementAndGet();
        behind(server, "CREATE SCHEMA " + name + " AUTHORIZATION admin");
        fresh = ForebayDataSource.builder()
                .config(ForebayConfig.builder()
                        .mode(ForebayConfig.Mode.ON_DEMAND)
                        .serviceName(name)
                        .maxOpen(4)
                        .connectionRateLimit(10_000)
                        .connectionBurstLimit(10_000)
                        .build())
                .dataSource(unpooled(server, on, name))
                .build();
    }

    @AfterEach
    void dropIt() throws SQLException {
        fresh.close();
        behind(server, "SET lock_timeout = '20s'; DROP SCHEMA " + name + " CASCADE");
    }

    // ---- installing

    @Test
    void installingTwiceIsANoOpTheSecondTime() throws SQLException {
        Schema schema = schema();
        assertEquals(Optional.empty(), schema.version());
        List<String> steps = new ArrayList<>();
        int taken = schema.install((number, of, what) -> steps.add(number + "/" + of + " " + what));
        assertEquals(37 + 2 + 1 + 7 + 1 + 1, taken);
        assertEquals("1/49 table namespaces", steps.get(0));
        assertEquals("49/49 version " + (on == On.DSQL ? "1.1" : "1.19"), steps.get(48));
        assertEquals(Optional.of(schema().latest()), schema.version());
        assertEquals(List.of(), schema.verify());
        assertEquals(0, schema.install(SILENT));
        assertEquals(List.of(1L), rows("SELECT count(*) FROM schema_update_history"));
    }

    /** Whatever was committed by then stays, so that each death is one of the states a killed installer can leave. */
    @Test
    void aKillBeforeOrAfterAnyChangeIsMadeGoodByInstallingAgain() throws SQLException {
        int kills = 0;
        boolean isDone = false;
        while (!isDone) {
            assertTrue(schema().version().isEmpty(), "the version was there after " + kills + " kills");
            for (Predicate<String> last : List.<Predicate<String>>of(SchemaIT::isChange, commitOfAChange())) {
                assertTrue(isKilled(last, false), "nothing was left to change after " + kills + " kills");
                kills++;
            }
            isKilled(SchemaIT::isChange, true);
            isKilled(commitOfAChange(), true); // this one is committed
            kills += 2;
            isDone = schema().version().isPresent();
        }
        assertEquals(49 * 4, kills);
        assertEquals(List.of(), schema().verify());
        assertEquals(0, schema().install(SILENT));
    }

    private boolean isKilled(Predicate<String> last, boolean isAfter) throws SQLException {
        CutDataSource cut = new CutDataSource(fresh, last, isAfter);
        try {
            Schema.on(Transactions.builder(cut.dataSource())
                            .policy(TxRetryPolicy.BRIEF)
                            .build())
                    .install(SILENT);
        } catch (SQLException e) {
            assertTrue(cut.isDead(), () -> "failed by itself: " + e);
        }
        return cut.isDead();
    }

    private static boolean isChange(String sql) {
        return sql.startsWith("CREATE") || sql.startsWith("INSERT");
    }

    private static Predicate<String> commitOfAChange() {
        boolean[] isChanged = {false};
        return sql -> {
            isChanged[0] |= isChange(sql);
            return isChanged[0] && sql.equals("COMMIT");
        };
    }

    @Test
    void twoInstallersAtOnceBothSucceed() throws Exception {
        CyclicBarrier start = new CyclicBarrier(2);
        ExecutorService threads = Executors.newFixedThreadPool(2);
        try {
            Callable<Integer> installer = () -> {
                Schema schema = schema();
                start.await();
                return schema.install(SILENT);
            };
            List<Future<Integer>> both = List.of(threads.submit(installer), threads.submit(installer));
            for (Future<Integer> one : both) {
                one.get(120, TimeUnit.SECONDS);
            }
        } finally {
            threads.shutdownNow();
        }
        assertEquals(List.of(), schema().verify());
        assertEquals(Optional.of(schema().latest()), schema().version());
        assertEquals(List.of(1L), rows("SELECT count(*) FROM schema_update_history"));
    }

    // ---- versions

    /** The Go plugin's tables are ours; its index of roles and hosts is not unique, and it numbers its versions from 1.0 on. */
    @Test
    void theGoPluginsSchemaIsTakenAsItIs() throws SQLException {
        if (on != On.DSQL) {
            return; // it knows no other database
        }
        installAsTheGoPlugin();
        List<String> before = shape();
        assertEquals(List.of(), schema().verify());
        assertEquals(List.of(), schema().diff().statements());
        schema().install(SILENT);
        assertEquals(Optional.of("1.1"), schema().version());
        assertEquals(List.of(), schema().verify());
        assertEquals(before, shape());
    }

    private void installAsTheGoPlugin() throws SQLException {
        for (String statement : schema().diff().statements()) {
            if (!statement.contains("cm_idx_rolehost")) {
                execute(statement);
            }
        }
        execute("CREATE INDEX ASYNC cm_idx_rolehost ON cluster_membership (role, host_id)");
        execute("INSERT INTO namespace_metadata (partition_id, notification_version) VALUES (54321, 1)");
        execute("INSERT INTO schema_version VALUES (0, current_database(), now(), '1.1', '1.0')");
        execute("INSERT INTO schema_update_history VALUES (0, 2026, 1, now(), 'initial version', 'abc', '1.0', '0.0')");
        execute("INSERT INTO schema_update_history VALUES (0, 2026, 2, now(), 'chasm', 'def', '1.1', '1.0')");
    }

    /** The plugin's indexes as they are, and what its own tools read of the version. */
    private List<String> shape() throws SQLException {
        return Transactions.of(fresh)
                .call(
                        "shape",
                        c -> Database.query(
                                c,
                                "SELECT c.oid || ' ' || c.relname || ' ' || pg_get_indexdef(c.oid) FROM pg_class c"
                                        + " JOIN pg_namespace n ON n.oid = c.relnamespace"
                                        + " WHERE n.nspname = current_schema() AND c.relkind = 'i'"
                                        + " AND c.relname ~ '^(cm_)?idx_'"
                                        + " UNION ALL SELECT curr_version || min_compatible_version FROM schema_version"
                                        + " UNION ALL SELECT old_version || new_version FROM schema_update_history"
                                        + " ORDER BY 1",
                                row -> row.getString(1)));
    }

    @Test
    void whatIsPrintedInstallsAllOfItAndTwiceDoesNoHarm() throws SQLException {
        for (int i = 0; i < 2; i++) {
            for (String statement : Schema.statements(on == On.DSQL)) {
                execute(statement);
            }
            assertEquals(List.of(), schema().verify());
            assertEquals(Optional.of(schema().latest()), schema().version());
            assertEquals(0, schema().install(SILENT));
            assertEquals(List.of(1L), rows("SELECT count(*) FROM schema_update_history"));
        }
    }

    @Test
    void noVersionIsWrittenOverAnotherUnlessForced() throws SQLException {
        schema().install(SILENT);
        for (String other : List.of("1.0", "1.2", "1.20")) {
            behind("UPDATE schema_version SET curr_version = '" + other + "'; DROP TABLE queues");
            SQLException e = assertThrows(SQLException.class, () -> schema().install(SILENT));
            assertTrue(e.getMessage().contains(other), e.getMessage());
            assertEquals(Optional.of(other), schema().version());
            assertEquals(Kind.MISSING_TABLE, only(schema().verify()).kind());

            assertEquals(2, schema().installForced(SILENT));
            assertEquals(Optional.of(schema().latest()), schema().version());
            assertEquals(List.of(), schema().verify());
        }
    }

    /** Temporal's own tool writes 0.0 when it makes the table of versions and nothing else. */
    @Test
    void aDatabaseThatWasOnlySetUpIsInstalled() throws SQLException {
        schema().install(SILENT);
        behind("UPDATE schema_version SET curr_version = '0.0'");
        assertEquals(1, schema().install(SILENT));
        assertEquals(Optional.of(schema().latest()), schema().version());
    }

    // ---- indexes

    @Test
    void duplicateRowsAreNamedWhenAUniqueIndexCannotBeBuilt() throws SQLException {
        schema().install(SILENT);
        behind("DROP INDEX idx_namespaces_name");
        for (int i = 1; i <= 2; i++) {
            behind("INSERT INTO namespaces VALUES (54321, '00000000-0000-4000-8000-00000000000" + i
                    + "', 'same', 1, '', 'Proto3', false)");
        }
        SQLException e = assertThrows(SQLException.class, () -> schema().install(SILENT));
        assertTrue(e.getMessage().contains("idx_namespaces_name"), e.getMessage());
        assertTrue(e.getMessage().contains("rows of namespaces are alike in name"), e.getMessage());
        behind("DELETE FROM namespaces");
        assertEquals(1, schema().install(SILENT));
        assertEquals(List.of(), schema().verify());
    }

    @Test
    void anIndexThatWasLeftInvalidIsBuiltAgain() throws SQLException {
        schema().install(SILENT);
        behind("UPDATE pg_index SET indisvalid = false WHERE indexrelid = 'cm_idx_lasthb'::regclass");
        Finding finding = only(schema().verify());
        assertEquals(Kind.INVALID_INDEX, finding.kind());
        assertEquals("cm_idx_lasthb", finding.name());
        assertEquals(1, schema().install(SILENT));
        assertEquals(List.of(), schema().verify());
    }

    /** A job of another's that never ends, and one that failed: the index that it left is not valid. */
    @Test
    void anIndexIsWaitedForWhileItsJobRunsAndBuiltAgainOnceThatHasFailed() throws SQLException {
        if (on != On.DSQL) {
            return; // there are no jobs elsewhere
        }
        schema().install(SILENT);
        String job = "abcdefghijklmnopqrstuvwxy" + (char) ('a' + made.get() % 26);
        behind("UPDATE pg_index SET indisvalid = false WHERE indexrelid = 'cm_idx_lasthb'::regclass");
        behind("INSERT INTO sys.all_jobs (job_id, status, job_type, object_name, start_time) VALUES ('" + job
                + "', 'processing', 'INDEX_BUILD', '" + name + ".cm_idx_lasthb', now())");
        SQLException e = assertThrows(SQLException.class, () -> schema().install(SILENT));
        assertTrue(e.getMessage().contains("its job " + job + " does not end"), e.getMessage());
        behind("UPDATE sys.all_jobs SET status = 'failed' WHERE job_id = '" + job + "'");
        assertEquals(1, schema().install(SILENT));
        assertEquals(List.of(), schema().verify());
    }

    // ---- what differs

    @Test
    void everyKindOfDamageIsFoundAndMendedIfItCanBe() throws SQLException {
        schema().install(SILENT);
        damage("DROP TABLE queues", Kind.MISSING_TABLE, "queues", "queues", true);
        damage("ALTER TABLE chasm_node_maps DROP COLUMN data", Kind.MISSING_COLUMN, "chasm_node_maps", "data", true);
        damage("DROP INDEX cm_idx_rpchost", Kind.MISSING_INDEX, "cluster_membership", "cm_idx_rpchost", true);
        damage(
                "DROP INDEX idx_namespaces_name; CREATE INDEX idx_namespaces_name ON namespaces (name)",
                Kind.OTHER_INDEX,
                "namespaces",
                "idx_namespaces_name",
                true);
        damage(
                "UPDATE pg_index SET indisvalid = false WHERE indexrelid = 'idx_namespaces_name'::regclass",
                Kind.INVALID_INDEX,
                "namespaces",
                "idx_namespaces_name",
                true);
        damage("DELETE FROM namespace_metadata", Kind.MISSING_ROW, "namespace_metadata", "namespace_metadata", true);
        damage("ALTER TABLE shards DROP COLUMN data", Kind.MISSING_COLUMN, "shards", "data", false);
        behind("ALTER TABLE shards ADD COLUMN data BYTEA NOT NULL");
        damage("ALTER TABLE shards ADD COLUMN more INTEGER", Kind.EXTRA_COLUMN, "shards", "more", false);
        behind("ALTER TABLE shards DROP COLUMN more");
        damage("ALTER TABLE shards ALTER range_id TYPE INTEGER", Kind.OTHER_TYPE, "shards", "range_id", false);
        behind("ALTER TABLE shards ALTER range_id TYPE BIGINT");
        damage("ALTER TABLE shards ALTER data DROP NOT NULL", Kind.OTHER_NULLABILITY, "shards", "data", false);
        behind("ALTER TABLE shards ALTER data SET NOT NULL");
        damage(
                "ALTER TABLE history_tree DROP CONSTRAINT history_tree_pkey, ADD PRIMARY KEY (tree_id, shard_id, branch_id)",
                Kind.OTHER_KEY,
                "history_tree",
                "history_tree",
                false);
    }

    private void damage(String sql, Kind kind, String table, String what, boolean canBeMended) throws SQLException {
        behind(sql);
        Finding finding = only(schema().verify());
        assertEquals(kind, finding.kind(), sql);
        assertEquals(table, finding.table(), sql);
        assertEquals(what, finding.name(), sql);
        Schema.Diff diff = schema().diff();
        if (canBeMended) {
            assertEquals(List.of(), diff.unmendable());
            for (String statement : diff.statements()) {
                execute(statement);
            }
            assertEquals(List.of(), schema().verify(), sql);
        } else {
            assertEquals(List.of(), diff.statements());
            assertEquals(List.of(finding), diff.unmendable());
        }
    }

    @Test
    void anEmptyDatabaseLacksEverythingAndTheDiffInstallsIt() throws SQLException {
        Schema.Diff diff = schema().diff();
        assertEquals(39 + 7, diff.statements().size());
        assertFalse(diff.statements().get(0).contains("CHECK"));
        for (String statement : diff.statements()) {
            execute(statement);
        }
        assertEquals(Kind.MISSING_ROW, only(schema().verify()).kind());
    }

    // ---- means

    private Schema schema() {
        return Schema.on(Transactions.of(fresh));
    }

    private void behind(String sql) throws SQLException {
        behind(server, "SET search_path = " + name + "; " + sql);
    }

    private void execute(String sql) throws SQLException {
        try (Connection connection = fresh.getConnection()) {
            connection.createStatement().execute(sql);
        }
    }

    private List<Long> rows(String sql) throws SQLException {
        return Transactions.of(fresh).call("rows", c -> Database.query(c, sql, row -> row.getLong(1)));
    }

    private static Finding only(List<Finding> findings) {
        assertEquals(1, findings.size(), findings::toString);
        return findings.get(0);
    }
}
