// SPDX-License-Identifier: Apache-2.0
package dev.forebay.tx;

import dev.forebay.tx.internal.Causes;
import java.io.IOException;
import java.sql.SQLException;
import java.sql.SQLNonTransientConnectionException;
import java.sql.SQLRecoverableException;
import org.jspecify.annotations.Nullable;

/**
 * The meaning of an error, decided in one place; the constants stand in the order in which they are looked for.
 *
 * <p>The causes and {@link SQLException#getNextException} are looked through, and the first meaning in this order that any
 * of them has is the meaning of the whole. SQLSTATEs decide. The type of an exception, or an {@link IOException} below
 * it, counts only where no SQLSTATE contradicts: an unreadable stream given as a parameter is the caller's error, not
 * the connection's. Immutable and thread-safe.
 */
public enum ErrorMeaning {
    /** A condition of the application did not hold, such as a fence: never retried. */
    CONDITION_FAILED("condition_failed"),
    /** 40001: another transaction won; the whole transaction may be retried. */
    CONFLICT("retryable"),
    /** 0A000: the database does not support the statement. The connection is as good as before. */
    UNSUPPORTED("unsupported_feature"),
    /** 53400 on connect: too fast. Says nothing about health. */
    CONNECT_THROTTLED("permanent"),
    /** 53300 on connect: too many are open. Says nothing about health. */
    TOO_MANY_CONNECTIONS("permanent"),
    /** Class 08, the administrative 57Pxx, or a broken socket: the connection is no longer any good. */
    CONNECTION_LOST("permanent"),
    /** The COMMIT was sent, and whether the transaction took place is not known: never retried unasked. */
    OUTCOME_UNKNOWN("outcome_unknown"),
    /** Anything else. */
    OTHER("permanent");

    private final String label;

    ErrorMeaning(String label) {
        this.label = label;
    }

    /** Returns the label of a failed attempt in metrics; several meanings share {@code permanent}. */
    public String label() {
        return label;
    }

    /** An exception that knows its meaning; its causes are not looked at. */
    public interface Meant {

        /** Returns its meaning. */
        ErrorMeaning meaning();
    }

    /**
     * Returns the meaning of {@code error} when COMMIT has thrown it. The transaction has failed only if the server said so, with a
     * SQLSTATE that is about the transaction: after anything else it may as well have taken place.
     */
    public static ErrorMeaning ofCommit(Throwable error) {
        Findings found = look(error);
        return switch (found.meaning()) {
            case CONDITION_FAILED, CONFLICT, UNSUPPORTED -> found.meaning();
            case CONNECTION_LOST, OUTCOME_UNKNOWN -> OUTCOME_UNKNOWN;
            default -> found.isRefusal ? found.meaning() : OUTCOME_UNKNOWN;
        };
    }

    /** Returns the meaning of {@code error}. */
    public static ErrorMeaning of(Throwable error) {
        return look(error).meaning();
    }

    /** Returns the SQLSTATE that decides the meaning of {@code error}, otherwise the first there is, otherwise an empty text. */
    public static String stateOf(Throwable error) {
        return look(error).state;
    }

    private static Findings look(Throwable error) {
        Findings found = new Findings();
        Causes.of(error, one -> !(one instanceof Meant)).forEach(found::add);
        return found;
    }

    /** The findings on the way through an exception and those below it. */
    private static final class Findings {
        private ErrorMeaning said = OTHER;
        private boolean looksLost;
        private boolean contradicted;
        private boolean isRefusal;
        private String state = "";

        void add(Throwable one) {
            ErrorMeaning meaning = said(one);
            boolean decides = meaning.compareTo(said) < 0;
            if (decides) {
                said = meaning;
            }
            if (one instanceof SQLException e && e.getSQLState() != null && (decides || state.isEmpty())) {
                state = e.getSQLState();
            }
            looksLost |= looksLost(one);
            if (one instanceof SQLException e) {
                contradicted |= isAboutTheStatement(e.getSQLState());
                isRefusal |= isAboutTheTransaction(e.getSQLState());
            }
        }

        ErrorMeaning meaning() {
            return said == OTHER && looksLost && !contradicted ? CONNECTION_LOST : said;
        }
    }

    /** Returns the meaning of one exception by itself. */
    private static ErrorMeaning said(Throwable one) {
        if (one instanceof Meant meant) {
            return meant.meaning();
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

    /** Returns whether a SQLSTATE names something other than the connection; HY and S1, ODBC's general errors, do not. */
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

    /** Returns whether a SQLSTATE at COMMIT means that the transaction was rolled back; 58 and XX are the server's own errors. */
    private static boolean isAboutTheTransaction(@Nullable String state) {
        return state != null
                && (state.startsWith("P0") || (isAboutTheStatement(state) && !state.startsWith("58")))
                && !state.equals("40003");
    }
}
