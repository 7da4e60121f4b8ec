// SPDX-License-Identifier: Apache-2.0
package dev.forebay.bench.results;

import java.util.List;
import java.util.regex.Pattern;

/**
 * A run of all comparisons that was broken off, as far as it got. Immutable.
 *
 * @param lines the line about the machine, and those of the comparisons that ended
 * @param left the commands that did not
 */
record Unfinished(List<String> lines, List<String> left) {

    private static final Pattern OTHERS = Pattern.compile(Results.COMMENT + ".*others use ([0-9.]+) processors");

    /**
     * Reads a file that was not finished; its last comparison is the one that was broken off.
     *
     * @param all the commands of a run, in their order
     * @throws IllegalArgumentException if these are not its lines
     */
    static Unfinished of(List<String> file, List<String> all) {
        int last = -1;
        int next = 0;
        for (int i = 0; i < file.size(); i++) {
            if (next < all.size() && file.get(i).startsWith(Results.COMMENT + all.get(next) + ": ")) {
                last = i;
                next++;
            }
        }
        if (last < 1) {
            throw new IllegalArgumentException("there is nothing to go on from");
        }
        return new Unfinished(List.copyOf(file.subList(0, last)), List.copyOf(all.subList(next - 1, all.size())));
    }

    /** Returns whether others used the processors before one of the comparisons. */
    boolean isTrial() {
        return lines.stream().map(OTHERS::matcher).anyMatch(load -> load.matches() && Load.isBusy(load.group(1)));
    }

    /** Returns the first line, which names the machine and the versions. */
    String machine() {
        return lines.get(0).substring(Results.COMMENT.length());
    }
}
