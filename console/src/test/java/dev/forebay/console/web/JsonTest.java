// SPDX-License-Identifier: Apache-2.0
package dev.forebay.console.web;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class JsonTest {

    @Test
    void namesKeepTheirOrderAndNothingIsNull() {
        assertEquals(
                "{\"b\":1,\"a\":null,\"c\":[true,\"x\"],\"d\":{},\"e\":[]}",
                Json.of(Json.object("b", 1, "a", null, "c", Arrays.asList(true, "x"), "d", Map.of(), "e", List.of())));
    }

    @Test
    void whatIsNotANumberIsNullAndAWholeOneHasNoPoint() {
        assertEquals(
                "[1,-0.5,null,null,1.70000000025E9]",
                Json.of(new double[] {1, -0.5, Double.NaN, Double.POSITIVE_INFINITY, 1700000000.25}));
        assertEquals("[]", Json.of(new double[0]));
        assertEquals("9007199254740993", Json.of(9007199254740993L));
    }

    @Test
    void noTextBreaksOut() {
        assertEquals(
                "\"\\\"\\\\\\u000a\\u0000\\u2028\\ud83d\\ude00é</script>\"",
                Json.of("\"\\\n\0\u2028\uD83D\uDE00é</script>"));
    }

    private record Held(String by, Duration time, Instant since, List<Integer> more) {}

    @Test
    void aRecordIsItsComponents() {
        assertEquals(
                "{\"by\":\"x\",\"time\":1.5,\"since\":2000,\"more\":[1]}",
                Json.of(new Held("x", Duration.ofMillis(1500), Instant.ofEpochSecond(2), List.of(1))));
    }
}
