// SPDX-License-Identifier: Apache-2.0
package dev.forebay.wire;

import java.time.Duration;

/**
 * The limits on what a server takes from a client. Immutable.
 *
 * @param messageBytes the longest message of a client that was admitted; on a longer one the connection closes without a word
 * @param strangerMessageBytes the longest message before that
 * @param startUp the longest time until a client is admitted
 */
public record ClientLimits(int messageBytes, int strangerMessageBytes, Duration startUp) {

    /** 10 MiB, as in Aurora DSQL; 64 KiB for strangers; 30 seconds. */
    public static final ClientLimits DEFAULT = new ClientLimits(10 << 20, 64 << 10, Duration.ofSeconds(30));

    public ClientLimits {
        if (messageBytes < 16 || strangerMessageBytes < 16 || startUp.isNegative() || startUp.isZero()) {
            throw new IllegalArgumentException(
                    "limits must be above 0: " + messageBytes + ", " + strangerMessageBytes + ", " + startUp);
        }
    }
}
