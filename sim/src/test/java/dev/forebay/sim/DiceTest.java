// SPDX-License-Identifier: Apache-2.0
package dev.forebay.sim;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.HashSet;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Chance that is the same everywhere. */
class DiceTest {

    private static final int MANY = 100_000;

    /** The figures of the SplitMix generator as it was published, for the seed 1234567. */
    @Test
    void drawsWhatASplitMixGeneratorDraws() {
        Dice dice = new Dice(1234567);
        assertEquals(6457827717110365317L, dice.nextLong());
        assertEquals(3203168211198807973L, dice.nextLong());
    }

    @Test
    void theSameSeedAndNumberDrawTheSameAndAnyOtherSomethingElse() {
        assertEquals(Dice.of(42, 7).nextLong(), Dice.of(42, 7).nextLong());
        Set<Long> first = new HashSet<>();
        for (int seed = 0; seed < 100; seed++) {
            for (int number = -1; number < 99; number++) {
                first.add(Dice.of(seed, number).nextLong());
            }
        }
        assertEquals(10_000, first.size());
        assertNotEquals(Dice.of(1, 2).nextLong(), Dice.of(2, 1).nextLong());
    }

    @Test
    void aRangeIsDrawnFromItsFirstToItsLastAboutEvenly() {
        Dice dice = new Dice(1);
        int[] seen = new int[7];
        for (int draw = 0; draw < MANY; draw++) {
            seen[dice.nextInt(-3, 4) + 3]++;
        }
        for (int count : seen) {
            assertEquals(MANY / 7.0, count, MANY / 70.0);
        }
        assertEquals(5, dice.nextLong(5, 6));
        assertEquals(0, dice.nextInt(1));
    }

    @Test
    void anEmptyRangeIsRefused() {
        Dice dice = new Dice(1);
        assertThrows(IllegalArgumentException.class, () -> dice.nextLong(3, 3));
        assertThrows(IllegalArgumentException.class, () -> dice.nextInt(0));
    }

    @Test
    void doublesLieFromZeroToBelowOneAndExponentialsAverageOne() {
        Dice dice = new Dice(1);
        double[] drawn = Stream.generate(dice::nextDouble)
                .limit(MANY)
                .mapToDouble(Double::doubleValue)
                .toArray();
        double sum = 0;
        double exponentials = 0;
        for (double value : drawn) {
            assertTrue(value >= 0 && value < 1);
            sum += value;
            exponentials += dice.nextExponential();
        }
        assertEquals(0.5, sum / MANY, 0.01);
        assertEquals(1, exponentials / MANY, 0.02);
    }
}
