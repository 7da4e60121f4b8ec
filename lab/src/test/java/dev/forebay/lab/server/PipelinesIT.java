// SPDX-License-Identifier: Apache-2.0
package dev.forebay.lab.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.forebay.lab.model.Fault;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** Messages of the extended protocol that come together. */
class PipelinesIT {

    private static final Duration DELAY = Duration.ofSeconds(1);

    private static LocalDsql dsql;

    @BeforeAll
    static void start() throws IOException {
        dsql = LocalDsql.builder().start();
    }

    @AfterAll
    static void stop() throws IOException {
        dsql.close();
    }

    @AfterEach
    void asBefore() {
        dsql.inject(Fault.parse("clear"));
    }

    /** Each request to PostgreSQL is delayed, so the time tells how many there were. */
    @Test
    void whatComesInOnePieceGoesToPostgresInOnePiece() throws Exception {
        try (RawClient client = new RawClient(dsql, "admin")) {
            client.extended("SELECT 1");
            dsql.inject(Fault.parse("delay statements " + DELAY.toMillis() + "ms"));
            long begun = System.nanoTime();
            assertEquals(
                    List.of(List.of("1")), client.extended("SELECT 1").get(0).rows());
            Duration took = Duration.ofNanos(System.nanoTime() - begun);
            assertTrue(took.compareTo(DELAY) >= 0, () -> "not delayed: " + took);
            assertTrue(took.compareTo(DELAY.multipliedBy(2)) < 0, () -> "more than one request: " + took);
        }
    }
}
