// SPDX-License-Identifier: Apache-2.0
package dev.forebay.wire;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.EventLoop;
import java.net.SocketAddress;
import java.sql.SQLException;
import java.util.ArrayDeque;
import java.util.Collections;
import java.util.Deque;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The server's side of the protocol with one client: its messages wait here for their turn, and answers are collected here. Until the
 * client is {@link #admit admitted}, its messages go to its session.
 *
 * <h2>What always holds</h2>
 *
 * <ol>
 *   <li>Messages are handled in their order, one turn at a time. A turn ends with {@link #next}; the first one follows the first call of it.
 *   <li>About a MiB waits at most. Beyond it, or while the handler holds it, the client is not read.
 *   <li>After an error in the extended protocol nothing has a turn up to the next Sync. Data of a COPY never have one: a handler that wants
 *       them takes them.
 *   <li>Answers are sent in their order. They are collected until they are worth a write, but an error, a Flush and ReadyForQuery send all.
 *   <li>Once it is closed, no turn begins and nothing more is sent. What was collected is released when the client is gone and no turn is on
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

    private final PgServer server;
    private final Channel channel;
    private final Map<String, String> startup;
    private final @Nullable String serverName;
    private final int processId;
    private final int secretKey;
    private @Nullable PgSession session;
    private @Nullable Handler handler;
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

    // Used by the thread whose turn it is.
    private boolean skipping;
    private @Nullable ByteBuf outbox;

    Conversation(PgServer server, Channel channel, Map<String, String> startup, @Nullable String serverName) {
        this.server = server;
        this.channel = channel;
        this.startup = Collections.unmodifiableMap(startup);
        this.serverName = serverName;
        this.processId = server.nextProcessId();
        this.secretKey = server.newSecretKey();
    }

    void open() {
        session = server.open(this);
    }

    /**
     * The client is who it says it is: it may take its time, and send messages as long as the server's limit. They go to {@code requests}
     * after the first call of {@link #next}.
     */
    public void admit(Handler requests) {
        handler = requests;
        server.admitted(channel);
    }

    boolean isAdmitted() {
        return handler != null;
    }

    /** The number of its session, which no other of this server has. */
    public int processId() {
        return processId;
    }

    /** The key that a request to cancel its session must have. */
    public int secretKey() {
        return secretKey;
    }

    /** The content of the start-up packet: user, database, options and settings, in its order. */
    public Map<String, String> startup() {
        return startup;
    }

    /** The name that the client asked for in the TLS handshake, null if it named none. */
    public @Nullable String serverName() {
        return serverName;
    }

    public SocketAddress remoteAddress() {
        return channel.remoteAddress();
    }

    /** The loop on which everything about this client happens; may be asked from any thread. */
    public EventLoop eventLoop() {
        return channel.eventLoop();
    }

    public ByteBufAllocator allocator() {
        return channel.alloc();
    }

    /**
     * Handles what a client asks, and calls {@link #next} when that is answered, unless the turn was handed over. An SQLException is an
     * error for the client.
     */
    public interface Handler {

        /** A message waits, on the event loop: it is to be {@link #take taken} and {@link #handle handled}, now or later. */
        void turn();

        void query(String sql) throws SQLException;

        void parse(Request.Parse parse) throws SQLException;

        void bind(Request.Bind bind) throws SQLException;

        void describe(Request.Named named) throws SQLException;

        void execute(Request.Execute execute) throws SQLException;

        void close(Request.Named named) throws SQLException;

        void sync();

        default void functionCall() throws SQLException {
            throw new ProtocolException("a message that is not known: " + (int) 'F');
        }

        /** Reports an error to the client. */
        default void fail(SQLException e) {
            throw new IllegalStateException("bug: nothing of this kind is thrown", e);
        }

        /** A message of {@code type} waits. A handler may take it amid a turn that is not handed over. */
        default void arrived(char type) {}

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

    void message(byte type, ByteBuf payload) {
        if (closed || session == null) {
            return;
        }
        if (type == 'X') {
            if (!away) {
                flush();
            }
            close(this::closeAfterFlush);
            return;
        }
        if (handler == null) {
            session.message(type, payload);
            return;
        }
        if ("QPBDECHSFdcf".indexOf(type) < 0) {
            throw new ProtocolException("a message that is not known: " + (type & 0xff));
        }
        Message message = new Message(type, ByteBufUtil.getBytes(payload));
        inbox.add(message);
        waiting += message.cost();
        read();
        handler.arrived((char) type);
        if ("PBDEC".indexOf(type) < 0) { // else its Sync may have come along: see ClientChannel.channelReadComplete
            work();
        }
    }

    void writable(boolean writable) {
        if (session != null) {
            session.writable(writable);
        }
        if (writable) {
            resume();
        }
    }

    /** Ends the wait of a turn on another thread. */
    private void resume() {
        CompletableFuture<@Nullable Void> paused = writer;
        writer = null;
        if (paused != null) {
            paused.complete(null);
        }
    }

    /** Has the session cancel what it is doing, from any thread. */
    void cancel(Runnable decided) {
        try {
            eventLoop()
                    .execute(
                            () -> { // even from there: what has come before the request is read first
                                if (session == null || gone) {
                                    decided.run();
                                } else {
                                    session.cancel(decided);
                                }
                            });
        } catch (RejectedExecutionException e) {
            log.debug("the server is closed", e);
            decided.run();
        }
    }

    void closed() {
        server.closed(this);
        closed = true;
        gone = true;
        inbox.clear();
        resume();
        if (session != null) {
            session.closed();
        }
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
        channel.config().setAutoRead(waiting <= MOST_WAITING && !held);
    }

    boolean isRead() {
        return channel.config().isAutoRead();
    }

    // ---- turns

    /** The turn is over; on to the next message. */
    public void next() {
        busy = false;
        work();
    }

    /** A loop rather than a recursion, however many messages there are that need no answer. */
    void work() {
        if (working || handler == null) {
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
        Handler requests = Objects.requireNonNull(handler);
        guard(() -> {
            try {
                handle(requests, message.type, message.payload());
            } catch (SQLException e) {
                requests.fail(e);
                if (!message.endsExchange() && message.type != 'F') {
                    flush();
                    skip();
                }
            }
        });
    }

    private static void handle(Handler requests, byte type, ByteBuf payload) throws SQLException {
        switch (type) {
            case 'Q' -> requests.query(Request.query(payload));
            case 'P' -> requests.parse(Request.parse(payload));
            case 'B' -> requests.bind(Request.bind(payload));
            case 'D' -> requests.describe(Request.named(payload));
            case 'E' -> requests.execute(Request.execute(payload));
            case 'C' -> requests.close(Request.named(payload));
            case 'S' -> requests.sync();
            case 'F' -> requests.functionCall();
            default -> throw new IllegalStateException("bug: not a message that has a turn");
        }
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
                    end(); // no other is left to do it
                }
            });
        } catch (RejectedExecutionException e) {
            log.debug("closing, and nothing new is begun", e);
            away = false;
            closeAbruptly();
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
            out = channel.alloc().buffer(OUTBOX);
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
        if (eventLoop().inEventLoop()) {
            if (full != null) {
                channel.write(full, channel.voidPromise());
            }
            channel.flush();
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
            channel.writeAndFlush(full, channel.voidPromise());
            writer = taken;
            if (channel.isWritable()) {
                resume();
            }
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
        close(this::closeAfterFlush);
    }

    /** Ends it without a word; from any thread. */
    public void closeAbruptly() {
        close(() -> channel.close());
    }

    private void closeAfterFlush() {
        channel.writeAndFlush(Unpooled.EMPTY_BUFFER).addListener(ChannelFutureListener.CLOSE);
    }

    private void close(Runnable closing) {
        closed = true;
        toLoop(closing);
    }

    /** Handles and sends nothing more. */
    void stop() {
        closed = true;
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
        if (handler != null) {
            handler.ended();
        }
    }

    /** Whether {@code action} is run on the event loop, which may have ended. */
    private boolean toLoop(Runnable action) {
        if (eventLoop().inEventLoop()) {
            action.run();
            return true;
        }
        try {
            eventLoop().execute(action);
            return true;
        } catch (RejectedExecutionException e) {
            log.debug("the server is closed", e);
            closed = true;
            return false;
        }
    }
}
