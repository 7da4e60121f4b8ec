// SPDX-License-Identifier: Apache-2.0
package dev.forebay.console.admin;

import java.sql.SQLException;
import org.jspecify.annotations.Nullable;

/** A statement that was understood and cannot be done, with the place of what is wrong where that is known. */
final class StatementException extends SQLException {

    /** An object or an option that is there already. */
    static final String DUPLICATE = "42710";

    /** An object or an option that is not there. */
    static final String UNDEFINED = "42704";

    /** Something still depends on it. */
    static final String DEPENDED_ON = "2BP01";

    /** No procedure of that name takes these arguments. */
    static final String NO_SUCH_PROCEDURE = "42883";

    /** A value that cannot be used. */
    static final String INVALID_VALUE = "22023";

    /** A name that means something else. */
    static final String RESERVED_NAME = "42939";

    private static final long serialVersionUID = 1L;

    private final int position;

    StatementException(String message, String sqlState) {
        this(message, sqlState, 0, null);
    }

    StatementException(String message, String sqlState, int position, @Nullable Throwable cause) {
        super(message, sqlState, cause);
        this.position = position;
    }

    /** Where it went wrong: the character of the text, from 1; 0 if that is not known. */
    int position() {
        return position;
    }
}
