// SPDX-License-Identifier: Apache-2.0
package dev.forebay.wire;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.netty.buffer.ByteBuf;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.nio.NioIoHandler;
import java.io.DataInputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Cancels on a connection to a server further up. */
@Timeout(60)
class PgUpstreamTest {

    private static final int CANCEL = 80877102;

    private final MultiThreadIoEventLoopGroup loops = new MultiThreadIoEventLoopGroup(1, NioIoHandler.newFactory());
    private final CountDownLatch ready = new CountDownLatch(1);
    private final CountDownLatch closed = new CountDownLatch(1);

    @AfterEach
    void endLoops() {
        loops.shutdownGracefully(0, 1, TimeUnit.SECONDS);
    }

    private final PgUpstream.Listener listener = new PgUpstream.Listener() {
        @Override
        public void ready() {
            ready.countDown();
        }

        @Override
        public void message(byte type, ByteBuf payload) {}

        @Override
        public void closed() {
            closed.countDown();
        }
    };

    private PgUpstream connect(ServerSocket server) {
        return PgUpstream.connect(loops.next(), server.getLocalSocketAddress(), Map.of("user", "u"), "", listener);
    }

    private static Socket session(ServerSocket server) throws IOException {
        Socket session = server.accept();
        DataInputStream in = new DataInputStream(session.getInputStream());
        in.readNBytes(in.readInt() - 4);
        byte[] welcome = {
            'R', 0, 0, 0, 8, 0, 0, 0, 0, // authenticated
            'K', 0, 0, 0, 12, 0, 0, 0, 7, 0, 0, 0, 9, // process 7, key 9
            'Z', 0, 0, 0, 5, 'I'
        };
        session.getOutputStream().write(welcome);
        return session;
    }

    private static Socket cancelRequest(ServerSocket server) throws IOException {
        Socket request = server.accept();
        DataInputStream in = new DataInputStream(request.getInputStream());
        assertEquals(16, in.readInt());
        assertEquals(CANCEL, in.readInt());
        assertEquals(7, in.readInt());
        assertEquals(9, in.readInt());
        return request;
    }

    @Test
    void aCancelIsOverWhenTheServerEndsItsConnection() throws Exception {
        try (ServerSocket server = new ServerSocket(0, 5, InetAddress.getLoopbackAddress())) {
            PgUpstream upstream = connect(server);
            try (Socket session = session(server)) {
                ready.await();
                CountDownLatch over = new CountDownLatch(1);
                upstream.cancel(over::countDown);
                try (Socket request = cancelRequest(server)) {
                    assertEquals(1, over.getCount(), "the server may still be about to obey");
                }
                over.await();
                assertEquals(1, closed.getCount(), "the session goes on");
                assertTrue(session.isConnected());
            }
            closed.await();
        }
    }

    /** It may be obeyed at any time, so nothing more may be sent on the session it is for. */
    @Test
    void aCancelThatIsNotAnsweredEndsTheSession() throws Exception {
        try (ServerSocket server = new ServerSocket(0, 5, InetAddress.getLoopbackAddress())) {
            PgUpstream upstream = connect(server);
            try (Socket session = session(server)) {
                ready.await();
                CountDownLatch over = new CountDownLatch(1);
                upstream.cancel(over::countDown, Duration.ofMillis(50));
                try (Socket request = cancelRequest(server)) {
                    closed.await();
                    over.await();
                    assertEquals(-1, session.getInputStream().read());
                    assertEquals(-1, request.getInputStream().read());
                }
            }
        }
    }
}
