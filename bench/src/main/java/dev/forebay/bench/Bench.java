// SPDX-License-Identifier: Apache-2.0
package dev.forebay.bench;

import dev.forebay.bench.checkout.CheckoutComparison;
import dev.forebay.bench.cold.ColdComparison;
import dev.forebay.bench.expiry.ExpiryPass;
import dev.forebay.bench.leases.LeaseCosts;
import dev.forebay.bench.local.LocalServer;
import dev.forebay.bench.occ.OccComparison;
import dev.forebay.bench.registry.RegistryComparison;
import dev.forebay.bench.results.AllRuns;
import dev.forebay.bench.results.PageRun;
import dev.forebay.bench.sim.Capacity;
import dev.forebay.bench.sim.SimSpeed;
import dev.forebay.bench.storm.StormComparison;
import dev.forebay.bench.temporal.StoreCosts;
import dev.forebay.bench.waiting.WaitComparison;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;

/** Runs one comparison by name; {@code bench/run} starts it. */
public final class Bench {

    /** All comparisons; a further one is a class and a line here. */
    private static final List<Comparison> COMPARISONS = List.of(
            new CheckoutComparison(),
            new WaitComparison(),
            new StormComparison(),
            new ColdComparison(),
            new ExpiryPass(),
            new LocalServer(),
            new LeaseCosts(),
            new SimSpeed(),
            new Capacity(),
            new OccComparison(),
            new RegistryComparison(),
            new StoreCosts(),
            new AllRuns(),
            new PageRun());

    private Bench() {}

    public static void main(String[] args) throws Exception {
        int status = run(args);
        // Pools leave threads behind that are not daemons.
        System.exit(status);
    }

    private static int run(String[] args) throws Exception {
        if (args.length == 0) {
            return wrong("no benchmark named");
        }
        if (args[0].equals("--help") || args[0].equals("-h")) {
            System.out.print(usage());
            return 0;
        }
        Optional<Comparison> comparison = named(args[0]);
        return comparison.isPresent()
                ? run(comparison.get(), Arrays.copyOfRange(args, 1, args.length))
                : wrong("unknown benchmark '" + args[0] + "'");
    }

    static Optional<Comparison> named(String name) {
        return COMPARISONS.stream()
                .filter(comparison -> comparison.name().equals(name))
                .findFirst();
    }

    private static int run(Comparison comparison, String[] args) throws Exception {
        if (Arrays.asList(args).contains("--help")) {
            System.out.print(usage());
            return 0;
        }
        Options options;
        try {
            options = Options.parse(args, comparison.options());
        } catch (IllegalArgumentException e) {
            return wrong(comparison.name() + ": " + e.getMessage());
        }
        try {
            comparison.run(options);
            return 0;
        } catch (Comparison.Refusal e) {
            System.err.println("bench/run: " + comparison.name() + ": " + e.getMessage());
            return 1;
        }
    }

    private static int wrong(String what) {
        System.err.println("bench/run: " + what);
        System.err.print(usage());
        return 2;
    }

    private static String usage() {
        StringBuilder text = new StringBuilder("usage: bench/run NAME [options]\n");
        for (Comparison comparison : COMPARISONS) {
            text.append(String.format("  %-22s %s%n", comparison.name(), comparison.purpose()));
            comparison.options().forEach(option -> text.append(option.describe()));
        }
        text.append("for each of them:\n");
        Options.COMMON.forEach(option -> text.append(option.describe()));
        return text.toString();
    }
}
