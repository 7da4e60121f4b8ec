// SPDX-License-Identifier: Apache-2.0
package dev.forebay.jdbc;

import java.io.IOException;
import java.sql.SQLException;
import java.sql.SQLNonTransientConnectionException;
import java.sql.SQLRecoverableException;
import java.util.ArrayDeque;
import java.util.Collections;
import java.util.Deque;
import java.util.IdentityHashMap;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * What an error means, decided in one place; the constants stand in the order in which they are looked for.
 *
 * <p>The causes and {@link SQLException#getNextException} are looked through, and the first meaning in this order that any
 * of them has is the meaning of the whole. SQLSTATEs decide. The type of an exception, or an {@link IOException} below
 * it, counts only where no SQLSTATE contradicts: an unreadable stream given as a parameter is the caller's error, not
 * the connection's. Immutable and thread-safe.
 */
public enum ErrorMeaning {
    /** A condition of the application did not hold ({@link ConditionFailure}): never retried. */
    CONDITION_FAILED,
    /** 40001: another transaction won; the whole transaction may be tried again. */
    CONFLICT,
    /** 0A000: the database does not support the statement. The connection is as good as before. */
    UNSUPPORTED,
    /** 53400 on connect: too fast. Says nothing about health. */
    CONNECT_THROTTLED,
    /** 53300 on connect: too many are open. Says nothing about health. */
    TOO_MANY_CONNECTIONS,
    /** Class 08, the administrative 57Pxx, or a broken socket: the connection is no longer any good. */
    CONNECTION_LOST,
    /** Anything else. */
    OTHER;

    /** Marks the exception that says that a condition of the application did not hold. */
    public interface ConditionFailure {}

    /** More than any driver chains; a batch may chain thousands, which say nothing new. */
    private static final int MOST_LOOKED_AT = 64;

    /** What {@code error} means. */
    public static ErrorMeaning of(Throwable error) {
        Set<Throwable> seen = Collections.newSetFromMap(new IdentityHashMap<>());
        Deque<Throwable> toSee = new ArrayDeque<>();
        toSee.add(error);
        ErrorMeaning meaning = OTHER;
        boolean looksLost = false;
        boolean contradicted = false;
        while (!toSee.isEmpty() && seen.size() < MOST_LOOKED_AT) {
            Throwable one = toSee.remove();
            if (!seen.add(one)) {
                continue;
            }
            ErrorMeaning said = said(one);
            if (said.compareTo(meaning) < 0) {
                meaning = said;
            }
            looksLost |= looksLost(one);
            contradicted |= one instanceof SQLException e && isAboutTheStatement(e.getSQLState());
            if (one instanceof SQLException e && e.getNextException() != null) {
                toSee.add(e.getNextException());
            }
            if (one.getCause() != null) {
                toSee.add(one.getCause());
            }
        }
        return meaning == OTHER && looksLost && !contradicted ? CONNECTION_LOST : meaning;
    }

    /** What one exception says by itself. */
    private static ErrorMeaning said(Throwable one) {
        if (one instanceof ConditionFailure) {
            return CONDITION_FAILED;
        }
        String state = one instanceof SQLException e ? e.getSQLState() : null;
        if (state == null) {
            return OTHER;
        }
        return switch (state) {
            case "40001" -> CONFLICT;
            case "0A000" -> UNSUPPORTED;
            case "53400" -> CONNECT_THROTTLED;
            case "53300" -> TOO_MANY_CONNECTIONS;
            default -> state.startsWith("08") || state.startsWith("57P") ? CONNECTION_LOST : OTHER;
        };
    }

    private static boolean looksLost(Throwable one) {
        return one instanceof IOException
                || one instanceof SQLRecoverableException
                || one instanceof SQLNonTransientConnectionException;
    }

    /** Whether a SQLSTATE names something other than the connection; HY and S1 are ODBC's way to say nothing. */
    private static boolean isAboutTheStatement(@Nullable String state) {
        if (state == null || state.length() != 5) {
            return false;
        }
        char first = state.charAt(0);
        boolean assigned = (first >= '0' && first <= '5') || (first >= 'A' && first <= 'H');
        return assigned
                && !state.startsWith("00")
                && !state.startsWith("08")
                && !state.startsWith("57P")
                && !state.startsWith("HY");
    }
}
