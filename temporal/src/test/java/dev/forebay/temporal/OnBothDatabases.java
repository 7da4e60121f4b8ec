// SPDX-License-Identifier: Apache-2.0
package dev.forebay.temporal;

import dev.forebay.ForebayConfig;
import dev.forebay.ForebayDataSource;
import dev.forebay.local.LocalDsql;
import dev.forebay.local.junit.WithLocalDsql;
import dev.forebay.tx.SnowflakeIds;
import dev.forebay.tx.Transactions;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Collectors;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.MethodSource;
import org.postgresql.ds.PGSimpleDataSource;

/**
 * Tests of a store, each of which runs on a local DSQL with its rules and again on plain PostgreSQL. The tables are made once and
 * are empty before each test.
 */
@WithLocalDsql(rate = 10_000, burst = 100_000)
@ParameterizedClass(name = "{0}")
@MethodSource("databases")
abstract class OnBothDatabases {

    /** Where a test runs. */
    enum On {
        DSQL,
        POSTGRES;

        String schema() {
            return this == DSQL ? "temporal_dsql" : "temporal_postgres";
        }
    }

    /** The databases that the tests run on; a class whose tests make sense on one of them has a method of its own. */
    static List<On> databases() {
        return List.of(On.values());
    }

    private static final SnowflakeIds IDS = SnowflakeIds.forNode(1);
    private static final Map<On, DataSource> installed = new EnumMap<>(On.class);

    /** The statements to each PostgreSQL, by its port. */
    private static final Map<Integer, WireTap> TAPS = new ConcurrentHashMap<>();

    @Parameter
    On on;

    /** Connections into the schema of this run, from a pool. */
    DataSource dataSource;

    Transactions transactions;
    Temporal temporal;

    @BeforeEach
    void beginWithEmptyTables(LocalDsql server) throws SQLException {
        synchronized (installed) {
            dataSource = installed.get(on);
            if (dataSource == null) {
                dataSource = install(server, on);
                installed.put(on, dataSource);
            }
        }
        transactions = Transactions.of(dataSource);
        temporal = Temporal.on(transactions, IDS);
        behind(server, emptied(on.schema()));
    }

    /** Checks all statements that have gone to a server, so that no test of a store can do without. */
    @AfterEach
    void locksAreByTheWholeKeyOfOneTable() {
        TAPS.values().forEach(tap -> tap.statements().forEach(Locks::check));
    }

    /** Runs {@code sql} as the superuser of the PostgreSQL behind, past all rules. */
    static void behind(LocalDsql server, String sql) throws SQLException {
        try (Connection connection = server.behind().getConnection();
                Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }

    /** Connections into {@code schema}, one for each that is asked for. */
    static DataSource unpooled(LocalDsql server, On on, String schema) {
        if (on == On.DSQL) {
            return server.dataSource("admin", schema);
        }
        PGSimpleDataSource source = (PGSimpleDataSource) server.behind();
        source.setPortNumbers(new int[] {
            TAPS.computeIfAbsent(source.getPortNumbers()[0], WireTap::before).port()
        });
        source.setCurrentSchema(schema);
        return source;
    }

    private static DataSource install(LocalDsql server, On on) throws SQLException {
        behind(server, "CREATE SCHEMA " + on.schema() + " AUTHORIZATION admin");
        DataSource pool = ForebayDataSource.builder()
                .config(ForebayConfig.builder()
                        .mode(ForebayConfig.Mode.ON_DEMAND)
                        .serviceName(on.schema())
                        .maxOpen(40)
                        .connectionTimeout(Duration.ofSeconds(30))
                        .connectionRateLimit(10_000)
                        .connectionBurstLimit(10_000)
                        .build())
                .dataSource(unpooled(server, on, on.schema()))
                .build();
        Schema.on(Transactions.of(pool)).install((number, steps, what) -> {});
        return pool;
    }

    static String emptied(String schema) {
        return Arrays.stream(Table.values())
                        .map(table -> "DELETE FROM " + schema + "." + table.sqlName())
                        .collect(Collectors.joining("; "))
                + "; INSERT INTO " + schema + ".namespace_metadata VALUES (54321, 1)";
    }
}
