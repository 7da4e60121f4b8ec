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
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/** One of the two that carry the load: four services before a cluster of their own, and their observations. */
final class Contender {

    final Tally tally = new Tally();
    private final LocalDsql cluster;
    private final Pools pools;
    private final TransactionCounts transactions;
    private final List<CheckoutTimes> times = new ArrayList<>(); // of each service
    private Load load = new Load();
    private int leastLevel = Integer.MAX_VALUE;
    private int looks;
    private int highLooks;
    private long emptiesAtDrop;
    private @Nullable Duration droppedAt;
    private long admittedAtDrop;
    private @Nullable Duration recoveredAfter;

    /** Pools before {@code cluster}. */
    Contender(LocalDsql cluster, Pools pools, Happenings happenings) {
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

    /** Begins the load, again if it had ended. */
    void begin(List<TxListener> further) {
        load = new Load();
        List<DataSource> counted = new ArrayList<>();
        for (int i = 0; i < pools.sources().size(); i++) {
            int service = i;
            counted.add(
                    new CountedDataSource(pools.sources().get(i), () -> pools.hasReady(service), tally, times.get(i)));
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
            leastLevel = Math.min(leastLevel, level);
            looks++;
            highLooks += level >= Plan.HIGH_LEVEL ? 1 : 0;
        } else if (recoveredAfter == null && level >= Plan.CONNECTIONS && haveAllBeenReplaced()) {
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
        emptiesAtDrop = tally.empties.sum();
        admittedAtDrop = cluster.counts().admitted();
        droppedAt = at;
        cluster.inject(new Fault.Drop(0.5));
    }

    /** Connects that the cluster refused because they came too fast. */
    long refused() {
        return cluster.counts().refused().getOrDefault(ConnectRefusal.RATE, 0L);
    }

    /** The figures of this moment; the p99 is that of the checkouts since the last call. */
    Figures figures() {
        return new Figures(
                pools.name(),
                level(),
                tally.times.takeP99Millis(),
                tally.empties.sum(),
                tally.conflicts.sum(),
                refused());
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
                counts.admitted(),
                refused(),
                new Seen.Wave(emptiesAtDrop, leastLevel, looks, highLooks),
                counts.expired(),
                counts.dropped(),
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
