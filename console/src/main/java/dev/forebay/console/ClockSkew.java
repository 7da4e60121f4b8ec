// SPDX-License-Identifier: Apache-2.0
package dev.forebay.console;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.time.ZonedDateTime;
import java.time.format.DateTimeFormatter;

/** The distance of this machine's clock from that of an HTTP server, whose every answer has the time. */
final class ClockSkew {

    /** The most that AWS accepts: signatures that are further off are refused. */
    static final Duration MOST = Duration.ofMinutes(5);

    /** The skew worth a warning: the limits of a fleet allow for some two seconds, and a clock that is off drifts on. */
    static final Duration MUCH = Duration.ofSeconds(10);

    private static final Duration PATIENCE = Duration.ofSeconds(5);
    private static final Duration HALF_A_SECOND = Duration.ofMillis(500);

    private ClockSkew() {}

    /** The time by which this clock is ahead of the server at {@code address}; negative if it is behind. */
    static Duration measure(URI address, InstantSource clock) throws IOException, InterruptedException {
        HttpClient http = HttpClient.newBuilder().connectTimeout(PATIENCE).build();
        HttpRequest request =
                HttpRequest.newBuilder(address).timeout(PATIENCE).GET().build();
        Instant sent = clock.instant();
        HttpResponse<Void> answer = http.send(request, HttpResponse.BodyHandlers.discarding());
        Instant received = clock.instant();
        String date = answer.headers().firstValue("Date").orElseThrow(() -> new IOException("the answer has no date"));
        try {
            return between(sent, received, date);
        } catch (DateTimeException e) {
            throw new IOException("the answer has a date that is none: " + date, e);
        }
    }

    /** Returns the time from the middle of the second that the server names to the middle of the exchange. */
    static Duration between(Instant sent, Instant received, String date) {
        Instant there = ZonedDateTime.parse(date, DateTimeFormatter.RFC_1123_DATE_TIME)
                .toInstant()
                .plus(HALF_A_SECOND);
        Instant here = sent.plus(Duration.between(sent, received).dividedBy(2));
        return Duration.between(there, here);
    }

    /** Adds {@code skew} to the report. */
    static void judge(Duration skew, String server, Report report) {
        String words = "clock: " + (skew.abs().compareTo(Duration.ofSeconds(2)) < 0 ? "agrees" : apart(skew)) + " with "
                + server;
        if (skew.abs().compareTo(MOST) > 0) {
            report.fail(words, "set the clock (NTP): AWS refuses signatures that are five minutes off");
        } else if (skew.abs().compareTo(MUCH) > 0) {
            report.warn(words + "; set it (NTP)");
        } else {
            report.ok(words);
        }
    }

    private static String apart(Duration skew) {
        return "is " + skew.abs().toSeconds() + " s " + (skew.isNegative() ? "behind" : "ahead") + ", compared";
    }
}
