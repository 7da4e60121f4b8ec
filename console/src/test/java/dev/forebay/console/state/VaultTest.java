// SPDX-License-Identifier: Apache-2.0
package dev.forebay.console.state;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.GeneralSecurityException;
import java.util.Base64;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class VaultTest {

    static final String KEY = "00".repeat(32);
    static final String OTHER_KEY = "ab".repeat(32);

    @TempDir
    Path directory;

    @Test
    void opensWhatItSealed() throws Exception {
        Vault vault = Vault.of(KEY, "test");
        String closed = vault.seal("hunter2", "s", "alice", "password");
        assertFalse(closed.contains("hunter2"));
        assertEquals("hunter2", vault.open(vault.keyId(), closed, "s", "alice", "password"));
    }

    @Test
    void sealsTheSameDifferentlyEachTime() throws Exception {
        Vault vault = Vault.of(KEY, "test");
        assertNotEquals(vault.seal("hunter2", "s"), vault.seal("hunter2", "s"));
    }

    @Test
    void opensNothingAtAnotherPlace() throws Exception {
        Vault vault = Vault.of(KEY, "test");
        String closed = vault.seal("hunter2", "s", "alice");
        assertThrows(GeneralSecurityException.class, () -> vault.open(vault.keyId(), closed, "s", "bob"));
        assertThrows(GeneralSecurityException.class, () -> vault.open(vault.keyId(), closed, "sa", "lice"));
        assertThrows(GeneralSecurityException.class, () -> vault.open(vault.keyId(), closed, "s", "alice", ""));
    }

    @Test
    void opensNothingThatWasChanged() throws Exception {
        Vault vault = Vault.of(KEY, "test");
        byte[] bytes = Base64.getDecoder().decode(vault.seal("hunter2", "s"));
        for (int i = 0; i < bytes.length; i++) {
            byte[] changed = bytes.clone();
            changed[i] ^= 1;
            String text = Base64.getEncoder().encodeToString(changed);
            assertThrows(GeneralSecurityException.class, () -> vault.open(vault.keyId(), text, "s"));
        }
        assertThrows(GeneralSecurityException.class, () -> vault.open(vault.keyId(), "AAAA", "s"));
    }

    @Test
    void theFirstKeySealsAndEachOpens() throws Exception {
        Vault old = Vault.of(KEY, "test");
        String closed = old.seal("hunter2", "s");
        Vault both = Vault.of(OTHER_KEY + "\n" + KEY, "test");
        assertEquals("hunter2", both.open(old.keyId(), closed, "s"));
        assertEquals(Vault.of(OTHER_KEY, "test").keyId(), both.keyId());
    }

    @Test
    void makesAKeyForItsOwnerOnlyAtTheFirstStart() throws Exception {
        Vault.Opened first = Vault.open(directory, Map.of());
        assertEquals(directory.resolve("vault.key"), first.made());
        assertEquals(
                "rw-------",
                PosixFilePermissions.toString(Files.getPosixFilePermissions(directory.resolve("vault.key"))));
        Vault.Opened second = Vault.open(directory, Map.of());
        assertNull(second.made());
        assertEquals(first.vault().keyId(), second.vault().keyId());
    }

    @Test
    void makesNoKeyWhereThereAreDefinitions() throws Exception {
        Files.writeString(directory.resolve("definitions.yaml"), "");
        StateException lost = assertThrows(StateException.class, () -> Vault.open(directory, Map.of()));
        assertTrue(lost.getMessage().contains("bring the key back"), lost.getMessage());
        assertFalse(Files.exists(directory.resolve("vault.key")));
    }

    @Test
    void takesNoKeyFromAFileThatOthersMayRead() throws Exception {
        Path file = Files.writeString(directory.resolve("key"), KEY);
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-r--r--"));
        Map<String, String> environment = Map.of("FOREBAY_VAULT_KEY_FILE", file.toString());
        StateException open = assertThrows(StateException.class, () -> Vault.open(directory, environment));
        assertTrue(open.getMessage().contains("chmod 600"), open.getMessage());
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-------"));
        assertEquals(
                Vault.of(KEY, "test").keyId(),
                Vault.open(directory, environment).vault().keyId());
    }

    @Test
    void saysWhatAKeyIsWithoutRepeatingIt() {
        for (String wrong : new String[] {"", "s3cret-but-short", "zz".repeat(32)}) {
            StateException error =
                    assertThrows(StateException.class, () -> Vault.open(directory, Map.of("FOREBAY_VAULT_KEY", wrong)));
            assertTrue(error.getMessage().contains("openssl rand -base64 32"), error.getMessage());
            assertFalse(!wrong.isEmpty() && error.getMessage().contains(wrong), error.getMessage());
        }
    }

    @Test
    void showsNoKey() throws Exception {
        assertFalse(Vault.of(OTHER_KEY, "test").toString().contains("abab"));
    }

    /** Finding F3: a full disk at the first start left an empty key, and the console never started again. */
    @Test
    void aDiskThatWasFullAtTheFirstStartLeavesNoEmptyKey() throws Exception {
        Disk full = new Disk() {
            @Override
            public void write(Path file, byte[] bytes) throws java.io.IOException {
                Disk.super.write(file, new byte[0]);
                throw new java.io.IOException("No space left on device");
            }
        };
        assertThrows(java.io.IOException.class, () -> Vault.open(directory, Map.of(), full));
        assertFalse(Files.exists(directory.resolve("vault.key")));
        assertEquals(
                directory.resolve("vault.key"), Vault.open(directory, Map.of()).made());
    }

    @Test
    void anEmptyKeyOfAnEarlierStartIsReplacedIfNothingIsSealedYet() throws Exception {
        Files.createFile(directory.resolve("vault.key"));
        Vault.open(directory, Map.of());
        assertTrue(Files.size(directory.resolve("vault.key")) > 40);
    }
}
