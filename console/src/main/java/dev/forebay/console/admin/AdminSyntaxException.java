// SPDX-License-Identifier: Apache-2.0
package dev.forebay.console.admin;

/** A statement that cannot be understood. */
final class AdminSyntaxException extends Exception {

    /** SQL's syntax error. */
    static final String SQL_STATE = "42601";

    private static final long serialVersionUID = 1L;

    private final int position;

    AdminSyntaxException(String message, int position) {
        super(message);
        this.position = position;
    }

    /** The position of the error: the character of the text, from 1. */
    int position() {
        return position;
    }
}
