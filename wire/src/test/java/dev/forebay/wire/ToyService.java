// SPDX-License-Identifier: Apache-2.0
package dev.forebay.wire;

import io.netty.buffer.ByteBuf;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;

/** Answers every query with one row, 1. A user called stranger is asked for a password and never admitted. */
final class ToyService implements PgService {

    static final String STRANGER = "stranger";

    final AtomicInteger open = new AtomicInteger();
    final Queue<Conversation> seen = new ConcurrentLinkedQueue<>();
    final BlockingQueue<Integer> cancelled = new LinkedBlockingQueue<>();
    final BlockingQueue<Integer> lengths = new LinkedBlockingQueue<>();

    @Override
    public PgSession open(Conversation client) {
        open.incrementAndGet();
        seen.add(client);
        boolean stranger = STRANGER.equals(client.startup().get("user"));
        Session session = new Session(client);
        if (stranger) {
            client.tell(Reply::cleartextPassword);
            client.flush();
            return session;
        }
        client.admit(session);
        client.tell(out -> {
            Reply.authenticationOk(out);
            Map.of("server_version", "16.0", "client_encoding", "UTF8", "DateStyle", "ISO", "TimeZone", "UTC")
                    .forEach((name, value) -> Reply.parameterStatus(out, name, value));
            Reply.parameterStatus(out, "standard_conforming_strings", "on");
            Reply.parameterStatus(out, "integer_datetimes", "on");
            Reply.backendKeyData(out, 7, 11); // the same for all: answers are compared
        });
        client.ready('I');
        client.next();
        return session;
    }

    private final class Session implements PgSession, Conversation.Handler {

        private final Conversation client;
        private boolean ended;

        Session(Conversation client) {
            this.client = client;
        }

        @Override
        public void message(byte type, ByteBuf payload) {
            lengths.add(payload.readableBytes());
        }

        @Override
        public void turn() {
            Conversation.Message message = client.take();
            lengths.add(message.bytes().length);
            client.handle(message);
        }

        private void done(Consumer<ByteBuf> told) {
            client.tell(told);
            client.flush();
            client.next();
        }

        @Override
        public void query(String sql) {
            done(out -> {
                if (sql.isEmpty()) {
                    Reply.emptyQuery(out);
                } else {
                    Reply.rowDescription(out, List.of("one"));
                    one(out);
                }
                Reply.readyForQuery(out, 'I');
            });
        }

        private static void one(ByteBuf out) {
            Reply.dataRow(out, List.of("1"));
            Reply.commandComplete(out, "SELECT 1");
        }

        @Override
        public void parse(Request.Parse parse) {
            done(Reply::parseComplete);
        }

        @Override
        public void bind(Request.Bind bind) {
            done(Reply::bindComplete);
        }

        @Override
        public void describe(Request.Named named) {
            done(out -> {
                if (!named.portal()) {
                    Reply.parameterDescription(out, List.of());
                }
                Reply.rowDescription(out, List.of("one"));
            });
        }

        @Override
        public void execute(Request.Execute execute) {
            done(Session::one);
        }

        @Override
        public void close(Request.Named named) {
            done(Reply::closeComplete);
        }

        @Override
        public void sync() {
            done(out -> Reply.readyForQuery(out, 'I'));
        }

        @Override
        public void cancel(Runnable decided) {
            cancelled.add(client.processId());
            decided.run();
        }

        @Override
        public void closed() {
            if (ended) {
                throw new IllegalStateException("closed twice");
            }
            ended = true;
            open.decrementAndGet();
        }
    }
}
