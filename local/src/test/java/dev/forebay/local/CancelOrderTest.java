// SPDX-License-Identifier: Apache-2.0
package dev.forebay.local;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.forebay.local.Answers.End;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.netty.channel.EventLoop;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.nio.NioIoHandler;
import java.io.DataInputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** When a client's cancel goes to PostgreSQL, whose part the test plays step by step, and what waits for it. */
@Timeout(60)
class CancelOrderTest {

    private static final int CANCEL_REQUEST = 80877102;
    private static final Duration NEVER = Duration.ofDays(1);

    private final MultiThreadIoEventLoopGroup group = new MultiThreadIoEventLoopGroup(1, NioIoHandler.newFactory());
    private final EventLoop loop = group.next();
    private ServerSocket postgres;
    private Backend backend;
    private Socket session;
    private DataInputStream requests;

    /** Whether the request that a cancel came during has been answered. */
    private final CountDownLatch done = new CountDownLatch(1);

    @BeforeEach
    void connect() throws Exception {
        connect(NEVER);
    }

    /** Connects; a cancel is repeated after {@code pause} for the first time. */
    private void connect(Duration pause) throws Exception {
        postgres = new ServerSocket(0, 10, InetAddress.getLoopbackAddress());
        postgres.setSoTimeout(20_000);
        onLoop(() -> backend = new Backend(
                loop,
                UnpooledByteBufAllocator.DEFAULT,
                postgres.getLocalSocketAddress(),
                Map.of("user", "somebody"),
                "",
                (type, payload) -> {},
                gone -> {},
                pause));
        session = postgres.accept();
        session.setSoTimeout(20_000);
        requests = new DataInputStream(session.getInputStream());
        requests.readNBytes(requests.readInt() - 4);
        answer('R', new byte[4]);
        answer('K', new byte[8]);
        answer('Z', new byte[] {'I'});
    }

    @AfterEach
    void disconnect() throws Exception {
        leave();
        group.shutdownGracefully(0, 10, TimeUnit.SECONDS).sync();
    }

    private void reconnect(Duration pause) throws Exception {
        leave();
        connect(pause);
    }

    private void leave() throws Exception {
        onLoop(() -> backend.close());
        session.close();
        postgres.close();
    }

    @Test
    void aCancelGoesOutWhileTheClientsStatementRuns() throws Exception {
        onLoop(() -> theClients("SELECT").send());
        assertEquals("SELECT", request());
        onLoop(() -> backend.cancel(true));
        canceled().close();
    }

    @Test
    void aCancelWaitsUntilTheClientsStatementRuns() throws Exception {
        onLoop(() -> {
            new Exchange(backend)
                    .query("BEGIN", Answers.ignore(End.READY))
                    .query("INSERT", Answers.ignore(End.READY).cancellable())
                    .send();
            backend.cancel(true);
        });
        assertEquals("BEGIN", request());
        assertEquals("INSERT", request());
        assertNothingWaits();
        ready();
        canceled().close();
    }

    @Test
    void nothingIsSentUntilACancelHasArrived() throws Exception {
        onLoop(() -> {
            theClients("INSERT").send();
            backend.cancel(true);
        });
        assertEquals("INSERT", request());
        Socket canceled = canceled();
        ready();
        onLoop(() -> ours("COMMIT").send());
        assertEquals(false, backend.isWritable());
        assertEquals(0, requests.available());
        canceled.close();
        assertEquals("COMMIT", request());
    }

    @Test
    void aCancelThatComesTooLateIsForgotten() throws Exception {
        onLoop(() -> {
            ours("COMMIT").send();
            backend.cancel(true);
        });
        assertEquals("COMMIT", request());
        ready();
        onLoop(() -> {
            backend.forgetCancel();
            theClients("SELECT").send();
        });
        assertEquals("SELECT", request());
        assertNothingWaits();
    }

    @Test
    void aSecondCancelWaitsForTheFirst() throws Exception {
        onLoop(() -> {
            theClients("SELECT").send();
            backend.cancel(true);
        });
        assertEquals("SELECT", request());
        Socket first = canceled();
        onLoop(() -> backend.cancel(true));
        assertNothingWaits();
        first.close();
        canceled().close();
    }

    @Test
    void aCancelThatWaitsGoesOutWithTheStatement() throws Exception {
        cancelDuring("BEGIN", Answers.of(End.READY, this::done), true);
        finish();
        onLoop(() -> theClients("SELECT").send());
        assertEquals("SELECT", request());
        canceled().close();
    }

    @Test
    void aCancelBeforeAnyStatementSparesALaterOne() throws Exception {
        cancelDuring("BEGIN", Answers.of(End.READY, this::done), false);
        finish();
        onLoop(() -> theClients("SELECT").send());
        assertEquals("SELECT", request());
        assertNothingWaits();
    }

    @Test
    void aCancelDuringABindGoesOutOnce() throws Exception {
        cancelDuring("Bind", Answers.of(End.READY, this::done).planning(), false);
        canceled().close();
        finish();
        onLoop(() -> theClients("SELECT").send());
        assertEquals("SELECT", request());
        assertNothingWaits();
    }

    @Test
    void aCancelThatABindSurvivesWaitsForItsStatement() throws Exception {
        cancelDuring("Bind", Answers.of(End.READY, this::done).planning(), true);
        canceled().close();
        finish();
        onLoop(() -> theClients("SELECT").send());
        assertEquals("SELECT", request());
        canceled().close();
    }

    /** PostgreSQL forgets a cancel that comes before it has read the request. */
    @Test
    void aCancelIsRepeatedUntilTheStatementIsAnswered() throws Exception {
        reconnect(Duration.ofMillis(1));
        cancelDuring("SELECT", Answers.of(End.READY, this::done).cancellable(), true);
        canceled().close();
        canceled().close();
        canceled().close();
        finish();
        onLoop(() -> ours("COMMIT").send());
        letArrive();
        assertEquals("COMMIT", request());
        assertNothingWaits();
    }

    @Test
    void aCancelOfABindIsRepeatedUntilItIsAnswered() throws Exception {
        reconnect(Duration.ofMillis(1));
        cancelDuring("Bind", Answers.of(End.READY, this::done).planning(), false);
        canceled().close();
        canceled().close();
        finish();
        onLoop(() -> theClients("SELECT").send());
        letArrive();
        assertEquals("SELECT", request());
        assertNothingWaits();
    }

    @Test
    void aRepeatedCancelSparesALaterStatement() throws Exception {
        reconnect(Duration.ofMillis(1));
        cancelDuring("SELECT 1", Answers.of(End.READY, this::done).cancellable(), true);
        canceled().close();
        Socket repeated = canceled();
        finish();
        onLoop(() -> {
            backend.forgetCancel();
            theClients("SELECT 2").send();
        });
        assertEquals(0, requests.available());
        repeated.close();
        assertEquals("SELECT 2", request());
        assertNothingWaits();
    }

    /** A Query may have several statements, of which PostgreSQL is sent one at a time. */
    @Test
    void aCancelThatAStatementSurvivesIsForTheNextOfItsQuery() throws Exception {
        Answers first = Answers.of(End.READY, answers -> {
            ours("BEGIN").send();
            done(answers);
        });
        cancelDuring("SELECT", first.cancellable(), true);
        canceled().close();
        finish();
        assertEquals("BEGIN", request());
        assertNothingWaits();
        onLoop(() -> theClients("INSERT").send());
        assertEquals("INSERT", request());
        assertNothingWaits();
        ready();
        canceled().close();
    }

    private void cancelDuring(String request, Answers answers, boolean statement) throws Exception {
        onLoop(() -> new Exchange(backend).query(request, answers).send());
        assertEquals(request, request());
        onLoop(() -> backend.cancel(statement));
    }

    private void done(Answers answers) {
        done.countDown();
    }

    /** Answers what a cancel came during, and waits until the answer has been taken. */
    private void finish() throws Exception {
        ready();
        assertTrue(done.await(20, TimeUnit.SECONDS));
    }

    private Exchange theClients(String sql) {
        return new Exchange(backend).query(sql, Answers.ignore(End.READY).cancellable());
    }

    private Exchange ours(String sql) {
        return new Exchange(backend).query(sql, Answers.ignore(End.READY));
    }

    private void onLoop(Runnable action) throws Exception {
        loop.submit(action).get(20, TimeUnit.SECONDS);
    }

    private void answer(char type, byte[] payload) throws IOException {
        OutputStream out = session.getOutputStream();
        out.write(RawClient.message(type, payload));
        out.flush();
    }

    private void ready() throws Exception {
        answer('Z', new byte[] {'T'});
    }

    /** The text of the next Query. */
    private String request() throws IOException {
        assertEquals('Q', requests.readUnsignedByte());
        byte[] text = requests.readNBytes(requests.readInt() - 4);
        return new String(text, 0, text.length - 1, StandardCharsets.UTF_8);
    }

    /** The connection of the next cancel, which has arrived once it is closed. */
    private Socket canceled() throws IOException {
        Socket canceling = postgres.accept();
        byte[] request = canceling.getInputStream().readNBytes(16);
        assertEquals(CANCEL_REQUEST, ByteBuffer.wrap(request).getInt(4));
        return canceling;
    }

    private void assertNothingWaits() throws Exception {
        assertNull(waiting(), "a cancel was sent");
    }

    /** Takes a cancel that is on its way, if there is one. */
    private void letArrive() throws Exception {
        Socket waiting = waiting();
        if (waiting != null) {
            waiting.close();
        }
    }

    /** The connection of a cancel, if any; the event loop connects at once, so that a look at who has connected is enough. */
    private Socket waiting() throws Exception {
        onLoop(() -> {});
        postgres.setSoTimeout(1);
        try {
            return postgres.accept();
        } catch (SocketTimeoutException e) {
            return null;
        } finally {
            postgres.setSoTimeout(20_000);
        }
    }
}
