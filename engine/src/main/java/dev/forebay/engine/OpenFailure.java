// SPDX-License-Identifier: Apache-2.0
package dev.forebay.engine;

/**
 * A connection that could not be opened. Immutable.
 *
 * @param cause what kind of failure it was
 * @param error what happened; its message must hold no secret
 */
public record OpenFailure(FailureCause cause, Throwable error) {}
