// SPDX-License-Identifier: Apache-2.0
package dev.forebay.wire;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The first bytes of a connection, good and bad. */
class StartUpTest {

    private static final byte[] GSS_REQUEST =
            RawClient.bytes(out -> out.writeInt(8).writeInt(StartupPacket.GSS_REQUEST));

    private final ToyService service = new ToyService();
    private PgServer server;

    @BeforeEach
    void start() throws IOException {
        server = PgServer.builder(service, new Random(1))
                .tls(Certificates.server())
                .start();
    }

    @AfterEach
    void stop() {
        server.close();
    }

    @Test
    void aPlainClientStartsUp() throws IOException {
        try (RawClient client = RawClient.plain(server.port())) {
            client.send(RawClient.startup("u"));
            assertEquals("RSSSSSSKZ", client.until('Z'));
            client.send(RawClient.query());
            assertEquals("TDCZ", client.until('Z'));
            assertEquals(
                    List.of("user", "database"),
                    List.copyOf(service.seen.peek().startup().keySet()));
        }
    }

    @Test
    void withoutACertificateTlsIsDeclinedAndTheClientMayGoOn() throws IOException {
        try (PgServer plain = PgServer.builder(service, new Random(1)).start();
                RawClient client = RawClient.plain(plain.port())) {
            client.send(RawClient.sslRequest());
            assertEquals('N', client.read());
            client.send(RawClient.startup("u"));
            assertEquals("RSSSSSSKZ", client.until('Z'));
        }
    }

    @Test
    void gssEncryptionIsDeclinedAndTheClientMayGoOn() throws IOException {
        try (RawClient client = RawClient.plain(server.port())) {
            client.send(GSS_REQUEST);
            assertEquals('N', client.read());
            client.send(RawClient.sslRequest());
            assertEquals('S', client.read());
            RawClient encrypted = client.encrypted(Certificates.client());
            encrypted.send(RawClient.startup("u"));
            assertEquals("RSSSSSSKZ", encrypted.until('Z'));
        }
    }

    @Test
    void bytesBetweenAnSslRequestAndTheHandshakeCloseTheConnection() throws IOException {
        byte[] both = RawClient.bytes(
                out -> out.writeBytes(RawClient.sslRequest()).writeBytes(RawClient.startup("injected")));
        try (RawClient client = RawClient.plain(server.port())) {
            client.send(both);
            assertRefused("08P01", "received unencrypted data after SSL request", client.rest());
        }
        assertServes();
        assertEquals(1, service.seen.size(), "what was sent in plain opened no session");
    }

    @Test
    void anSslRequestInsideTlsIsRefused() throws IOException {
        try (RawClient client = RawClient.tls(server.port(), Certificates.client())) {
            client.send(RawClient.sslRequest());
            assertRefused("08P01", "encrypted already", client.rest());
        }
    }

    @Test
    void directTlsHasToAgreeOnTheProtocol() throws IOException {
        try (RawClient client = RawClient.direct(server.port(), Certificates.client(), StartUp.ALPN)) {
            client.send(RawClient.startup("u"));
            assertEquals("RSSSSSSKZ", client.until('Z'));
        }
        try (RawClient client = RawClient.direct(server.port(), Certificates.client())) {
            sendToOneWhoMayBeGone(client, RawClient.startup("u"));
            assertArrayEquals(new byte[0], client.rest());
        }
        assertEquals(1, service.seen.size(), "without ALPN there is no session");
    }

    private static void sendToOneWhoMayBeGone(RawClient client, byte[] bytes) {
        try {
            client.send(bytes);
        } catch (IOException gone) {
            assertNotNull(gone); // as well
        }
    }

    @Test
    void aRequestToCancelReachesTheSessionThatItsKeyNames() throws Exception {
        try (RawClient other = RawClient.plain(server.port());
                RawClient client = RawClient.plain(server.port())) {
            other.send(RawClient.startup("u")).until('Z');
            client.send(RawClient.startup("u")).until('K');
            Conversation named = service.seen.stream().skip(1).findFirst().orElseThrow();
            cancel(RawClient.plain(server.port()), named.processId(), named.secretKey());
            assertEquals(named.processId(), service.cancelled.poll(20, TimeUnit.SECONDS));
            cancel(RawClient.tls(server.port(), Certificates.client()), named.processId(), named.secretKey());
            assertEquals(named.processId(), service.cancelled.poll(20, TimeUnit.SECONDS));
            cancel(RawClient.plain(server.port()), named.processId(), named.secretKey() + 1);
            cancel(RawClient.plain(server.port()), named.processId() + 1, named.secretKey());
            assertEquals(List.of(), List.copyOf(service.cancelled), "with a wrong key");
        }
    }

    private static void cancel(RawClient client, int processId, int secretKey) throws IOException {
        try (client) {
            client.send(RawClient.bytes(out -> StartupPacket.writeCancel(out, processId, secretKey)));
            assertArrayEquals(new byte[0], client.rest());
        }
    }

    @Test
    void aRequestToCancelOfAnotherLengthIsIgnored() throws Exception {
        try (RawClient client = RawClient.plain(server.port())) {
            client.send(RawClient.bytes(out ->
                    out.writeInt(12).writeInt(StartupPacket.CANCEL_REQUEST).writeInt(7)));
            assertArrayEquals(new byte[0], client.rest());
        }
        assertEquals(List.of(), List.copyOf(service.cancelled));
    }

    @Test
    void aNewerVersionIsToldTheOneThatIsSpoken() throws IOException {
        try (RawClient client = RawClient.plain(server.port())) {
            byte[] startup = RawClient.startup("u");
            startup[7] = 2;
            client.send(startup);
            RawClient.Message answer = client.message();
            assertEquals('v', answer.type());
            assertArrayEquals(new byte[] {0, 3, 0, 0, 0, 0, 0, 0}, answer.payload());
            assertEquals("RSSSSSSKZ", client.until('Z'));
        }
    }

    @Test
    void protocolOptionsThatAreNotKnownAreNamed() throws IOException {
        byte[] startup = RawClient.bytes(out -> StartupPacket.write(out, Map.of("user", "u", "_pq_.magic", "on")));
        try (RawClient client = RawClient.plain(server.port())) {
            client.send(startup);
            RawClient.Message answer = client.message();
            assertEquals('v', answer.type());
            assertTrue(answer.text().endsWith("_pq_.magic\0"), answer.text());
        }
    }

    @Test
    void anotherVersionIsRefused() throws IOException {
        byte[] startup = RawClient.startup("u");
        startup[5] = 2;
        try (RawClient client = RawClient.plain(server.port())) {
            client.send(startup);
            assertRefused("08P01", "unsupported frontend protocol 2.0", client.rest());
        }
    }

    @Test
    void aStartUpPacketIsNeitherTooShortNorTooLong() throws IOException {
        for (int length : new int[] {-1, 0, 7, StartupPacket.MOST_BYTES + 1, Integer.MAX_VALUE}) {
            try (RawClient client = RawClient.plain(server.port())) {
                client.send(RawClient.bytes(out -> out.writeInt(length).writeInt(StartupPacket.VERSION_3_0)));
                assertRefused("08P01", "invalid length of startup packet", client.rest());
            }
        }
        String name = "u".repeat(StartupPacket.MOST_BYTES - 8 - "user\0\0database\0postgres\0\0".length());
        try (RawClient client = RawClient.plain(server.port())) {
            client.send(RawClient.startup(name));
            assertEquals("RSSSSSSKZ", client.until('Z'));
        }
    }

    @Test
    void aPlainClientIsRefusedOnceWhereTlsIsRequired() throws IOException {
        try (PgServer strict = PgServer.builder(service, new Random(1))
                        .tls(Certificates.server())
                        .requireTls()
                        .start();
                RawClient client = RawClient.plain(strict.port())) {
            client.send(RawClient.bytes(
                    out -> out.writeBytes(RawClient.startup("u")).writeBytes(RawClient.startup("u"))));
            String answer = new String(client.rest(), StandardCharsets.UTF_8);
            assertEquals(answer.indexOf("08004"), answer.lastIndexOf("08004"), answer);
            assertTrue(answer.contains("08004"), answer);
            assertEquals(0, service.seen.size());
        }
    }

    @Test
    void aServiceThatFailsIsAnErrorToTheClient() throws IOException {
        PgService failing = client -> {
            throw new IllegalStateException("on purpose");
        };
        try (Leaks leaks = new Leaks();
                PgServer broken = PgServer.builder(failing, new Random(1)).start();
                RawClient client = RawClient.plain(broken.port())) {
            client.send(RawClient.startup("u"));
            assertRefused("XX000", "internal error", client.rest());
            assertEquals(List.of("bug: a session failed: on purpose"), leaks.bugs());
        }
    }

    // ---- limits

    @Test
    void whoTakesTooLongIsClosed() throws IOException {
        ClientLimits limits = new ClientLimits(1 << 20, 1 << 10, Duration.ofMillis(300));
        try (PgServer hasty = PgServer.builder(service, new Random(1))
                        .tls(Certificates.server())
                        .limits(limits)
                        .start();
                RawClient admitted = RawClient.plain(hasty.port());
                RawClient silent = RawClient.plain(hasty.port());
                RawClient slow = RawClient.plain(hasty.port());
                RawClient handshaking = RawClient.plain(hasty.port());
                RawClient stranger = RawClient.plain(hasty.port())) {
            admitted.send(RawClient.startup("u"));
            slow.send(new byte[] {0, 0, 0});
            handshaking.send(RawClient.sslRequest());
            stranger.send(RawClient.startup(ToyService.STRANGER));
            assertArrayEquals(new byte[0], silent.rest());
            assertArrayEquals(new byte[0], slow.rest());
            assertEquals(1, handshaking.rest().length);
            assertEquals(9, stranger.rest().length, "it was asked for its password, and no more");

            assertEquals("RSSSSSSKZ", admitted.until('Z'));
            admitted.send(RawClient.query());
            assertEquals("TDCZ", admitted.until('Z'), "who was admitted stays");
        }
    }

    @Test
    void aMessageOverTheLimitClosesWithoutAWord() throws Exception {
        ClientLimits limits = new ClientLimits(2000, 1000, Duration.ofSeconds(30));
        try (PgServer small =
                PgServer.builder(service, new Random(1)).limits(limits).start()) {
            assertEquals(2000, taken(small, "u", 'S', 2000));
            assertEquals(-1, taken(small, "u", 'S', 2001));
            assertEquals(1000, taken(small, ToyService.STRANGER, 'p', 1000));
            assertEquals(-1, taken(small, ToyService.STRANGER, 'p', 1001), "a stranger may send less");
        }
    }

    /** How long the service found a message to be, -1 if the connection closed instead. */
    private int taken(PgServer small, String user, char type, int length) throws Exception {
        service.lengths.clear();
        try (RawClient client = RawClient.plain(small.port())) {
            client.send(RawClient.startup(user));
            client.until(user.equals(ToyService.STRANGER) ? 'R' : 'Z');
            if (length > (user.equals(ToyService.STRANGER) ? 1000 : 2000)) {
                client.send(RawClient.bytes(out -> out.writeByte(type).writeInt(length + 4)));
                assertArrayEquals(new byte[0], client.rest());
                return service.lengths.isEmpty() ? -1 : service.lengths.take();
            }
            client.send(RawClient.message(type, new byte[length]));
            Integer seen = service.lengths.poll(20, TimeUnit.SECONDS);
            return seen == null ? -1 : seen;
        }
    }

    // ---- a session that breaks the protocol

    @Test
    void nothingIsServedAfterABrokenMessage() throws Exception {
        byte[] stream = RawClient.bytes(out -> {
            out.writeBytes(RawClient.message('?'));
            for (int i = 0; i < 2000; i++) {
                Request.writeQuery(out, "SELECT 1");
            }
        });
        for (boolean tls : new boolean[] {false, true}) {
            service.lengths.clear();
            try (RawClient client =
                    tls ? RawClient.tls(server.port(), Certificates.client()) : RawClient.plain(server.port())) {
                client.send(RawClient.startup("u"));
                client.until('Z');
                sendToOneWhoMayBeGone(client, stream);
                client.rest();
            }
            assertEquals(List.of(), List.copyOf(service.lengths), "TLS: " + tls);
        }
    }

    private void assertServes() throws IOException {
        try (RawClient client = RawClient.plain(server.port())) {
            client.send(RawClient.startup("u"));
            assertEquals("RSSSSSSKZ", client.until('Z'));
        }
    }

    private static void assertRefused(String sqlState, String message, byte[] answer) {
        String text = new String(answer, StandardCharsets.UTF_8);
        assertTrue(
                text.startsWith("E") && text.contains("SFATAL\0") && text.contains("C" + sqlState + "\0"),
                "an error " + sqlState + ": " + text);
        assertTrue(text.contains(message), text);
    }
}
