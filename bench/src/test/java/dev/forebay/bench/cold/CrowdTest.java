// SPDX-License-Identifier: Apache-2.0
package dev.forebay.bench.cold;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.forebay.bench.Options;
import dev.forebay.bench.Threads;
import dev.forebay.bench.driver.Server;
import dev.forebay.bench.driver.StubConnection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

final class CrowdTest {

    private static final Duration LONG = Duration.ofMinutes(1);

    @Test
    void theServedAndTheFailedAreCountedApart() throws Exception {
        Threads[] kinds = Options.hasVirtualThreads() ? Threads.values() : new Threads[] {Threads.PLATFORM};
        for (Threads threads : kinds) {
            AtomicInteger asked = new AtomicInteger();
            Server server = () -> {
                if (asked.incrementAndGet() <= 2) {
                    throw new SQLException("not you");
                }
                return new StubConnection();
            };
            Crowd.Outcome outcome = new Crowd(10, Duration.ZERO, threads).ask(server.dataSource(), LONG);
            assertEquals(8, outcome.calls().getTotalCount());
            assertEquals(2, outcome.failed());
            assertEquals(0, outcome.stuck());
            assertEquals("not you", Objects.requireNonNull(outcome.failure()).getMessage());
            assertTrue(outcome.firstNanos() <= outcome.lastNanos(), outcome::toString);
        }
    }

    @Test
    void thoseWhoseCallDoesNotEndAreStuckAndNotFailed() throws Exception {
        CountDownLatch end = new CountDownLatch(1);
        Server server = () -> {
            try {
                end.await();
            } catch (InterruptedException e) {
                throw new SQLException(e);
            }
            return new StubConnection();
        };
        Crowd.Outcome outcome = new Crowd(3, Duration.ZERO, Threads.PLATFORM).ask(server.dataSource(), Duration.ZERO);
        end.countDown();
        assertEquals(3, outcome.stuck());
        assertEquals(0, outcome.failed());
        assertNull(outcome.failure());
    }

    @Test
    void anOutcomeIsReadAsItWasWritten() {
        Outcome outcome = new Outcome(95.5, 52, 151, 187, 156, Double.NaN, 29, 3, 1, "timed out\nafter 30 s");
        Outcome read = Outcome.parse(outcome.line());
        assertEquals("timed out after 30 s", read.failure());
        assertEquals(outcome.brief(), read.brief());
        assertEquals(
                "cpu 96 ms, 52 %, first 151 ms, last 187 ms, p99 156 ms, 29 of 30 open, of 300 callers 3 failed and 1 are"
                        + " stuck; the first: timed out after 30 s",
                read.detail());
    }
}
