// SPDX-License-Identifier: Apache-2.0
package dev.forebay.registry;

import java.sql.SQLException;
import org.jspecify.annotations.Nullable;

/** There is no driver for a type. */
final class MissingDriver extends SQLException {

    private static final long serialVersionUID = 1;

    MissingDriver(String message, @Nullable Throwable cause) {
        super(message, "08001", cause);
    }
}
