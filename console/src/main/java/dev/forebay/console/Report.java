// SPDX-License-Identifier: Apache-2.0
package dev.forebay.console;

import dev.forebay.dsql.FleetTable;
import java.io.PrintWriter;
import java.util.List;

/** The findings of checks, a line each. Not thread-safe. */
final class Report {

    private final PrintWriter out;
    private boolean failed;

    Report(PrintWriter out) {
        this.out = out;
    }

    void ok(String what) {
        say("ok   " + what);
    }

    void warn(String what) {
        say("warn " + what);
    }

    void fail(String what, String remedy) {
        failed = true;
        say("FAIL " + what + " -> " + remedy);
    }

    void skip(String what, String why) {
        say("skip " + what + ": " + why);
    }

    /** Adds {@code findings}; returns false if anything in them is wrong. */
    boolean add(List<FleetTable.Finding> findings) {
        boolean good = true;
        for (FleetTable.Finding finding : findings) {
            String remedy = finding.remedy();
            if (finding.good() || remedy == null) {
                ok(finding.what());
            } else {
                good = false;
                fail(finding.what(), remedy);
            }
        }
        return good;
    }

    /** Returns 1 if anything failed, otherwise 0. */
    int exitCode() {
        return failed ? 1 : 0;
    }

    private void say(String line) {
        out.println(line.replaceAll("\\s*\\R\\s*", " "));
        out.flush();
    }
}
