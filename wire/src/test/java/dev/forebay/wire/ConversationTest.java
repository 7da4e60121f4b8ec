// SPDX-License-Identifier: Apache-2.0
package dev.forebay.wire;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.netty.buffer.ByteBuf;
import java.nio.charset.StandardCharsets;
import java.util.Random;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A conversation whose turns are on the event loop, and one whose turns are on a thread. */
@Timeout(60)
class ConversationTest {

    private final ExecutorService threads = Executors.newSingleThreadExecutor();
    private final BlockingQueue<String> handled = new LinkedBlockingQueue<>();
    private final BlockingQueue<Boolean> reading = new LinkedBlockingQueue<>();
    private final CountDownLatch ended = new CountDownLatch(1);
    private final CountDownLatch free = new CountDownLatch(1);

    @AfterEach
    void end() {
        free.countDown();
        threads.shutdownNow();
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void messagesAreHandledInTheirOrder(boolean elsewhere) throws Exception {
        try (PgServer server = serve(elsewhere);
                RawClient client = connect(server)) {
            client.send(RawClient.bytes(out -> {
                parse(out, "a");
                Request.writeQuery(out, "b");
                parse(out, "c");
                Request.writeSync(out);
            }));
            assertEquals("1CZ", client.until('Z'));
            assertEquals("1Z", client.until('Z'));
            assertEquals("[a, b, c, sync]", handled.toString());
        }
        assertTrue(ended.await(20, TimeUnit.SECONDS));
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void anErrorIsSentAtOnceAndTheRestUpToSyncIsSkipped(boolean elsewhere) throws Exception {
        try (PgServer server = serve(elsewhere);
                RawClient client = connect(server)) {
            client.send(RawClient.bytes(out -> parse(out, "error")));
            assertEquals("E", client.until('E'));
            client.send(RawClient.bytes(out -> {
                parse(out, "skipped");
                Request.writeQuery(out, "skipped");
                Request.writeFlush(out);
                Request.writeSync(out);
                parse(out, "b");
                Request.writeFlush(out);
            }));
            assertEquals("Z", client.until('Z'));
            assertEquals("1", client.until('1'));
            assertEquals("[error, sync, b]", handled.toString());
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void dataOfACopyThatNobodyWantsAreDropped(boolean elsewhere) throws Exception {
        try (PgServer server = serve(elsewhere);
                RawClient client = connect(server)) {
            client.send(RawClient.message('d', (byte) 1)).send(RawClient.message('c'));
            client.send(RawClient.bytes(out -> Request.writeQuery(out, "a")));
            assertEquals("CZ", client.until('Z'));
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "malformed"})
    void aMessageThatBreaksTheProtocolEndsIt(String payload) throws Exception {
        try (PgServer server = serve(true);
                RawClient client = connect(server)) {
            client.send(RawClient.message('Q', payload.getBytes(StandardCharsets.US_ASCII)));
            assertTrue(client.message().text().contains("08P01"));
            assertEquals(-1, client.read());
        }
        assertTrue(ended.await(20, TimeUnit.SECONDS));
    }

    /** A message without content is not free, or any number could wait. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void aClientIsNotReadWhileTooMuchWaits(boolean elsewhere) throws Exception {
        try (PgServer server = serve(elsewhere);
                RawClient client = connect(server)) {
            reading.clear();
            client.send(RawClient.bytes(out -> Request.writeQuery(out, "wait")));
            for (int i = 0; i < 100; i++) {
                client.send(RawClient.bytes(out -> {
                    for (int j = 0; j < 100; j++) {
                        Request.writeSync(out);
                    }
                }));
            }
            while (reading.take()) {
                continue; // it may take many messages
            }
            free.countDown();
            for (int i = 0; i <= 10_000; i++) {
                client.until('Z');
            }
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void aClientThatLeavesAmidATurnLeavesNothing(boolean elsewhere) throws Exception {
        try (PgServer server = serve(elsewhere)) {
            try (RawClient client = connect(server)) {
                client.send(RawClient.bytes(out -> Request.writeQuery(out, "wait")));
                assertEquals("wait", handled.take());
            }
            free.countDown();
            assertTrue(ended.await(20, TimeUnit.SECONDS));
        }
    }

    /** The thread waits, and goes on when the client is gone. */
    @Test
    void anAnswerWaitsForAClientThatTakesNoMore() throws Exception {
        try (PgServer server = serve(true)) {
            try (RawClient client = connect(server)) {
                client.send(RawClient.bytes(out -> Request.writeQuery(out, "endless")));
                assertEquals("endless", handled.take());
            }
            assertTrue(ended.await(20, TimeUnit.SECONDS));
        }
    }

    private static void parse(ByteBuf out, String sql) {
        Request.writeParse(out, "", sql);
    }

    private PgServer serve(boolean elsewhere) throws Exception {
        return PgServer.builder(client -> new Served(client, elsewhere), new Random(1))
                .start();
    }

    private static RawClient connect(PgServer server) throws Exception {
        RawClient client = RawClient.plain(server.port());
        client.send(RawClient.startup("someone"));
        client.until('Z');
        return client;
    }

    private final class Served implements PgSession, Conversation.Handler {

        private final Conversation conversation;
        private final boolean elsewhere;

        Served(Conversation conversation, boolean elsewhere) {
            this.conversation = conversation;
            this.elsewhere = elsewhere;
            conversation.admit(this);
            conversation.tell(Reply::authenticationOk);
            conversation.ready('I');
            conversation.next();
        }

        @Override
        public void message(byte type, ByteBuf payload) {
            throw new ProtocolException("it was admitted");
        }

        @Override
        public void arrived(char type) {
            reading.add(conversation.isRead());
        }

        @Override
        public void closed() {}

        @Override
        public void turn() {
            if (elsewhere) {
                conversation.handOver(threads);
            } else {
                conversation.handle(conversation.take());
            }
        }

        private void done() {
            if (!elsewhere) {
                conversation.next();
            }
        }

        @Override
        public void query(String sql) {
            handled.add(sql);
            while (sql.equals("endless") && !conversation.isClosed()) {
                conversation.tell(out -> Reply.commandComplete(out, "SELECT 1"));
            }
            if (!sql.equals("wait")) {
                answer();
            } else if (elsewhere) {
                await();
                answer();
            } else {
                threads.execute(() -> {
                    await();
                    conversation.eventLoop().execute(this::answer);
                });
            }
        }

        private void await() {
            try {
                free.await();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }

        private void answer() {
            conversation.tell(out -> Reply.commandComplete(out, "SELECT 1"));
            conversation.ready('I');
            done();
        }

        @Override
        public void parse(Request.Parse parse) {
            handled.add(parse.sql());
            if (parse.sql().equals("error")) {
                conversation.error(out -> Reply.error(out, Reply.Severity.ERROR, "42601", "no", ""));
                conversation.skip();
            } else {
                conversation.tell(Reply::parseComplete);
            }
            done();
        }

        @Override
        public void sync() {
            handled.add("sync");
            conversation.ready('I');
            done();
        }

        @Override
        public void bind(Request.Bind bind) {
            tellAndDone(Reply::bindComplete);
        }

        @Override
        public void describe(Request.Named named) {
            tellAndDone(Reply::noData);
        }

        @Override
        public void execute(Request.Execute execute) {
            tellAndDone(Reply::emptyQuery);
        }

        @Override
        public void close(Request.Named named) {
            tellAndDone(Reply::closeComplete);
        }

        private void tellAndDone(Consumer<ByteBuf> told) {
            conversation.tell(told);
            done();
        }

        @Override
        public void ended() {
            ended.countDown();
        }
    }
}
