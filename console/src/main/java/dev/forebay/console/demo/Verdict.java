// SPDX-License-Identifier: Apache-2.0
package dev.forebay.console.demo;

import java.io.PrintWriter;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The promises and the observations. The promises are Forebay's; they are counts and invariants, so that a slow machine does
 * not change them. Stalls and waits are times: they are shown and not judged. Immutable.
 *
 * @param rows one for each promise
 */
record Verdict(List<Row> rows) {

    private static final String NOT_STARTED = "not started";
    private static final String LIMIT = "connects stay within the cluster's limit";

    /**
     * One promise.
     *
     * @param promise in plain words
     * @param forebay the observations of Forebay
     * @param other the observations of the other
     * @param kept whether Forebay kept it
     */
    record Row(String promise, String forebay, String other, boolean kept) {}

    Verdict {
        rows = List.copyOf(rows);
    }

    boolean kept() {
        return rows.stream().allMatch(Row::kept);
    }

    /** The judgement after a whole script. */
    static Verdict of(Plan plan, Seen forebay, Seen other) {
        return new Verdict(List.of(
                row("every checkout gets a connection", Verdict::checkouts, forebay, other, allServed(forebay)),
                row(LIMIT, Verdict::connects, forebay, other, forebay.refused() == 0),
                row(
                        "while all expire, one is always ready",
                        seen -> expiry(plan, seen),
                        forebay,
                        other,
                        isReady(forebay.wave()) && forebay.admitted() >= 2L * plan.connections()),
                row(
                        "full within " + plan.recovery().toSeconds() + " s after half are dropped",
                        Verdict::recovery,
                        forebay,
                        other,
                        isQuick(plan, forebay.recoveredAfter())),
                row(
                        "nothing breaks but what the drop cut",
                        Verdict::broken,
                        forebay,
                        other,
                        forebay.broken() + forebay.unknown() <= forebay.dropped() && forebay.unexpected() == 0),
                row(
                        "every conflict is tried again, and commits",
                        Verdict::conflicts,
                        forebay,
                        other,
                        forebay.conflicts() > 0 && forebay.givenUp() == 0),
                row("no update is lost", Verdict::updates, forebay, other, isWhole(forebay))));
    }

    /** The judgement when the start has already shown that the limit is not kept. */
    static Verdict ofStart(Seen forebay) {
        return new Verdict(List.of(new Row(LIMIT, connects(forebay), NOT_STARTED, forebay.refused() == 0)));
    }

    /** The judgement when the services did not even start. */
    static Verdict notStarted() {
        return new Verdict(List.of(new Row("the services connect", "not one connection", NOT_STARTED, false)));
    }

    private static Row row(String promise, Function<Seen, String> words, Seen forebay, Seen other, boolean kept) {
        return new Row(promise, words.apply(forebay), words.apply(other), kept);
    }

    // ---- the promises

    private static boolean allServed(Seen seen) {
        return seen.checkouts() > 0 && seen.failedCheckouts() == 0;
    }

    private static boolean isReady(Seen.Wave wave) {
        return wave.empties() == 0 && wave.highPercent() >= Plan.HIGH_PERCENT;
    }

    private static boolean isQuick(Plan plan, @Nullable Duration recovery) {
        return recovery != null && recovery.compareTo(plan.recovery()) <= 0;
    }

    /** Returns whether the sum fits the commits; one whose answer was lost may have taken place or not. */
    private static boolean isWhole(Seen seen) {
        long unaccounted = seen.sum() - seen.commits();
        return seen.commits() > 0 && unaccounted >= 0 && unaccounted <= seen.unknown();
    }

    // ---- in words

    private static String checkouts(Seen seen) {
        return (seen.failedCheckouts() == 0
                        ? "all " + number(seen.checkouts())
                        : number(seen.failedCheckouts()) + " failed of " + number(seen.checkouts()))
                + ", longest wait " + seconds(seen.longest(), 3);
    }

    private static String connects(Seen seen) {
        return number(seen.refused()) + " refused, " + number(seen.admitted()) + " taken";
    }

    private static String expiry(Plan plan, Seen seen) {
        Seen.Wave wave = seen.wave();
        return number(wave.empties()) + " empty, " + number(wave.stalls()) + " stalls, " + plan.highLevel() + " of "
                + plan.connections() + " open for " + wave.highPercent() + " %";
    }

    private static String recovery(Seen seen) {
        Duration after = seen.recoveredAfter();
        return (after == null ? "not again" : "after " + seconds(after, 1)) + ", " + number(seen.stallsAfterDrop())
                + " stalls";
    }

    private static String seconds(Duration duration, int digits) {
        return String.format(Locale.ROOT, "%." + digits + "f s", duration.toMillis() / 1e3);
    }

    private static String broken(Seen seen) {
        return number(seen.broken() + seen.unknown()) + " broken, " + number(seen.dropped()) + " dropped"
                + (seen.expired() == 0 ? "" : ", " + number(seen.expired()) + " expired")
                + (seen.unexpected() == 0 ? "" : ", " + number(seen.unexpected()) + " failed otherwise");
    }

    private static String conflicts(Seen seen) {
        return number(seen.conflicts()) + " met, " + number(seen.givenUp()) + " given up";
    }

    private static String updates(Seen seen) {
        return number(seen.commits()) + " made, " + number(seen.sum()) + " found"
                + (seen.unknown() == 0 ? "" : ", " + number(seen.unknown()) + " unknown");
    }

    private static String number(long value) {
        return String.format(Locale.ROOT, "%,d", value);
    }

    // ---- as a table

    void print(PrintWriter out) {
        List<List<String>> lines = new ArrayList<>();
        lines.add(List.of("What was promised", "Forebay", "HikariCP", "Verdict"));
        rows.forEach(row -> lines.add(List.of(row.promise, row.forebay, row.other, row.kept ? "ok" : "NOT OK")));
        String format = "%-" + width(lines, 0) + "s   %-" + width(lines, 1) + "s   %-" + width(lines, 2) + "s   %s";
        lines.forEach(line -> out.println(String.format(Locale.ROOT, format, line.toArray())));
        out.println();
        out.flush();
    }

    private static int width(List<List<String>> lines, int column) {
        return lines.stream().mapToInt(line -> line.get(column).length()).max().orElse(1);
    }
}
