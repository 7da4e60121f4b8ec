// SPDX-License-Identifier: Apache-2.0
package dev.forebay.sim.report;

import dev.forebay.sim.Result;
import java.util.ArrayList;
import java.util.List;

/** The result of a run, or of two beside each other, as text for a terminal. Stateless. */
public final class Summary {

    private static final int LONGEST_NAME = 24;

    private Summary() {}

    /** The figures, a line for each service, and the verdicts. */
    public static String of(List<Run> runs) {
        StringBuilder text = new StringBuilder();
        for (Run run : runs) {
            String label = runs.size() > 1 ? run.label() + ": " : "";
            text.append(Wording.plain(label + run.result().scenario().name()))
                    .append("  (")
                    .append(Wording.outline(run.result().scenario()))
                    .append(")\n");
        }
        text.append('\n');
        figures(text, runs);
        for (Run run : runs) {
            if (!run.result().services().isEmpty()) {
                text.append('\n');
                services(text, run, runs.size() > 1);
            }
        }
        for (Run run : runs) {
            text.append('\n');
            if (runs.size() > 1) {
                text.append(Wording.plain(run.label())).append('\n');
            }
            run.result().verdicts().forEach(verdict -> verdict(text, verdict, run));
            text.append(Wording.outcome(run.result())).append('\n');
        }
        return text.toString();
    }

    /** The verdicts that failed, and nothing else; empty if all held. */
    public static String ofFailures(Run run) {
        StringBuilder text = new StringBuilder();
        for (Result.Verdict verdict : run.result().verdicts()) {
            if (!verdict.passed()) {
                verdict(text, verdict, run);
            }
        }
        return text.toString();
    }

    /** The first verdict that failed, in a line; empty if all held. */
    public static String ofFirstFailure(Result result) {
        for (Result.Verdict verdict : result.verdicts()) {
            Result.Failure failure = verdict.failure();
            if (failure != null) {
                return claim(verdict) + "; at " + place(failure);
            }
        }
        return "";
    }

    private static void figures(StringBuilder text, List<Run> runs) {
        List<List<String>> rows = new ArrayList<>();
        if (runs.size() > 1) {
            rows.add(List.of("", cut(runs.get(0).label()), cut(runs.get(1).label()), "ratio"));
        }
        for (Figure figure : Figure.of(runs)) {
            List<String> row = new ArrayList<>(List.of(figure.name()));
            row.addAll(figure.values());
            if (runs.size() > 1) {
                row.add(figure.ratio());
            }
            rows.add(row);
        }
        table(text, rows);
    }

    private static void services(StringBuilder text, Run run, boolean labelled) {
        List<List<String>> rows = new ArrayList<>();
        rows.add(List.of(
                labelled ? cut(run.label()) : "SERVICE",
                "PROC",
                "TARGET",
                "LOWEST",
                "CHECKOUTS",
                "EMPTY",
                "GAVE UP",
                "REFILLS",
                "FAILED",
                "DISCARDS",
                "P99",
                "LONGEST"));
        for (Result.ServiceTotals service : run.result().services()) {
            rows.add(List.of(
                    cut(service.name()),
                    Wording.count(service.instances()),
                    Wording.count(service.target()),
                    service.lowest() < 0 ? "-" : Wording.count(service.lowest()),
                    Wording.count(service.checkouts()),
                    Wording.count(service.empties()),
                    Wording.count(service.timeouts()),
                    Wording.count(service.refills()),
                    Wording.count(service.refillFailures()),
                    Wording.count(service.discards()),
                    Wording.waited(service.waits().p99Nanos()),
                    Wording.waited(service.waits().mostNanos())));
        }
        table(text, rows);
    }

    /** The first column to the left, the others to the right. */
    private static void table(StringBuilder text, List<List<String>> rows) {
        int[] widths = new int[rows.get(0).size()];
        for (List<String> row : rows) {
            for (int i = 0; i < widths.length; i++) {
                widths[i] = Math.max(widths[i], length(row.get(i)));
            }
        }
        for (List<String> row : rows) {
            StringBuilder line = new StringBuilder();
            for (int i = 0; i < widths.length; i++) {
                String gap = " ".repeat(widths[i] - length(row.get(i)));
                line.append(i == 0 ? "  " + row.get(i) + gap : "  " + gap + row.get(i));
            }
            text.append(line.toString().stripTrailing()).append('\n');
        }
    }

    private static int length(String text) {
        return text.codePointCount(0, text.length());
    }

    private static String cut(String name) {
        String plain = Wording.plain(name);
        return length(plain) <= LONGEST_NAME
                ? plain
                : plain.substring(0, plain.offsetByCodePoints(0, LONGEST_NAME - 1)) + "…";
    }

    private static void verdict(StringBuilder text, Result.Verdict verdict, Run run) {
        Result.Failure failure = verdict.failure();
        text.append(failure == null ? "PASS " : "FAIL ").append(claim(verdict)).append('\n');
        if (failure == null) {
            return;
        }
        text.append("     at ").append(place(failure)).append('\n');
        for (Result.Note note : failure.before()) {
            text.append("       before, at ")
                    .append(Wording.moment(note.atNanos()))
                    .append(", ")
                    .append(Wording.plain(Wording.note(note)))
                    .append('\n');
        }
        text.append("     again: ").append(Wording.plain(run.command())).append('\n');
    }

    private static String claim(Result.Verdict verdict) {
        return Wording.plain(verdict.name() + ": " + verdict.bound() + "; found " + verdict.measured());
    }

    private static String place(Result.Failure failure) {
        return Wording.moment(failure.atNanos()) + ", " + Wording.plain(failure.where() + ": " + failure.what());
    }
}
