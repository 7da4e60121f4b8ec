// SPDX-License-Identifier: Apache-2.0
package dev.forebay.bench.checkout;

import dev.forebay.bench.driver.Server;
import dev.forebay.bench.driver.StubConnection;
import dev.forebay.bench.pools.Contestant;
import dev.forebay.bench.pools.PoolUnderTest;
import dev.forebay.bench.pools.Terms;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import javax.sql.DataSource;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;

/** A pool on a driver that does nothing, with all its connections open. */
@State(Scope.Benchmark)
public class FullPool {

    @Param("FOREBAY")
    Contestant pool = Contestant.FOREBAY;

    @Param("32")
    int size;

    @Param("false")
    boolean metrics;

    @SuppressWarnings("NullAway.Init")
    private PoolUnderTest opened;

    @SuppressWarnings("NullAway.Init")
    DataSource dataSource;

    @Setup
    public void open() throws Exception {
        AtomicInteger connections = new AtomicInteger();
        Server server = () -> {
            connections.incrementAndGet();
            return new StubConnection();
        };
        opened = pool.open(Terms.steady(server, size, metrics));
        dataSource = opened.dataSource();
        for (int waited = 0; connections.get() < size; waited++) {
            if (waited == 60_000) {
                throw new IllegalStateException(pool + " opened " + connections + " of " + size + " connections");
            }
            TimeUnit.MILLISECONDS.sleep(1);
        }
        opened.filled();
        // In a program that has run for a while the pool's objects are old, and writing to them costs more.
        System.gc();
    }

    @TearDown
    public void close() {
        opened.close();
    }
}
