// SPDX-License-Identifier: Apache-2.0
package dev.forebay.console.demo;

import dev.forebay.event.TxListener;
import dev.forebay.lab.model.ClusterCounts;
import dev.forebay.lab.model.Refusal;
import dev.forebay.lab.server.LocalDsql;
import java.io.IOException;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/** One of the two that carry the load: four services before a cluster of their own, and what was seen of them. */
final class Contender implements AutoCloseable {

    private static final Duration PATIENCE = Duration.ofSeconds(2);

    final Tally tally = new Tally();
    private final LocalDsql cluster;
    private final Pools pools;
    private Load load = new Load();
    private int leastLevel = Integer.MAX_VALUE;
    private @Nullable Duration droppedAt;
    private @Nullable Duration recoveredAfter;

    /** Makes pools before a cluster. */
    interface Maker {
        Pools make(LocalDsql cluster) throws SQLException;
    }

    private Contender(LocalDsql cluster, Pools pools) {
        this.cluster = cluster;
        this.pools = pools;
    }

    /** Starts a cluster, and pools before it. */
    static Contender start(Plan plan, Maker maker) throws IOException, SQLException {
        LocalDsql cluster = LocalDsql.builder().settings(plan.cluster()).start();
        try {
            Load.prepare(cluster.dataSource("admin"));
            return new Contender(cluster, maker.make(cluster));
        } catch (SQLException | RuntimeException e) {
            cluster.close();
            throw e;
        }
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

    /** Begins the load, anew if it had ended. */
    void begin(List<TxListener> further) {
        load = new Load();
        List<DataSource> counted = new ArrayList<>();
        for (int i = 0; i < pools.sources().size(); i++) {
            int service = i;
            counted.add(new CountedDataSource(pools.sources().get(i), () -> pools.hasReady(service), tally));
        }
        List<TxListener> listeners = new ArrayList<>(further);
        listeners.add(tally);
        load.begin(counted, listeners);
    }

    // ---- what is seen

    /** Connections that the pools believe to have and the cluster has, too. */
    int level() {
        return Math.min(pools.open(), cluster.counts().open());
    }

    /** Looks at the level, {@code at} so long into the script. */
    void look(Duration at) {
        int level = level();
        Duration dropped = droppedAt;
        if (dropped == null) {
            leastLevel = Math.min(leastLevel, level);
        } else if (recoveredAfter == null && level >= Plan.CONNECTIONS) {
            recoveredAfter = at.minus(dropped);
        }
    }

    void dropped(Duration at) {
        droppedAt = at;
    }

    /** The lowest level before the drop. */
    int leastLevel() {
        return leastLevel;
    }

    /** How long after the drop all connections were there again; null if they never were. */
    @Nullable
    Duration recoveredAfter() {
        return recoveredAfter;
    }

    /** Connects that the cluster refused because they came too fast. */
    long refused() {
        return cluster.counts().refused().getOrDefault(Refusal.RATE, 0L);
    }

    ClusterCounts counts() {
        return cluster.counts();
    }

    /** What the counters in the database come to. */
    long sum() throws SQLException {
        return Load.sum(cluster.behind());
    }

    @Override
    public void close() throws IOException {
        try (LocalDsql closed = cluster) {
            load.end(PATIENCE);
            pools.close();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
