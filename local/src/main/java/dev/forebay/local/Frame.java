// SPDX-License-Identifier: Apache-2.0
package dev.forebay.local;

import dev.forebay.wire.Reply;
import io.netty.buffer.ByteBuf;

/**
 * A message of a client that waits for its turn.
 *
 * @param payload a copy of what was received, which this owns
 */
record Frame(byte type, ByteBuf payload) {

    private static final int OVERHEAD = 128;

    static Frame copy(byte type, ByteBuf payload) {
        return new Frame(type, payload.copy());
    }

    /** What it takes, about: one without content is not free. */
    int bytes() {
        return OVERHEAD + payload.readableBytes();
    }

    /** Whether it asks for something to be run, and not only prepared. */
    boolean isStatement() {
        return type == 'Q' || type == 'E';
    }

    /** Whether the client is told afterwards that the session is ready. */
    boolean endsExchange() {
        return type == 'Q' || type == 'S';
    }

    void write(ByteBuf out) {
        Reply.raw(out, type, payload);
    }

    void release() {
        payload.release();
    }
}
