// SPDX-License-Identifier: Apache-2.0
package dev.forebay.console.admin;

import java.sql.SQLException;
import org.jspecify.annotations.Nullable;

/** A statement that is refused: an SQLSTATE, a sentence, and the position of the error in it, if that is known. */
final class AdminException extends SQLException {

    private static final long serialVersionUID = 1L;

    private final int position;

    AdminException(String sqlState, String message) {
        this(sqlState, message, 0);
    }

    AdminException(String sqlState, String message, int position) {
        this(sqlState, message, position, null);
    }

    AdminException(String sqlState, String message, int position, @Nullable Throwable cause) {
        super(message, sqlState, cause);
        this.position = position;
    }

    /** The character of the statement that is wrong, from 1; 0 if it is not known. */
    int position() {
        return position;
    }

    /** The same about a text that begins at {@code start}, from 0, of another. */
    AdminException within(int start) {
        return position == 0 || start == 0
                ? this
                : new AdminException(getSQLState(), String.valueOf(getMessage()), position + start, this);
    }

    static AdminException of(AdminSyntaxException e) {
        return new AdminException(AdminSyntaxException.SQL_STATE, String.valueOf(e.getMessage()), e.position(), e);
    }
}
