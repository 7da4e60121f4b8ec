// SPDX-License-Identifier: Apache-2.0
package dev.forebay.local.sql;

/** Text as literals of SQL. */
final class Sql {

    private Sql() {}

    /** A string literal that holds this text, whatever it is. */
    static String literal(String text) {
        boolean escapes = text.indexOf('\\') >= 0;
        String doubled = text.replace("'", "''");
        return escapes ? "E'" + doubled.replace("\\", "\\\\") + "'" : "'" + doubled + "'";
    }
}
