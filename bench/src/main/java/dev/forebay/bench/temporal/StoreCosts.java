// SPDX-License-Identifier: Apache-2.0
package dev.forebay.bench.temporal;

import dev.forebay.ForebayConfig;
import dev.forebay.ForebayDataSource;
import dev.forebay.bench.Comparison;
import dev.forebay.bench.Options;
import dev.forebay.local.LocalDsql;
import dev.forebay.model.ClusterSettings;
import dev.forebay.temporal.Schema;
import dev.forebay.temporal.Temporal;
import dev.forebay.tx.ErrorMeaning;
import dev.forebay.tx.SnowflakeIds;
import dev.forebay.tx.Transactions;
import dev.forebay.tx.TxListener;
import dev.forebay.tx.TxRetryPolicy;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.LongAdder;
import javax.sql.DataSource;
import org.postgresql.ds.PGSimpleDataSource;

/** Operations of Temporal's stores a second, and round trips for each, on the local DSQL and on the PostgreSQL behind it. */
public final class StoreCosts implements Comparison {

    private static final int THREADS = 8;

    @Override
    public String name() {
        return "temporal";
    }

    @Override
    public String purpose() {
        return "what an operation of Temporal's stores costs, on the local DSQL and on plain PostgreSQL";
    }

    @Override
    public List<Options.Option> options() {
        return List.of();
    }

    @Override
    public void run(Options options) throws Exception {
        int operations = options.quick() ? 40 : 400;
        ClusterSettings settings =
                ClusterSettings.builder().connectBurst(100_000).build();
        try (LocalDsql dsql = LocalDsql.builder().settings(settings).start()) {
            print(
                    "temporal: %d threads, each with a shard of its own; a workflow has 10 activities and 5 timers",
                    THREADS);
            print(
                    "%-12s %-16s %12s %12s %12s %10s",
                    "on", "operation", "per second", "p50 ms", "round trips", "conflicts");
            measure("local DSQL", through(dsql), operations);
            measure("PostgreSQL", direct(dsql), operations);
        }
    }

    private static void measure(String name, DataSource source, int operations) throws Exception {
        Counts counts = new Counts();
        try (ForebayDataSource pool = ForebayDataSource.builder()
                .config(ForebayConfig.builder()
                        .mode(ForebayConfig.Mode.ON_DEMAND)
                        .serviceName("bench")
                        .maxOpen(THREADS)
                        .connectionRateLimit(1_000)
                        .connectionBurstLimit(1_000)
                        .build())
                .dataSource(source)
                .build()) {
            Transactions transactions = Transactions.builder(pool)
                    .policy(TxRetryPolicy.BRIEF)
                    .listener(counts)
                    .build();
            Schema.on(transactions).install((number, steps, what) -> {});
            Temporal temporal = Temporal.on(transactions, SnowflakeIds.forNode(1));
            List<Owner> owners = new ArrayList<>();
            for (int i = 0; i < THREADS; i++) {
                Owner owner = new Owner(temporal, i + 1);
                owner.begin();
                owners.add(owner);
            }
            for (Owner.Operation operation : Owner.Operation.values()) {
                together(owners, operation, Math.max(10, operations / 4)); // until all of it is compiled
                counts.reset();
                long trips = CountingSockets.roundTrips();
                Measured measured = together(owners, operation, operations);
                double all = (double) THREADS * operations;
                print(
                        "%-12s %-16s %12.0f %12.2f %12.1f %9.2f%%",
                        name,
                        operation.label(),
                        all / measured.seconds(),
                        measured.medianMillis(),
                        (CountingSockets.roundTrips() - trips) / all,
                        100 * counts.conflicts.sum() / all);
            }
        }
    }

    private record Measured(double seconds, double medianMillis) {}

    private static Measured together(List<Owner> owners, Owner.Operation operation, int times) throws Exception {
        ExecutorService threads = Executors.newFixedThreadPool(THREADS);
        try {
            long began = System.nanoTime();
            List<Future<List<Long>>> running = new ArrayList<>();
            for (Owner owner : owners) {
                running.add(threads.submit(() -> {
                    List<Long> taken = new ArrayList<>(times);
                    for (int i = 0; i < times; i++) {
                        long start = System.nanoTime();
                        operation.run(owner);
                        taken.add(System.nanoTime() - start);
                    }
                    return taken;
                }));
            }
            List<Long> all = new ArrayList<>();
            for (Future<List<Long>> one : running) {
                all.addAll(one.get());
            }
            double seconds = (System.nanoTime() - began) / 1e9;
            all.sort(Long::compare);
            return new Measured(seconds, all.get(all.size() / 2) / 1e6);
        } finally {
            threads.shutdown();
        }
    }

    // ---- the two databases

    private static DataSource through(LocalDsql dsql) {
        PGSimpleDataSource source = new PGSimpleDataSource();
        source.setUrl(dsql.jdbcUrl());
        source.setUser("admin");
        source.setPassword(dsql.token("admin", Duration.ofHours(1)));
        source.setSocketFactory(CountingSockets.class.getName());
        return source;
    }

    private static DataSource direct(LocalDsql dsql) throws SQLException {
        PGSimpleDataSource source = (PGSimpleDataSource) dsql.behind();
        try (Connection connection = source.getConnection();
                Statement statement = connection.createStatement()) {
            statement.execute("CREATE SCHEMA beside");
        }
        source.setCurrentSchema("beside");
        source.setSocketFactory(CountingSockets.class.getName());
        return source;
    }

    /** The conflicts since the last reset. */
    private static final class Counts implements TxListener {

        final LongAdder conflicts = new LongAdder();

        void reset() {
            conflicts.reset();
        }

        @Override
        public void attemptFailed(String operation, ErrorMeaning meaning, String sqlState, Throwable error) {
            if (meaning == ErrorMeaning.CONFLICT) {
                conflicts.increment();
            }
        }
    }

    private static void print(String format, Object... arguments) {
        System.out.println(String.format(Locale.ROOT, format, arguments));
    }
}
