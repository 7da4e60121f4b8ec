// SPDX-License-Identifier: Apache-2.0
package dev.forebay.registry;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SecretTest {

    @Test
    void saysWhereItComesFromAndNeverWhatItIs() {
        assertEquals("***", Secret.of("hunter2").toString());
        assertEquals(
                "secret from $DB_PASSWORD", Secret.environment("DB_PASSWORD").toString());
        assertEquals("secret from file /run/pw", Secret.file(Path.of("/run/pw")).toString());
    }

    @Test
    void isEqualToOneThatIsTheSameOrComesFromTheSamePlace() {
        assertEquals(Secret.of("a"), Secret.of("a"));
        assertNotEquals(Secret.of("a"), Secret.of("b"));
        assertEquals(Secret.environment("A"), Secret.environment("A"));
        assertNotEquals(Secret.environment("A"), Secret.environment("B"));
        assertNotEquals(Secret.of("$A"), Secret.environment("A"));
    }

    @Test
    void isReadAnewForEachConnection() throws Exception {
        Map<String, String> environment = new HashMap<>(Map.of("A", "one"));
        Secret secret = Secret.environment("A", environment::get);
        assertTrue(secret.matches("one"));
        environment.put("A", "two");
        assertFalse(secret.matches("one"));
        environment.clear();
        RegistryException e = assertThrows(RegistryException.class, () -> secret.matches("two"));
        assertEquals(RegistryError.AUTH_FAILED, e.error());
    }

    @Test
    void aFileThatOthersMayReadIsRefused(@TempDir Path directory) throws Exception {
        Path file = Files.writeString(directory.resolve("pw"), "hunter2\nsecond line\n");
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-r--r--"));
        IOException e = assertThrows(
                IOException.class, () -> Secret.file(file).supplier().password());
        assertTrue(e.getMessage().contains("0600"));
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-------"));
        assertEquals("hunter2", Secret.file(file).supplier().password());
    }
}
