// SPDX-License-Identifier: Apache-2.0
package dev.forebay.console.admin;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.time.Duration;
import org.junit.jupiter.api.Test;

class LoginPaceTest {

    private long nowNanos = Long.MAX_VALUE - 1_000_000_000L; // it wraps
    private final LoginPace pace = new LoginPace(() -> nowNanos);

    private void pass(long millis) {
        nowNanos += Duration.ofMillis(millis).toNanos();
    }

    private long delayMillis(boolean right) {
        return pace.delay(right).toMillis();
    }

    @Test
    void aRightPasswordIsAnsweredAtOnce() {
        assertEquals(0, delayMillis(true));
        assertEquals(0, delayMillis(true));
    }

    @Test
    void silenceDoesNotTellAWrongPasswordFromARightOne() {
        assertEquals(1_000, delayMillis(false));
        pass(20);
        assertEquals(1_980, delayMillis(true));
        pass(20);
        assertEquals(2_960, delayMillis(false));
    }

    @Test
    void theAdministratorWaitsFiveSecondsAtMost() {
        for (int i = 0; i < 1_000; i++) {
            delayMillis(false);
            pass(1);
        }
        assertEquals(5_000, delayMillis(true));
    }

    @Test
    void aSecondPassesBetweenTwoAnswers() {
        delayMillis(false);
        pass(3_000);
        assertEquals(1_000, delayMillis(true));
    }

    @Test
    void aWrongPasswordIsForgottenAfterFiveSeconds() {
        delayMillis(false);
        pass(4_999);
        assertEquals(1_000, delayMillis(true));
        pass(1);
        assertEquals(0, delayMillis(true));
    }
}
