// SPDX-License-Identifier: Apache-2.0
package dev.forebay.console;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermission;
import java.security.SecureRandom;
import java.util.Base64;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** A secret that the environment gives, itself or in a file, or that is made for this run. */
final class GivenSecret {

    private static final int BYTES = 24;

    private static final String WEB_TOKEN = "FOREBAY_WEB_TOKEN";
    private static final Pattern FOR_A_HEADER = Pattern.compile("[!-~]([ -~]*[!-~])?");

    private GivenSecret() {}

    /**
     * The value of the variable {@code name}, or the first line of the file that {@code name_FILE} names; null if neither
     * is set.
     *
     * @throws IllegalArgumentException if it cannot be used
     */
    static @Nullable String of(String name, Map<String, String> environment) throws IOException {
        String given = environment.get(name);
        String file = environment.get(name + "_FILE");
        if (given != null && file != null) {
            throw new IllegalArgumentException(name + " and " + name + "_FILE are both set: unset one");
        }
        String secret = file == null ? given : read(Path.of(file));
        if (secret != null && secret.isBlank()) {
            throw new IllegalArgumentException(file == null ? name + " is empty" : file + " is empty");
        }
        return secret;
    }

    /**
     * The token for the page, null if none is given.
     *
     * @throws IllegalArgumentException if it cannot be used
     */
    static @Nullable String webToken(Map<String, String> environment) throws IOException {
        String token = of(WEB_TOKEN, environment);
        if (token != null && !FOR_A_HEADER.matcher(token).matches()) {
            throw new IllegalArgumentException(WEB_TOKEN
                    + " is sent in a header: it may hold letters, digits and signs of ASCII, and spaces between them");
        }
        return token;
    }

    private static String read(Path file) throws IOException {
        if (file.getFileSystem().supportedFileAttributeViews().contains("posix")
                && !Set.of(PosixFilePermission.OWNER_READ, PosixFilePermission.OWNER_WRITE)
                        .containsAll(Files.getPosixFilePermissions(file))) {
            throw new IllegalArgumentException(file + " may be read by others: chmod 600 it");
        }
        return Files.readString(file).lines().findFirst().orElse("");
    }

    /** A secret that cannot be guessed. */
    static String random() {
        byte[] bytes = new byte[BYTES];
        new SecureRandom().nextBytes(bytes);
        return Base64.getUrlEncoder().withoutPadding().encodeToString(bytes);
    }
}
