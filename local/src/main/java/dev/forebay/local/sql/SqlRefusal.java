// SPDX-License-Identifier: Apache-2.0
package dev.forebay.local.sql;

/**
 * The error with which Aurora DSQL refuses. Immutable.
 *
 * @param sqlState the SQLSTATE
 * @param message the message
 * @param hint the hint, or nothing
 */
public record SqlRefusal(String sqlState, String message, String hint) {

    static SqlRefusal unsupported(String message) {
        return new SqlRefusal("0A000", message, "");
    }

    static SqlRefusal of(String sqlState, String message) {
        return new SqlRefusal(sqlState, message, "");
    }
}
