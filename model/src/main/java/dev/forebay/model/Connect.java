// SPDX-License-Identifier: Apache-2.0
package dev.forebay.model;

/** The answer of a {@link Cluster} to a connect. Immutable. */
public sealed interface Connect {

    /** The time that the client waits for this answer. */
    long delayNanos();

    /**
     * The client is in; the caller reports the end of the session.
     *
     * @param session the session that is open from now on
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
