// SPDX-License-Identifier: Apache-2.0
package dev.forebay.registry;

import java.sql.SQLException;
import org.jspecify.annotations.Nullable;

/**
 * An error of the registry, with a SQLSTATE of class RD and the driver's own error as its cause.
 *
 * <p>Neither its message nor a cause holds a password: what the driver said is looked through when it is thrown, and said
 * again without the secret where it held one.
 */
public final class RegistryException extends SQLException {

    private static final long serialVersionUID = 1;

    private final RegistryError error;
    private final boolean recoverable;

    RegistryException(RegistryError error, String message) {
        this(error, message, null, error.isRecoverable());
    }

    RegistryException(RegistryError error, String message, @Nullable Throwable cause, boolean recoverable) {
        super(message, error.sqlState(), cause);
        this.error = error;
        this.recoverable = recoverable;
    }

    static RegistryException invalid(String message) {
        return new RegistryException(RegistryError.INVALID_OPTION, message);
    }

    static RegistryException invalid(String message, Throwable cause) {
        return new RegistryException(RegistryError.INVALID_OPTION, message, cause, false);
    }

    /** What kind of error it is. */
    public RegistryError error() {
        return error;
    }

    /** Whether the same call may succeed later with nothing changed here. */
    public boolean isRecoverable() {
        return recoverable;
    }
}
