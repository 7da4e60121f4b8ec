// SPDX-License-Identifier: Apache-2.0
package dev.forebay.temporal;

import dev.forebay.tx.ErrorMeaning;
import java.sql.SQLNonTransientException;

/**
 * An outcome that Temporal expects and acts upon: another owns it, or it is not there. It is never retried. The
 * operation that throws it has changed nothing. Thread-safe.
 */
public abstract sealed class TemporalException extends SQLNonTransientException implements ErrorMeaning.Meant
        permits ShardOwnershipLostException,
                CurrentWorkflowConditionFailedException,
                WorkflowConditionFailedException,
                NotFoundException {

    private static final long serialVersionUID = 1;

    TemporalException(String message) {
        super(message);
    }

    @Override
    public ErrorMeaning meaning() {
        return ErrorMeaning.CONDITION_FAILED;
    }
}
