// SPDX-License-Identifier: Apache-2.0
package dev.forebay.tx;

import java.sql.SQLNonTransientException;
import org.jspecify.annotations.Nullable;

/**
 * Reports that a fence had moved on: another owner won, which is a normal outcome and not a fault. It is never retried,
 * since a lost token does not come back. Thread-safe.
 */
public final class ConditionFailedException extends SQLNonTransientException implements ErrorMeaning.Meant {

    private static final long serialVersionUID = 1;

    private final String entity;
    private final transient @Nullable Object expected;
    private final transient @Nullable Object actual;

    /**
     * A fence that had moved on.
     *
     * @param entity the name of the fenced row
     * @param expected the token it should have had
     * @param actual the token it had, null if that is not known
     */
    public ConditionFailedException(String entity, @Nullable Object expected, @Nullable Object actual) {
        super("condition failed: " + entity
                + (expected == null ? " is not there" : " should have had " + expected)
                + (actual == null ? "" : " but had " + actual));
        this.entity = entity;
        this.expected = expected;
        this.actual = actual;
    }

    /** The name of the fenced row. */
    public String entity() {
        return entity;
    }

    /** The token it should have had; a list if there are several; null if there was none to expect. */
    public @Nullable Object expected() {
        return expected;
    }

    /** The token it had, null if that was not read. */
    public @Nullable Object actual() {
        return actual;
    }

    @Override
    public ErrorMeaning meaning() {
        return ErrorMeaning.CONDITION_FAILED;
    }
}
