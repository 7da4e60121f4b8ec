// SPDX-License-Identifier: Apache-2.0
package dev.forebay.engine.internal;

import java.util.Collection;

/** Finds the name that was meant, among names with dots or without. Stateless. */
public final class NearestName {

    private NearestName() {}

    /** Returns a question to append to an error, empty if no name of {@code known} is near {@code name}. */
    public static String hint(String name, Collection<String> known) {
        String nearest = "";
        int least = 2 + last(name).length() / 3;
        for (String candidate : known) {
            // The right word under the wrong heading is nearer than its letters say.
            int distance = Math.min(distance(name, candidate), 1 + distance(last(name), last(candidate)));
            if (candidate.startsWith(name + "_")) {
                distance = Math.min(distance, 1 + wordsLeftOut(name, candidate));
            }
            if (distance < least) {
                least = distance;
                nearest = candidate;
            }
        }
        return nearest.isEmpty() ? "" : "; did you mean " + nearest + "?";
    }

    /** The number of words of {@code candidate} missing at the end of {@code name}, however long they are. */
    private static int wordsLeftOut(String name, String candidate) {
        return (int) candidate.chars().skip(name.length()).filter(c -> c == '_').count();
    }

    private static String last(String name) {
        return name.substring(name.lastIndexOf('.') + 1);
    }

    /** The number of letters to add, drop or change to make one of the other. */
    private static int distance(String one, String other) {
        int[] row = new int[other.length() + 1];
        for (int j = 0; j <= other.length(); j++) {
            row[j] = j;
        }
        for (int i = 1; i <= one.length(); i++) {
            int diagonal = row[0];
            row[0] = i;
            for (int j = 1; j <= other.length(); j++) {
                int change = diagonal + (one.charAt(i - 1) == other.charAt(j - 1) ? 0 : 1);
                diagonal = row[j];
                row[j] = Math.min(change, 1 + Math.min(row[j], row[j - 1]));
            }
        }
        return row[other.length()];
    }
}
