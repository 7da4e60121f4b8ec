// SPDX-License-Identifier: Apache-2.0
package dev.forebay.local;

import dev.forebay.wire.PgUpstream;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.channel.EventLoop;
import java.net.SocketAddress;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
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
 *       earlier waits for that, if the client's statement has begun by then; one that comes later is forgotten when the client's
 *       request has been answered. What the client asks for after the cancel is not meant by it.
 *   <li>A Bind ({@link Taker#isPlanning}) is ended by a cancel that comes meanwhile, as PostgreSQL does it. If it was over before, the
 *       cancel still waits for the statement.
 *   <li>Nothing is sent while a cancel is on its way. PostgreSQL closes the connection that brought it after the signal, and forgets a
 *       signal that finds it idle. So the next request is not hit.
 *   <li>PostgreSQL also forgets a signal that comes before it has read the request. So the cancel is repeated, after pauses that grow to
 *       a second, while that request is the one to be answered. After its answer, or an error that says that it was cancelled, none is sent.
 * </ol>
 *
 * Requests that were sent together with the client's can still be hit: see {@link DsqlTransactions}.
 */
final class Backend {

    /** The pause before a cancel is repeated for the first time: PostgreSQL reads a request and ends it in less, as a rule. */
    private static final Duration FIRST_PAUSE = Duration.ofMillis(10);

    private static final long LONGEST_PAUSE_NANOS = Duration.ofSeconds(1).toNanos();

    private final EventLoop loop;
    private final PgUpstream upstream;
    private final ByteBufAllocator allocator;
    private final long firstPauseNanos;
    private final Consumer<@Nullable Failure> gone;
    private final Aside aside;
    private final Deque<ByteBuf> unsent = new ArrayDeque<>();
    private final Deque<Taker> takers = new ArrayDeque<>();
    private Runnable writable = () -> {};
    private boolean ready;
    private boolean closed;

    /** Whether the client's statement is to be cancelled, once it runs and until it has been answered. */
    private boolean cancelWanted;

    /** The request that was being answered when the client cancelled, if it is one that a cancel may end. */
    private @Nullable Taker interrupted;

    /** The request that PostgreSQL was last asked to cancel: it is asked again after a pause only. */
    private @Nullable Taker asked;

    /** Whether a cancel is on its way. */
    private boolean cancelling;

    /** Whether a request is taking an answer, which may be its last. */
    private boolean taking;

    private long pauseNanos;
    private @Nullable Future<?> repetition;

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
        this(loop, allocator, address, startup, password, aside, gone, FIRST_PAUSE);
    }

    /**
     * Connects; for a test that repeats cancels at its own pace.
     *
     * @param firstPause before a cancel is repeated for the first time
     */
    Backend(
            EventLoop loop,
            ByteBufAllocator allocator,
            SocketAddress address,
            Map<String, String> startup,
            String password,
            Aside aside,
            Consumer<@Nullable Failure> gone,
            Duration firstPause) {
        this.loop = loop;
        this.firstPauseNanos = firstPause.toNanos();
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
        if (ready && !cancelling && running != null && (running.isCancellable() || running.isPlanning())) {
            interrupted = running;
        }
        cancelWanted = statement;
        asked = null;
        passCancelOn();
    }

    /** Forgets a cancel: what it was for has been answered. */
    void forgetCancel() {
        cancelWanted = false;
        interrupted = null;
        asked = null;
        stopRepeating();
    }

    /** Asks PostgreSQL to cancel what it does, if that is meant and it has not been asked yet. */
    private void passCancelOn() {
        if (mayCancel() && takers.peek() != asked) {
            pauseNanos = firstPauseNanos;
            sendCancel();
        }
    }

    /** Whether PostgreSQL is answering a request that the client has cancelled, and nothing is on its way to it. */
    private boolean mayCancel() {
        Taker running = takers.peek();
        return running != null
                && ready
                && !closed
                && !cancelling
                && !taking
                && (running == interrupted || (cancelWanted && running.isCancellable()));
    }

    private void sendCancel() {
        stopRepeating();
        cancelling = true;
        asked = takers.peek();
        upstream.cancel(this::arrived);
    }

    /** PostgreSQL has been sent the signal, if it could be asked. */
    private void arrived() {
        cancelling = false;
        if (closed) {
            return;
        }
        sendUnsent();
        writable.run();
        passCancelOn();
        if (mayCancel()) {
            repetition = loop.schedule(this::repeatCancel, pauseNanos, TimeUnit.NANOSECONDS);
            pauseNanos = Math.min(2 * pauseNanos, LONGEST_PAUSE_NANOS);
        }
    }

    private void repeatCancel() {
        repetition = null;
        if (mayCancel() && takers.peek() == asked) {
            sendCancel();
        }
    }

    private void stopRepeating() {
        if (repetition != null) {
            repetition.cancel(false);
            repetition = null;
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

    /** Has {@code then} run when it takes more again. */
    void whenWritable(Runnable then) {
        writable = then;
    }

    boolean isWritable() {
        return !ready || (!cancelling && upstream.isWritable());
    }

    void close() {
        closed = true;
        stopRepeating();
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
            if (type == 'E'
                    && (cancelWanted || interrupted != null)
                    && Failure.read(payload).isCancel()) {
                forgetCancel();
            }
            taking = true;
            if (type == 'E' && !taker.endsSkipping()) {
                takers.poll();
                while (!takers.isEmpty() && !takers.peek().endsSkipping()) {
                    takers.remove().drop();
                }
                taker.take(type, payload);
            } else if (taker.take(type, payload)) {
                takers.remove(taker);
            }
            taking = false;
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
