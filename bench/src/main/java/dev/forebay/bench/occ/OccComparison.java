// SPDX-License-Identifier: Apache-2.0
package dev.forebay.bench.occ;

import dev.forebay.ForebayConfig;
import dev.forebay.ForebayDataSource;
import dev.forebay.bench.Comparison;
import dev.forebay.bench.Options;
import dev.forebay.bench.Options.Option;
import dev.forebay.local.LocalDsql;
import dev.forebay.micrometer.MicrometerMetrics;
import dev.forebay.tx.Transactions;
import dev.forebay.tx.TxListener;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.sql.SQLException;
import java.util.List;
import java.util.Locale;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/** Counters that eight threads add to on a real PostgreSQL and on the local DSQL, and the cost of a transaction without conflict. */
public final class OccComparison implements Comparison {

    /** Room on each page, so that an update writes no index. */
    private static final String ROOM = " WITH (fillfactor = 20)";

    /** The time that is added to COMMIT on the local DSQL, so that a loser has waited before it learns of its conflict. */
    private static final long COMMIT_MILLIS = 10;

    @Override
    public String name() {
        return "occ";
    }

    @Override
    public String purpose() {
        return "transactions that conflict, beside a plain retry loop, and the price of one that does not";
    }

    @Override
    public List<Option> options() {
        return List.of(new Option("--only", "TEXT", "only what begins with this, as in 'dsql rows=1' or 'overhead'"));
    }

    @Override
    public void run(Options options) throws Exception {
        boolean quick = options.quick();
        String only = options.get("--only");
        try (EmbeddedPostgres postgres = EmbeddedPostgres.builder()
                        .setServerConfig("fsync", "off")
                        .setServerConfig("default_transaction_isolation", "'repeatable read'")
                        .setErrorRedirector(ProcessBuilder.Redirect.DISCARD)
                        .setOutputRedirector(ProcessBuilder.Redirect.DISCARD)
                        .start();
                ForebayDataSource real = pool(postgres.getPostgresDatabase());
                ForebayDataSource noOp = pool(new NoOpServer().dataSource())) {
            contend("postgresql", real, ROOM, quick, only);
            try (LocalDsql dsql = LocalDsql.builder().start();
                    ForebayDataSource slow =
                            pool(new SlowCommits(dsql.dataSource("admin"), COMMIT_MILLIS).dataSource())) {
                contend("dsql", slow, "", quick, only);
            }
            if (only == null || "overhead".startsWith(only)) {
                Counters.create(real, 1, ROOM);
                overhead(real, noOp, quick);
            }
        }
    }

    private static void contend(
            String database, ForebayDataSource dataSource, String storage, boolean quick, @Nullable String only)
            throws Exception {
        Contention contention = new Contention(database, dataSource, storage, quick ? 1 : 5, 2_000);
        for (int rows : new int[] {1, 10, 100}) {
            if (only == null || contention.setting(rows).startsWith(only)) {
                System.out.println(contention.measure(rows));
            }
        }
    }

    private static ForebayDataSource pool(DataSource server) throws SQLException {
        ForebayConfig config = ForebayConfig.builder()
                .maxOpen(Contention.THREADS)
                .connectionRateLimit(1_000)
                .staggeredStartup(false)
                .jmx(false)
                .build();
        return ForebayDataSource.builder().config(config).dataSource(server).build();
    }

    private static void overhead(ForebayDataSource real, ForebayDataSource noOp, boolean quick) throws SQLException {
        try (MicrometerMetrics metrics = new MicrometerMetrics(new PrometheusMeterRegistry(PrometheusConfig.DEFAULT))) {
            List<Uncontended.Cost> costs = Uncontended.costs(
                    List.of(
                            Uncontended.plain(noOp),
                            Uncontended.transaction(noOp.transactions()),
                            Uncontended.transaction(Transactions.builder(noOp)
                                    .listener(TxListener.observed(metrics))
                                    .build())),
                    quick ? 20 : 100,
                    50_000);
            List<Double> elapsed = Uncontended.elapsedNanos(
                    List.of(Uncontended.plain(real), Uncontended.transaction(real.transactions())),
                    quick ? 10_000 : 50_000);
            Uncontended.Cost plain = costs.get(0);
            Uncontended.Cost transaction = costs.get(1);
            Uncontended.Cost measured = costs.get(2);
            print(
                    "occ no-op driver: plain %.0f ns %.0f B, transactions %.0f ns %.0f B, with metrics %.0f ns %.0f B%n",
                    plain.nanos(),
                    plain.bytes(),
                    transaction.nanos(),
                    transaction.bytes(),
                    measured.nanos(),
                    measured.bytes());
            print("occ PostgreSQL: plain %.1f us, transactions %.1f us%n", elapsed.get(0) / 1e3, elapsed.get(1) / 1e3);
            print("occ overhead with metrics: %.1f %%%n", 100 * (measured.nanos() - plain.nanos()) / elapsed.get(0));
            print("occ overhead: %.1f %%%n", 100 * (transaction.nanos() - plain.nanos()) / elapsed.get(0));
        }
    }

    private static void print(String format, Object... figures) {
        System.out.printf(Locale.ROOT, format, figures);
    }
}
