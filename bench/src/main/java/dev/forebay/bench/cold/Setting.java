// SPDX-License-Identifier: Apache-2.0
package dev.forebay.bench.cold;

import java.time.Duration;

/** The behaviour of the server. */
enum Setting {
    QUICK_CONNECTS("connect=150ms", Duration.ofMillis(150), false, true, 5),
    SLOW_CONNECTS("connect=5s", Duration.ofSeconds(5), false, false, 1),
    ONE_HANGS("connect=hung", Duration.ofMillis(150), true, true, 1);

    private final String label;
    final Duration connectTime;
    final boolean firstHangs;

    /** Whether the short form has it too. */
    final boolean quick;

    /** The rounds of the full form. */
    final int rounds;

    Setting(String label, Duration connectTime, boolean firstHangs, boolean quick, int rounds) {
        this.label = label;
        this.connectTime = connectTime;
        this.firstHangs = firstHangs;
        this.quick = quick;
        this.rounds = rounds;
    }

    @Override
    public String toString() {
        return label;
    }
}
