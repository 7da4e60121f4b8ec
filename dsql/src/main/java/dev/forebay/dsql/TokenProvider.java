// SPDX-License-Identifier: Apache-2.0
package dev.forebay.dsql;

/**
 * Makes the passwords of one user of one database, each with its end: IAM tokens, a password file, a secret that is
 * rotated. Thread-safe; called on a thread that may block, by {@link TokenCache} one call at a time.
 */
@FunctionalInterface
public interface TokenProvider {

    /**
     * Returns a password that is valid now.
     *
     * @throws Exception if none is available; its message is logged, so it must hold no secret
     */
    Token token() throws Exception;
}
