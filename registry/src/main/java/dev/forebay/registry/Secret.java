// SPDX-License-Identifier: Apache-2.0
package dev.forebay.registry;

import dev.forebay.spi.PasswordSupplier;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermission;
import java.security.MessageDigest;
import java.util.Objects;
import java.util.Set;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * A password, or the place to read it from when it is needed. Immutable and thread-safe.
 *
 * <p>It has no getter and its {@link #toString} names its origin, never its value. Two are equal if they come from the
 * same place, or are the same password.
 */
public final class Secret {

    private final String origin;
    private final @Nullable String literal;
    private final PasswordSupplier supplier;
    private final @Nullable Path file;

    private Secret(String origin, @Nullable String literal, PasswordSupplier supplier) {
        this(origin, literal, supplier, null);
    }

    private Secret(String origin, @Nullable String literal, PasswordSupplier supplier, @Nullable Path file) {
        this.origin = origin;
        this.literal = literal;
        this.supplier = supplier;
        this.file = file;
    }

    /** The password itself. */
    public static Secret of(String password) {
        return new Secret("given", password, () -> password);
    }

    /** The variable {@code name} of the environment, read for each connection. */
    public static Secret environment(String name) {
        return environment(name, System::getenv);
    }

    static Secret environment(String name, UnaryOperator<@Nullable String> environment) {
        return new Secret("$" + name, null, () -> {
            String value = environment.apply(name);
            if (value == null) {
                throw new IOException("the environment has no variable " + name);
            }
            return value;
        });
    }

    /** The first line of {@code file}, read for each connection; no other user than its owner may have any right to it. */
    public static Secret file(Path file) {
        PasswordSupplier reader = () -> {
            if (file.getFileSystem().supportedFileAttributeViews().contains("posix")) {
                Set<PosixFilePermission> rights = Files.getPosixFilePermissions(file);
                if (!Set.of(PosixFilePermission.OWNER_READ, PosixFilePermission.OWNER_WRITE)
                        .containsAll(rights)) {
                    throw new IOException(file + " must have mode 0600 or less");
                }
            }
            String text = Files.readString(file, StandardCharsets.UTF_8);
            int end = text.indexOf('\n');
            return (end < 0 ? text : text.substring(0, end)).stripTrailing();
        };
        return new Secret("file " + file, null, reader, file);
    }

    /**
     * Returns a secret that {@code supplier} gives again for each connection, such as a token that expires.
     *
     * @param origin names the place; two secrets of the same origin count as the same
     */
    public static Secret supplied(String origin, PasswordSupplier supplier) {
        return new Secret(origin, null, supplier);
    }

    PasswordSupplier supplier() {
        return supplier;
    }

    /** The version of the secret: another number once its file was rewritten; constant for a secret from elsewhere. */
    long version() {
        if (file == null) {
            return 0;
        }
        try {
            return Files.getLastModifiedTime(file).toMillis();
        } catch (IOException e) {
            return -1; // one that comes back is another
        }
    }

    /** Whether {@code password} is this one, decided in a time that does not depend on how much of it is right. */
    boolean matches(String password) throws RegistryException {
        String known;
        try {
            known = supplier.password();
        } catch (Exception e) {
            if (e instanceof InterruptedException) {
                Thread.currentThread().interrupt();
            }
            throw new RegistryException(
                    RegistryError.AUTH_FAILED, "the password could not be obtained: " + e.getMessage(), e, true);
        }
        return same(known, password);
    }

    private static boolean same(String one, String other) {
        return MessageDigest.isEqual(one.getBytes(StandardCharsets.UTF_8), other.getBytes(StandardCharsets.UTF_8));
    }

    @Override
    public boolean equals(@Nullable Object other) {
        if (!(other instanceof Secret secret) || !origin.equals(secret.origin)) {
            return false;
        }
        if (literal == null || secret.literal == null) {
            return literal == null && secret.literal == null;
        }
        return same(literal, secret.literal);
    }

    @Override
    public int hashCode() {
        return Objects.hash(origin);
    }

    /** Names its origin. */
    @Override
    public String toString() {
        return literal == null ? "secret from " + origin : "***";
    }
}
