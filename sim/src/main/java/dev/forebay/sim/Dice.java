// SPDX-License-Identifier: Apache-2.0
package dev.forebay.sim;

import java.util.random.RandomGenerator;

/**
 * Chance that is the same on every machine and every JDK: a SplitMix generator that does all its arithmetic itself, since
 * how the JDK's own draw a bounded or an exponential number is not specified. Not thread-safe.
 */
final class Dice implements RandomGenerator {

    private static final long STEP = 0x9e3779b97f4a7c15L;

    private long state;

    Dice(long seed) {
        this.state = seed;
    }

    /** Dice of its own for each number: a draw from one does not change another's. */
    static Dice of(long seed, long number) {
        return new Dice(mix(seed) ^ mix(number * STEP));
    }

    private static long mix(long value) {
        long mixed = (value ^ (value >>> 30)) * 0xbf58476d1ce4e5b9L;
        mixed = (mixed ^ (mixed >>> 27)) * 0x94d049bb133111ebL;
        return mixed ^ (mixed >>> 31);
    }

    @Override
    public long nextLong() {
        state += STEP;
        return mix(state);
    }

    @Override
    public double nextDouble() {
        return (nextLong() >>> 11) * 0x1.0p-53;
    }

    @Override
    public int nextInt(int bound) {
        return (int) nextLong(bound);
    }

    @Override
    public int nextInt(int origin, int bound) {
        return (int) nextLong(origin, bound);
    }

    @Override
    public long nextLong(long bound) {
        return nextLong(0, bound);
    }

    /** For ranges narrower than 2^53, where the bias of a product of doubles is of no account. */
    @Override
    public long nextLong(long origin, long bound) {
        if (origin >= bound) {
            throw new IllegalArgumentException("an empty range: " + origin + " to " + bound);
        }
        return origin + (long) (nextDouble() * (bound - origin));
    }

    @Override
    public double nextExponential() {
        return -StrictMath.log(1 - nextDouble());
    }
}
