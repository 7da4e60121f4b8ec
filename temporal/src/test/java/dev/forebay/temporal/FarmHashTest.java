// SPDX-License-Identifier: Apache-2.0
package dev.forebay.temporal;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.nio.charset.StandardCharsets;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class FarmHashTest {

    /** Published with Google's own and other implementations; each length that is treated apart is among them. */
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "dc56d17a|``",
                "3c973d4d|a",
                "417330fd|ab",
                "2f635ec7|abc",
                "98b51e95|abcd",
                "a3f366ac|abcde",
                "fd7ec8b9|abcdefgh",
                "f8cc7928|0123456789-0",
                "0d92cafb|0123456789~01",
                "9cecd750|0123456789'01234",
                "1723dd7a|0123456789%0123456789£",
                "c6246b8d|size:  a.out:  bad magic",
                "322984d9|Nepal premier won't resign.",
                "e273108f|Discard medicine more than two years old.",
                "a5812ac8|For every action there is an equal and opposite government program.",
                "11c493bb|The fugacity of a constituent in a mixture of gases at a given temperature is proportional to"
                        + " its mole fraction.  Lewis-Randall Rule"
            })
    void theFingerprintIsThePublishedOne(String expected, String text) {
        long actual = FarmHash.fingerprint32(text.getBytes(StandardCharsets.UTF_8));
        assertEquals(expected, String.format("%08x", actual));
    }
}
