// SPDX-License-Identifier: Apache-2.0
package dev.forebay.sim;

import org.jspecify.annotations.Nullable;

/**
 * Says what is wrong with the file of a scenario: a line for each problem, with file, line and column. Immutable but for
 * its stack trace.
 */
public final class ScenarioException extends RuntimeException {

    private static final long serialVersionUID = 1;

    ScenarioException(String message, @Nullable Throwable cause) {
        super(message, cause);
    }
}
