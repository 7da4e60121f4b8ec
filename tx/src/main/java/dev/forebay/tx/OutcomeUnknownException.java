// SPDX-License-Identifier: Apache-2.0
package dev.forebay.tx;

import java.sql.SQLNonTransientException;

/**
 * Reports that the COMMIT was sent, and that no answer says whether the transaction took place. It is not retried
 * unless the body is {@linkplain Transactions#idempotent said to be idempotent}; otherwise the application has to look.
 * Thread-safe.
 */
public final class OutcomeUnknownException extends SQLNonTransientException implements ErrorMeaning.Meant {

    private static final long serialVersionUID = 1;

    /** Transaction resolution unknown, in the words of the standard. */
    private static final String STATE = "08007";

    OutcomeUnknownException(String name, Throwable cause) {
        super(
                "transaction " + name + " may or may not have been committed: its COMMIT was not answered (" + cause
                        + ")",
                STATE,
                cause);
    }

    @Override
    public ErrorMeaning meaning() {
        return ErrorMeaning.OUTCOME_UNKNOWN;
    }
}
