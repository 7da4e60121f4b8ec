// SPDX-License-Identifier: Apache-2.0
package dev.forebay.sim;

import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The result of a simulation. Immutable, but for the arrays, which are not written to.
 *
 * @param scenario the scenario that was simulated
 * @param totals the figures of the whole fleet
 * @param services the figures of each service, all its processes together
 * @param bucket the time that one value of a chart stands for
 * @param charts the charts to draw
 * @param notes the notes on what happened, in the order of time
 * @param verdicts the assertions, and whether they held
 */
public record Result(
        Scenario scenario,
        Totals totals,
        List<ServiceTotals> services,
        Duration bucket,
        List<Chart> charts,
        List<Note> notes,
        List<Verdict> verdicts) {

    public Result {
        services = List.copyOf(services);
        charts = List.copyOf(charts);
        notes = List.copyOf(notes);
        verdicts = List.copyOf(verdicts);
    }

    /** Whether everything held that has to. */
    public boolean passed() {
        return verdicts.stream().allMatch(Verdict::passed);
    }

    /**
     * The figures of the whole fleet; everything about connects is the cluster's count.
     *
     * @param admitted connects that were admitted
     * @param refusedForRate connects refused as too fast, 53400
     * @param refusedForCount connects refused as too many, 53300
     * @param refusedOtherwise connects refused by a fault
     * @param busiestSecond the most connects in a second of the clock
     * @param busiestSlidingSecond the most connects in any second
     * @param mostOpen the most sessions at once
     * @param mostClosuresPerSecond the most closes in a second of the clock
     * @param convergedNanos the time at which the last process first reached its target, from the start; -1 if one never did
     * @param storeRequests calls of the table
     * @param waits the waits of checkouts
     * @param events the number of events that the simulation ran
     */
    public record Totals(
            long admitted,
            long refusedForRate,
            long refusedForCount,
            long refusedOtherwise,
            int busiestSecond,
            int busiestSlidingSecond,
            int mostOpen,
            int mostClosuresPerSecond,
            long convergedNanos,
            long storeRequests,
            Waits waits,
            long events) {}

    /**
     * The figures of a service.
     *
     * @param name its name
     * @param instances its processes
     * @param target the connections that all of them keep
     * @param lowest the fewest that lived at once at the cluster, from the first convergence on; -1 without that
     * @param checkouts successful checkouts
     * @param empties checkouts that found nothing ready
     * @param timeouts checkouts that gave up
     * @param refills connections opened
     * @param refillFailures opens that failed
     * @param discards connections let go
     * @param workStarted pieces of work begun
     * @param workCompleted pieces of work done
     * @param workFailed pieces of work that failed on a dead connection
     * @param waits the waits of checkouts
     */
    public record ServiceTotals(
            String name,
            int instances,
            int target,
            int lowest,
            long checkouts,
            long empties,
            long timeouts,
            long refills,
            long refillFailures,
            long discards,
            long workStarted,
            long workCompleted,
            long workFailed,
            Waits waits) {}

    /**
     * The waits of checkouts, those of zero included.
     *
     * @param count the number of waits
     * @param p50Nanos half of them waited no longer
     * @param p99Nanos 99 of 100 waited no longer
     * @param mostNanos none waited longer
     */
    public record Waits(long count, long p50Nanos, long p99Nanos, long mostNanos) {}

    /**
     * Something to draw over time. Every line has as many values as every other, each for one {@link #bucket}.
     *
     * @param id its name among charts of another run: level, connects, discards, waits, leases
     * @param title its title
     * @param unit of the values
     * @param stacked whether the lines are drawn on top of each other
     * @param lines its lines
     * @param rules constant values to compare them with
     */
    public record Chart(String id, String title, String unit, boolean stacked, List<Line> lines, List<Rule> rules) {

        public Chart {
            lines = List.copyOf(lines);
            rules = List.copyOf(rules);
        }
    }

    /**
     * A line of a chart.
     *
     * @param name its name
     * @param values a value for each bucket; NaN for none
     */
    @SuppressWarnings("ArrayRecordComponent") // written once, read by the charts
    public record Line(String name, double[] values) {}

    /**
     * A constant value.
     *
     * @param name its name
     * @param value it
     */
    public record Rule(String name, double value) {}

    /**
     * Something worth remembering.
     *
     * @param atNanos the time, from the start
     * @param where the service or process; "cluster", "store" or "fleet" otherwise
     * @param text the event in words
     * @param incident whether it was planned by the scenario
     */
    public record Note(long atNanos, String where, String text, boolean incident) {}

    /**
     * Something that has to hold, and whether it did.
     *
     * @param name the key of the scenario, or what always has to hold
     * @param bound the requirement, in words
     * @param measured the measurement, in words
     * @param failure when and where it did not hold first; null if it held
     */
    public record Verdict(
            String name,
            String bound,
            String measured,
            @Nullable Failure failure) {

        /** Whether it held. */
        public boolean passed() {
            return failure == null;
        }
    }

    /**
     * When and where something did not hold first.
     *
     * @param atNanos the time, from the start
     * @param where the service or process; "cluster", "store" or "fleet" otherwise
     * @param what the event
     * @param before the last things worth remembering before that
     */
    public record Failure(long atNanos, String where, String what, List<Note> before) {

        public Failure {
            before = List.copyOf(before);
        }
    }
}
