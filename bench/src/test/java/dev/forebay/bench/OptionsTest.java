// SPDX-License-Identifier: Apache-2.0
package dev.forebay.bench;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.forebay.ForebayConfig;
import dev.forebay.bench.Options.Option;
import dev.forebay.bench.pools.Contestant;
import java.util.List;
import org.junit.jupiter.api.Test;

final class OptionsTest {

    private static Options parse(String... args) {
        return Options.parse(args, List.of(new Option("--seed", Option.NUMBER, "which"), Options.MODE));
    }

    @Test
    void withoutArgumentsEverythingIsMeasuredInFull() {
        Options options = parse();
        assertFalse(options.quick());
        assertEquals(List.of(Contestant.values()), options.pools());
        assertEquals(7, options.number("--seed", 7));
        assertNull(options.mode());
    }

    @Test
    void whatIsGivenIsTaken() {
        Options options = parse("--quick", "--pools", "hikaricp,forebay", "--seed", "3", "--mode", "on-demand");
        assertTrue(options.quick());
        assertEquals(List.of(Contestant.HIKARICP, Contestant.FOREBAY), options.pools());
        assertEquals(3, options.number("--seed", 7));
        assertEquals(ForebayConfig.Mode.ON_DEMAND, options.mode());
    }

    @Test
    void whatIsWrongIsRefusedBeforeAnythingRuns() {
        assertThrows(IllegalArgumentException.class, () -> parse("--fast"));
        assertThrows(IllegalArgumentException.class, () -> parse("--pools"));
        assertThrows(IllegalArgumentException.class, () -> parse("--pools", "c3p0"));
        assertThrows(IllegalArgumentException.class, () -> parse("--seed", "many"));
        assertThrows(IllegalArgumentException.class, () -> parse("--mode", "on demand"));
    }
}
