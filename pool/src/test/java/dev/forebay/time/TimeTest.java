// SPDX-License-Identifier: Apache-2.0
package dev.forebay.time;

import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.reflect.Modifier;
import org.junit.jupiter.api.Test;

class TimeTest {
    @Test
    void isAPublicContract() {
        assertTrue(Time.class.isInterface());
        assertTrue(Modifier.isPublic(Time.class.getModifiers()));
    }
}
