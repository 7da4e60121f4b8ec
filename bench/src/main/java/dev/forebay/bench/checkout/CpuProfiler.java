// SPDX-License-Identifier: Apache-2.0
package dev.forebay.bench.checkout;

import com.sun.management.OperatingSystemMXBean;
import java.lang.management.ManagementFactory;
import java.util.Collection;
import java.util.List;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.infra.BenchmarkParams;
import org.openjdk.jmh.infra.IterationParams;
import org.openjdk.jmh.profile.InternalProfiler;
import org.openjdk.jmh.results.AggregationPolicy;
import org.openjdk.jmh.results.IterationResult;
import org.openjdk.jmh.results.Result;
import org.openjdk.jmh.results.RunResult;
import org.openjdk.jmh.results.ScalarResult;
import org.openjdk.jmh.runner.options.ChainedOptionsBuilder;
import org.openjdk.jmh.runner.options.OptionsBuilder;

/**
 * Divides the CPU time of the process by the operations of an iteration.
 *
 * <p>Time that the machine gives to others does not show in it, and time that a pool spends on threads of its own does. {@link
 * BusyBenchmark} keeps its own time, which is reported in its place.
 */
public final class CpuProfiler implements InternalProfiler {

    static final String LABEL = "cpu";

    /** Returns the settings of a run in one JVM of its own, with this profiler. */
    public static ChainedOptionsBuilder fork() {
        return new OptionsBuilder()
                .mode(Mode.Throughput)
                .forks(1)
                // Otherwise 32 busy threads leave the compiler too little of two cores to be done before we measure.
                .jvmArgs("-Xbatch", "-Xms1g", "-Xmx1g", "-Djava.io.tmpdir=" + System.getProperty("java.io.tmpdir"))
                .addProfiler(CpuProfiler.class)
                .shouldFailOnError(true);
    }

    /** Returns its figure for a run it was added to. */
    public static double nanos(RunResult result) {
        Result<?> figure = result.getSecondaryResults().get(LABEL);
        if (figure == null) {
            throw new IllegalStateException("JMH did not report " + LABEL);
        }
        return figure.getScore();
    }

    private final OperatingSystemMXBean system = (OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();
    private long before;

    @Override
    public void beforeIteration(BenchmarkParams benchmark, IterationParams iteration) {
        BusyBenchmark.medianNanos(); // forgets the warm-up
        before = system.getProcessCpuTime();
    }

    @Override
    public Collection<? extends Result<?>> afterIteration(
            BenchmarkParams benchmark, IterationParams iteration, IterationResult result) {
        double spent = system.getProcessCpuTime() - before;
        double busy = BusyBenchmark.medianNanos();
        double each = busy > 0 ? busy : spent / result.getMetadata().getAllOps();
        return List.of(new ScalarResult(LABEL, each, "ns/op", AggregationPolicy.AVG));
    }

    @Override
    public String getDescription() {
        return "CPU time of the process for each operation";
    }
}
