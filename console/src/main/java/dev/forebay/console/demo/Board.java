// SPDX-License-Identifier: Apache-2.0
package dev.forebay.console.demo;

import java.io.PrintWriter;
import java.time.Duration;
import java.util.List;
import java.util.Locale;

/** The live figures: a block that is redrawn on a terminal, a line each time elsewhere. Not thread-safe. */
final class Board {

    private static final String HEAD = "  level   stalls  longest s  refused  conflicts";
    private static final int LINES_BETWEEN_HEADS = 20;

    private final PrintWriter out;
    private final boolean isTerminal;
    private String step = "calm";
    private int linesDrawn;
    private int linesSinceHead = LINES_BETWEEN_HEADS;

    Board(PrintWriter out, boolean isTerminal) {
        this.out = out;
        this.isTerminal = isTerminal;
    }

    /** Shows the next step of the script. */
    void step(Duration at, String what) {
        step = what;
        if (!isTerminal) {
            out.println(time(at) + "  * " + what);
            out.flush();
        }
    }

    void show(Duration at, List<Figures> figures) {
        if (isTerminal) {
            draw(at, figures);
        } else {
            line(at, figures);
        }
        out.flush();
    }

    /** Removes the block, so that later output stands alone. */
    void clear() {
        if (linesDrawn > 0) {
            out.print("\u001b[" + linesDrawn + "A\u001b[J");
            out.flush();
            linesDrawn = 0;
        }
    }

    private void draw(Duration at, List<Figures> figures) {
        StringBuilder block = new StringBuilder();
        block.append(time(at)).append("  ").append(step).append("\n\n");
        block.append(String.format(Locale.ROOT, "%-10s %s%n", "", HEAD));
        for (Figures one : figures) {
            block.append(String.format(Locale.ROOT, "%-10s %s%n", one.name(), text(one)));
        }
        clear();
        out.print(block);
        linesDrawn = (int) block.chars().filter(c -> c == '\n').count();
    }

    private void line(Duration at, List<Figures> figures) {
        if (linesSinceHead++ >= LINES_BETWEEN_HEADS) {
            linesSinceHead = 1;
            StringBuilder names = new StringBuilder("      ");
            StringBuilder head = new StringBuilder(" time ");
            for (Figures one : figures) {
                names.append(String.format(Locale.ROOT, "| %-" + HEAD.length() + "s ", one.name()));
                head.append("| ").append(HEAD).append(' ');
            }
            out.println(names.toString().stripTrailing());
            out.println(head.toString().stripTrailing());
        }
        StringBuilder line = new StringBuilder(time(at)).append(' ');
        figures.forEach(one -> line.append("| ").append(text(one)).append(' '));
        out.println(line.toString().stripTrailing());
    }

    /** The level of this moment, the rest since the start. */
    private static String text(Figures one) {
        return String.format(
                Locale.ROOT,
                "%3d/%3d %8d %10.3f %8d %10d",
                one.level(),
                one.target(),
                one.stalls(),
                one.longestMillis() / 1e3,
                one.refused(),
                one.conflicts());
    }

    private static String time(Duration at) {
        return String.format(Locale.ROOT, "%2d:%02d", at.toMinutes(), at.toSecondsPart());
    }
}
