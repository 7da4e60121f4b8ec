// SPDX-License-Identifier: Apache-2.0
package dev.forebay.console.state;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermission;
import java.security.GeneralSecurityException;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Base64;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Set;
import javax.crypto.Cipher;
import javax.crypto.Mac;
import javax.crypto.spec.GCMParameterSpec;
import javax.crypto.spec.SecretKeySpec;
import org.jspecify.annotations.Nullable;

/**
 * Seals secrets for the file of definitions, with AES-256-GCM. Thread-safe.
 *
 * <p>A sealed text is bound to its place (server, local user, name of the option): moved to another it cannot be opened. A
 * vault has one key or more: the first seals, each opens what it has sealed. So a key is changed by putting a new one in
 * front of the old one until everything is resealed.
 */
final class Vault {

    /** The environment variable that holds the keys. */
    static final String KEY_VARIABLE = "FOREBAY_VAULT_KEY";

    /** The environment variable that names the file with the keys. */
    static final String FILE_VARIABLE = "FOREBAY_VAULT_KEY_FILE";

    /** The file in the state directory that is used, and made, where neither variable is set. */
    static final String FILE_NAME = "vault.key";

    private static final int KEY_BYTES = 32;
    private static final int NONCE_BYTES = 12;
    private static final int TAG_BITS = 128;
    private static final String CIPHER = "AES/GCM/NoPadding";

    private final List<Key> keys;
    private final SecureRandom random = new SecureRandom();

    /** A key and its name in the file of definitions, which reveals nothing about it. */
    private record Key(String id, SecretKeySpec secret) {
        @Override
        public String toString() {
            return "key " + id;
        }
    }

    private Vault(List<Key> keys) {
        this.keys = List.copyOf(keys);
    }

    /** A vault, and the file its key was made in if it was made just now. */
    record Opened(Vault vault, @Nullable Path made) {}

    /**
     * The vault of {@code directory}: its keys come from the environment, or from the file there, which is made at the
     * first start.
     */
    static Opened open(Path directory, Map<String, String> environment) throws IOException {
        return open(directory, environment, Disk.REAL);
    }

    static Opened open(Path directory, Map<String, String> environment, Disk disk) throws IOException {
        String given = environment.get(KEY_VARIABLE);
        String named = environment.get(FILE_VARIABLE);
        if (given != null && named != null) {
            throw new StateException(KEY_VARIABLE + " and " + FILE_VARIABLE + " are both set: unset one", null);
        }
        if (given != null) {
            return new Opened(of(given, KEY_VARIABLE), null);
        }
        Path file = named == null ? directory.resolve(FILE_NAME) : Path.of(named);
        if (named == null && (!Files.exists(file) || Files.size(file) == 0)) {
            if (Files.exists(directory.resolve(DefinitionsFile.NAME))) {
                throw new StateException(
                        file + " is missing or empty, but " + directory.resolve(DefinitionsFile.NAME)
                                + " is there: bring the key back, or give it in " + KEY_VARIABLE,
                        null);
            }
            make(directory, file, disk);
            return new Opened(read(file), file);
        }
        return new Opened(read(file), null);
    }

    /** Writes a key aside and moves it: on a full disk there is no key, rather than an empty one. */
    private static void make(Path directory, Path file, Disk disk) throws IOException {
        byte[] key = new byte[KEY_BYTES];
        new SecureRandom().nextBytes(key);
        Path aside = directory.resolve(FILE_NAME + ".tmp");
        disk.write(aside, (Base64.getEncoder().encodeToString(key) + "\n").getBytes(StandardCharsets.US_ASCII));
        disk.move(aside, file);
        disk.sync(directory);
    }

    private static Vault read(Path file) throws IOException {
        if (!Files.isReadable(file)) {
            throw new StateException(file + ": there is no such file, or it may not be read", null);
        }
        if (file.getFileSystem().supportedFileAttributeViews().contains("posix")
                && !Set.of(PosixFilePermission.OWNER_READ, PosixFilePermission.OWNER_WRITE)
                        .containsAll(Files.getPosixFilePermissions(file))) {
            throw new StateException(file + " may be read by others: chmod 600 it", null);
        }
        return of(Files.readString(file, StandardCharsets.ISO_8859_1), file.toString());
    }

    /**
     * A vault with the keys in {@code text}, each of 32 bytes in base64 or as hexadecimal digits, with blanks or newlines
     * between them.
     *
     * @param origin their origin, for errors
     */
    static Vault of(String text, String origin) throws StateException {
        List<Key> keys = new ArrayList<>();
        for (String word : text.strip().split("\\s+")) {
            byte[] key = decoded(word);
            if (key == null || key.length != KEY_BYTES) {
                throw new StateException(
                        origin
                                + " must hold a key of 32 bytes in base64 or hexadecimal; make one with: openssl rand -base64 32",
                        null);
            }
            keys.add(new Key(id(key), new SecretKeySpec(key, "AES")));
        }
        return new Vault(keys);
    }

    private static byte @Nullable [] decoded(String word) {
        try {
            return word.length() == 2 * KEY_BYTES
                    ? HexFormat.of().parseHex(word)
                    : Base64.getDecoder().decode(word);
        } catch (IllegalArgumentException e) {
            return null; // the message could repeat a part of the key
        }
    }

    private static String id(byte[] key) {
        try {
            Mac mac = Mac.getInstance("HmacSHA256");
            mac.init(new SecretKeySpec(key, "HmacSHA256"));
            byte[] digest = mac.doFinal("forebay vault key".getBytes(StandardCharsets.US_ASCII));
            return HexFormat.of().formatHex(digest, 0, 8);
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("bug: every Java has HmacSHA256", e);
        }
    }

    /** Returns a code of {@code text} that takes the key to make. */
    String code(String keyId, String text) {
        try {
            Mac mac = Mac.getInstance("HmacSHA256");
            mac.init(new SecretKeySpec(key(keyId).secret().getEncoded(), "HmacSHA256"));
            byte[] own = mac.doFinal("forebay definitions".getBytes(StandardCharsets.US_ASCII));
            mac.init(new SecretKeySpec(own, "HmacSHA256"));
            return HexFormat.of().formatHex(mac.doFinal(text.getBytes(StandardCharsets.UTF_8)));
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("bug: every Java has HmacSHA256, and the key was asked for before", e);
        }
    }

    private Key key(String keyId) throws GeneralSecurityException {
        return keys.stream()
                .filter(known -> known.id().equals(keyId))
                .findFirst()
                .orElseThrow(() -> new GeneralSecurityException("there is no key " + keyId));
    }

    /** The name of the key that seals. */
    String keyId() {
        return keys.get(0).id();
    }

    /** Returns whether it has the key that is called {@code id}. */
    boolean has(String id) {
        return keys.stream().anyMatch(key -> key.id().equals(id));
    }

    /** Returns {@code text}, sealed for this place. */
    String seal(String text, String... place) {
        byte[] nonce = new byte[NONCE_BYTES];
        random.nextBytes(nonce);
        try {
            byte[] sealed = cipher(Cipher.ENCRYPT_MODE, keys.get(0), nonce, place)
                    .doFinal(text.getBytes(StandardCharsets.UTF_8));
            byte[] both = Arrays.copyOf(nonce, NONCE_BYTES + sealed.length);
            System.arraycopy(sealed, 0, both, NONCE_BYTES, sealed.length);
            return Base64.getEncoder().encodeToString(both);
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("bug: sealing cannot fail", e);
        }
    }

    /**
     * Opens a text that {@link #seal} has sealed.
     *
     * @throws GeneralSecurityException if it was not sealed with that key for this place
     */
    String open(String keyId, String sealed, String... place) throws GeneralSecurityException {
        Key key = key(keyId);
        byte[] both;
        try {
            both = Base64.getDecoder().decode(sealed);
        } catch (IllegalArgumentException e) {
            throw new GeneralSecurityException("not base64", e);
        }
        if (both.length < NONCE_BYTES + TAG_BITS / 8) {
            throw new GeneralSecurityException("too short");
        }
        byte[] text = cipher(Cipher.DECRYPT_MODE, key, Arrays.copyOf(both, NONCE_BYTES), place)
                .doFinal(both, NONCE_BYTES, both.length - NONCE_BYTES);
        return new String(text, StandardCharsets.UTF_8);
    }

    private static Cipher cipher(int mode, Key key, byte[] nonce, String... place) throws GeneralSecurityException {
        Cipher cipher = Cipher.getInstance(CIPHER);
        cipher.init(mode, key.secret(), new GCMParameterSpec(TAG_BITS, nonce));
        for (String part : place) { // with their lengths, so that no two places look the same
            byte[] bytes = part.getBytes(StandardCharsets.UTF_8);
            cipher.updateAAD(
                    ByteBuffer.allocate(Integer.BYTES).putInt(bytes.length).array());
            cipher.updateAAD(bytes);
        }
        return cipher;
    }

    /** The names of its keys. */
    @Override
    public String toString() {
        return "vault with " + keys;
    }
}
