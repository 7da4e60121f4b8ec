// SPDX-License-Identifier: Apache-2.0
package dev.forebay.registry;

import dev.forebay.tx.internal.Causes;
import java.io.EOFException;
import java.io.IOException;
import java.net.ConnectException;
import java.net.NoRouteToHostException;
import java.net.SocketTimeoutException;
import java.net.UnknownHostException;
import java.sql.SQLException;
import java.sql.SQLInvalidAuthorizationSpecException;
import java.sql.SQLTimeoutException;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeoutException;
import javax.net.ssl.SSLException;
import org.jspecify.annotations.Nullable;

/**
 * The meaning of a driver's error here. The most telling of an exception, its causes and those chained to it decides:
 * the server's verdict on the user first, then TLS, then time, then the network.
 */
final class Errors {

    /** Numbers with which MySQL, MariaDB, SQL Server and Firebird reject a user. */
    private static final Set<Integer> LOGIN_CODES = Set.of(1044, 1045, 1698, 18456, 18452, 335_544_472);

    /** Numbers and states of a database that does not exist. */
    private static final Set<Integer> NO_DATABASE_CODES = Set.of(1049, 4060, 335_544_344, 335_544_734);

    private static final Set<String> TIMEOUT_STATES = Set.of("57014", "HYT00", "HYT01", "HY008", "70100", "S1T00");

    /** States of a PostgreSQL that is starting, stopping, or recovering. */
    private static final Set<String> UNAVAILABLE_STATES = Set.of("57P01", "57P02", "57P03");

    /** States of a server that has no room or no time for one more: it lives. */
    private static final Set<String> FULL_STATES = Set.of("53300", "53400", "08004");

    /** The same as numbers of MySQL, MariaDB and SQL Server. */
    private static final Set<Integer> FULL_CODES = Set.of(1040, 1203, 1226, 17_809);

    private Errors() {}

    /** Returns the error for the caller. */
    static RegistryError of(Throwable error) {
        List<Throwable> chain = Causes.of(error);
        if (chain.stream().anyMatch(Errors::isLogin)) {
            return RegistryError.AUTH_FAILED;
        }
        if (chain.stream().anyMatch(one -> one instanceof SSLException)) {
            return RegistryError.SSL_ERROR;
        }
        if (chain.stream().anyMatch(Errors::isTimeout)) {
            return RegistryError.TIMEOUT;
        }
        if (has(chain, UNAVAILABLE_STATES)) {
            return RegistryError.SERVER_UNAVAILABLE;
        }
        if (has(chain, Set.of("08P01"))) {
            return RegistryError.PROTOCOL_ERROR;
        }
        if (has(chain, Set.of("0A000"))) {
            return RegistryError.VERSION_MISMATCH;
        }
        if (chain.stream().anyMatch(Errors::isNotReached) || isFull(error) || isNoDatabase(error)) {
            return RegistryError.CONNECTION_FAILED;
        }
        return chain.stream().anyMatch(one -> one instanceof EOFException || one instanceof IOException)
                ? RegistryError.NETWORK_ERROR
                : RegistryError.CONNECTION_FAILED;
    }

    /** Whether the same connect may succeed later with nothing changed here. */
    static boolean isRecoverable(Throwable error) {
        return of(error).isRecoverable()
                && !isNoDatabase(error)
                && Causes.of(error).stream().noneMatch(Errors::isPartMissing);
    }

    /** Whether the server has as many connections as it takes: it lives, and this is no sign of its health. */
    static boolean isFull(Throwable error) {
        List<Throwable> chain = Causes.of(error);
        return has(chain, FULL_STATES)
                || chain.stream()
                        .anyMatch(one -> one instanceof SQLException sql && FULL_CODES.contains(sql.getErrorCode()));
    }

    /** Returns the reason in words; a driver may hide an unknown host behind a failed attempt. */
    static String reason(Throwable error) {
        for (Throwable one : Causes.of(error)) {
            if (one instanceof UnknownHostException) {
                return "unknown host: " + one.getMessage();
            }
        }
        return error.getMessage() == null ? error.getClass().getSimpleName() : error.getMessage();
    }

    private static boolean isNoDatabase(Throwable error) {
        return Causes.of(error).stream()
                .anyMatch(one -> one instanceof SQLException sql
                        && ("3D000".equals(sql.getSQLState()) || NO_DATABASE_CODES.contains(sql.getErrorCode())));
    }

    private static boolean isLogin(Throwable one) {
        return one instanceof SQLInvalidAuthorizationSpecException
                || (one instanceof SQLException sql
                        && (startsWith(sql.getSQLState(), "28")
                                || LOGIN_CODES.contains(sql.getErrorCode())
                                || isDeniedByDsql(sql)));
    }

    /** Whether Aurora DSQL rejected the token, which it does with the SQLSTATE of a failed connect. */
    private static boolean isDeniedByDsql(SQLException sql) {
        return "08006".equals(sql.getSQLState())
                && String.valueOf(sql.getMessage()).contains("unable to accept connection, access denied");
    }

    static boolean isTimeout(Throwable one) {
        return one instanceof SQLTimeoutException
                || one instanceof SocketTimeoutException
                || one instanceof TimeoutException
                || (one instanceof SQLException sql
                        && sql.getSQLState() != null
                        && TIMEOUT_STATES.contains(sql.getSQLState()));
    }

    /** Decides by the number: the class is lost when a secret is struck out of the message. */
    private static boolean isPartMissing(Throwable one) {
        return one instanceof SQLException sql
                && sql.getErrorCode() == Wiring.PART_MISSING
                && "08001".equals(sql.getSQLState());
    }

    private static boolean isNotReached(Throwable one) {
        return one instanceof ConnectException
                || one instanceof UnknownHostException
                || one instanceof NoRouteToHostException;
    }

    private static boolean startsWith(@Nullable String state, String prefix) {
        return state != null && state.startsWith(prefix);
    }

    private static boolean has(List<Throwable> chain, Set<String> states) {
        return chain.stream()
                .anyMatch(one -> one instanceof SQLException sql
                        && sql.getSQLState() != null
                        && states.contains(sql.getSQLState()));
    }
}
