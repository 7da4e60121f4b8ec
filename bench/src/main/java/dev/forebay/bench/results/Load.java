// SPDX-License-Identifier: Apache-2.0
package dev.forebay.bench.results;

import com.sun.management.OperatingSystemMXBean;
import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.util.Locale;
import java.util.concurrent.TimeUnit;

/**
 * The work of other processes on this machine.
 *
 * @param average the load average of the last minute; negative where the machine does not know it
 * @param others the processors that others used in the last two seconds
 */
record Load(double average, double others) {

    private static final Duration LOOK = Duration.ofSeconds(2);
    private static final double MOST_AVERAGE = 0.5;
    private static final double MOST_OTHERS = 0.1;

    /** Looks for two seconds, in which this process does nothing. */
    static Load now() throws InterruptedException {
        OperatingSystemMXBean system = (OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();
        system.getCpuLoad(); // the next one counts from here
        TimeUnit.NANOSECONDS.sleep(LOOK.toNanos());
        return new Load(system.getSystemLoadAverage(), system.getCpuLoad() * system.getAvailableProcessors());
    }

    /** Returns whether others use the processors now. */
    boolean isBusy() {
        return others > MOST_OTHERS;
    }

    /** As {@link #isBusy()}, for the number of processors as it was printed. */
    static boolean isBusy(String others) {
        return Double.parseDouble(others) > MOST_OTHERS;
    }

    /** Returns whether somebody, perhaps we, used them in the last minute. */
    boolean wasBusy() {
        return average > MOST_AVERAGE;
    }

    @Override
    public String toString() {
        return String.format(Locale.ROOT, "load average %.2f, others use %.2f processors", average, others);
    }
}
