// SPDX-License-Identifier: Apache-2.0
package dev.forebay.wire;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** Many at once, and the end of all of them. */
class ManyClientsTest {

    private final ToyService service = new ToyService();

    @Test
    void aThousandIdleSessionsAtOnceAreServedWhenTheyAsk() throws IOException {
        List<RawClient> clients = new ArrayList<>();
        try (PgServer server = PgServer.builder(service, new Random(1)).start()) {
            for (int i = 0; i < 1000; i++) {
                RawClient client = RawClient.plain(server.port());
                clients.add(client);
                client.send(RawClient.startup("u"));
            }
            for (RawClient client : clients) {
                client.until('Z');
            }
            assertEquals(1000, server.clients());
            assertEquals(1000, service.open.get());
            for (RawClient client : clients) {
                client.send(RawClient.query());
                assertEquals("TDCZ", client.until('Z'));
            }
        } finally {
            for (RawClient client : clients) {
                client.close();
            }
        }
        assertEquals(0, service.open.get(), "close() has ended them all");
    }

    @Test
    void closingUnderLoadEndsEverySessionAndEveryThread() throws Exception {
        try (Leaks leaks = new Leaks()) {
            PgServer server = PgServer.builder(service, new Random(1))
                    .tls(Certificates.server())
                    .start();
            List<Thread> ours = Thread.getAllStackTraces().keySet().stream()
                    .filter(thread -> thread.getName().startsWith("forebay-wire"))
                    .toList();
            assertFalse(ours.isEmpty());
            int count = 8;
            CountDownLatch asking = new CountDownLatch(count);
            List<Thread> clients = new ArrayList<>();
            for (int i = 0; i < count; i++) {
                boolean tls = i % 2 == 0;
                Thread client = new Thread(() -> ask(server.port(), tls, asking), "client-" + i);
                client.start();
                clients.add(client);
            }
            assertTrue(asking.await(20, TimeUnit.SECONDS));
            server.close();
            for (Thread client : clients) {
                client.join(Duration.ofSeconds(20).toMillis());
                assertFalse(client.isAlive(), client.getName() + " has seen no end");
            }
            for (Thread thread : ours) {
                thread.join(Duration.ofSeconds(20).toMillis());
                assertFalse(thread.isAlive(), thread.getName() + " is left");
            }
            assertEquals(0, service.open.get());
            assertEquals(0, server.clients());
            assertEquals(List.of(), leaks.found());
        }
    }

    /** Asks until the connection ends. */
    private static void ask(int port, boolean tls, CountDownLatch asking) {
        try (RawClient client = tls ? RawClient.tls(port, Certificates.client()) : RawClient.plain(port)) {
            client.send(RawClient.startup("u"));
            client.until('Z');
            byte[] ahead = RawClient.bytes(out -> {
                for (int i = 0; i < 10; i++) {
                    Request.writeQuery(out, "SELECT 1");
                }
            });
            for (int round = 0; true; round++) {
                client.send(ahead);
                for (int i = 0; i < 10; i++) {
                    client.until('Z');
                }
                if (round == 20) {
                    asking.countDown();
                }
            }
        } catch (IOException ended) {
            assertEquals(0, asking.getCount(), "it ended before its time: " + ended);
        }
    }
}
