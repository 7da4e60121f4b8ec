// SPDX-License-Identifier: Apache-2.0
package dev.forebay.wire;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.channel.EventLoop;
import java.net.SocketAddress;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** One client of a {@link PgServer}, as its session sees it. To be used on its event loop only, but for that getter. */
public interface PgClient {

    /** The content of the start-up packet: user, database, options and settings, in its order. */
    Map<String, String> startup();

    /** The name that the client asked for in the TLS handshake, null if it named none. */
    @Nullable
    String serverName();

    /** Whether the connection is encrypted. */
    boolean isTls();

    SocketAddress remoteAddress();

    /** The loop on which everything about this client happens; may be asked from any thread. */
    EventLoop eventLoop();

    ByteBufAllocator allocator();

    /** The client is who it says it is: it may take its time, and send messages as long as the server's limit. */
    void admitted();

    /** Queues {@code message}, which is released once it is sent. */
    void write(ByteBuf message);

    /** Sends what is queued. */
    void flush();

    /** Whether it takes more for now. */
    boolean isWritable();

    /** Whether its messages are read; those already read may still come. */
    void autoRead(boolean on);

    /** Sends what is queued and closes. */
    void closeAfterFlush();

    /** Closes at once, without a word. */
    void closeAbruptly();
}
