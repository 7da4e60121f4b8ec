// SPDX-License-Identifier: Apache-2.0
package dev.forebay.registry;

import java.time.Duration;
import java.time.Instant;

/**
 * One open connection at one moment. Immutable.
 *
 * @param serverName the server
 * @param localUser the user in whose pool it is
 * @param connectionId different for each connection of a registry
 * @param state its state, as far as the pool knows
 * @param held the time it has been in use; zero if it is not
 * @param createdAt the time its connect began
 * @param lastUsed the time it was last returned, or created
 * @param lastValidated the time it was last known to be alive
 * @param useCount the number of times it was taken
 * @param queryCount the number of statements that ran on it, if they are counted
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
