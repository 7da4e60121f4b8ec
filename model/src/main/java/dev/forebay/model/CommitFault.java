// SPDX-License-Identifier: Apache-2.0
package dev.forebay.model;

/** A commit that fails because it was asked to, with the error that says so. */
public enum CommitFault {
    /** The data changed under the transaction. */
    OC000("OC000", "40001", "change conflicts with another transaction (OC000)", false),
    /** The schema changed under the transaction. */
    OC001("OC001", "40001", "schema has been updated by another transaction (OC001)", false),
    /** The service stumbled after it had committed; the client cannot know. */
    XX000_APPLIED("XX000 applied", "XX000", "server unavailable", true),
    /** The service stumbled before it had committed; the client cannot know. */
    XX000_NOT_APPLIED("XX000 not applied", "XX000", "server unavailable", false);

    private final String text;
    private final String sqlState;
    private final String message;
    private final boolean applied;

    CommitFault(String text, String sqlState, String message, boolean applied) {
        this.text = text;
        this.sqlState = sqlState;
        this.message = message;
        this.applied = applied;
    }

    /** Its name in a command, as in {@code XX000 not applied}. */
    public String text() {
        return text;
    }

    /** The SQLSTATE of the error. */
    public String sqlState() {
        return sqlState;
    }

    /** The message of the error. */
    public String message() {
        return message;
    }

    /** Whether the transaction is committed anyway; it is rolled back otherwise. */
    public boolean applied() {
        return applied;
    }
}
