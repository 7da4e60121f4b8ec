// SPDX-License-Identifier: Apache-2.0
package dev.forebay.registry;

/** The work of a probe of a server, each time on a connection of its own. */
public enum HealthCheck {
    /** Connects and asks the driver whether the server answers. */
    PING,
    /** Connects and runs the health query. */
    QUERY,
    /** Connects, resets the session and runs the health query. */
    FULL_VALIDATE
}
