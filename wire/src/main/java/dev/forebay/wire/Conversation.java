// SPDX-License-Identifier: Apache-2.0
package dev.forebay.wire;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import java.util.ArrayDeque;
import java.util.Collections;
import java.util.Deque;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The server's side of the protocol with a client that was let in: messages wait here for their turn, and answers are collected here.
 *
 * <h2>What always holds</h2>
 *
 * <ol>
 *   <li>Messages are handled in their order, one turn at a time. A turn ends with {@link #next}; the first one follows the first call of it.
 *   <li>About a MiB waits at most. Beyond it, or while the handler holds it, the client is not read.
 *   <li>After an error in the extended protocol nothing has a turn up to the next Sync. Data of a COPY never have one: a handler that wants
 *       them takes them.
 *   <li>Answers are sent in their order. They are collected until they are worth a write, but an error, a Flush and ReadyForQuery send all.
 *   <li>Once it is closed, no turn begins and nothing is sent. What was collected is released when the client is gone and no turn is on
 *       another thread.
 * </ol>
 *
 * <h2>Threads</h2>
 *
 * Everything happens on the client's event loop, without a lock, except for a turn that is {@link #handOver handed over}. Until that has
 * ended, answers and errors come from its thread, which waits while the client takes no more of them.
 */
public final class Conversation {

    private static final Logger log = LoggerFactory.getLogger(Conversation.class);

    /** Maximum bytes queued before reading from the client pauses. */
    private static final int MOST_WAITING = 1 << 20;

    /** Bytes that are collected before they are sent: many small messages make one write, and one record of TLS. */
    private static final int OUTBOX = 16 << 10;

    private final PgClient client;
    private final Handler handler;
    private final Deque<Message> inbox = new ArrayDeque<>();
    private int waiting;
    private boolean held;
    private boolean busy = true;
    private boolean working;

    /** Whether a turn is on another thread. */
    private boolean away;

    /** Whether the client has closed. */
    private boolean gone;

    /** The end of the wait of a turn on another thread, while the client takes no more. */
    private @Nullable CompletableFuture<@Nullable Void> writer;

    private volatile boolean closed;

    // Of the thread whose turn it is.
    private boolean skipping;
    private @Nullable ByteBuf outbox;

    public Conversation(PgClient client, Handler handler) {
        this.client = client;
        this.handler = handler;
    }

    /** Handles what a client asks, and calls {@link #next} when that is answered, unless the turn was handed over. */
    public interface Handler {

        /** A message waits, on the event loop: it is to be {@link #take taken} and {@link #handle handled}, now or later. */
        void turn();

        void query(String sql);

        void parse(Request.Parse parse);

        void bind(Request.Bind bind);

        void describe(Request.Named named);

        void execute(Request.Execute execute);

        void close(Request.Named named);

        void sync();

        default void functionCall() {
            throw new ProtocolException("a message that is not known: " + (int) 'F');
        }

        /** The client is gone, and nothing is being handled. Called once. */
        default void ended() {}
    }

    /** A message that waits for its turn. */
    @SuppressWarnings("ArrayRecordComponent") // never compared
    public record Message(byte type, byte[] bytes) {

        private static final int OVERHEAD = 128;

        public ByteBuf payload() {
            return Unpooled.wrappedBuffer(bytes);
        }

        /** About the memory that it takes: one without content is not free. */
        int cost() {
            return OVERHEAD + bytes.length;
        }

        /** Whether it asks for something to be run, and not only prepared. */
        public boolean isStatement() {
            return type == 'Q' || type == 'E';
        }

        /** Whether ReadyForQuery answers it. */
        public boolean endsExchange() {
            return type == 'Q' || type == 'S';
        }
    }

    // ---- from the client, on the event loop

    /** As {@link PgSession#message}. */
    public void message(byte type, ByteBuf payload) {
        if (closed) {
            return;
        }
        if (type == 'X') {
            if (!away) {
                flush();
            }
            client.closeAfterFlush();
            return;
        }
        if ("QPBDECHSFdcf".indexOf(type) < 0) {
            throw new ProtocolException("a message that is not known: " + (type & 0xff));
        }
        Message message = new Message(type, ByteBufUtil.getBytes(payload));
        inbox.add(message);
        waiting += message.cost();
        read();
        if ("PBDEC".indexOf(type) < 0) { // else its Sync may have come along: see caughtUp
            work();
        }
    }

    /** As {@link PgSession#caughtUp}. */
    public void caughtUp() {
        work();
    }

    /** As {@link PgSession#writable}. */
    public void writable(boolean writable) {
        CompletableFuture<@Nullable Void> paused = writer;
        if (writable && paused != null) {
            writer = null;
            paused.complete(null);
        }
    }

    /** As {@link PgSession#closed}. */
    public void closed() {
        closed = true;
        gone = true;
        inbox.clear();
        writable(true);
        if (!away) {
            end();
        }
    }

    /** Stops reading the client, or goes on with it. */
    public void hold(boolean on) {
        held = on;
        read();
    }

    private void read() {
        client.autoRead(waiting <= MOST_WAITING && !held);
    }

    // ---- turns

    /** The turn is over; on to the next message. */
    public void next() {
        busy = false;
        work();
    }

    /** A loop rather than a recursion, however many messages there are that need nobody's answer. */
    private void work() {
        if (working) {
            return;
        }
        working = true;
        try {
            while (!busy && !closed && !inbox.isEmpty()) {
                char type = nextType();
                if ((skipping && type != 'S') || "dcf".indexOf(type) >= 0) {
                    take();
                } else if (type == 'H') {
                    take();
                    flush();
                } else {
                    busy = true;
                    handler.turn();
                }
            }
        } finally {
            working = false;
        }
    }

    /** Whether a turn has begun and not ended. */
    public boolean isBusy() {
        return busy;
    }

    /** Whether an error was sent and no Sync has been taken since. */
    public boolean isSkipping() {
        return skipping;
    }

    /** The messages that wait, the next one first. */
    public Iterable<Message> waiting() {
        return Collections.unmodifiableCollection(inbox);
    }

    /** The type of the next message, 0 if none waits. */
    public char nextType() {
        Message next = inbox.peek();
        return next == null ? 0 : (char) next.type;
    }

    /** Takes the next message out; on the event loop. */
    public Message take() {
        Message message = inbox.remove();
        waiting -= message.cost();
        skipping &= message.type != 'S';
        read();
        return message;
    }

    /** Calls the handler's method for {@code message}. */
    public void handle(Message message) {
        guard(() -> {
            ByteBuf payload = message.payload();
            switch (message.type) {
                case 'Q' -> handler.query(Request.query(payload));
                case 'P' -> handler.parse(Request.parse(payload));
                case 'B' -> handler.bind(Request.bind(payload));
                case 'D' -> handler.describe(Request.named(payload));
                case 'E' -> handler.execute(Request.execute(payload));
                case 'C' -> handler.close(Request.named(payload));
                case 'S' -> handler.sync();
                case 'F' -> handler.functionCall();
                default -> throw new IllegalStateException("bug: not a message that has a turn");
            }
        });
    }

    /** Takes a step, and ends the conversation if it throws: what led to it may be no message of this client. */
    public void guard(Runnable step) {
        try {
            step.run();
        } catch (ProtocolException e) {
            log.debug("a client breaks the protocol", e);
            refuse(out -> fatal(out, "08P01", String.valueOf(e.getMessage())));
        } catch (RuntimeException | Error e) {
            log.error("bug: a session failed", e);
            refuse(out -> fatal(out, "XX000", "internal error"));
        }
    }

    private static void fatal(ByteBuf out, String sqlState, String message) {
        Reply.error(out, Reply.Severity.FATAL, sqlState, message, "");
    }

    /** Takes the next message and handles it on a thread of {@code threads}; the turn ends when that returns. */
    public void handOver(Executor threads) {
        Message message = take();
        away = true;
        try {
            threads.execute(() -> {
                handle(message);
                if (!toLoop(this::back)) {
                    end(); // nobody else is left to do it
                }
            });
        } catch (RejectedExecutionException e) {
            log.debug("closing, and nothing new is begun", e);
            away = false;
            client.closeAbruptly();
        }
    }

    private void back() {
        away = false;
        if (gone) {
            end();
        } else {
            next();
        }
    }

    // ---- to the client, from the thread whose turn it is

    /** Adds to what is on its way to the client. */
    public void tell(Consumer<ByteBuf> told) {
        if (closed) {
            return;
        }
        ByteBuf out = outbox;
        if (out == null) {
            out = client.allocator().buffer(OUTBOX);
            outbox = out;
        }
        told.accept(out);
        if (out.readableBytes() >= OUTBOX) {
            flush();
        }
    }

    /** Sends an error at once, as PostgreSQL does: a client may wait for it before it sends its Sync. */
    public void error(Consumer<ByteBuf> error) {
        tell(error);
        flush();
    }

    /** Skips what comes before the next Sync: an error was sent in the extended protocol. */
    public void skip() {
        skipping = true;
    }

    /** Sends ReadyForQuery; {@code status} is I, T or E. */
    public void ready(char status) {
        tell(out -> Reply.readyForQuery(out, status));
        flush();
    }

    /** Sends what was collected. */
    public void flush() {
        ByteBuf full = outbox;
        outbox = null;
        if (client.eventLoop().inEventLoop()) {
            if (full != null) {
                client.write(full);
            }
            client.flush();
        } else if (full != null) {
            sendAndWait(full);
        }
    }

    private void sendAndWait(ByteBuf full) {
        CompletableFuture<@Nullable Void> taken = new CompletableFuture<>();
        boolean sent = toLoop(() -> {
            if (closed) {
                full.release();
                taken.complete(null);
                return;
            }
            client.write(full);
            client.flush();
            writer = taken;
            writable(client.isWritable());
        });
        if (sent) {
            taken.join();
        } else {
            full.release();
        }
    }

    /** Ends it with an error. */
    public void refuse(Consumer<ByteBuf> error) {
        if (closed) {
            return;
        }
        tell(error);
        flush();
        close(client::closeAfterFlush);
    }

    /** Ends it without a word; from any thread. */
    public void closeAbruptly() {
        close(client::closeAbruptly);
    }

    private void close(Runnable closing) {
        closed = true;
        toLoop(closing);
    }

    /** Whether nothing is sent any more; may be asked from any thread. */
    public boolean isClosed() {
        return closed;
    }

    private void end() {
        if (outbox != null) {
            outbox.release();
            outbox = null;
        }
        handler.ended();
    }

    /** Whether {@code action} is run on the event loop, which may have ended. */
    private boolean toLoop(Runnable action) {
        if (client.eventLoop().inEventLoop()) {
            action.run();
            return true;
        }
        try {
            client.eventLoop().execute(action);
            return true;
        } catch (RejectedExecutionException e) {
            log.debug("the server is closed", e);
            closed = true;
            return false;
        }
    }
}
