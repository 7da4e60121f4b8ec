// SPDX-License-Identifier: Apache-2.0
package dev.forebay.console;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class GivenSecretTest {

    @ParameterizedTest
    @ValueSource(strings = {"t", "a token", "#%&+\"'\\~!"})
    void aTokenThatAHeaderCanHoldIsTaken(String token) throws Exception {
        assertEquals(token, GivenSecret.webToken(Map.of("FOREBAY_WEB_TOKEN", token)));
    }

    @ParameterizedTest
    @ValueSource(strings = {"schlüssel", "鍵", " token", "token ", "to\tken", "to\nken"})
    void aTokenThatNobodyCouldSendIsRefusedAndNotShown(String token) {
        Exception refused = assertThrows(
                IllegalArgumentException.class, () -> GivenSecret.webToken(Map.of("FOREBAY_WEB_TOKEN", token)));
        assertFalse(refused.getMessage().contains(token), refused.getMessage());
    }

    @Test
    void withoutOneThereIsNone() throws Exception {
        assertNull(GivenSecret.webToken(Map.of()));
    }
}
