// SPDX-License-Identifier: Apache-2.0
package dev.forebay.spring;

import org.jspecify.annotations.Nullable;

/** The application cannot start as it is configured; says what is wrong and what to do, without a secret. */
final class StartFailure extends RuntimeException {

    private static final long serialVersionUID = 1;

    private final String action;

    StartFailure(String description, String action, @Nullable Throwable cause) {
        super(description, cause);
        this.action = action;
    }

    /** What is wrong, in sentences. */
    String description() {
        return String.valueOf(getMessage());
    }

    /** What to do about it, in sentences. */
    String action() {
        return action;
    }
}
