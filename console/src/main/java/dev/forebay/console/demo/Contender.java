// SPDX-License-Identifier: Apache-2.0
package dev.forebay.console.demo;

import dev.forebay.console.web.CheckoutTimes;
import dev.forebay.console.web.Happenings;
import dev.forebay.console.web.Source;
import dev.forebay.console.web.TransactionCounts;
import dev.forebay.local.LocalDsql;
import dev.forebay.model.ClusterCounts;
import dev.forebay.model.ConnectRefusal;
import dev.forebay.model.Fault;
import dev.forebay.tx.TxListener;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/** One of the two that carry the load: services before a cluster of their own, and their observations. */
final class Contender {

    final Tally tally = new Tally();
    private final Plan plan;
    private final LocalDsql cluster;
    private final Pools pools;
    private final Hiccups hiccups;
    private final TransactionCounts transactions;
    private final List<CheckoutTimes> times = new ArrayList<>(); // of each service
    private Load load;
    private int looks;
    private int highLooks;
    private Seen.Wave wave = new Seen.Wave(0, 0, 0, 0);
    private @Nullable Duration droppedAt;
    private long admittedAtDrop;
    private @Nullable Duration recoveredAfter;

    /** Pools before {@code cluster}. */
    Contender(Plan plan, LocalDsql cluster, Pools pools, Hiccups hiccups, Happenings happenings) {
        this.plan = plan;
        this.load = new Load(plan, tally);
        this.hiccups = hiccups;
        this.cluster = cluster;
        this.pools = pools;
        this.transactions = new TransactionCounts(pools.name(), happenings);
        pools.sources().forEach(source -> times.add(new CheckoutTimes()));
    }

    LocalDsql cluster() {
        return cluster;
    }

    String name() {
        return pools.name();
    }

    Load load() {
        return load;
    }

    /** Puts the limits on connects in force, at the cluster and at the pools. */
    void limit() {
        cluster.reconfigure(plan.cluster());
        pools.limit();
    }

    /** Begins the load, again if it had ended. */
    void begin(List<TxListener> further) {
        load = new Load(plan, tally);
        List<DataSource> counted = new ArrayList<>();
        for (int i = 0; i < pools.sources().size(); i++) {
            int service = i;
            counted.add(new CountedDataSource(
                    pools.sources().get(i), () -> pools.hasReady(service), tally, times.get(i), hiccups));
        }
        List<TxListener> listeners = new ArrayList<>(further);
        listeners.add(tally);
        listeners.add(transactions);
        load.begin(counted, listeners);
    }

    // ---- observations

    /** Connections that the pools believe to have and the cluster has, too. */
    int level() {
        return Math.min(pools.open(), cluster.counts().open());
    }

    /** Looks at the level, at the time {@code at} of the script. */
    void look(Duration at) {
        int level = level();
        Duration dropped = droppedAt;
        if (dropped == null) {
            looks++;
            highLooks += level >= plan.highLevel() ? 1 : 0;
        } else if (recoveredAfter == null && level >= plan.connections() && haveAllBeenReplaced()) {
            recoveredAfter = at.minus(dropped);
        }
    }

    /** Returns whether all dropped ones are replaced; the level counts them for a moment longer. */
    private boolean haveAllBeenReplaced() {
        ClusterCounts counts = cluster.counts();
        return counts.admitted() - admittedAtDrop >= counts.dropped();
    }

    /** Drops half of the connections. */
    void drop(Duration at) {
        wave = new Seen.Wave(tally.empties.sum(), tally.stalls.sum(), looks, highLooks);
        admittedAtDrop = cluster.counts().admitted();
        droppedAt = at;
        cluster.inject(new Fault.Drop(0.5));
    }

    /** Connects that the cluster refused because they came too fast. */
    long refused() {
        return cluster.counts().refused().getOrDefault(ConnectRefusal.RATE, 0L);
    }

    /** The figures of this moment. */
    Figures figures() {
        return new Figures(
                pools.name(),
                level(),
                plan.connections(),
                tally.stalls.sum(),
                longestMillis(),
                refused(),
                tally.conflicts.sum());
    }

    private long longestMillis() {
        return TimeUnit.NANOSECONDS.toMillis(tally.longestNanos.get());
    }

    /** The waits of this moment, for the page. */
    Source.Waits waits() {
        return new Source.Waits(tally.stalls.sum(), longestMillis(), refused());
    }

    /** The pools of this moment, for the page; their p99 is that of the checkouts since the last call. */
    List<Source.PoolNow> now() {
        List<Source.PoolNow> now = new ArrayList<>();
        for (int i = 0; i < times.size(); i++) {
            now.add(pools.now(i, times.get(i).takeP99Millis()));
        }
        return now;
    }

    Source.Transactions transactions() {
        return transactions.now();
    }

    Pools pools() {
        return pools;
    }

    /** All observations. */
    Seen seen() throws SQLException {
        ClusterCounts counts = cluster.counts();
        return new Seen(
                tally.checkouts.sum(),
                tally.failedCheckouts.sum(),
                Duration.ofNanos(tally.longestNanos.get()),
                counts.admitted(),
                refused(),
                wave,
                counts.expired(),
                counts.dropped(),
                tally.stalls.sum() - wave.stalls(),
                recoveredAfter,
                tally.broken.sum(),
                tally.unknown.sum(),
                tally.unexpected.sum(),
                tally.conflicts.sum(),
                tally.givenUp.sum(),
                tally.commits.sum(),
                Load.sum(cluster.behind()));
    }
}
