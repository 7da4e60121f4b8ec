// SPDX-License-Identifier: Apache-2.0
package dev.forebay.temporal;

import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** The run that the workflow's name stands for is another one than was thought. Thread-safe. */
public final class CurrentWorkflowConditionFailedException extends TemporalException {

    private static final long serialVersionUID = 1;

    private final transient CurrentExecutions.@Nullable Current current;

    CurrentWorkflowConditionFailedException(String message, CurrentExecutions.@Nullable Current current) {
        super(message);
        this.current = current;
    }

    /** The run that is current, with its request, state, status and last write version; empty if there is none. */
    public Optional<CurrentExecutions.Current> current() {
        return Optional.ofNullable(current);
    }
}
