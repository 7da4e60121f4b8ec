// SPDX-License-Identifier: Apache-2.0
package dev.forebay.wire;

import io.netty.buffer.ByteBuf;
import java.nio.charset.StandardCharsets;

/**
 * The messages that a client sends: read from a payload, strictly, and written for a server further up. Stateless. What is
 * malformed is a {@link ProtocolException}.
 */
public final class Request {

    private static final byte[] NO_TYPES = {0, 0};

    private Request() {}

    /** A string that ends with a zero byte, from where the reader is. */
    public static String string(ByteBuf in) {
        int length = in.bytesBefore((byte) 0);
        if (length < 0) {
            throw new ProtocolException("a string without an end");
        }
        String value = in.toString(in.readerIndex(), length, StandardCharsets.UTF_8);
        in.skipBytes(length + 1);
        return value;
    }

    /** The SQL of a Query. */
    public static String query(ByteBuf payload) {
        ByteBuf in = payload.duplicate();
        String sql = string(in);
        requireEnd(in);
        return sql;
    }

    /** The password, whatever it is used for. */
    public static String password(ByteBuf payload) {
        return query(payload);
    }

    /** The first message of a login that the server offered mechanisms for. */
    public static SaslInitial saslInitial(ByteBuf payload) {
        ByteBuf in = payload.duplicate();
        String mechanism = string(in);
        if (in.readableBytes() < Integer.BYTES) {
            throw new ProtocolException("a login without its data");
        }
        int length = in.readInt();
        if (length != in.readableBytes() && (length != -1 || in.isReadable())) {
            throw new ProtocolException("a login whose data do not fit");
        }
        return new SaslInitial(mechanism, in.toString(StandardCharsets.UTF_8));
    }

    /** A further message of such a login. */
    public static String saslResponse(ByteBuf payload) {
        return payload.toString(StandardCharsets.UTF_8);
    }

    /** A Parse; the types are left as they are. */
    public static Parse parse(ByteBuf payload) {
        ByteBuf in = payload.duplicate();
        String name = string(in);
        String sql = string(in);
        if (in.readableBytes() < Short.BYTES
                || in.readableBytes() - Short.BYTES != in.getUnsignedShort(in.readerIndex()) * Integer.BYTES) {
            throw new ProtocolException("a Parse whose types do not fit");
        }
        byte[] types = new byte[in.readableBytes()];
        in.readBytes(types);
        return new Parse(name, sql, types);
    }

    /** A Bind; what follows its names is left as it is. */
    public static Bind bind(ByteBuf payload) {
        ByteBuf in = payload.duplicate();
        String portal = string(in);
        String statement = string(in);
        return new Bind(portal, statement, in.slice());
    }

    /** A Describe or a Close. */
    public static Named named(ByteBuf payload) {
        ByteBuf in = payload.duplicate();
        byte kind = in.isReadable() ? in.readByte() : 0;
        if (kind != 'S' && kind != 'P') {
            throw new ProtocolException("neither a statement nor a portal");
        }
        String name = string(in);
        requireEnd(in);
        return new Named(kind == 'P', name);
    }

    /** An Execute. */
    public static Execute execute(ByteBuf payload) {
        ByteBuf in = payload.duplicate();
        String portal = string(in);
        if (in.readableBytes() != Integer.BYTES) {
            throw new ProtocolException("an Execute without its limit");
        }
        return new Execute(portal, in.readInt());
    }

    private static void requireEnd(ByteBuf in) {
        if (in.isReadable()) {
            throw new ProtocolException(in.readableBytes() + " bytes too many");
        }
    }

    // ---- writing

    /** A Query. */
    public static void writeQuery(ByteBuf out, String sql) {
        int start = Reply.begin(out, 'Q');
        Reply.string(out, sql);
        Reply.end(out, start);
    }

    /** A Parse without types. */
    public static void writeParse(ByteBuf out, String name, String sql) {
        writeParse(out, new Parse(name, sql, NO_TYPES));
    }

    public static void writeParse(ByteBuf out, Parse parse) {
        int start = Reply.begin(out, 'P');
        Reply.string(out, parse.name);
        Reply.string(out, parse.sql);
        out.writeBytes(parse.types);
        Reply.end(out, start);
    }

    /** A Bind without parameters and with results as text. */
    public static void writeBind(ByteBuf out, String portal, String statement) {
        int start = Reply.begin(out, 'B');
        Reply.string(out, portal);
        Reply.string(out, statement);
        out.writeShort(0).writeShort(0).writeShort(0);
        Reply.end(out, start);
    }

    /** A Bind of the same values under other names. */
    public static void writeBind(ByteBuf out, Bind bind) {
        int start = Reply.begin(out, 'B');
        Reply.string(out, bind.portal);
        Reply.string(out, bind.statement);
        out.writeBytes(bind.values, bind.values.readerIndex(), bind.values.readableBytes());
        Reply.end(out, start);
    }

    public static void writeExecute(ByteBuf out, String portal, int maxRows) {
        int start = Reply.begin(out, 'E');
        Reply.string(out, portal);
        out.writeInt(maxRows);
        Reply.end(out, start);
    }

    /** A Describe of a statement or a portal. */
    public static void writeDescribe(ByteBuf out, boolean portal, String name) {
        writeNamed(out, 'D', portal, name);
    }

    /** A Close of a statement or a portal. */
    public static void writeClose(ByteBuf out, boolean portal, String name) {
        writeNamed(out, 'C', portal, name);
    }

    private static void writeNamed(ByteBuf out, char type, boolean portal, String name) {
        int start = Reply.begin(out, type);
        out.writeByte(portal ? 'P' : 'S');
        Reply.string(out, name);
        Reply.end(out, start);
    }

    public static void writeSync(ByteBuf out) {
        Reply.end(out, Reply.begin(out, 'S'));
    }

    public static void writeFlush(ByteBuf out) {
        Reply.end(out, Reply.begin(out, 'H'));
    }

    /** The client's data do not come: the COPY fails with {@code reason}. */
    public static ByteBuf copyFail(ByteBuf out, String reason) {
        int start = Reply.begin(out, 'f');
        Reply.string(out, reason);
        Reply.end(out, start);
        return out;
    }

    static void writePassword(ByteBuf out, String password) {
        int start = Reply.begin(out, 'p');
        Reply.string(out, password);
        Reply.end(out, start);
    }

    /**
     * A statement to prepare.
     *
     * @param types the number of types that are given, and the types, as they are on the wire
     */
    @SuppressWarnings("ArrayRecordComponent") // bytes on their way, never compared
    public record Parse(String name, String sql, byte[] types) {}

    /**
     * Values for a statement.
     *
     * @param values formats, values and result formats, as they are on the wire
     */
    public record Bind(String portal, String statement, ByteBuf values) {}

    /** A client's choice of login; the data may be empty. */
    public record SaslInitial(String mechanism, String data) {}

    /** A statement or a portal. */
    public record Named(boolean portal, String name) {}

    /** A portal to run; 0 rows means all. */
    public record Execute(String portal, int maxRows) {}
}
