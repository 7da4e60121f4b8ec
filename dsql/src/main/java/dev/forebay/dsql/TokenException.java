// SPDX-License-Identifier: Apache-2.0
package dev.forebay.dsql;

import java.util.List;
import org.jspecify.annotations.Nullable;

/** Reports that there is no token to connect with. The message says why, and neither it nor its cause holds a secret. */
public final class TokenException extends Exception {
    private static final long serialVersionUID = 1;
    private static final int DEEPEST = 16;

    TokenException(String message, @Nullable Throwable cause) {
        super(message, cause);
    }

    /** Returns {@code error} in the words of {@code doing}; where it holds one of the secrets, only its kind is named. */
    static TokenException of(String doing, Throwable error, List<String> secrets) {
        return holdsAny(error, secrets)
                ? new TokenException(doing + ": " + error.getClass().getName(), null)
                : new TokenException(doing + ": " + error.getMessage(), error);
    }

    private static boolean holdsAny(Throwable error, List<String> secrets) {
        Throwable one = error;
        for (int depth = 0; one != null; depth++, one = one.getCause()) {
            String text = one.toString();
            if (depth == DEEPEST || secrets.stream().anyMatch(text::contains)) {
                return true; // a cause that cannot be inspected is not passed on
            }
            for (Throwable suppressed : one.getSuppressed()) {
                if (secrets.stream().anyMatch(suppressed.toString()::contains)) {
                    return true;
                }
            }
        }
        return false;
    }
}
