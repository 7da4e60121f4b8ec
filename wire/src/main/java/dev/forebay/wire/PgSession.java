// SPDX-License-Identifier: Apache-2.0
package dev.forebay.wire;

import io.netty.buffer.ByteBuf;

/** The server's end of one client's session. Called on the client's event loop only. */
public interface PgSession {

    /**
     * A message of the client.
     *
     * @param type its type byte
     * @param payload what follows its length; valid during the call, to be retained by whoever keeps it
     */
    void message(byte type, ByteBuf payload);

    /** All messages that have come so far have been handed over: who waited for more to come along need not wait longer. */
    default void caughtUp() {}

    /** The client takes more again, or for now no more, of what is written to it. */
    default void writable(boolean writable) {}

    /** The client is gone; nothing comes after this. Called once. */
    void closed();
}
