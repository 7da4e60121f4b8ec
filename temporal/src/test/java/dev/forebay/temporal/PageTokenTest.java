// SPDX-License-Identifier: Apache-2.0
package dev.forebay.temporal;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class PageTokenTest {

    @ParameterizedTest
    @ValueSource(strings = {"", ".", "a.b", "a\u001fb", "\u00e4\ud83d\ude00", "-1"})
    void aKeyOfAnyCharactersIsReadAsItWasWritten(String part) {
        Page.Token read = Page.Token.of(Page.Token.after(part, 7L).toString());
        assertEquals(List.of(part, "7"), read.key(2));
        assertThrows(IllegalArgumentException.class, () -> read.key(1));
    }

    @Test
    void whatIsNoTokenIsRefused() {
        assertThrows(IllegalArgumentException.class, () -> Page.Token.of("no token!"));
    }
}
