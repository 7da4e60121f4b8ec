// SPDX-License-Identifier: Apache-2.0
package dev.forebay.bench.local;

import dev.forebay.bench.Comparison;
import dev.forebay.bench.Options;
import dev.forebay.local.LocalDsql;
import dev.forebay.model.ClusterSettings;
import java.io.IOException;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.ToDoubleFunction;
import javax.sql.DataSource;
import org.HdrHistogram.Histogram;

/** The overhead of the local DSQL over the PostgreSQL behind it. */
public final class LocalServer implements Comparison {

    private static final int SESSIONS = 1_000;

    /** The uncounted work before, as a multiple of the counted: it takes a while to compile the server. */
    private static final int WARM_UP = 4;

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
            List<Target> targets = List.of(Target.direct(dsql), Target.directInTls(dsql), Target.through(dsql));
            roundTrips(targets, "simple", rounds, queries);
            roundTrips(targets, "prepared", rounds, queries);
            pgbench(dsql, targets, options.quick() ? 3 : 5, options.quick() ? 2 : 5);
            sessions(dsql);
        }
    }

    // ---- round trips

    private static void roundTrips(List<Target> targets, String mode, int rounds, int queries) throws SQLException {
        boolean simple = mode.equals("simple");
        List<Connection> connections = new ArrayList<>();
        List<Histogram> taken = new ArrayList<>();
        try {
            for (Target target : targets) {
                Connection connection = target.connect(simple);
                connections.add(connection);
                taken.add(new Histogram(3));
                measure(connection, queries * WARM_UP, new Histogram(3));
            }
            for (int i = 0; i < rounds; i++) {
                for (int at = 0; at < targets.size(); at++) {
                    measure(connections.get(at), queries, taken.get(at));
                }
            }
        } finally {
            for (Connection connection : connections) {
                connection.close();
            }
        }
        double through = median(taken.get(targets.size() - 1));
        for (int at = 0; at < targets.size() - 1; at++) {
            print(
                    "local SELECT 1 %s: %s p50 %.0f us p99 %.0f us, through p50 %.0f us p99 %.0f us; added %.0f us%s",
                    mode,
                    targets.get(at),
                    median(taken.get(at)),
                    taken.get(at).getValueAtPercentile(99) / 1e3,
                    through,
                    taken.get(targets.size() - 1).getValueAtPercentile(99) / 1e3,
                    through - median(taken.get(at)),
                    at == 0 ? " (aim 60 us)" : "");
        }
    }

    private static double median(Histogram nanos) {
        return nanos.getValueAtPercentile(50) / 1e3;
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

    private static void pgbench(LocalDsql dsql, List<Target> targets, int rounds, int seconds)
            throws SQLException, IOException, InterruptedException {
        try (PgBench bench = new PgBench(dsql)) {
            for (String mode : List.of("simple", "prepared")) {
                pgbench(bench, targets, mode, rounds, seconds);
            }
        }
    }

    private static void pgbench(PgBench bench, List<Target> targets, String mode, int rounds, int seconds)
            throws InterruptedException {
        List<List<PgBench.Result>> results = new ArrayList<>();
        targets.forEach(target -> results.add(new ArrayList<>()));
        try {
            bench.run(targets.get(targets.size() - 1), mode, WARM_UP * seconds);
            for (int i = 0; i < rounds; i++) {
                for (int at = 0; at < targets.size(); at++) {
                    results.get(at).add(bench.run(targets.get(at), mode, seconds));
                }
            }
        } catch (IOException e) {
            print("local pgbench: skipped, it is not installed (%s)", e);
            return;
        }
        List<PgBench.Result> through = results.get(targets.size() - 1);
        double tps = median(through, PgBench.Result::tps);
        for (int at = 0; at < targets.size() - 1; at++) {
            double other = median(results.get(at), PgBench.Result::tps);
            print(
                    "local pgbench -S -c 8 -M %s: %s %.0f tps, through %.0f tps; ratio %.2f%s",
                    mode, targets.get(at), other, tps, tps / other, at == 0 ? " (aim 0.5)" : "");
        }
        print(
                "local pgbench -S -c 8 -M %s: %.0f us of CPU time of the local DSQL for a transaction",
                mode, median(through, PgBench.Result::cpuMicros));
    }

    private static double median(List<PgBench.Result> results, ToDoubleFunction<PgBench.Result> value) {
        double[] sorted = results.stream().mapToDouble(value).sorted().toArray();
        return sorted[sorted.length / 2];
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
