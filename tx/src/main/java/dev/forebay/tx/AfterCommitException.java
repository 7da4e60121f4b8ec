// SPDX-License-Identifier: Apache-2.0
package dev.forebay.tx;

/**
 * The transaction <em>is</em> committed, but something that was to be done {@linkplain Transaction#afterCommit afterwards}
 * failed: that is the cause, and what failed after it is suppressed. Thread-safe.
 */
public final class AfterCommitException extends RuntimeException implements ErrorMeaning.Meant {

    private static final long serialVersionUID = 1;

    AfterCommitException(String name, Throwable cause) {
        super("transaction " + name + " is committed, but an action after it failed: " + cause, cause);
    }

    /** Other, whatever the cause means: what is committed must not be tried again. */
    @Override
    public ErrorMeaning meaning() {
        return ErrorMeaning.OTHER;
    }
}
