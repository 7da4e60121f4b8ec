// SPDX-License-Identifier: Apache-2.0
package dev.forebay.bench.cold;

import dev.forebay.ForebayConfig;
import dev.forebay.bench.Threads;
import dev.forebay.bench.cold.ColdComparison.Entrant;
import dev.forebay.bench.pools.Contestant;
import dev.forebay.bench.pools.PoolUnderTest;
import dev.forebay.bench.pools.Terms;
import java.sql.SQLException;
import java.time.Duration;

/** One cold start of one pool. It has a JVM of its own, since a pool may leave callers behind that spin. */
final class OneRun {

    static final int SIZE = 30;
    static final int CALLERS = 300;
    private static final Duration HOLD = Duration.ofMillis(1);
    private static final Duration TIMEOUT = Duration.ofSeconds(30);
    private static final Duration QUICK_TIMEOUT = Duration.ofSeconds(10);

    /** The longest wait for what comes after the time-out; a pool that opens one after the other needs 150 s to be full. */
    private static final Duration PATIENCE = Duration.ofMinutes(3);

    private static final Duration QUICK_PATIENCE = Duration.ofSeconds(10);
    private static final int WARM_UPS = 5;

    private OneRun() {}

    static String[] arguments(Entrant entrant, Setting setting, Threads threads, boolean quick) {
        return new String[] {
            entrant.pool().name(), entrant.mode().name(), setting.name(), threads.name(), String.valueOf(quick)
        };
    }

    /** Prints the outcome as its last line. */
    public static void main(String[] args) throws Exception {
        Entrant entrant = new Entrant(Contestant.valueOf(args[0]), ForebayConfig.Mode.valueOf(args[1]));
        Setting setting = Setting.valueOf(args[2]);
        Threads threads = Threads.valueOf(args[3]);
        boolean quick = Boolean.parseBoolean(args[4]);
        Duration timeout = quick ? QUICK_TIMEOUT : TIMEOUT;
        Duration patience = quick ? QUICK_PATIENCE : PATIENCE;
        for (int i = 0; i < WARM_UPS; i++) { // to have it compiled
            run(entrant, new ColdServer(Duration.ofMillis(1), false, SIZE), threads, timeout, Duration.ZERO);
        }
        int possible = setting.firstHangs ? SIZE - 1 : SIZE;
        ColdServer server = new ColdServer(setting.connectTime, setting.firstHangs, possible);
        System.out.println(run(entrant, server, threads, timeout, patience).line());
        System.exit(0);
    }

    private static Outcome run(Entrant entrant, ColdServer server, Threads threads, Duration timeout, Duration patience)
            throws SQLException, InterruptedException {
        Crowd crowd = new Crowd(CALLERS, HOLD, threads);
        try (PoolUnderTest pool = entrant.pool().open(Terms.cold(server, SIZE, timeout, entrant.mode()));
                server) { // closed before the pool, which may wait for the connect that hangs
            Crowd.Outcome waits = crowd.ask(pool.dataSource(), timeout.plus(QUICK_PATIENCE));
            boolean dead = waits.calls().getTotalCount() == 0;
            long fullAt = server.awaitGoal(dead ? Duration.ZERO : patience);
            return new Outcome(
                    waits.cpuNanos() / 1e6,
                    100.0 * waits.cpuNanos() / waits.nanos(),
                    millis(waits.firstNanos(), dead),
                    millis(waits.lastNanos(), dead),
                    millis(waits.calls().getValueAtPercentile(99), dead),
                    fullAt < 0 ? Double.NaN : (fullAt - waits.startNanos()) / 1e9,
                    server.open(),
                    waits.failed(),
                    waits.stuck(),
                    waits.failure() == null
                            ? ""
                            : String.valueOf(waits.failure().getMessage()));
        }
    }

    private static double millis(long nanos, boolean none) {
        return none ? Double.NaN : nanos / 1e6;
    }
}
