// SPDX-License-Identifier: Apache-2.0
package dev.forebay.console.admin;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.forebay.wire.Request;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import java.io.DataInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.net.SocketException;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Random;
import java.util.function.Consumer;
import javax.crypto.Mac;
import javax.crypto.SecretKeyFactory;
import javax.crypto.spec.PBEKeySpec;
import javax.crypto.spec.SecretKeySpec;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Clients that do not keep to the protocol, or keep to corners of it that drivers do not use. */
@Timeout(120)
final class AdminProtocolTest {

    private TestPort port;

    @BeforeEach
    void start() throws Exception {
        port = new TestPort();
    }

    @AfterEach
    void stop() {
        port.close();
    }

    // ---- logging in

    @Test
    void aRightProofIsAnswered() throws Exception {
        try (Raw raw = new Raw(port)) {
            assertTrue(raw.logIn("c=biws", "").contains("Z"));
        }
    }

    @Test
    void aProofThatWasTamperedWithIsRefused() throws Exception {
        try (Raw raw = new Raw(port)) {
            raw.logIn("c=eSws", "");
            assertTrue(raw.last.contains("08P01"), raw.last);
        }
        try (Raw raw = new Raw(port)) {
            raw.logIn("c=biws", "x");
            assertTrue(raw.last.contains("08P01"), raw.last);
        }
    }

    @Test
    void aStatementBeforeTheProofIsRefused() throws Exception {
        try (Raw raw = new Raw(port)) {
            raw.startUp();
            raw.send(out -> Request.writeQuery(out, "PAUSE x"));
            assertEquals("RE", raw.rest());
            assertTrue(raw.last.contains("08P01"), raw.last);
        }
        assertTrue(port.performed.isEmpty());
    }

    @Test
    void anotherMechanismIsRefused() throws Exception {
        try (Raw raw = new Raw(port)) {
            raw.startUp();
            raw.message('p', "SCRAM-SHA-256-PLUS\0\0\0\0\0");
            assertEquals("RE", raw.rest());
        }
    }

    @Test
    void aPasswordInClearTextIsNotTaken() throws Exception {
        try (Raw raw = new Raw(port)) {
            raw.startUp();
            raw.message('p', TestPort.PASSWORD + "\0");
            assertEquals("RE", raw.rest());
            assertTrue(raw.last.contains("08P01"), raw.last);
        }
    }

    @Test
    void silentConnectionsKeepNobodyOut() throws Exception {
        List<Raw> silent = new ArrayList<>();
        try {
            for (int i = 0; i < AdminPort.MOST_STRANGERS + 8; i++) {
                silent.add(new Raw(port));
            }
            try (Raw raw = new Raw(port).loggedIn()) {
                raw.send(out -> Request.writeQuery(out, "SELECT 1"));
                assertEquals("TDCZ", raw.until('Z'));
            }
            for (int i = 0; i < 8; i++) {
                assertEquals("", silent.get(i).rest(), "the oldest are closed");
            }
        } finally {
            for (Raw each : silent) {
                each.close();
            }
        }
    }

    @Test
    void strangersWhoSayNothingKeepNobodyOut() throws Exception {
        List<Raw> strangers = new ArrayList<>();
        try {
            for (int i = 0; i < AdminPort.MOST_STRANGERS + 8; i++) {
                strangers.add(new Raw(port));
                strangers.get(i).startUp();
            }
            try (Raw raw = new Raw(port)) {
                assertTrue(raw.logIn("c=biws", "").contains("Z"), raw.last);
            }
            assertEquals("RE", strangers.get(0).rest());
            assertTrue(strangers.get(0).last.contains("53300"), strangers.get(0).last);
        } finally {
            for (Raw each : strangers) {
                each.close();
            }
        }
    }

    // ---- after that

    @Test
    void afterAnErrorEverythingIsSkippedUntilTheSync() throws Exception {
        try (Raw raw = new Raw(port).loggedIn()) {
            raw.send(out -> {
                Request.writeParse(out, "", "SELECT nope");
                Request.writeBind(out, "", "");
                Request.writeExecute(out, "", 0);
                Request.writeParse(out, "", "PAUSE x");
                Request.writeSync(out);
                Request.writeParse(out, "", "SELECT 1");
                Request.writeBind(out, "", "");
                Request.writeDescribe(out, true, "");
                Request.writeExecute(out, "", 0);
                Request.writeSync(out);
            });
            assertEquals("EZ", raw.until('Z'));
            assertEquals("12TDCZ", raw.until('Z'));
        }
        assertTrue(port.performed.isEmpty());
    }

    @Test
    void anErrorIsSentBeforeTheSync() throws Exception {
        try (Raw raw = new Raw(port).loggedIn()) {
            raw.send(out -> {
                Request.writeParse(out, "", "SELECT nope");
                Request.writeDescribe(out, false, "");
                Request.writeFlush(out);
            });
            assertEquals("E", raw.until('E'));
            assertTrue(raw.last.contains("42703"), raw.last);
            raw.send(Request::writeSync);
            assertEquals("Z", raw.until('Z'));
        }
    }

    @Test
    void aPortalIsSuspendedAndGoesOn() throws Exception {
        try (Raw raw = new Raw(port).loggedIn()) {
            raw.send(out -> {
                Request.writeQuery(out, "BEGIN");
                Request.writeParse(out, "s", "SELECT * FROM (VALUES (1), (2), (3)) AS v(n)");
                Request.writeBind(out, "p", "s");
                Request.writeExecute(out, "p", 2);
                Request.writeSync(out);
                Request.writeExecute(out, "p", 2);
                Request.writeClose(out, true, "p");
                Request.writeClose(out, false, "s");
                Request.writeExecute(out, "p", 2);
                Request.writeSync(out);
                Request.writeQuery(out, "ROLLBACK");
            });
            assertEquals("CZ", raw.until('Z'));
            assertEquals("12DDsZ", raw.until('Z'));
            assertEquals("DC33EZ", raw.until('Z'));
            assertEquals("E", raw.last);
            assertEquals("CZ", raw.until('Z'));
            assertEquals("I", raw.last);
        }
    }

    @Test
    void anEmptyQueryAndAFlushAreAnswered() throws Exception {
        try (Raw raw = new Raw(port).loggedIn()) {
            raw.send(out -> {
                Request.writeQuery(out, " ; -- nothing\n;");
                Request.writeParse(out, "", "");
                Request.writeBind(out, "", "");
                Request.writeDescribe(out, true, "");
                Request.writeExecute(out, "", 0);
                Request.writeFlush(out);
            });
            assertEquals("IZ", raw.until('Z'));
            assertEquals("12nI", raw.until('I'));
            raw.send(Request::writeSync);
            assertEquals("Z", raw.until('Z'));
        }
    }

    @Test
    void whatDoesNotExistIsNamed() throws Exception {
        try (Raw raw = new Raw(port).loggedIn()) {
            raw.send(out -> {
                Request.writeBind(out, "", "none");
                Request.writeSync(out);
                Request.writeExecute(out, "none", 0);
                Request.writeSync(out);
                Request.writeDescribe(out, false, "none");
                Request.writeSync(out);
                Request.writeClose(out, false, "none");
                Request.writeSync(out);
                Request.writeParse(out, "", "SELECT 1; SELECT 2");
                Request.writeSync(out);
            });
            assertEquals("EZ", raw.until('Z'));
            assertEquals("EZ", raw.until('Z'));
            assertEquals("EZ", raw.until('Z'));
            assertEquals("3Z", raw.until('Z'));
            assertEquals("EZ", raw.until('Z'));
        }
    }

    @Test
    void aMessageThatIsNoneEndsTheSession() throws Exception {
        try (Raw raw = new Raw(port).loggedIn()) {
            raw.message('?', "");
            assertEquals("E", raw.rest());
            assertTrue(raw.last.contains("08P01"), raw.last);
        }
        try (Raw raw = new Raw(port).loggedIn()) {
            raw.send(out -> Request.writeParse(out, "", "SELECT 1"));
            raw.message('B', "\0\0\0\7");
            assertTrue(raw.rest().endsWith("E"));
            assertTrue(raw.last.contains("08P01"), raw.last);
        }
        TestPort.await(() -> port.port.sessions() == 0);
    }

    @Test
    void aMessageThatIsTooLongEndsTheSession() throws Exception {
        try (Raw raw = new Raw(port).loggedIn()) {
            raw.send(out -> out.writeByte('Q').writeInt(1 << 30));
            raw.rest();
        }
        TestPort.await(() -> port.port.sessions() == 0);
        port.connect().close();
    }

    @Test
    void garbageDisturbsNobody() throws Exception {
        Random random = new Random(7);
        try (Raw other = new Raw(port).loggedIn()) {
            for (int i = 0; i < 30; i++) {
                byte[] bytes = new byte[random.nextInt(400)];
                random.nextBytes(bytes);
                try (Raw raw = i % 2 == 0 ? new Raw(port) : new Raw(port).loggedIn()) {
                    raw.send(out -> out.writeBytes(bytes));
                    raw.socket.shutdownOutput();
                    raw.rest();
                }
            }
            other.send(out -> Request.writeQuery(out, "SELECT 1"));
            assertEquals("TDCZ", other.until('Z'));
        }
        assertTrue(port.performed.isEmpty());
    }

    /** A client that sends any bytes. */
    private static final class Raw implements AutoCloseable {
        private final Socket socket;
        private String last = "";

        Raw(TestPort port) throws IOException {
            socket = new Socket(InetAddress.getLoopbackAddress(), port.port.port());
            socket.setSoTimeout(20_000);
        }

        void send(Consumer<ByteBuf> written) throws IOException {
            ByteBuf out = Unpooled.buffer();
            written.accept(out);
            try {
                socket.getOutputStream().write(ByteBufUtil.getBytes(out));
            } catch (SocketException e) {
                last = e.toString(); // closed already: what was answered is read next
            }
        }

        void message(char type, String payload) throws IOException {
            byte[] bytes = payload.getBytes(StandardCharsets.UTF_8);
            send(out -> out.writeByte(type).writeInt(bytes.length + 4).writeBytes(bytes));
        }

        void startUp() throws IOException {
            byte[] parameters = ("user\0" + TestPort.USER + "\0database\0forebay\0\0").getBytes(StandardCharsets.UTF_8);
            send(out -> out.writeInt(parameters.length + 8).writeInt(3 << 16).writeBytes(parameters));
        }

        Raw loggedIn() throws Exception {
            assertTrue(logIn("c=biws", "").endsWith("Z"), last);
            return this;
        }

        /** Proves it knows the password, with another channel binding or nonce if so told. */
        String logIn(String binding, String nonceEnd) throws Exception {
            startUp();
            until('R');
            String bare = "n=,r=abcdef";
            String first = "n,," + bare;
            send(out -> {
                byte[] data = first.getBytes(StandardCharsets.UTF_8);
                byte[] mechanism = "SCRAM-SHA-256\0".getBytes(StandardCharsets.UTF_8);
                out.writeByte('p').writeInt(4 + mechanism.length + 4 + data.length);
                out.writeBytes(mechanism).writeInt(data.length).writeBytes(data);
            });
            until('R');
            String challenge = last.substring(4);
            String[] parts = challenge.split(",");
            String withoutProof = binding + "," + parts[0] + nonceEnd;
            byte[] salted = SecretKeyFactory.getInstance("PBKDF2WithHmacSHA256")
                    .generateSecret(new PBEKeySpec(
                            TestPort.PASSWORD.toCharArray(),
                            Base64.getDecoder().decode(parts[1].substring(2)),
                            Integer.parseInt(parts[2].substring(2)),
                            256))
                    .getEncoded();
            byte[] key = hmac(salted, "Client Key");
            byte[] signature =
                    hmac(MessageDigest.getInstance("SHA-256").digest(key), bare + "," + challenge + "," + withoutProof);
            for (int i = 0; i < key.length; i++) {
                key[i] ^= signature[i];
            }
            message('p', withoutProof + ",p=" + Base64.getEncoder().encodeToString(key));
            StringBuilder types = new StringBuilder();
            do {
                types.append(next());
            } while (types.indexOf("Z") < 0 && types.indexOf("E") < 0);
            return types.toString();
        }

        private static byte[] hmac(byte[] key, String text) throws GeneralSecurityException {
            Mac mac = Mac.getInstance("HmacSHA256");
            mac.init(new SecretKeySpec(key, "HmacSHA256"));
            return mac.doFinal(text.getBytes(StandardCharsets.UTF_8));
        }

        private char next() throws IOException {
            DataInputStream in = new DataInputStream(socket.getInputStream());
            char type = (char) in.readUnsignedByte();
            last = new String(in.readNBytes(in.readInt() - 4), StandardCharsets.UTF_8);
            return type;
        }

        /** The types of the messages up to one. */
        String until(char type) throws IOException {
            StringBuilder types = new StringBuilder();
            do {
                types.append(next());
            } while (types.charAt(types.length() - 1) != type);
            return types.toString();
        }

        /** Those up to the end. */
        String rest() throws IOException {
            StringBuilder types = new StringBuilder();
            try {
                while (true) {
                    types.append(next());
                }
            } catch (EOFException | SocketException e) {
                return types.toString();
            }
        }

        @Override
        public void close() throws IOException {
            socket.close();
        }
    }
}
