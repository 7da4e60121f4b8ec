// SPDX-License-Identifier: Apache-2.0
package dev.forebay.wire;

import io.netty.buffer.ByteBuf;

/** The server's end of one client's session. Called on the client's event loop only. */
public interface PgSession {

    /**
     * A message of a client that was not admitted yet.
     *
     * @param type its type byte
     * @param payload the bytes after its length; valid during the call
     */
    void message(byte type, ByteBuf payload);

    /** The client takes more again, or for now no more, of what is written to it. */
    default void writable(boolean writable) {}

    /**
     * A request, from a connection of its own and with this session's key, to cancel what the session is doing.
     *
     * @param decided to be run, on any thread, once it is known what is cancelled: only then is that connection closed, from which its
     *     client knows that what it asks for next is spared
     */
    default void cancel(Runnable decided) {
        decided.run();
    }

    /** The client is gone; nothing comes after this. Called once. */
    void closed();
}
