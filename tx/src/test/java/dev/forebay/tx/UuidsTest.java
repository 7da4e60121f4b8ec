// SPDX-License-Identifier: Apache-2.0
package dev.forebay.tx;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.util.HexFormat;
import java.util.Random;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The forms of a UUID, and what is none. */
class UuidsTest {

    private static final String TEXT = "00112233-4455-6677-8899-aabbccddeeff";

    @Test
    void bytesStandInTheTextFromLeftToRight() {
        byte[] bytes = HexFormat.of().parseHex("00112233445566778899aabbccddeeff");
        assertEquals(TEXT, Uuids.of(bytes).toString());
        assertArrayEquals(bytes, Uuids.bytes(Uuids.of(TEXT)));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "00000000-0000-0000-0000-000000000000",
                "ffffffff-ffff-ffff-ffff-ffffffffffff",
                "80000000-0000-0000-8000-000000000000",
                "7fffffff-ffff-ffff-7fff-ffffffffffff"
            })
    void theExtremesGoThereAndBack(String text) {
        assertEquals(text, Uuids.of(Uuids.bytes(Uuids.of(text))).toString());
    }

    @Test
    void everyUuidGoesThereAndBack() {
        for (long seed = 0; seed < 1_000; seed++) {
            Random random = new Random(seed);
            byte[] bytes = new byte[16];
            random.nextBytes(bytes);
            UUID uuid = Uuids.of(bytes);
            assertArrayEquals(bytes, Uuids.bytes(uuid), "seed " + seed);
            assertEquals(uuid, Uuids.of(uuid.toString()), "seed " + seed);
        }
    }

    @Test
    void upperCaseIsTakenAndLowerCaseGiven() {
        assertEquals(TEXT, Uuids.of("00112233-4455-6677-8899-AABBccDDEEFF").toString());
    }

    @Test
    void theBytesAreACopy() {
        byte[] bytes = new byte[16];
        UUID uuid = Uuids.of(bytes);
        bytes[0] = 1;
        Uuids.bytes(uuid)[1] = 1;
        assertEquals(new UUID(0, 0), uuid);
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 15, 17, 36})
    void anotherNumberOfBytesIsRefused(int length) {
        String said = assertThrows(IllegalArgumentException.class, () -> Uuids.of(new byte[length]))
                .getMessage();
        assertEquals("a UUID has 16 bytes, not " + length, said);
    }

    /** The JDK takes the second of these, and on some versions the fourth. */
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "''                                       | a UUID has 36 characters, not 0",
                "1-1-1-1-1                                | a UUID has 36 characters, not 9",
                "00112233445566778899aabbccddeeff         | a UUID has 36 characters, not 32",
                "{00112233-4455-6677-8899-aabbccddeeff}   | a UUID has 36 characters, not 38",
                "001122334-455-6677-8899-aabbccddeeff     | at index 8 should be a dash",
                "00112233-4455-6677-8899-aabbccddeefg     | at index 35 should be a hex digit",
                "-0112233-4455-6677-8899-aabbccddeeff     | at index 0 should be a hex digit",
                "+0112233-4455-6677-8899-aabbccddeeff     | at index 0 should be a hex digit",
                "00112233_4455-6677-8899-aabbccddeeff     | at index 8 should be a dash",
                "00112233-4455-6677-8899-aabbccddee\u0661f| at index 34 should be a hex digit",
            })
    void anyOtherTextIsRefused(String text, String reason) {
        String said = assertThrows(IllegalArgumentException.class, () -> Uuids.of(text))
                .getMessage();
        assertEquals(true, said.contains(reason), said);
    }
}
