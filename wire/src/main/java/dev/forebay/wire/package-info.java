// SPDX-License-Identifier: Apache-2.0
/** The server's side of the PostgreSQL protocol: framing, TLS, start-up, and the messages a server sends. */
@NullMarked
package dev.forebay.wire;

import org.jspecify.annotations.NullMarked;
