// SPDX-License-Identifier: Apache-2.0
package dev.forebay.sim;

import dev.forebay.model.ClusterSession;

/** The thing pooled: a connection between a process and the cluster. Not thread-safe. */
final class Link {

    final ClusterSession session;
    final Incarnation owner;

    /** Whether the other side is gone, which a process learns only when it uses the connection. */
    boolean dead;

    Link(ClusterSession session, Incarnation owner) {
        this.session = session;
        this.owner = owner;
    }
}
