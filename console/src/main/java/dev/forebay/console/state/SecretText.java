// SPDX-License-Identifier: Apache-2.0
package dev.forebay.console.state;

import dev.forebay.registry.Secret;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * A password as an administrator gives it. Immutable; shows nothing of a password.
 *
 * <p>{@code $NAME} is the variable of the environment, {@code file:/path} the first line of a file that only its owner may
 * read; both are looked up for each connection. Anything else is the password itself, as is the rest after {@code literal:}.
 */
public final class SecretText {

    private static final Pattern VARIABLE = Pattern.compile("\\$[A-Za-z_][A-Za-z0-9_]*");
    private static final String FILE = "file:";
    private static final String LITERAL = "literal:";
    private static final String SEALED = "sealed:";

    /** The password, or the reference as it was given. */
    private final String text;

    private final boolean isReference;

    private SecretText(String text, boolean isReference) {
        this.text = text;
        this.isReference = isReference;
    }

    /**
     * Reads a given text.
     *
     * @throws IllegalArgumentException with the error, without the text
     */
    public static SecretText of(String given) {
        if (given.startsWith(LITERAL)) {
            return new SecretText(given.substring(LITERAL.length()), false);
        }
        if (given.startsWith(FILE)) {
            if (!given.startsWith(FILE + "/")) {
                throw new IllegalArgumentException(
                        "a password from a file needs its whole path, as in file:/run/secrets/db");
            }
            return new SecretText(given, true);
        }
        boolean isVariable = VARIABLE.matcher(given).matches();
        if (isVariable && given.startsWith("$FOREBAY_")) { // its caller could have it sent to a server of their own
            throw new IllegalArgumentException("variables that begin with FOREBAY_ are the console's own");
        }
        return new SecretText(given, isVariable);
    }

    /** Reads the output of {@link #sealed}. */
    static SecretText unsealed(String kept, Opener opener) throws GeneralSecurityException {
        return kept.startsWith(SEALED) ? new SecretText(opener.open(kept.substring(SEALED.length())), false) : of(kept);
    }

    /** The text that is kept: a reference as it is, a password sealed. */
    String sealed(Vault vault, String... place) {
        return isReference ? text : SEALED + vault.seal(text, place);
    }

    /** Returns whether it is the password itself. */
    boolean isLiteral() {
        return !isReference;
    }

    /** The file it is read from; null if it is from elsewhere. */
    @Nullable
    Path file() {
        return isReference && text.startsWith(FILE) ? Path.of(text.substring(FILE.length())) : null;
    }

    /** The secret for the registry. */
    public Secret secret() {
        if (!isReference) {
            return Secret.of(text);
        }
        return text.startsWith(FILE)
                ? Secret.file(Path.of(text.substring(FILE.length())))
                : Secret.environment(text.substring(1));
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof SecretText secret && isReference == secret.isReference && text.equals(secret.text);
    }

    @Override
    public int hashCode() {
        return Boolean.hashCode(isReference);
    }

    /** The reference, or nothing of the password. */
    @Override
    public String toString() {
        return isReference ? text : "***";
    }

    /** Opens a text that a vault has sealed. */
    @FunctionalInterface
    interface Opener {
        String open(String sealed) throws GeneralSecurityException;
    }
}
