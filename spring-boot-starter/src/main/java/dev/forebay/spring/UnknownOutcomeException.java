// SPDX-License-Identifier: Apache-2.0
package dev.forebay.spring;

import dev.forebay.tx.ErrorMeaning;
import org.springframework.transaction.TransactionSystemException;

/**
 * Reports that the COMMIT was sent, and that no answer says whether the transaction took place: the application has to
 * look. It is not retried unless it is {@linkplain RetryOnConflict#idempotent said to be idempotent}.
 */
public final class UnknownOutcomeException extends TransactionSystemException implements ErrorMeaning.Meant {

    private static final long serialVersionUID = 1;

    UnknownOutcomeException(String name, Throwable cause) {
        super("transaction " + name + " may or may not have been committed", cause);
    }

    @Override
    public ErrorMeaning meaning() {
        return ErrorMeaning.OUTCOME_UNKNOWN;
    }
}
