// SPDX-License-Identifier: Apache-2.0
package dev.forebay.console.demo;

import java.io.PrintWriter;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * What was promised and what was seen. The promises are Forebay's; they are counts and things that must always hold, so that a
 * slow machine does not change them. Immutable.
 *
 * @param rows one for each promise
 */
record Verdict(List<Row> rows) {

    /**
     * One promise.
     *
     * @param promise in plain words
     * @param forebay what was seen of Forebay
     * @param other what was seen of the other
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
    static Verdict of(Contender forebay, Contender other) throws SQLException {
        List<Row> rows = new ArrayList<>();
        rows.add(new Row(
                "every checkout gets a connection",
                checkouts(forebay),
                checkouts(other),
                forebay.tally.failedCheckouts.sum() == 0));
        rows.add(connects(forebay, other));
        rows.add(new Row(
                "at least " + Plan.LEAST_LEVEL + " of " + Plan.CONNECTIONS + " open while all expire",
                expiry(forebay),
                expiry(other),
                forebay.leastLevel() >= Plan.LEAST_LEVEL && forebay.counts().admitted() >= 2 * Plan.CONNECTIONS));
        rows.add(new Row(
                "full within " + Plan.RECOVERY.toSeconds() + " s after half are dropped",
                recovery(forebay),
                recovery(other),
                isQuick(forebay.recoveredAfter())));
        rows.add(new Row(
                "nothing breaks but what the drop cut",
                broken(forebay),
                broken(other),
                forebay.tally.broken.sum() + forebay.tally.unknown.sum()
                                <= forebay.counts().dropped()
                        && forebay.tally.unexpected.sum() == 0));
        rows.add(new Row(
                "every conflict is tried again, and commits",
                conflicts(forebay),
                conflicts(other),
                forebay.tally.conflicts.sum() > 0 && forebay.tally.givenUp.sum() == 0));
        rows.add(new Row("no update is lost", updates(forebay), updates(other), isWhole(forebay)));
        return new Verdict(rows);
    }

    /** The judgement when the start has already gone wrong. */
    static Verdict ofStart(Contender forebay) {
        return new Verdict(List.of(connects(forebay, null)));
    }

    /** The judgement when the services did not even start. */
    static Verdict notStarted() {
        return new Verdict(List.of(new Row("the services connect", "not one connection", "not started", false)));
    }

    private static Row connects(Contender forebay, @Nullable Contender other) {
        return new Row(
                "connects stay within the cluster's limit",
                connects(forebay),
                other == null ? "not started" : connects(other),
                forebay.refused() == 0);
    }

    // ---- in words

    private static String checkouts(Contender one) {
        return one.tally.failedCheckouts.sum() == 0
                ? "all " + number(one.tally.checkouts.sum())
                : number(one.tally.failedCheckouts.sum()) + " failed of " + number(one.tally.checkouts.sum());
    }

    private static String connects(Contender one) {
        return number(one.refused()) + " refused, " + number(one.counts().admitted()) + " taken";
    }

    private static String expiry(Contender one) {
        return "lowest " + one.leastLevel()
                + (one.counts().expired() == 0 ? "" : ", " + one.counts().expired() + " cut off");
    }

    private static String recovery(Contender one) {
        Duration after = one.recoveredAfter();
        return after == null ? "not again" : String.format(Locale.ROOT, "after %.1f s", after.toMillis() / 1e3);
    }

    private static String broken(Contender one) {
        long unexpected = one.tally.unexpected.sum();
        return number(one.tally.broken.sum() + one.tally.unknown.sum()) + " broken, "
                + number(one.counts().dropped()) + " dropped"
                + (unexpected == 0 ? "" : ", " + number(unexpected) + " failed otherwise");
    }

    private static String conflicts(Contender one) {
        return number(one.tally.conflicts.sum()) + " met, " + number(one.tally.givenUp.sum()) + " given up";
    }

    private static String updates(Contender one) throws SQLException {
        return number(one.tally.commits.sum()) + " made, " + number(one.sum()) + " found";
    }

    private static boolean isQuick(@Nullable Duration recovery) {
        return recovery != null && recovery.compareTo(Plan.RECOVERY) <= 0;
    }

    /** A commit whose answer was lost may have taken place or not. */
    private static boolean isWhole(Contender one) throws SQLException {
        long missing = one.sum() - one.tally.commits.sum();
        return missing >= 0 && missing <= one.tally.unknown.sum() && one.tally.commits.sum() > 0;
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
