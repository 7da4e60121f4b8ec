// SPDX-License-Identifier: Apache-2.0
package dev.forebay.registry;

import java.sql.SQLException;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * An error of the registry, with a SQLSTATE of class RD and the driver's own error as its cause.
 *
 * <p>Neither its message nor a cause holds a password: the driver's errors are searched when it is thrown, and restated
 * without the secret where they held one.
 */
public final class RegistryException extends SQLException {

    private static final long serialVersionUID = 1;

    private final RegistryError error;
    private final boolean recoverable;
    private final List<String> options;

    public RegistryException(RegistryError error, String message) {
        this(error, message, null, error.isRecoverable());
    }

    RegistryException(RegistryError error, String message, @Nullable Throwable cause, boolean recoverable) {
        this(error, message, cause, recoverable, List.of());
    }

    private RegistryException(
            RegistryError error, String message, @Nullable Throwable cause, boolean recoverable, List<String> options) {
        super(message, error.sqlState(), cause);
        this.error = error;
        this.recoverable = recoverable;
        this.options = options;
    }

    static RegistryException invalid(String message) {
        return new RegistryException(RegistryError.INVALID_OPTION, message);
    }

    /** An error about {@code options}, the one to blame first. */
    static RegistryException invalid(List<String> options, String message) {
        return new RegistryException(RegistryError.INVALID_OPTION, message, null, false, options);
    }

    static RegistryException invalid(ServerOption option, String message) {
        return invalid(List.of(option.key()), message);
    }

    static RegistryException invalid(ServerOption option, String message, Throwable cause) {
        return new RegistryException(RegistryError.INVALID_OPTION, message, cause, false, List.of(option.key()));
    }

    /** The kind of the error. */
    public RegistryError error() {
        return error;
    }

    /** The names of the options that it is about, the one to blame first; empty if it is about none. */
    public List<String> options() {
        return options;
    }

    /** Whether the same call may succeed later with nothing changed here. */
    public boolean isRecoverable() {
        return recoverable;
    }
}
