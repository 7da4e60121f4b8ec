// SPDX-License-Identifier: Apache-2.0
package dev.forebay.registry;

import java.time.Duration;
import java.time.Instant;

/**
 * One open connection at one moment. Immutable.
 *
 * @param serverName the server
 * @param localUser whose pool it is in
 * @param connectionId different for each connection of a registry
 * @param state its state, as far as the pool knows
 * @param held for how long it has been in use; zero if it is not
 * @param createdAt when its connect began
 * @param lastUsed when it was last returned, or created
 * @param lastValidated when it was last known to be alive
 * @param useCount how often it was taken
 * @param queryCount how many statements ran on it, if they are counted
 */
public record ConnectionInfo(
        String serverName,
        String localUser,
        long connectionId,
        State state,
        Duration held,
        Instant createdAt,
        Instant lastUsed,
        Instant lastValidated,
        long useCount,
        long queryCount) {

    /** The state of a connection, as far as the pool knows it. */
    public enum State {
        /** Not in use. */
        CONNECTED,
        /** In use; whether a statement runs at this moment is not known. */
        BORROWED,
        /** In use, with something neither committed nor rolled back. */
        IN_TRANSACTION,
        /** In use, and closed when it comes back. */
        CLOSING
    }
}
