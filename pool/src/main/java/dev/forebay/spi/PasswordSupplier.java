// SPDX-License-Identifier: Apache-2.0
package dev.forebay.spi;

/** Supplies the password or token for one connect. Thread-safe; called once per connection, on a thread that may block. */
@FunctionalInterface
public interface PasswordSupplier {

    /**
     * Returns the password to connect with now.
     *
     * @throws Exception if none is available; its message is logged, so it must hold no secret
     */
    String password() throws Exception;
}
