// SPDX-License-Identifier: Apache-2.0
package dev.forebay.bench.checkout;

import dev.forebay.bench.Comparison;
import dev.forebay.bench.Options;
import dev.forebay.bench.Options.Option;
import dev.forebay.bench.Report;
import dev.forebay.bench.pools.Contestant;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.openjdk.jmh.profile.GCProfiler;
import org.openjdk.jmh.results.Result;
import org.openjdk.jmh.results.RunResult;
import org.openjdk.jmh.runner.Runner;
import org.openjdk.jmh.runner.RunnerException;
import org.openjdk.jmh.runner.options.ChainedOptionsBuilder;
import org.openjdk.jmh.runner.options.TimeValue;
import org.openjdk.jmh.runner.options.VerboseMode;

/** CPU time and bytes of get and close, at several numbers of threads and connections. */
public final class CheckoutComparison implements Comparison {

    private static final int[] GROWTH = {10, 100, 1_000, 10_000};

    @Override
    public String name() {
        return "checkout";
    }

    @Override
    public String purpose() {
        return "what a checkout costs: CPU time and bytes of get and close";
    }

    @Override
    public List<Option> options() {
        return List.of(
                new Option(
                        "--only", "TEXT", "only settings whose line would begin with this, as in 'threads=1 size=32'"),
                new Option("--rounds", Option.NUMBER, "how often each setting is measured; the median is printed"),
                new Option("--profiler", "JMH-NAME", "adds one of JMH's profilers and shows JMH's own output"));
    }

    @Override
    public void run(Options options) throws RunnerException {
        String only = options.get("--only");
        Map<Setting, Map<Contestant, Cost>> costs = new LinkedHashMap<>();
        for (Setting setting : settings(options.quick())) {
            if (only == null || setting.toString().startsWith(only)) {
                Map<Contestant, Cost> cost = measure(setting, options);
                costs.put(setting, cost);
                System.out.println(line(setting, cost));
            }
        }
        if (only == null) {
            System.out.println(flatness(costs, options.pools()));
        }
    }

    private static List<Setting> settings(boolean quick) {
        List<Setting> all = new ArrayList<>();
        for (boolean metrics : new boolean[] {false, true}) {
            for (int threads : quick && metrics ? new int[] {1, 32} : new int[] {1, 2, 8, 32}) {
                all.add(new Setting(threads, 32, "", metrics));
            }
            all.add(new Setting(32, 8, " contended", metrics));
        }
        for (int size : GROWTH) {
            all.add(idle(size));
        }
        for (int size : GROWTH) {
            all.add(busy(size));
        }
        return all;
    }

    private static Setting idle(int size) {
        return new Setting(1, size, " idle", false);
    }

    private static Setting busy(int size) {
        return new Setting(2, size, " busy", false);
    }

    private record Setting(int threads, int size, String circumstance, boolean metrics) {
        boolean isBusy() {
            return circumstance.equals(" busy");
        }

        @Override
        public String toString() {
            return "threads=" + threads + " size=" + size + circumstance + (metrics ? " metrics" : "");
        }
    }

    private record Cost(double nanos, double bytes) {}

    /** Measures the pools in turns, so that other load on the machine hits all alike. */
    private static Map<Contestant, Cost> measure(Setting setting, Options options) throws RunnerException {
        int rounds = options.number("--rounds", options.quick() ? 1 : 3);
        Map<Contestant, List<Cost>> all = new EnumMap<>(Contestant.class);
        for (int round = 0; round < rounds; round++) {
            for (Contestant pool : options.pools()) {
                all.computeIfAbsent(pool, unused -> new ArrayList<>()).add(measureOnce(setting, pool, options));
            }
        }
        Map<Contestant, Cost> medians = new EnumMap<>(Contestant.class);
        all.forEach((pool, list) -> medians.put(
                pool,
                new Cost(
                        Report.median(list.stream().mapToDouble(Cost::nanos)),
                        Report.median(list.stream().mapToDouble(Cost::bytes)))));
        return medians;
    }

    private static Cost measureOnce(Setting setting, Contestant pool, Options options) throws RunnerException {
        boolean quick = options.quick();
        String profiler = options.get("--profiler");
        ChainedOptionsBuilder jmh = CpuProfiler.fork()
                .include((setting.isBusy()
                                ? BusyBenchmark.class.getName() + ".busy"
                                : CheckoutBenchmark.class.getName() + ".checkout")
                        + "$")
                .param("pool", pool.name())
                .param("size", String.valueOf(setting.size()))
                .param("metrics", String.valueOf(setting.metrics()))
                .warmupIterations(quick ? 2 : 4)
                .warmupTime(TimeValue.milliseconds(quick ? 250 : 600))
                .measurementIterations(quick ? 2 : 3)
                .measurementTime(TimeValue.milliseconds(quick ? 300 : 500))
                .addProfiler(GCProfiler.class)
                .verbosity(profiler == null ? VerboseMode.SILENT : VerboseMode.NORMAL);
        if (setting.isBusy()) {
            jmh.syncIterations(false); // otherwise the first to end goes on with empty calls, and they are counted
        } else {
            jmh.threads(setting.threads());
        }
        if (profiler != null) {
            jmh.addProfiler(profiler);
        }
        RunResult result = new Runner(jmh.build()).runSingle();
        // Bytes are counted for gets and closes alike: where those are calls of their own, a pair is two.
        int calls = setting.isBusy() ? 2 : 1;
        return new Cost(figure(result, CpuProfiler.LABEL), calls * figure(result, "gc.alloc.rate.norm"));
    }

    private static double figure(RunResult result, String label) {
        Result<?> figure = result.getSecondaryResults().get(label);
        if (figure == null) {
            throw new IllegalStateException("JMH did not report " + label);
        }
        return figure.getScore();
    }

    private static String line(Setting setting, Map<Contestant, Cost> costs) {
        StringBuilder text = new StringBuilder("checkout ").append(setting).append(':');
        costs.forEach((pool, cost) -> text.append(
                String.format(Locale.ROOT, " %s %.1f ns %.0f B,", pool.label(), cost.nanos(), cost.bytes())));
        text.setLength(text.length() - 1);
        return text + Report.ratios(costs, Cost::nanos, "");
    }

    private static String flatness(Map<Setting, Map<Contestant, Cost>> costs, List<Contestant> pools) {
        List<String> parts = new ArrayList<>();
        for (Contestant pool : pools) {
            double idle = 0;
            double busy = 0;
            for (int size : GROWTH) {
                idle = Math.max(idle, nanos(costs, idle(size), pool) / nanos(costs, idle(GROWTH[0]), pool));
                busy = Math.max(busy, nanos(costs, busy(size), pool) / nanos(costs, busy(GROWTH[0]), pool));
            }
            parts.add(String.format(Locale.ROOT, "%s idle %.2f busy %.2f", pool.label(), idle, busy));
        }
        return "checkout flat: " + String.join(", ", parts) + " (10 to 10,000)";
    }

    private static double nanos(Map<Setting, Map<Contestant, Cost>> costs, Setting setting, Contestant pool) {
        Map<Contestant, Cost> row = costs.getOrDefault(setting, Map.of());
        Cost cost = row.get(pool);
        return cost == null ? Double.NaN : cost.nanos();
    }
}
