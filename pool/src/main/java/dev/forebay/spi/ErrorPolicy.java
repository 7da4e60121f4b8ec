// SPDX-License-Identifier: Apache-2.0
package dev.forebay.spi;

import dev.forebay.tx.ErrorMeaning;
import java.sql.SQLException;

/**
 * Decides whether an error shows that a connection is bad, where the application knows better than {@link ErrorMeaning}.
 *
 * <p>Implementations are thread-safe and quick. They are not asked about 0A000, which never costs a connection.
 */
@FunctionalInterface
public interface ErrorPolicy {

    /** Leaves every error to {@link ErrorMeaning}. */
    ErrorPolicy DEFAULT = error -> Verdict.DEFAULT;

    /** Returns the verdict of {@code error} on the connection it came from. */
    Verdict judge(SQLException error);

    /** The fate of a connection after an error. */
    enum Verdict {
        /** It is discarded when the borrower closes it. */
        BAD,
        /** It is kept. */
        GOOD,
        /** It is discarded if the error means {@link ErrorMeaning#CONNECTION_LOST}. */
        DEFAULT
    }
}
