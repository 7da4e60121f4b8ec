// SPDX-License-Identifier: Apache-2.0
package dev.forebay.wire;

import io.netty.buffer.ByteBuf;

/** The server's end of one client's session. Called on the client's event loop only. */
public interface PgSession {

    /**
     * A message of a client that was not admitted yet.
     *
     * @param type its type byte
     * @param payload what follows its length; valid during the call
     */
    void message(byte type, ByteBuf payload);

    /** The client takes more again, or for now no more, of what is written to it. */
    default void writable(boolean writable) {}

    /** The client is gone; nothing comes after this. Called once. */
    void closed();
}
