// SPDX-License-Identifier: Apache-2.0
package dev.forebay.bench.cold;

import dev.forebay.ForebayConfig;
import dev.forebay.bench.Comparison;
import dev.forebay.bench.Jvm;
import dev.forebay.bench.Options;
import dev.forebay.bench.Options.Option;
import dev.forebay.bench.Threads;
import dev.forebay.bench.pools.Contestant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** 300 callers that ask a pool of 30 at once, before it has opened anything. */
public final class ColdComparison implements Comparison {

    /** A pool, and for Forebay its mode. */
    record Entrant(Contestant pool, ForebayConfig.Mode mode) {
        @Override
        public String toString() {
            return pool == Contestant.FOREBAY ? pool.label() + " " + Options.word(mode) : pool.label();
        }
    }

    @Override
    public String name() {
        return "cold";
    }

    @Override
    public String purpose() {
        return "300 callers on a cold pool of 30: CPU while they wait, waits, time to full, a connect that hangs";
    }

    @Override
    public List<Option> options() {
        return List.of(Options.MODE, Options.THREADS);
    }

    @Override
    public void run(Options options) throws Exception {
        List<Entrant> entrants = entrants(options);
        List<String> lines = new ArrayList<>();
        for (Setting setting : Setting.values()) {
            if (setting.quick || !options.quick()) {
                String name = "cold " + setting + " threads=" + options.threads();
                Map<Entrant, Outcome> outcomes = measure(setting, options.threads(), entrants, options.quick());
                outcomes.forEach(
                        (entrant, outcome) -> System.out.println(name + " " + entrant + ": " + outcome.detail()));
                lines.add(summary(name, outcomes));
            }
        }
        lines.forEach(System.out::println);
    }

    private static List<Entrant> entrants(Options options) {
        ForebayConfig.Mode only = options.mode();
        List<Entrant> entrants = new ArrayList<>();
        for (Contestant pool : options.pools()) {
            for (ForebayConfig.Mode mode : modes(pool, only)) {
                entrants.add(new Entrant(pool, mode));
            }
        }
        return entrants;
    }

    private static List<ForebayConfig.Mode> modes(Contestant pool, ForebayConfig.@Nullable Mode only) {
        if (only != null || pool != Contestant.FOREBAY) {
            return List.of(only == null ? ForebayConfig.Mode.RESERVOIR : only);
        }
        return List.of(ForebayConfig.Mode.RESERVOIR, ForebayConfig.Mode.STANDARD, ForebayConfig.Mode.ON_DEMAND);
    }

    /** Measures them in turns, in the opposite order every other round, each time in a JVM of its own. */
    private static Map<Entrant, Outcome> measure(
            Setting setting, Threads threads, List<Entrant> entrants, boolean quick) throws Exception {
        int rounds = quick ? 1 : setting.rounds;
        Map<Entrant, List<Outcome>> all = new LinkedHashMap<>();
        List<Entrant> order = new ArrayList<>(entrants);
        for (int round = 1; round <= rounds; round++) {
            for (Entrant entrant : order) {
                System.err.printf("%s threads=%s %s, round %d of %d%n", setting, threads, entrant, round, rounds);
                List<String> printed = new ArrayList<>();
                Jvm.run(printed::add, OneRun.class, OneRun.arguments(entrant, setting, threads, quick));
                all.computeIfAbsent(entrant, unused -> new ArrayList<>())
                        .add(Outcome.parse(printed.get(printed.size() - 1)));
            }
            Collections.reverse(order);
        }
        Map<Entrant, Outcome> medians = new LinkedHashMap<>();
        entrants.forEach(entrant -> medians.put(entrant, Outcome.median(all.getOrDefault(entrant, List.of()))));
        return medians;
    }

    private static String summary(String name, Map<Entrant, Outcome> outcomes) {
        List<String> parts = new ArrayList<>();
        outcomes.forEach((entrant, outcome) -> parts.add(entrant + " " + outcome.brief()));
        return name + ": " + String.join(", ", parts);
    }
}
