// SPDX-License-Identifier: Apache-2.0
package dev.forebay.model;

/** The answer of a {@link Cluster} to a connect. Immutable. */
public sealed interface Connect {

    /** How long the client waits for this answer. */
    long delayNanos();

    /**
     * The client is in; whoever asked says when the session has ended.
     *
     * @param session what counts as open from now on
     * @param delayNanos how long the client waits for the answer
     */
    record Admitted(ClusterSession session, long delayNanos) implements Connect {}

    /**
     * The client is sent away.
     *
     * @param reason why, with the error to send
     * @param delayNanos how long the client waits for the answer
     */
    record Refused(ConnectRefusal reason, long delayNanos) implements Connect {}
}
