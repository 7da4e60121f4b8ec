// SPDX-License-Identifier: Apache-2.0
package dev.forebay.console.web;

import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The last {@link #LENGTH} samples of a few numbers, each under the number of its tick. Not thread-safe. */
final class History {

    /** Ten minutes of seconds. */
    static final int LENGTH = 600;

    private final List<String> names;
    private final long[] ticks = new long[LENGTH];
    private final double[][] columns;
    private int size;
    private int next;

    History(List<String> names) {
        this.names = names;
        this.columns = new double[names.size()][LENGTH];
    }

    /** Adds a sample, with a number for each name; the oldest is forgotten. */
    void add(long tick, double... numbers) {
        ticks[next] = tick;
        for (int i = 0; i < columns.length; i++) {
            columns[i][next] = numbers[i];
        }
        next = (next + 1) % LENGTH;
        size = Math.min(LENGTH, size + 1);
    }

    /** The tick of the last sample; 0 without one. */
    long last() {
        return size == 0 ? 0 : ticks[Math.floorMod(next - 1, LENGTH)];
    }

    /** The samples after {@code tick}, a list for each name, the oldest first. */
    Map<String, @Nullable Object> since(long tick) {
        int[] wanted = new int[size];
        int count = 0;
        for (int i = 0; i < size; i++) {
            int index = Math.floorMod(next - size + i, LENGTH);
            if (ticks[index] > tick) {
                wanted[count++] = index;
            }
        }
        int[] found = Arrays.copyOf(wanted, count);
        Map<String, @Nullable Object> lists = new LinkedHashMap<>();
        for (int i = 0; i < columns.length; i++) {
            double[] column = columns[i];
            lists.put(
                    names.get(i),
                    Arrays.stream(found).mapToDouble(index -> column[index]).toArray());
        }
        return lists;
    }
}
