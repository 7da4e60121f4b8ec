// SPDX-License-Identifier: Apache-2.0
package dev.forebay.registry;

import java.sql.SQLException;
import org.jspecify.annotations.Nullable;

/** There is no driver for a type. */
final class MissingDriver extends SQLException {

    private static final long serialVersionUID = 1;

    private static final String STATE = "08001";

    /** Stays when a secret is struck out of the message, unlike the class. */
    private static final int CODE = -46_001;

    MissingDriver(String message, @Nullable Throwable cause) {
        super(message, STATE, CODE, cause);
    }

    static boolean is(Throwable error) {
        return error instanceof SQLException sql && sql.getErrorCode() == CODE && STATE.equals(sql.getSQLState());
    }
}
