// SPDX-License-Identifier: Apache-2.0
package dev.forebay.bench.sim;

import dev.forebay.bench.Comparison;
import dev.forebay.bench.Options;
import dev.forebay.engine.internal.GoDuration;
import dev.forebay.sim.Result;
import dev.forebay.sim.Sample;
import dev.forebay.sim.Scenario;
import dev.forebay.sim.ScenarioFile;
import dev.forebay.sim.Simulation;
import java.lang.management.ManagementFactory;
import java.lang.management.MemoryPoolMXBean;
import java.lang.management.MemoryType;
import java.lang.management.ThreadMXBean;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Locale;

/** Runs shipped scenarios, from 200 to 22,000 connections, and prints the cost of an event. */
public final class SimSpeed implements Comparison {

    private static final Path SCENARIOS = Path.of("scenarios");

    @Override
    public String name() {
        return "sim";
    }

    @Override
    public String purpose() {
        return "how fast the simulator runs, and what an event costs from 200 to 22,000 connections";
    }

    @Override
    public List<Options.Option> options() {
        return List.of();
    }

    @Override
    public void run(Options options) {
        boolean quick = options.quick();
        Duration day = Duration.ofHours(quick ? 2 : 24);
        measure("local", Duration.ofMinutes(20)); // to have it compiled
        double small = measure("local", day);
        measure("ecs-150wps", day);
        double large = measure("ecs-400wps", Duration.ofMinutes(quick ? 15 : 30));
        print("sim cost of an event, 22,000 connections beside 200: ratio %.2f", large / small);
    }

    /** Runs a scenario for {@code duration} and returns the nanoseconds of CPU that an event took. */
    private static double measure(String name, Duration duration) {
        Scenario scenario = ScenarioFile.read(SCENARIOS.resolve(name + ".yaml")).withDuration(duration);
        heapPools().forEach(MemoryPoolMXBean::resetPeakUsage);
        long[] samples = {0};
        ThreadMXBean threads = ManagementFactory.getThreadMXBean();
        long began = System.nanoTime();
        long cpuBefore = threads.getCurrentThreadCpuTime();
        Result result = Simulation.run(scenario, (Sample sample) -> samples[0]++, now -> {});
        double seconds = (System.nanoTime() - began) / 1e9;
        double cpuNanos = threads.getCurrentThreadCpuTime() - cpuBefore;
        long peak = heapPools().stream()
                .mapToLong(pool -> pool.getPeakUsage().getUsed())
                .sum();
        long events = result.totals().events();
        int connections = scenario.services().stream()
                .mapToInt(service -> service.count() * service.targetReady())
                .sum();
        print(
                "sim %s, %,d connections, %s: %.1f s, %,d events, %,.0f events/s, %.0f ns of CPU an event, %,d samples, heap at most %d MiB",
                name,
                connections,
                GoDuration.format(duration),
                seconds,
                events,
                events / seconds,
                cpuNanos / events,
                samples[0],
                peak >> 20);
        return cpuNanos / events;
    }

    private static List<MemoryPoolMXBean> heapPools() {
        return ManagementFactory.getMemoryPoolMXBeans().stream()
                .filter(pool -> pool.getType() == MemoryType.HEAP)
                .toList();
    }

    private static void print(String format, Object... args) {
        System.out.println(String.format(Locale.ROOT, format, args));
    }
}
