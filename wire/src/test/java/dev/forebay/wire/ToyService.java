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

/** Answers every query with one row, 1. A user called stranger is asked for a password and never admitted. */
final class ToyService implements PgService {

    static final String STRANGER = "stranger";

    final AtomicInteger open = new AtomicInteger();
    final Queue<PgClient> seen = new ConcurrentLinkedQueue<>();
    final BlockingQueue<List<Integer>> cancelled = new LinkedBlockingQueue<>();
    final BlockingQueue<Integer> lengths = new LinkedBlockingQueue<>();

    @Override
    public PgSession open(PgClient client) {
        open.incrementAndGet();
        seen.add(client);
        boolean stranger = STRANGER.equals(client.startup().get("user"));
        ByteBuf out = client.allocator().buffer();
        if (stranger) {
            Reply.cleartextPassword(out);
        } else {
            client.admitted();
            Reply.authenticationOk(out);
            Map.of("server_version", "16.0", "client_encoding", "UTF8", "DateStyle", "ISO", "TimeZone", "UTC")
                    .forEach((name, value) -> Reply.parameterStatus(out, name, value));
            Reply.parameterStatus(out, "standard_conforming_strings", "on");
            Reply.parameterStatus(out, "integer_datetimes", "on");
            Reply.backendKeyData(out, 7, 11);
            Reply.readyForQuery(out, 'I');
        }
        client.write(out);
        client.flush();
        return new Session(client);
    }

    @Override
    public void cancel(int processId, int secretKey, Runnable decided) {
        cancelled.add(List.of(processId, secretKey));
        decided.run();
    }

    private final class Session implements PgSession {

        private final PgClient client;
        private boolean ended;

        Session(PgClient client) {
            this.client = client;
        }

        @Override
        public void message(byte type, ByteBuf payload) {
            lengths.add(payload.readableBytes());
            ByteBuf out = client.allocator().buffer();
            try {
                answer(type, payload, out);
                client.write(out.retain());
            } finally {
                out.release();
            }
            client.flush();
            if (type == 'X') {
                client.closeAfterFlush();
            }
        }

        private void answer(byte type, ByteBuf payload, ByteBuf out) {
            switch (type) {
                case 'Q' -> {
                    boolean empty = Request.query(payload).isEmpty();
                    if (empty) {
                        Reply.emptyQuery(out);
                    } else {
                        Reply.rowDescription(out, List.of("one"));
                        Reply.dataRow(out, List.of("1"));
                        Reply.commandComplete(out, "SELECT 1");
                    }
                    Reply.readyForQuery(out, 'I');
                }
                case 'P' -> {
                    Request.parse(payload);
                    Reply.parseComplete(out);
                }
                case 'B' -> {
                    Request.bind(payload);
                    Reply.bindComplete(out);
                }
                case 'D' -> {
                    if (!Request.named(payload).portal()) {
                        Reply.parameterDescription(out, List.of());
                    }
                    Reply.rowDescription(out, List.of("one"));
                }
                case 'E' -> {
                    Request.execute(payload);
                    Reply.dataRow(out, List.of("1"));
                    Reply.commandComplete(out, "SELECT 1");
                }
                case 'C' -> {
                    Request.named(payload);
                    Reply.closeComplete(out);
                }
                case 'S' -> Reply.readyForQuery(out, 'I');
                case 'p', 'H', 'X' -> {}
                default -> throw new ProtocolException("a message that is not known: " + type);
            }
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
