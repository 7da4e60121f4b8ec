// SPDX-License-Identifier: Apache-2.0
package dev.forebay.spi;

import java.time.Duration;

/**
 * The holder of a connection. Immutable.
 *
 * @param who the thread that checked it out, as far as it is known
 * @param connection the connection's name
 * @param held the time since the checkout
 */
public record Holder(String who, String connection, Duration held) {}
