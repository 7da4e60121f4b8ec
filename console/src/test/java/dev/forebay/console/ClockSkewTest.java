// SPDX-License-Identifier: Apache-2.0
package dev.forebay.console;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.sun.net.httpserver.HttpServer;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ClockSkewTest {

    @Test
    void theMiddleOfTheExchangeIsComparedWithTheMiddleOfTheSecond() {
        Instant sent = Instant.parse("2026-11-16T05:00:00.250Z");
        String date = "Mon, 16 Nov 2026 05:00:00 GMT";
        assertEquals(Duration.ZERO, ClockSkew.between(sent, sent.plusMillis(500), date));
        assertEquals(Duration.ofMinutes(6), ClockSkew.between(sent.plusSeconds(360), sent.plusMillis(360_500), date));
        assertEquals(Duration.ofSeconds(-9), ClockSkew.between(sent.minusSeconds(9), sent.minusMillis(8_500), date));
    }

    @ParameterizedTest
    @CsvSource({
        "0, ok   clock: agrees with there",
        "-1500, ok   clock: agrees with there",
        "4000, 'ok   clock: is 4 s ahead, compared with there'",
        "-11000, 'warn clock: is 11 s behind, compared with there; set it (NTP)'",
        "300000, 'warn clock: is 300 s ahead, compared with there; set it (NTP)'",
        "300001, 'FAIL clock: is 300 s ahead, compared with there -> set the clock'",
        "-4000000, 'FAIL clock: is 4000 s behind, compared with there -> set the clock'"
    })
    void fiveMinutesAreTooMuch(long millis, String line) {
        StringWriter text = new StringWriter();
        Report report = new Report(new PrintWriter(text));
        ClockSkew.judge(Duration.ofMillis(millis), "there", report);
        assertTrue(text.toString().startsWith(line), text.toString());
        assertEquals(line.startsWith("FAIL") ? 1 : 0, report.exitCode());
    }

    @Test
    void aClockThatIsAheadIsMeasured() throws Exception {
        HttpServer server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.createContext("/", exchange -> {
            exchange.sendResponseHeaders(400, -1);
            exchange.close();
        });
        server.start();
        try {
            InstantSource ahead = () -> Instant.now().plusSeconds(600);
            URI address = URI.create("http://localhost:" + server.getAddress().getPort());
            Duration skew = ClockSkew.measure(address, ahead);
            assertTrue(skew.minusSeconds(600).abs().compareTo(Duration.ofSeconds(30)) < 0, skew.toString());
        } finally {
            server.stop(0);
        }
    }
}
