// SPDX-License-Identifier: Apache-2.0
package dev.forebay.temporal;

/** FarmHash's 32-bit fingerprint, by which Temporal spreads its task queues: the same bytes have the same number for ever. */
final class FarmHash {

    private static final int C1 = 0xcc9e2d51;
    private static final int C2 = 0x1b873593;
    private static final int C3 = 0xe6546b64;
    private static final int BLOCK = 20;

    private FarmHash() {}

    /** The fingerprint, as a number from 0 to 2^32 - 1. */
    static long fingerprint32(byte[] bytes) {
        int hash;
        if (bytes.length <= 4) {
            hash = upTo4(bytes);
        } else if (bytes.length <= 12) {
            hash = upTo12(bytes);
        } else if (bytes.length <= 24) {
            hash = upTo24(bytes);
        } else {
            hash = longer(bytes);
        }
        return Integer.toUnsignedLong(hash);
    }

    private static int upTo4(byte[] bytes) {
        int b = 0;
        int c = 9;
        for (byte one : bytes) {
            b = b * C1 + one;
            c ^= b;
        }
        return avalanche(mix(b, mix(bytes.length, c)));
    }

    private static int upTo12(byte[] bytes) {
        int length = bytes.length;
        int a = length + word(bytes, 0);
        int b = length * 5 + word(bytes, length - 4);
        int c = 9 + word(bytes, (length >>> 1) & 4);
        return avalanche(mix(c, mix(b, mix(a, length * 5))));
    }

    private static int upTo24(byte[] bytes) {
        int length = bytes.length;
        int middle = length >>> 1;
        int beforeLast = word(bytes, length - 8);
        int last = word(bytes, length - 4);
        int h = word(bytes, middle) * C1 + length;
        int a = Integer.rotateRight(word(bytes, middle - 4), 12) + last;
        h = mix(beforeLast, h) + a;
        a = Integer.rotateRight(a, 3) + beforeLast;
        h = mix(word(bytes, 0), h) + a;
        a = Integer.rotateRight(a + last, 12) + word(bytes, middle);
        return avalanche(mix(word(bytes, 4), h) + a);
    }

    /** The end first, since what does not fill a block is in no other step. */
    private static int longer(byte[] bytes) {
        int length = bytes.length;
        int h = turn(turn(length ^ scrambled(bytes, length - 4)) ^ scrambled(bytes, length - 16));
        int g = turn(turn((C1 * length) ^ scrambled(bytes, length - 8)) ^ scrambled(bytes, length - 12));
        int f = Integer.rotateRight(C1 * length + scrambled(bytes, length - 20), 19) + 113;
        for (int at = 0; at < (length - 1) / BLOCK * BLOCK; at += BLOCK) {
            int a = word(bytes, at);
            int b = word(bytes, at + 4);
            int c = word(bytes, at + 8);
            int d = word(bytes, at + 12);
            int e = word(bytes, at + 16);
            h = mix(d, h + a) + e;
            g = mix(c, g + b) + a;
            f = mix(b + e * C1, f + c) + d;
            f += g;
            g += f;
        }
        h = Integer.rotateRight(turn(h + closed(g)), 17) * C1;
        return Integer.rotateRight(turn(h + closed(f)), 17) * C1;
    }

    private static int scrambled(byte[] bytes, int at) {
        return Integer.rotateRight(word(bytes, at) * C1, 17) * C2;
    }

    private static int turn(int h) {
        return Integer.rotateRight(h, 19) * 5 + C3;
    }

    private static int closed(int value) {
        return Integer.rotateRight(Integer.rotateRight(value, 11) * C1, 17) * C1;
    }

    private static int mix(int value, int into) {
        return turn(into ^ (Integer.rotateRight(value * C1, 17) * C2));
    }

    private static int avalanche(int value) {
        int h = (value ^ (value >>> 16)) * 0x85ebca6b;
        h = (h ^ (h >>> 13)) * 0xc2b2ae35;
        return h ^ (h >>> 16);
    }

    /** Four bytes, the lowest first. */
    private static int word(byte[] bytes, int at) {
        return (bytes[at] & 0xff)
                | (bytes[at + 1] & 0xff) << 8
                | (bytes[at + 2] & 0xff) << 16
                | (bytes[at + 3] & 0xff) << 24;
    }
}
