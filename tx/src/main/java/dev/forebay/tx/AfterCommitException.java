// SPDX-License-Identifier: Apache-2.0
package dev.forebay.tx;

/**
 * Reports that an action {@linkplain Transaction#afterCommit after the commit} failed: the transaction <em>is</em>
 * committed. The first failure is the cause, later ones are suppressed. Thread-safe.
 */
public final class AfterCommitException extends RuntimeException implements ErrorMeaning.Meant {

    private static final long serialVersionUID = 1;

    AfterCommitException(String name, Throwable cause) {
        super("transaction " + name + " is committed, but an action after it failed: " + cause, cause);
    }

    /** Returns {@code OTHER}, whatever the cause means: a committed transaction must not be retried. */
    @Override
    public ErrorMeaning meaning() {
        return ErrorMeaning.OTHER;
    }
}
