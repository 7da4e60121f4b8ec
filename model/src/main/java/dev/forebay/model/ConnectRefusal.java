// SPDX-License-Identifier: Apache-2.0
package dev.forebay.model;

/** The reasons of a {@link Cluster} to refuse a connect, each with its error. */
public enum ConnectRefusal {
    /** Connects come faster than they may. */
    RATE("53400", "Unable to accept connection, rate exceeded."),
    /** The maximum number of sessions is open. */
    COUNT("53300", "Unable to accept connection, too many open connections."),
    /** The cluster was idle and is waking up. The SQLSTATE is PostgreSQL's for "cannot connect now": AWS names none. */
    WAKING("57P03", "unable to accept connection, waking up cluster, please retry later"),
    /** A fault that was asked for. */
    FAULT("57P03", "unable to accept connection, server unavailable");

    private final String sqlState;
    private final String message;

    ConnectRefusal(String sqlState, String message) {
        this.sqlState = sqlState;
        this.message = message;
    }

    /** The SQLSTATE of the error. */
    public String sqlState() {
        return sqlState;
    }

    /** The message of the error. */
    public String message() {
        return message;
    }
}
