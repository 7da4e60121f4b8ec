// SPDX-License-Identifier: Apache-2.0
package dev.forebay.wire;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assertions.fail;

import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.ByteBufAllocatorMetric;
import io.netty.buffer.ByteBufAllocatorMetricProvider;
import io.netty.buffer.Unpooled;
import java.io.IOException;
import java.net.SocketTimeoutException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import javax.net.ssl.SSLContext;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Clients that send anything. Whatever they send, the next good client is served, none hangs and no buffer is lost. */
class FuzzTest {

    private static final long SEED = Long.getLong("fuzz.seed", 20260901);
    private static final int ROUNDS = Integer.getInteger("fuzz.rounds", 600);
    private static final long PATIENCE_NANOS = Duration.ofSeconds(20).toNanos();

    private static final List<byte[]> CONVERSATION = List.of(
            RawClient.startup("u"),
            RawClient.query(),
            RawClient.bytes(out -> Request.writeParse(out, "s", "SELECT 1")),
            RawClient.bytes(out -> Request.writeBind(out, "p", "s")),
            RawClient.message('D', (byte) 'P', (byte) 'p', (byte) 0),
            RawClient.bytes(out -> Request.writeExecute(out, "p", 0)),
            RawClient.bytes(out -> Request.writeClose(out, true, "p")),
            RawClient.bytes(Request::writeSync),
            RawClient.message('X'));

    private final ToyService service = new ToyService();
    private Leaks leaks;
    private PgServer server;
    private SSLContext trusting;

    @BeforeEach
    void start() throws IOException {
        leaks = new Leaks();
        server = PgServer.builder(service, new Random(1))
                .tls(Certificates.server())
                .start();
        trusting = Certificates.client();
    }

    @AfterEach
    void stop() {
        server.close();
        leaks.close();
    }

    @Test
    void aBufferThatIsNotReleasedIsFound() {
        drop();
        assertEquals(1, leaks.found().size());
    }

    private static void drop() {
        ByteBufAllocator.DEFAULT.directBuffer(16).writeByte(1);
    }

    @Test
    void aConversationSplitAnywhereGoesAsOneInOnePiece() throws IOException {
        for (boolean tls : new boolean[] {false, true}) {
            byte[] all = joined(CONVERSATION);
            byte[] expected = answers(tls, all);
            assertTrue(expected.length > 100);
            for (int cut = 1; cut < all.length; cut++) {
                assertArrayEquals(
                        expected,
                        answers(tls, Arrays.copyOf(all, cut), Arrays.copyOfRange(all, cut, all.length)),
                        "split at " + cut);
            }
        }
        assertUnharmed();
    }

    @Test
    void aConversationMayEndAnywhere() throws IOException {
        byte[] all = joined(CONVERSATION);
        for (boolean tls : new boolean[] {false, true}) {
            for (int cut = 0; cut < all.length; cut++) {
                try (RawClient client = connect(tls)) {
                    client.send(Arrays.copyOf(all, cut));
                    if (cut % 2 == 0) {
                        client.end();
                        client.rest();
                    }
                }
            }
        }
        assertUnharmed();
    }

    @Test
    void anythingAtAllIsAnsweredOrClosed() throws IOException {
        for (int round = 0; round < ROUNDS; round++) {
            Random random = new Random(SEED + round);
            boolean tls = random.nextInt(4) == 0;
            byte[] stream = stream(random);
            try (RawClient client = connect(tls)) {
                try {
                    client.send(stream);
                    client.end();
                } catch (SocketTimeoutException e) {
                    throw e;
                } catch (IOException closed) {
                    continue; // before all of it was sent
                }
                client.rest();
            } catch (SocketTimeoutException e) {
                fail("a client hangs, -Dfuzz.seed=" + (SEED + round) + " -Dfuzz.rounds=1", e);
            }
        }
        assertUnharmed();
    }

    @Test
    void noiseAmidTlsClosesTheConnection() throws IOException {
        for (int round = 0; round < 50; round++) {
            Random random = new Random(SEED + round);
            byte[] noise = new byte[1 + random.nextInt(500)];
            random.nextBytes(noise);
            try (RawClient beneath = RawClient.plain(server.port())) {
                beneath.send(RawClient.sslRequest());
                assertEquals('S', beneath.read());
                if (round % 2 == 0) {
                    RawClient client = beneath.encrypted(trusting);
                    client.send(RawClient.startup("u"));
                    client.until('Z');
                }
                beneath.send(noise);
                beneath.end();
                beneath.rest();
            }
        }
        assertUnharmed();
    }

    /** The bytes from a client: noise, or a conversation with something wrong with it. */
    private static byte[] stream(Random random) {
        List<byte[]> messages = new ArrayList<>(CONVERSATION);
        switch (random.nextInt(6)) {
            case 0 -> {
                byte[] noise = new byte[random.nextInt(5000)];
                random.nextBytes(noise);
                return noise;
            }
            case 1 -> Collections.shuffle(messages, random);
            case 2 -> Collections.shuffle(messages.subList(1, messages.size()), random);
            case 3 -> { // a message of noise after a good start
                byte[] noise = new byte[random.nextInt(200)];
                random.nextBytes(noise);
                messages.add(1, RawClient.message("QPBDECHSXpdcf".charAt(random.nextInt(13)), noise));
            }
            case 4 -> { // a length that is not so
                byte[] message =
                        messages.get(1 + random.nextInt(messages.size() - 1)).clone();
                message[1 + random.nextInt(4)] = (byte) random.nextInt();
                messages.add(1, message);
            }
            default -> {}
        }
        byte[] all = joined(messages);
        for (int flips = random.nextInt(4); flips > 0; flips--) {
            all[random.nextInt(all.length)] ^= (byte) (1 << random.nextInt(8));
        }
        return random.nextBoolean() ? all : Arrays.copyOf(all, random.nextInt(all.length));
    }

    @Test
    void memoryIsTakenForWhatHasComeAndNotForWhatIsAnnounced() throws IOException {
        long before = allocated();
        List<RawClient> clients = new ArrayList<>();
        try {
            for (int i = 0; i < 200; i++) {
                RawClient client = connect(false);
                clients.add(client);
                client.send(RawClient.startup("u"));
                client.until('Z');
                client.send(RawClient.query());
                client.send(RawClient.bytes(
                        out -> out.writeByte('Q').writeInt(10 << 20).writeZero(1000)));
                client.until('Z');
            }
            long taken = allocated() - before;
            assertTrue(taken < 200 << 20, "for 200 announcements of 10 MiB each: " + taken);
        } finally {
            for (RawClient client : clients) {
                client.close();
            }
        }
        assertUnharmed();
    }

    private static long allocated() {
        ByteBufAllocatorMetric metric = ((ByteBufAllocatorMetricProvider) ByteBufAllocator.DEFAULT).metric();
        return metric.usedDirectMemory() + metric.usedHeapMemory();
    }

    /** A good client is served, the others are forgotten, and every buffer was released. */
    private void assertUnharmed() throws IOException {
        byte[] all = joined(CONVERSATION);
        assertArrayEquals(answers(false, all), answers(true, all));
        for (long begun = System.nanoTime(); server.clients() > 0 || service.open.get() > 0; Thread.onSpinWait()) {
            if (System.nanoTime() - begun > PATIENCE_NANOS) {
                fail(server.clients() + " clients and " + service.open + " sessions are left");
            }
        }
        assertEquals(List.of(), leaks.bugs());
        assertEquals(List.of(), leaks.found());
    }

    private RawClient connect(boolean tls) throws IOException {
        return tls ? RawClient.tls(server.port(), trusting) : RawClient.plain(server.port());
    }

    private byte[] answers(boolean tls, byte[]... parts) throws IOException {
        try (RawClient client = connect(tls)) {
            for (byte[] part : parts) {
                client.send(part);
            }
            return client.rest();
        }
    }

    private static byte[] joined(List<byte[]> messages) {
        return RawClient.bytes(out -> messages.forEach(message -> out.writeBytes(Unpooled.wrappedBuffer(message))));
    }
}
