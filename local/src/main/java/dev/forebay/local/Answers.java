// SPDX-License-Identifier: Apache-2.0
package dev.forebay.local;

import dev.forebay.wire.Reply;
import dev.forebay.wire.Request;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import java.nio.charset.StandardCharsets;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Takes the answers to one request and reports their outcome. Those for the client are kept until then, or passed on as
 * they come.
 */
final class Answers implements Backend.Taker {

    private static final byte[] NO_TYPES = {0, 0};

    /** Maximum bytes kept: a statement that locks or writes could fill all memory with rows. */
    private static final int MOST_KEPT = 64 << 20;

    private static final Failure TOO_MUCH =
            new Failure("54000", "the rows of a statement that writes or locks take more than 64 MiB");

    /** The end of the answers to a request. */
    enum End {
        /** A Query or a Sync: PostgreSQL is ready for the next. */
        READY,
        /** Any one answer. */
        ONE,
        /** A Describe: its last part. */
        DESCRIPTION,
        /** An Execute: the statement is done, or the portal suspended. */
        STATEMENT
    }

    /** Passes a message on. */
    interface Passing {
        void pass(byte type, ByteBuf payload);
    }

    private final End end;
    private final @Nullable ByteBuf kept;
    private final @Nullable Passing passing;
    private final Consumer<Answers> then;
    private final Runnable copying;
    private Runnable dropped = () -> {};
    private boolean cancellable;
    private boolean planning;
    private boolean handed;
    private boolean overflown;
    private String tag = "";
    private char status;
    private @Nullable Failure failure;
    private @Nullable String value;
    private byte[] types = NO_TYPES;

    private Answers(
            End end, @Nullable ByteBuf kept, @Nullable Passing passing, Runnable copying, Consumer<Answers> then) {
        this.end = end;
        this.kept = kept;
        this.passing = passing;
        this.copying = copying;
        this.then = then;
    }

    /** Keeps the answers in {@code buffer}, which is then the caller's to send or release. */
    static Answers keep(End end, ByteBuf buffer, Consumer<Answers> then) {
        return new Answers(end, buffer, null, () -> {}, then);
    }

    /** Passes the answers on as they come; {@code copying} runs when data are wanted from the client. */
    static Answers pass(End end, Passing client, Runnable copying, Consumer<Answers> then) {
        return new Answers(end, null, client, copying, then);
    }

    /** Reports only the outcome of the answers. */
    static Answers of(End end, Consumer<Answers> then) {
        return new Answers(end, null, null, () -> {}, then);
    }

    /** Has {@code action} run if the answers never come. */
    Answers whenDropped(Runnable action) {
        dropped = action;
        return this;
    }

    /** Marks them as those to a request that is the client's own, which it may cancel. */
    Answers cancellable() {
        cancellable = true;
        return this;
    }

    /** Marks them as those to a request that has a statement of the client's planned, which it may cancel. */
    Answers planning() {
        planning = true;
        return this;
    }

    /** Ignores the answers. */
    static Answers ignore(End end) {
        return of(end, answers -> {});
    }

    @Nullable
    Failure failure() {
        return failure;
    }

    /** The command tag of the last statement. */
    String tag() {
        return tag;
    }

    /** Whether PostgreSQL is in a transaction after what has been answered, be it a failed one. */
    boolean isInTransaction() {
        return status == 'T' || status == 'E';
    }

    /** The number of rows that the statement wrote, by its tag. */
    long rows() {
        String last = tag.substring(tag.lastIndexOf(' ') + 1);
        return last.isEmpty() || !Character.isDigit(last.charAt(0)) ? 0 : Long.parseLong(last);
    }

    /** The first column of the last row, as text; of rows that were passed on it is not known. */
    @Nullable
    String value() {
        return value;
    }

    /** The types of the parameters of a statement that was described, as a Parse takes them. */
    byte[] types() {
        return types;
    }

    ByteBuf kept() {
        if (kept == null) {
            throw new IllegalStateException("bug: nothing was kept");
        }
        return kept;
    }

    @Override
    public boolean endsSkipping() {
        return end == End.READY;
    }

    @Override
    public boolean isCancellable() {
        return cancellable;
    }

    @Override
    public boolean isPlanning() {
        return planning;
    }

    @Override
    public boolean take(byte type, ByteBuf payload) {
        switch (type) {
            case 'E' -> failure = Failure.read(payload);
            case 'C' -> tag = Request.string(payload.duplicate());
            case 'D' -> value = passing == null ? firstColumn(payload) : null;
            case 'Z' -> status = (char) payload.getByte(payload.readerIndex());
            case 't' -> types = ByteBufUtil.getBytes(payload);
            default -> {}
        }
        if (type != 'Z' && type != 'E') {
            if (kept != null && type != '1' && type != '2' && type != '3') {
                keep(kept, type, payload);
            } else if (passing != null) {
                passing.pass(type, payload);
            }
        }
        if (type == 'G' || type == 'W') {
            copying.run(); // the client is told first
        }
        if (isLast(type)) {
            handed = true;
            failure = failure == null && overflown ? TOO_MUCH : failure;
            then.accept(this);
            return true;
        }
        return false;
    }

    private void keep(ByteBuf all, byte type, ByteBuf payload) {
        if (!overflown && all.readableBytes() + payload.readableBytes() > MOST_KEPT) {
            overflown = true;
            all.clear().capacity(0);
        }
        if (!overflown) {
            Reply.raw(all, type, payload);
        }
    }

    /** Releases what was kept for an answer that never comes. */
    @Override
    public void drop() {
        if (handed) {
            return;
        }
        handed = true;
        dropped.run();
        if (kept != null) {
            kept.release();
        }
    }

    private boolean isLast(byte type) {
        return switch (end) {
            case READY -> type == 'Z';
            case ONE -> true;
            case DESCRIPTION -> type == 'T' || type == 'n' || type == 'E';
            case STATEMENT -> type == 'C' || type == 'I' || type == 's' || type == 'E';
        };
    }

    private static @Nullable String firstColumn(ByteBuf row) {
        ByteBuf in = row.duplicate();
        if (in.readShort() == 0) {
            return null;
        }
        int length = in.readInt();
        return length < 0 || length > 100 ? null : in.toString(in.readerIndex(), length, StandardCharsets.UTF_8);
    }
}
