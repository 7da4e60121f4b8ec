// SPDX-License-Identifier: Apache-2.0
package dev.forebay.lab.server;

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
    private @Nullable Failure refused;

    /** Takes the answers to one request. */
    interface Taker {

        /** One answer; true if it was the last. */
        boolean take(byte type, ByteBuf payload);

        /** Whether this request is processed after an error, as a Sync and a Query are. */
        default boolean endsSkipping() {
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
        if (ready) {
            upstream.write(request);
            upstream.flush();
        } else {
            unsent.add(request);
        }
    }

    /** Passes bytes on that have no answer of their own, such as the data of a COPY. */
    void pass(ByteBuf bytes) {
        send(bytes, List.of());
    }

    void cancel() {
        if (ready) {
            upstream.cancel();
        }
    }

    void autoRead(boolean on) {
        upstream.autoRead(on);
    }

    /** Tells {@code then} when it takes more again. */
    void whenWritable(Runnable then) {
        writable = then;
    }

    boolean isWritable() {
        return !ready || upstream.isWritable();
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
            while (!unsent.isEmpty()) {
                upstream.write(unsent.poll());
            }
            upstream.flush();
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
