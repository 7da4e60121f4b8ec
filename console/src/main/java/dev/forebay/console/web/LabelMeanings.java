// SPDX-License-Identifier: Apache-2.0
package dev.forebay.console.web;

import dev.forebay.engine.DiscardReason;
import dev.forebay.engine.OpenFailure;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The meanings of the labels of metrics, in words for people. Stateless. */
final class LabelMeanings {

    private LabelMeanings() {}

    static String json() {
        Map<String, @Nullable Object> discards = new LinkedHashMap<>();
        for (DiscardReason reason : DiscardReason.values()) {
            discards.put(
                    reason.label(),
                    Json.object("meaning", meaning(reason), "expected", PoolEvents.eventOf(reason) == null));
        }
        Map<String, @Nullable Object> failures = new LinkedHashMap<>();
        for (OpenFailure.Cause cause : OpenFailure.Cause.values()) {
            failures.put(cause.label(), meaning(cause));
        }
        return Json.of(Json.object("discards", discards, "failures", failures));
    }

    private static String meaning(DiscardReason reason) {
        return switch (reason) {
            case INSUFFICIENT_REMAINING_LIFETIME -> "too near its end to be handed out";
            case EXPIRED_ON_CHECKOUT -> "past its lifetime when somebody wanted it";
            case EXPIRED_ON_RETURN -> "past its lifetime when it came back";
            case EXPIRED_ON_SCAN -> "past its lifetime while nobody used it";
            case EXPIRING_SOON_ON_SCAN -> "near its end, and no replacement was there yet";
            case RESERVOIR_FULL -> "more than the pool may have";
            case REPLACED -> "its replacement arrived in time, as it should";
            case BAD_CONNECTION -> "its borrower met an error that says it is broken";
            case FAILED_VALIDATION -> "it did not answer a check";
            case IDLE_TIMEOUT -> "nobody needed it for long";
            case OVERFLOW -> "opened beyond the maximum for one borrower";
            case EVICTED -> "evicted by hand";
            case POOL_CLOSED -> "the pool was closed";
        };
    }

    private static String meaning(OpenFailure.Cause cause) {
        return switch (cause) {
            case RATE_LIMIT -> "refused as too fast, or the rate limiter did not answer";
            case LEASE_ACQUIRE -> "no lease was to be had";
            case TOKEN_PROVIDER -> "no password or token was to be had";
            case CONNECTION_COUNT -> "the server has as many connections as it takes";
            case CONNECT -> "the connect failed or took too long";
        };
    }
}
