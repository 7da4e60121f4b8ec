// SPDX-License-Identifier: Apache-2.0
package dev.forebay.console.state;

import java.io.IOException;
import org.jspecify.annotations.Nullable;

/** Reports a state directory that cannot be used as it is, and the remedy. Nothing in it was changed. */
public final class StateException extends IOException {

    private static final long serialVersionUID = 1;

    StateException(String message, @Nullable Throwable cause) {
        super(message, cause);
    }
}
