// SPDX-License-Identifier: Apache-2.0
package dev.forebay.spring;

import org.jspecify.annotations.Nullable;

/** Reports that the application cannot start as it is configured, why, and what to do; it holds no secret. */
final class StartFailure extends RuntimeException {

    private static final long serialVersionUID = 1;

    private final String action;

    StartFailure(String description, String action, @Nullable Throwable cause) {
        super(description, cause);
        this.action = action;
    }

    /** Returns the problem, in sentences. */
    String description() {
        return String.valueOf(getMessage());
    }

    /** Returns the remedy, in sentences. */
    String action() {
        return action;
    }
}
