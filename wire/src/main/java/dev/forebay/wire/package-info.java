// SPDX-License-Identifier: Apache-2.0
/**
 * The server's side of the PostgreSQL protocol: framing, TLS, start-up, and the messages a server sends. It knows
 * Netty, and no other module of Forebay. Begin at {@link dev.forebay.wire.PgServer}, which asks a {@link
 * dev.forebay.wire.PgService} for a {@link dev.forebay.wire.PgSession} for each client. A session has a {@link
 * dev.forebay.wire.Conversation} with the client that it has let in.
 */
@NullMarked
package dev.forebay.wire;

import org.jspecify.annotations.NullMarked;
