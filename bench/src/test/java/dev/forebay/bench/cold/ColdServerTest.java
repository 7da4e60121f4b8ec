// SPDX-License-Identifier: Apache-2.0
package dev.forebay.bench.cold;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.forebay.bench.Threads;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import org.junit.jupiter.api.Test;

final class ColdServerTest {

    @Test
    void theLastConnectReachesTheGoalAndClosingTwiceCountsOnce() throws Exception {
        ColdServer server = new ColdServer(Duration.ZERO, false, 2);
        Connection first = server.connect();
        assertEquals(-1, server.awaitGoal(Duration.ZERO));
        try (Connection second = server.connect()) {
            assertTrue(server.awaitGoal(Duration.ZERO) != -1);
            first.close();
            first.close();
            assertEquals(1, server.open());
            assertTrue(first.isClosed());
        }
        assertEquals(0, server.open());
    }

    @Test
    void theConnectThatHangsIgnoresInterruptsAndEndsWithTheServer() throws Exception {
        ColdServer server = new ColdServer(Duration.ZERO, true, 1);
        CompletableFuture<Connection> hung = new CompletableFuture<>();
        CountDownLatch noticed = new CountDownLatch(1);
        Thread thread = Threads.PLATFORM.start(() -> {
            Thread.currentThread().interrupt();
            try {
                hung.complete(server.connect());
            } catch (SQLException e) {
                if (Thread.interrupted()) {
                    noticed.countDown();
                }
                hung.completeExceptionally(e);
            }
        });
        while (thread.isAlive() && thread.getState() != Thread.State.WAITING) {
            Thread.onSpinWait();
        }
        assertFalse(hung.isDone(), "an interrupt has ended it");
        server.connect().close();
        assertTrue(server.awaitGoal(Duration.ZERO) != -1);
        assertEquals(Thread.State.WAITING, thread.getState());
        server.close();
        assertThrows(ExecutionException.class, hung::get);
        noticed.await();
    }
}
