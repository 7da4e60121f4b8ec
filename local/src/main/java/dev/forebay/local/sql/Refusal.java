// SPDX-License-Identifier: Apache-2.0
package dev.forebay.local.sql;

/**
 * The error with which Aurora DSQL refuses. Immutable.
 *
 * @param sqlState the SQLSTATE
 * @param message the message
 * @param hint the hint, or nothing
 */
public record Refusal(String sqlState, String message, String hint) {

    static Refusal unsupported(String message) {
        return new Refusal("0A000", message, "");
    }

    static Refusal of(String sqlState, String message) {
        return new Refusal(sqlState, message, "");
    }
}
