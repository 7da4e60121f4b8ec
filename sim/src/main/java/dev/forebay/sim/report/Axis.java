// SPDX-License-Identifier: Apache-2.0
package dev.forebay.sim.report;

import java.math.BigDecimal;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * Where an axis ends and what is written along it. Immutable.
 *
 * @param end its last value; the first is 0
 * @param ticks its labels
 */
record Axis(double end, List<Tick> ticks) {

    private static final int MOST_STEPS = 5;
    private static final int MOST_TIMES = 6;

    private static final long[] STEPS_MILLIS = {
        1,
        2,
        5,
        10,
        20,
        50,
        100,
        200,
        500,
        1_000,
        2_000,
        5_000,
        10_000,
        15_000,
        30_000,
        60_000,
        120_000,
        300_000,
        600_000,
        900_000,
        1_800_000,
        3_600_000,
        7_200_000,
        10_800_000,
        21_600_000,
        43_200_000,
        86_400_000,
        172_800_000,
        432_000_000,
        864_000_000
    };

    Axis {
        ticks = List.copyOf(ticks);
    }

    /**
     * Something written along an axis.
     *
     * @param share its place, from 0 to 1
     * @param text its text
     */
    record Tick(double share, String text) {}

    /** An axis for values from 0 to {@code most}: steps of 1, 2 or 5 times a power of ten, and some room at the end. */
    static Axis ofValues(double most) {
        if (most <= 0) {
            return ofValues(1);
        }
        BigDecimal step = step(most);
        List<Tick> ticks = new ArrayList<>();
        double size = step.doubleValue();
        double end = most * 1.06;
        for (int i = 0; i * size <= end; i++) {
            ticks.add(new Tick(i * size / end, label(step.multiply(BigDecimal.valueOf(i)))));
        }
        return new Axis(end, ticks);
    }

    /** Counted up and down rather than by a logarithm, which need not be the same everywhere. */
    private static BigDecimal step(double most) {
        int scale = 0;
        double unit = 1;
        while (most / unit > 10) {
            unit *= 10;
            scale--;
        }
        while (most / unit <= 1 && scale < 12) {
            unit /= 10;
            scale++;
        }
        for (int factor : new int[] {2, 5, 10, 20}) {
            BigDecimal step = BigDecimal.valueOf(factor, scale + 1);
            if (most / step.doubleValue() <= MOST_STEPS) {
                return step;
            }
        }
        throw new AssertionError("bug: no step for " + most);
    }

    private static String label(BigDecimal value) {
        if (value.signum() == 0) {
            return "0";
        }
        if (value.compareTo(BigDecimal.valueOf(1_000_000)) >= 0) {
            return plain(value.movePointLeft(6)) + "M";
        }
        return value.compareTo(BigDecimal.valueOf(10_000)) >= 0 ? plain(value.movePointLeft(3)) + "k" : plain(value);
    }

    private static String plain(BigDecimal value) {
        return value.stripTrailingZeros().toPlainString();
    }

    /** An axis for times from 0 to {@code span}. */
    static Axis ofTime(Duration span) {
        double end = Math.max(1, span.toNanos() / 1e6);
        long step = STEPS_MILLIS[STEPS_MILLIS.length - 1];
        for (long candidate : STEPS_MILLIS) {
            if (end / candidate <= MOST_TIMES) {
                step = candidate;
                break;
            }
        }
        List<Tick> ticks = new ArrayList<>();
        for (long at = 0; at <= end; at += step) {
            ticks.add(new Tick(at / end, at == 0 ? "0" : Wording.length(Duration.ofMillis(at))));
        }
        return new Axis(end, ticks);
    }
}
