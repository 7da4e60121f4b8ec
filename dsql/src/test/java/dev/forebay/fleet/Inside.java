// SPDX-License-Identifier: Apache-2.0
package dev.forebay.fleet;

import dev.forebay.engine.Admission;
import dev.forebay.time.SystemTime;
import dev.forebay.time.Time;
import java.time.Duration;
import java.util.Random;

/** The inside of the limits, for tests of what stands behind them. */
public final class Inside {

    private Inside() {}

    public static FleetStore guarded(FleetStore store, Duration timeout, Time time, FleetListener listener) {
        return new GuardedStore(store, timeout, time, new Random(1), listener);
    }

    /** A ledger in real time, on a guarded store. */
    public static final class TestLedger {
        private final Ledger ledger;

        public TestLedger(
                FleetStore guarded,
                int limit,
                Duration ttl,
                FleetConfig.Outage outage,
                long seed,
                FleetListener listener) {
            LedgerConfig config = new LedgerConfig("cluster", "test", limit, ttl, ttl.dividedBy(3), outage);
            ledger = new Ledger(
                    config,
                    (GuardedStore) guarded,
                    SystemTime.shared(),
                    SystemTime.wallClock(),
                    new Random(seed),
                    listener);
        }

        public void ask(long nowNanos, Admission.Answer answer) {
            ledger.ask(nowNanos, answer);
        }

        public FleetStats.LeaseStats stats() {
            return ledger.stats();
        }

        public void close() {
            ledger.close();
        }

        public boolean isReleased() {
            return ledger.isReleased();
        }
    }
}
