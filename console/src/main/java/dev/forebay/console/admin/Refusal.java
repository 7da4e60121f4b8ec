// SPDX-License-Identifier: Apache-2.0
package dev.forebay.console.admin;

import java.sql.SQLException;
import org.jspecify.annotations.Nullable;

/** Why a statement is not done: an SQLSTATE, a sentence, and where in the statement it went wrong if that is known. */
final class Refusal extends SQLException {

    private static final long serialVersionUID = 1L;

    private final int position;

    Refusal(String sqlState, String message) {
        this(sqlState, message, 0);
    }

    Refusal(String sqlState, String message, int position) {
        this(sqlState, message, position, null);
    }

    Refusal(String sqlState, String message, int position, @Nullable Throwable cause) {
        super(message, sqlState, cause);
        this.position = position;
    }

    /** The character of the statement, from 1; 0 if it is not known. */
    int position() {
        return position;
    }

    /** The same about a text that begins at {@code start}, from 0, of another. */
    Refusal within(int start) {
        return position == 0 || start == 0
                ? this
                : new Refusal(getSQLState(), String.valueOf(getMessage()), position + start, this);
    }

    static Refusal of(AdminSyntaxException e) {
        return new Refusal(AdminSyntaxException.SQL_STATE, String.valueOf(e.getMessage()), e.position(), e);
    }
}
