// SPDX-License-Identifier: Apache-2.0
package dev.forebay.fleet;

import dev.forebay.engine.internal.GoDuration;
import dev.forebay.engine.internal.Quiet;
import dev.forebay.time.Time;
import java.time.Duration;
import java.util.Locale;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Logs the events of the limits that a fleet shares to SLF4J, one line for each change. Thread-safe. */
final class FleetLog implements FleetListener {

    private static final Logger log = LoggerFactory.getLogger(FleetLog.class);
    private static final long REPEAT_NANOS = 60_000_000_000L;

    private final String outage;
    private final Time time;
    private final Quiet limit = new Quiet();

    /** Makes a log that also says what becomes of new connections in an outage: {@code outage} is the setting. */
    public FleetLog(String outage, Time time) {
        this.outage = outage;
        this.time = time;
    }

    @Override
    public void storeLost(String trouble, String message) {
        log.warn(
                "Distributed limits: the store does not answer  trouble={} outage_mode={} error=\"{}\"",
                trouble,
                outage,
                message);
    }

    @Override
    public void storeFound(long outageNanos) {
        log.info("Distributed limits: the store answers again  after={}", rounded(outageNanos));
    }

    @Override
    public void fallingBack(double perSecond, double limit, int instances) {
        log.warn(
                "Distributed limits: connecting without the store  per_second={} limit={} instances_last_seen={}; instances that it did not see come on top",
                String.format(Locale.ROOT, "%.3g", perSecond),
                limit,
                instances);
    }

    @Override
    public void limitReached(long active, long most, int missing) {
        if (limit.breakAfter(REPEAT_NANOS, time.nanos())) {
            log.warn(
                    "Distributed limits: the connection limit is reached  active={} limit={} missing_here={}",
                    active,
                    most,
                    missing);
        }
    }

    @Override
    public void leaseLost(int held) {
        log.error(
                "Distributed limits: this process was given up for dead, its slots went to others  connections={}",
                held);
    }

    @Override
    public void reaped(String lease, long slots) {
        log.info("Distributed limits: ended the lease of a dead process  lease={} slots={}", lease, slots);
    }

    @Override
    public void draining(int held, long leftNanos) {
        log.warn(
                "Distributed limits: the lease cannot be renewed, letting go of its connections  connections={} left={}",
                held,
                rounded(leftNanos));
    }

    private static String rounded(long nanos) {
        return GoDuration.format(Duration.ofMillis(nanos / 1_000_000));
    }
}
