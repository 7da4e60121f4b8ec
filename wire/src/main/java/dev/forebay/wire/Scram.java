// SPDX-License-Identifier: Apache-2.0
package dev.forebay.wire;

import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.text.Normalizer;
import java.util.Arrays;
import java.util.Base64;
import java.util.random.RandomGenerator;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;
import org.jspecify.annotations.Nullable;

/**
 * The server's side of one SCRAM-SHA-256 exchange (RFC 5802 and 7677), without channel binding. Not thread-safe.
 *
 * <p>The server knows a {@link Verifier}, from which the password cannot be had. Who is not known goes through the same
 * motions with a verifier that no password fits, so that a client does not learn which names exist.
 */
public final class Scram {

    /** The name of the mechanism. */
    public static final String MECHANISM = "SCRAM-SHA-256";

    private static final int NONCE_BYTES = 18;
    private static final int SALT_BYTES = 16;
    private static final int ITERATIONS = 4096;

    private final Verifier verifier;
    private final boolean known;
    private final String nonce;
    private String clientFirstBare = "";
    private String serverFirst = "";
    private String gs2Header = "";

    private Scram(Verifier verifier, boolean known, String nonce) {
        this.verifier = verifier;
        this.known = known;
        this.nonce = nonce;
    }

    /** An exchange with someone whose password {@code verifier} knows; the random numbers must be unpredictable. */
    public static Scram with(Verifier verifier, RandomGenerator random) {
        return new Scram(verifier, true, nonce(random));
    }

    /**
     * An exchange that fails at its end.
     *
     * @param name the unknown name, which has the same salt each time, as a known one has
     * @param secret makes the salts, and is to be kept for as long as strangers are to see the same ones
     */
    public static Scram withStranger(String name, byte[] secret, RandomGenerator random) {
        byte[] salt = Arrays.copyOf(hmac(secret, utf8(name)), SALT_BYTES);
        byte[] nobodys = new byte[32];
        return new Scram(new Verifier(salt, ITERATIONS, nobodys, nobodys), false, nonce(random));
    }

    /** An exchange for tests, with the nonce of an example. */
    static Scram withNonce(Verifier verifier, String nonce) {
        return new Scram(verifier, true, nonce);
    }

    private static String nonce(RandomGenerator random) {
        byte[] bytes = new byte[NONCE_BYTES];
        random.nextBytes(bytes);
        return Base64.getEncoder().encodeToString(bytes);
    }

    /**
     * Answers the client's first message with the server's first.
     *
     * @throws ProtocolException if the message is not one, or demands what is not offered
     */
    public String first(String clientFirst) {
        int bareAt = bareAt(clientFirst);
        gs2Header = clientFirst.substring(0, bareAt);
        clientFirstBare = clientFirst.substring(bareAt);
        if (clientFirstBare.startsWith("m=")) {
            throw malformed("it demands an extension");
        }
        String[] attributes = clientFirstBare.split(",", -1);
        if (attributes.length < 2 || !attributes[0].startsWith("n=") || !attributes[1].startsWith("r=")) {
            throw malformed("a name and a nonce are expected");
        }
        String clientNonce = attributes[1].substring(2);
        if (clientNonce.isEmpty() || !clientNonce.chars().allMatch(c -> c > ' ' && c < 127)) {
            throw malformed("the nonce has characters that may not be there");
        }
        serverFirst = "r=" + clientNonce + nonce + ",s=" + Base64.getEncoder().encodeToString(verifier.salt) + ",i="
                + verifier.iterations;
        return serverFirst;
    }

    /** The end of the header about channel binding. */
    private static int bareAt(String clientFirst) {
        String flag = clientFirst.length() < 2 ? "" : clientFirst.substring(0, 2);
        if (flag.startsWith("p")) {
            throw malformed("channel binding was not offered");
        }
        // y: the client could bind and saw that it was not offered, which is true.
        if (!flag.equals("n,") && !flag.equals("y,")) {
            throw malformed("it does not say whether there is channel binding");
        }
        int end = clientFirst.indexOf(',', 2);
        if (end < 0) {
            throw malformed("its header has no end");
        }
        if (end > 2) {
            throw malformed("to act for somebody else is not offered");
        }
        return end + 1;
    }

    /**
     * Answers the client's proof.
     *
     * @return the server's last message; null if the proof is wrong
     * @throws ProtocolException if the message is not one
     */
    public @Nullable String last(String clientFinal) {
        int proofAt = clientFinal.lastIndexOf(",p=");
        if (serverFirst.isEmpty() || proofAt < 0) {
            throw malformed("there is no proof");
        }
        String withoutProof = clientFinal.substring(0, proofAt);
        String[] attributes = withoutProof.split(",", -1);
        String binding = "c=" + Base64.getEncoder().encodeToString(utf8(gs2Header));
        String bothNonces = serverFirst.substring(0, serverFirst.indexOf(','));
        if (attributes.length < 2 || !attributes[0].equals(binding)) {
            throw malformed("the channel binding is not what it was");
        }
        if (!attributes[1].equals(bothNonces)) {
            throw malformed("the nonce is not what it was");
        }
        byte[] proof = base64(clientFinal.substring(proofAt + 3));
        byte[] authMessage = utf8(clientFirstBare + "," + serverFirst + "," + withoutProof);
        byte[] clientKey = hmac(verifier.storedKey, authMessage);
        if (proof.length != clientKey.length) {
            throw malformed("the proof has the wrong length");
        }
        for (int i = 0; i < proof.length; i++) {
            clientKey[i] ^= proof[i];
        }
        boolean right = MessageDigest.isEqual(sha256(clientKey), verifier.storedKey);
        String signature = Base64.getEncoder().encodeToString(hmac(verifier.serverKey, authMessage));
        return right && known ? "v=" + signature : null;
    }

    private static byte[] base64(String text) {
        try {
            return Base64.getDecoder().decode(text);
        } catch (IllegalArgumentException e) {
            throw malformed("the proof is not in base64");
        }
    }

    private static ProtocolException malformed(String why) {
        return new ProtocolException("malformed SCRAM message: " + why);
    }

    private static byte[] utf8(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    private static byte[] hmac(byte[] key, byte[]... parts) {
        try {
            Mac mac = Mac.getInstance("HmacSHA256");
            mac.init(new SecretKeySpec(key, "HmacSHA256"));
            for (byte[] part : parts) {
                mac.update(part);
            }
            return mac.doFinal();
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("bug: every Java has HmacSHA256", e);
        }
    }

    private static byte[] sha256(byte[] bytes) {
        try {
            return MessageDigest.getInstance("SHA-256").digest(bytes);
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("bug: every Java has SHA-256", e);
        }
    }

    /** The server's copy of a password: enough to check it, not enough to use it. Immutable. */
    public static final class Verifier {

        private final byte[] salt;
        private final int iterations;
        private final byte[] storedKey;
        private final byte[] serverKey;

        private Verifier(byte[] salt, int iterations, byte[] storedKey, byte[] serverKey) {
            this.salt = salt;
            this.iterations = iterations;
            this.storedKey = storedKey;
            this.serverKey = serverKey;
        }

        /** The verifier of {@code password}, with a salt of its own. */
        public static Verifier of(char[] password, RandomGenerator random) {
            byte[] salt = new byte[SALT_BYTES];
            random.nextBytes(salt);
            return of(password, salt, ITERATIONS);
        }

        static Verifier of(char[] password, byte[] salt, int iterations) {
            byte[] prepared = prepared(password);
            byte[] salted = salted(prepared, salt, iterations);
            Arrays.fill(prepared, (byte) 0);
            byte[] storedKey = sha256(hmac(salted, utf8("Client Key")));
            byte[] serverKey = hmac(salted, utf8("Server Key"));
            Arrays.fill(salted, (byte) 0);
            return new Verifier(salt, iterations, storedKey, serverKey);
        }

        /** RFC 5802's Hi. */
        private static byte[] salted(byte[] password, byte[] salt, int iterations) {
            byte[] key = password.length == 0 ? new byte[1] : password; // HMAC pads with zeros, Java wants at least one
            byte[] last = hmac(key, salt, new byte[] {0, 0, 0, 1});
            byte[] all = last.clone();
            for (int i = 1; i < iterations; i++) {
                last = hmac(key, last);
                for (int j = 0; j < all.length; j++) {
                    all[j] ^= last[j];
                }
            }
            return all;
        }

        /** Prepares a password as SASLprep does: blanks become spaces, what cannot be seen goes, the rest is NFKC. */
        private static byte[] prepared(char[] password) {
            boolean ascii = CharBuffer.wrap(password).chars().allMatch(c -> c < 128);
            CharSequence text = CharBuffer.wrap(password);
            if (!ascii) {
                StringBuilder mapped = new StringBuilder();
                text.chars().filter(c -> !vanishes(c)).forEach(c -> mapped.append(isBlank(c) ? ' ' : (char) c));
                text = Normalizer.normalize(mapped, Normalizer.Form.NFKC);
            }
            ByteBuffer bytes = StandardCharsets.UTF_8.encode(CharBuffer.wrap(text));
            byte[] copy = new byte[bytes.remaining()];
            bytes.get(copy).clear();
            while (bytes.hasRemaining()) {
                bytes.put((byte) 0);
            }
            return copy;
        }

        private static boolean isBlank(int c) {
            return Character.getType(c) == Character.SPACE_SEPARATOR;
        }

        private static boolean vanishes(int c) {
            return c == 0xad
                    || (c >= 0x200b && c <= 0x200d)
                    || c == 0x2060
                    || c == 0xfeff
                    || (c >= 0xfe00 && c <= 0xfe0f);
        }

        /** Nothing of it. */
        @Override
        public String toString() {
            return "the verifier of a password";
        }
    }
}
