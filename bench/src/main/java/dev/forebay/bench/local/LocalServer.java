// SPDX-License-Identifier: Apache-2.0
package dev.forebay.bench.local;

import dev.forebay.bench.Comparison;
import dev.forebay.bench.Options;
import dev.forebay.lab.model.ClusterSettings;
import dev.forebay.lab.server.LocalDsql;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.sql.DataSource;
import org.HdrHistogram.Histogram;
import org.postgresql.ds.PGSimpleDataSource;

/** What the local DSQL adds to the PostgreSQL behind it. */
public final class LocalServer implements Comparison {

    private static final int SESSIONS = 1_000;
    private static final Pattern TPS = Pattern.compile("tps = ([0-9.]+)");

    @Override
    public String name() {
        return "local";
    }

    @Override
    public String purpose() {
        return "what the local DSQL adds to the PostgreSQL behind it";
    }

    @Override
    public List<Options.Option> options() {
        return List.of();
    }

    @Override
    public void run(Options options) throws Exception {
        int rounds = options.quick() ? 3 : 10;
        int queries = options.quick() ? 3_000 : 10_000;
        ClusterSettings settings =
                ClusterSettings.builder().connectBurst(100_000).build();
        try (LocalDsql unpacking = LocalDsql.builder().start()) {
            print("unpacked, port %d", unpacking.port());
        }
        long began = System.nanoTime();
        try (LocalDsql dsql = LocalDsql.builder().settings(settings).start()) {
            try (Connection connection = dsql.dataSource("admin").getConnection()) {
                select(connection);
            }
            print("local start to first query: %.1f s (binaries cached; aim 5 s)", (System.nanoTime() - began) / 1e9);
            roundTrips(dsql, "simple", rounds, queries);
            roundTrips(dsql, "prepared", rounds, queries);
            pgbench(dsql, options.quick() ? 5 : 20);
            sessions(dsql);
        }
    }

    // ---- round trips

    private static void roundTrips(LocalDsql dsql, String mode, int rounds, int queries) throws SQLException {
        Histogram direct = new Histogram(3);
        Histogram through = new Histogram(3);
        boolean simple = mode.equals("simple");
        try (Connection behind = connect(dsql.behind(), simple);
                Connection front = connect(dsql, simple)) {
            measure(behind, queries, new Histogram(3));
            measure(front, queries, new Histogram(3));
            for (int i = 0; i < rounds; i++) {
                measure(behind, queries, direct);
                measure(front, queries, through);
            }
        }
        double directMicros = direct.getValueAtPercentile(50) / 1e3;
        double throughMicros = through.getValueAtPercentile(50) / 1e3;
        print(
                "local SELECT 1 %s: direct p50 %.0f us p99 %.0f us, through p50 %.0f us p99 %.0f us; added %.0f us (aim 60 us)",
                mode,
                directMicros,
                direct.getValueAtPercentile(99) / 1e3,
                throughMicros,
                through.getValueAtPercentile(99) / 1e3,
                throughMicros - directMicros);
    }

    private static Connection connect(DataSource source, boolean simple) throws SQLException {
        PGSimpleDataSource driver = (PGSimpleDataSource) source;
        driver.setPreferQueryMode(org.postgresql.jdbc.PreferQueryMode.of(simple ? "simple" : "extended"));
        return driver.getConnection();
    }

    private static Connection connect(LocalDsql dsql, boolean simple) throws SQLException {
        PGSimpleDataSource driver = new PGSimpleDataSource();
        driver.setUrl(dsql.jdbcUrl());
        driver.setUser("admin");
        driver.setPassword(dsql.token("admin", Duration.ofHours(1)));
        return connect(driver, simple);
    }

    private static void measure(Connection connection, int queries, Histogram histogram) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement("SELECT 1")) {
            for (int i = 0; i < queries; i++) {
                long began = System.nanoTime();
                try (ResultSet result = statement.executeQuery()) {
                    result.next();
                }
                histogram.recordValue(System.nanoTime() - began);
            }
        }
    }

    private static void select(Connection connection) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet result = statement.executeQuery("SELECT 1")) {
            result.next();
        }
    }

    // ---- pgbench

    private static void pgbench(LocalDsql dsql, int seconds) throws SQLException, IOException, InterruptedException {
        try (Connection connection = dsql.behind().getConnection();
                Statement statement = connection.createStatement()) {
            statement.execute("CREATE TABLE pgbench_accounts (aid int PRIMARY KEY, abalance int)");
            statement.execute("INSERT INTO pgbench_accounts SELECT n, 0 FROM generate_series(1, 100000) n");
            statement.execute("GRANT ALL ON pgbench_accounts TO PUBLIC");
            statement.execute("ANALYZE pgbench_accounts");
        }
        Path script = Files.createTempFile("select", ".sql");
        Files.writeString(
                script, "\\set aid random(1, 100000)\nSELECT abalance FROM pgbench_accounts WHERE aid = :aid;\n");
        PGSimpleDataSource behind = (PGSimpleDataSource) dsql.behind();
        Map<String, String> direct = Map.of(
                "PGHOST",
                behind.getServerNames()[0],
                "PGPORT",
                Integer.toString(behind.getPortNumbers()[0]),
                "PGUSER",
                String.valueOf(behind.getUser()),
                "PGPASSWORD",
                String.valueOf(behind.getPassword()),
                "PGDATABASE",
                LocalDsql.DATABASE,
                "PGSSLMODE",
                "disable");
        Map<String, String> through = new HashMap<>(Map.of(
                "PGHOST", dsql.host(),
                "PGPORT", Integer.toString(dsql.port()),
                "PGUSER", "admin",
                "PGPASSWORD", dsql.token("admin", Duration.ofHours(1)),
                "PGDATABASE", LocalDsql.DATABASE,
                "PGSSLMODE", "verify-full",
                "PGSSLROOTCERT", dsql.caFile().toString()));
        try {
            for (String mode : List.of("simple", "prepared")) {
                double one = tps(script, mode, seconds, direct);
                double other = tps(script, mode, seconds, through);
                print(
                        "local pgbench -S -c 8 -M %s: direct %.0f tps, through %.0f tps; ratio %.2f (aim 0.5)",
                        mode, one, other, other / one);
            }
        } catch (IOException e) {
            print("local pgbench: skipped, it is not installed (%s)", e);
        } finally {
            Files.delete(script);
        }
    }

    private static double tps(Path script, String mode, int seconds, Map<String, String> environment)
            throws IOException, InterruptedException {
        ProcessBuilder builder = new ProcessBuilder(
                        "pgbench",
                        "-n",
                        "-f",
                        script.toString(),
                        "-c",
                        "8",
                        "-j",
                        "2",
                        "-M",
                        mode,
                        "-T",
                        Integer.toString(seconds))
                .redirectErrorStream(true);
        builder.environment().putAll(environment);
        Process process = builder.start();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        Matcher tps = TPS.matcher(output);
        if (process.waitFor() != 0 || !tps.find()) {
            throw new IllegalStateException("pgbench failed: " + output);
        }
        return Double.parseDouble(tps.group(1));
    }

    // ---- memory

    private static void sessions(LocalDsql dsql) throws SQLException {
        List<Connection> open = new ArrayList<>();
        long before = heap();
        try {
            DataSource source = dsql.dataSource("admin");
            for (int i = 0; i < SESSIONS; i++) {
                open.add(source.getConnection());
            }
            print(
                    "local %d idle sessions: %.0f kB of heap each, driver included, and no PostgreSQL process",
                    SESSIONS, (heap() - before) / 1024.0 / SESSIONS);
        } finally {
            for (Connection connection : open) {
                connection.close();
            }
        }
    }

    private static long heap() {
        System.gc();
        return Runtime.getRuntime().totalMemory() - Runtime.getRuntime().freeMemory();
    }

    private static void print(String format, Object... values) {
        System.out.println(String.format(Locale.ROOT, format, values));
    }
}
