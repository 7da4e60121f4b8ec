// SPDX-License-Identifier: Apache-2.0
package dev.forebay.registry;

/** The kinds of errors, each with its SQLSTATE; class RD stands for remote database. */
public enum RegistryError {
    /** No connection could be made: refused, unknown host or database, no driver. */
    CONNECTION_FAILED("RD001", true),
    /** The server, or the local check, rejected the user or the password. */
    AUTH_FAILED("RD002", false),
    /** The TLS handshake failed, or the server has none. */
    SSL_ERROR("RD003", false),
    /** It took too long. The connection, if there was one, is destroyed: its answer may still be on the way. */
    TIMEOUT("RD004", true),
    /** All connections that this user or this server may have are in use. */
    POOL_EXHAUSTED("RD005", true),
    /** The server is marked unhealthy, or reports that it is starting or stopping. */
    SERVER_UNAVAILABLE("RD006", true),
    /** The network failed on an existing conversation: reset, broken pipe, end of stream. */
    NETWORK_ERROR("RD007", true),
    /** One side did not understand the other. */
    PROTOCOL_ERROR("RD008", false),
    /** The server speaks another version of the protocol. */
    VERSION_MISMATCH("RD009", false),
    /** No server of that name is registered. */
    SERVER_NOT_FOUND("RD030", false),
    /** Neither that user nor PUBLIC is mapped on the server. */
    USER_MAPPING_MISSING("RD031", false),
    /** An option is unknown, missing, or its value cannot be used. */
    INVALID_OPTION("RD032", false);

    private final String sqlState;
    private final boolean recoverable;

    RegistryError(String sqlState, boolean recoverable) {
        this.sqlState = sqlState;
        this.recoverable = recoverable;
    }

    /** {@link java.sql.SQLException#getSQLState} of the exception. */
    public String sqlState() {
        return sqlState;
    }

    /** Whether the same call may succeed later with nothing changed here. */
    public boolean isRecoverable() {
        return recoverable;
    }
}
