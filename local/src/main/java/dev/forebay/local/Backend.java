// SPDX-License-Identifier: Apache-2.0
package dev.forebay.local;

import dev.forebay.wire.PgUpstream;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.channel.EventLoop;
import java.net.SocketAddress;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The PostgreSQL session behind a client's session: requests go out in order, and each brings along who takes its answers.
 * Used on one event loop.
 *
 * <p>After an error PostgreSQL skips all requests up to the next Sync or Query; so are their takers skipped here.
 *
 * <h2>How a cancel keeps to the statement that it is for</h2>
 *
 * PostgreSQL cancels what it happens to be doing when a signal arrives, which is some time after it was asked to. A COMMIT of
 * ours could be hit instead of the statement before it. Therefore:
 *
 * <ol>
 *   <li>A cancel goes to PostgreSQL while it answers a request that is the client's own ({@link Taker#isCancellable}). One that comes
 *       earlier waits for that, if the client had asked for the statement by then; one that comes later is forgotten when the client's
 *       request has been answered. What the client asks for after the cancel is not meant by it.
 *   <li>A Bind ({@link Taker#isPlanning}) is ended by a cancel that comes meanwhile, as PostgreSQL does it. If it was over before, the
 *       cancel still waits for the statement.
 *   <li>Nothing is sent while a cancel is on its way. PostgreSQL closes the connection that brought it after the signal, and forgets a
 *       signal that finds it idle. So the next request is not hit.
 * </ol>
 *
 * Requests that were sent together with the client's can still be hit: see {@link Work}.
 */
final class Backend {

    private final PgUpstream upstream;
    private final ByteBufAllocator allocator;
    private final Consumer<@Nullable Failure> gone;
    private final Aside aside;
    private final Deque<ByteBuf> unsent = new ArrayDeque<>();
    private final Deque<Taker> takers = new ArrayDeque<>();
    private Runnable writable = () -> {};
    private boolean ready;
    private boolean closed;

    /** Whether a statement of the client's is to be cancelled once it runs. */
    private boolean cancelWanted;

    /** Whether a cancel is on its way. */
    private boolean cancelling;

    private @Nullable Failure refused;

    /** Takes the answers to one request. */
    interface Taker {

        /** One answer; true if it was the last. */
        boolean take(byte type, ByteBuf payload);

        /** Whether this request is processed after an error, as a Sync and a Query are. */
        default boolean endsSkipping() {
            return false;
        }

        /** Whether this request is what a client wants to end when it cancels. */
        default boolean isCancellable() {
            return false;
        }

        /** Whether this request has a statement of the client's planned, which a cancel ends if it takes long. */
        default boolean isPlanning() {
            return false;
        }

        /** There will be no answer. */
        default void drop() {}
    }

    /** Hears what PostgreSQL says unasked: notices and settings. */
    interface Aside {
        void hear(byte type, ByteBuf payload);
    }

    /**
     * Connects.
     *
     * @param gone told when the connection is gone, with the error if it never came
     */
    Backend(
            EventLoop loop,
            ByteBufAllocator allocator,
            SocketAddress address,
            Map<String, String> startup,
            String password,
            Aside aside,
            Consumer<@Nullable Failure> gone) {
        this.allocator = allocator;
        this.aside = aside;
        this.gone = gone;
        this.upstream = PgUpstream.connect(loop, address, startup, password, new Listener());
    }

    ByteBuf buffer() {
        return allocator.buffer();
    }

    /** Sends {@code request}; its answers go to {@code answers} in order. */
    void send(ByteBuf request, List<? extends Taker> answers) {
        if (closed) {
            request.release();
            return;
        }
        takers.addAll(answers);
        if (ready && !cancelling) {
            upstream.write(request);
            upstream.flush();
            passCancelOn();
        } else {
            unsent.add(request);
        }
    }

    /** Passes bytes on that have no answer of their own, such as the data of a COPY. */
    void pass(ByteBuf bytes) {
        send(bytes, List.of());
    }

    /**
     * Cancels what PostgreSQL does for the client now.
     *
     * @param statement whether the client has asked for a statement that has not been answered: if it does not run yet, it is cancelled
     *     once it does
     */
    void cancel(boolean statement) {
        Taker running = takers.peek();
        boolean answering = ready && !cancelling && running != null;
        if (answering && running.isCancellable()) {
            cancelWanted = false;
            sendCancel();
            return;
        }
        cancelWanted = statement;
        if (answering && running.isPlanning()) {
            sendCancel();
        }
    }

    /** Forgets a cancel that has not gone out: what it was for has been answered. */
    void forgetCancel() {
        cancelWanted = false;
    }

    private void passCancelOn() {
        Taker running = takers.peek();
        if (cancelWanted && ready && !cancelling && running != null && running.isCancellable()) {
            cancelWanted = false;
            sendCancel();
        }
    }

    private void sendCancel() {
        cancelling = true;
        upstream.cancel(this::cancelled);
    }

    private void cancelled() {
        cancelling = false;
        if (!closed) {
            sendUnsent();
            writable.run();
            passCancelOn();
        }
    }

    private void sendUnsent() {
        while (!unsent.isEmpty()) {
            upstream.write(unsent.poll());
        }
        upstream.flush();
    }

    void autoRead(boolean on) {
        upstream.autoRead(on);
    }

    /** Tells {@code then} when it takes more again. */
    void whenWritable(Runnable then) {
        writable = then;
    }

    boolean isWritable() {
        return !ready || (!cancelling && upstream.isWritable());
    }

    void close() {
        closed = true;
        unsent.forEach(ByteBuf::release);
        unsent.clear();
        takers.forEach(Taker::drop);
        takers.clear();
        upstream.close();
    }

    private final class Listener implements PgUpstream.Listener {

        @Override
        public void ready() {
            ready = true;
            sendUnsent();
            passCancelOn();
        }

        @Override
        public void message(byte type, ByteBuf payload) {
            if (!ready) {
                refused = Failure.read(payload);
                return;
            }
            if (type == 'N' || type == 'S' || type == 'A') {
                aside.hear(type, payload);
                return;
            }
            Taker taker = takers.peek();
            if (taker == null) {
                if (type == 'E') {
                    refused = Failure.read(payload);
                    return; // its last words
                }
                throw new IllegalStateException("bug: nobody takes '" + (char) type + "'");
            }
            if (type == 'E' && !taker.endsSkipping()) {
                takers.poll();
                while (!takers.isEmpty() && !takers.peek().endsSkipping()) {
                    takers.remove().drop();
                }
                taker.take(type, payload);
            } else if (taker.take(type, payload)) {
                takers.remove(taker);
            }
            if (cancelWanted) {
                passCancelOn();
            }
        }

        @Override
        public void writable(boolean takesMore) {
            if (takesMore) {
                writable.run();
            }
        }

        @Override
        public void closed() {
            if (!closed) {
                close();
                gone.accept(refused);
            }
        }
    }
}
