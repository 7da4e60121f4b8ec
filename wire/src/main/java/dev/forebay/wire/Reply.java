// SPDX-License-Identifier: Apache-2.0
package dev.forebay.wire;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The messages that a server sends, written into a buffer. Stateless. */
public final class Reply {

    private static final int TEXT_OID = 25;
    private static final short VARIABLE_SIZE = -1;

    private Reply() {}

    /** The client is who it says it is. */
    public static void authenticationOk(ByteBuf out) {
        int start = begin(out, 'R');
        out.writeInt(0);
        end(out, start);
    }

    /** Asks for the password, in clear text. */
    public static void cleartextPassword(ByteBuf out) {
        int start = begin(out, 'R');
        out.writeInt(3);
        end(out, start);
    }

    /** Offers ways to log in. */
    public static void saslMechanisms(ByteBuf out, List<String> mechanisms) {
        int start = begin(out, 'R');
        out.writeInt(10);
        mechanisms.forEach(mechanism -> string(out, mechanism));
        out.writeByte(0);
        end(out, start);
    }

    /** A challenge on the way. */
    public static void saslContinue(ByteBuf out, String challenge) {
        sasl(out, 11, challenge);
    }

    /** The server's proof at the end. */
    public static void saslFinal(ByteBuf out, String proof) {
        sasl(out, 12, proof);
    }

    private static void sasl(ByteBuf out, int kind, String text) {
        int start = begin(out, 'R');
        out.writeInt(kind);
        out.writeCharSequence(text, StandardCharsets.UTF_8);
        end(out, start);
    }

    public static void parameterStatus(ByteBuf out, String name, String value) {
        int start = begin(out, 'S');
        string(out, name);
        string(out, value);
        end(out, start);
    }

    public static void backendKeyData(ByteBuf out, int processId, int secretKey) {
        int start = begin(out, 'K');
        out.writeInt(processId).writeInt(secretKey);
        end(out, start);
    }

    /** Ready for the next query; {@code status} is I, T or E. */
    public static void readyForQuery(ByteBuf out, char status) {
        int start = begin(out, 'Z');
        out.writeByte(status);
        end(out, start);
    }

    /** The client asked for a newer version than 3.0, or for options, none of which are known. */
    static void negotiateProtocolVersion(ByteBuf out, List<String> unknownOptions) {
        int start = begin(out, 'v');
        out.writeInt(StartupPacket.VERSION_3_0);
        out.writeInt(unknownOptions.size());
        unknownOptions.forEach(option -> string(out, option));
        end(out, start);
    }

    /** An error; {@code hint} may be empty. */
    public static void error(ByteBuf out, Severity severity, String sqlState, String message, String hint) {
        error(out, severity, sqlState, message, hint, Map.of());
    }

    /**
     * An error with other fields as well.
     *
     * @param more by the letters that they have in the protocol
     */
    public static void error(
            ByteBuf out, Severity severity, String sqlState, String message, String hint, Map<Character, String> more) {
        int start = begin(out, 'E');
        fields(out, severity.name(), sqlState, message, hint, more);
        end(out, start);
    }

    public static void notice(ByteBuf out, String sqlState, String message) {
        int start = begin(out, 'N');
        fields(out, "NOTICE", sqlState, message, "", Map.of());
        end(out, start);
    }

    private static void fields(
            ByteBuf out, String severity, String sqlState, String message, String hint, Map<Character, String> more) {
        field(out, 'S', severity);
        field(out, 'V', severity);
        field(out, 'C', sqlState);
        field(out, 'M', message);
        if (!hint.isEmpty()) {
            field(out, 'H', hint);
        }
        more.forEach((letter, text) -> field(out, letter, text));
        out.writeByte(0);
    }

    private static void field(ByteBuf out, char name, String value) {
        out.writeByte(name);
        string(out, value);
    }

    /** Columns of type text. */
    public static void rowDescription(ByteBuf out, List<String> columns) {
        int start = begin(out, 'T');
        out.writeShort(columns.size());
        for (String column : columns) {
            string(out, column);
            out.writeInt(0)
                    .writeShort(0)
                    .writeInt(TEXT_OID)
                    .writeShort(VARIABLE_SIZE)
                    .writeInt(-1)
                    .writeShort(0);
        }
        end(out, start);
    }

    /** Columns of any type, in text or in binary. */
    public static void fieldDescription(ByteBuf out, List<Field> fields) {
        int start = begin(out, 'T');
        out.writeShort(fields.size());
        for (Field field : fields) {
            string(out, field.name);
            out.writeInt(0)
                    .writeShort(0)
                    .writeInt(field.typeOid)
                    .writeShort(field.size)
                    .writeInt(-1)
                    .writeShort(field.binary ? 1 : 0);
        }
        end(out, start);
    }

    /** A row of values as they are on the wire. */
    public static void binaryRow(ByteBuf out, List<byte @Nullable []> values) {
        int start = begin(out, 'D');
        out.writeShort(values.size());
        for (byte[] value : values) {
            if (value == null) {
                out.writeInt(-1);
            } else {
                out.writeInt(value.length).writeBytes(value);
            }
        }
        end(out, start);
    }

    /** A row of text. */
    public static void dataRow(ByteBuf out, List<? extends @Nullable String> values) {
        int start = begin(out, 'D');
        out.writeShort(values.size());
        for (String value : values) {
            if (value == null) {
                out.writeInt(-1);
            } else {
                out.writeInt(ByteBufUtil.utf8Bytes(value));
                out.writeCharSequence(value, StandardCharsets.UTF_8);
            }
        }
        end(out, start);
    }

    /** The end of a statement, as in {@code UPDATE 3}. */
    public static void commandComplete(ByteBuf out, String tag) {
        int start = begin(out, 'C');
        string(out, tag);
        end(out, start);
    }

    public static void emptyQuery(ByteBuf out) {
        end(out, begin(out, 'I'));
    }

    public static void parseComplete(ByteBuf out) {
        end(out, begin(out, '1'));
    }

    public static void bindComplete(ByteBuf out) {
        end(out, begin(out, '2'));
    }

    public static void closeComplete(ByteBuf out) {
        end(out, begin(out, '3'));
    }

    public static void noData(ByteBuf out) {
        end(out, begin(out, 'n'));
    }

    public static void portalSuspended(ByteBuf out) {
        end(out, begin(out, 's'));
    }

    public static void parameterDescription(ByteBuf out, List<Integer> typeOids) {
        int start = begin(out, 't');
        out.writeShort(typeOids.size());
        typeOids.forEach(out::writeInt);
        end(out, start);
    }

    /** Any message as it is. */
    public static void raw(ByteBuf out, byte type, ByteBuf payload) {
        out.writeByte(type).writeInt(payload.readableBytes() + Integer.BYTES);
        out.writeBytes(payload, payload.readerIndex(), payload.readableBytes());
    }

    /** Writes the type, leaves room for the length and returns its index. */
    static int begin(ByteBuf out, char type) {
        out.writeByte(type);
        int start = out.writerIndex();
        out.writeInt(0);
        return start;
    }

    static void end(ByteBuf out, int start) {
        out.setInt(start, out.writerIndex() - start);
    }

    static void string(ByteBuf out, String value) {
        out.writeCharSequence(value.indexOf('\0') < 0 ? value : value.replace('\0', ' '), StandardCharsets.UTF_8);
        out.writeByte(0);
    }

    /**
     * A column.
     *
     * @param typeOid its type, by PostgreSQL's number
     * @param size the bytes of a value; -1 if that differs
     * @param binary whether its values come in binary
     */
    public record Field(String name, int typeOid, int size, boolean binary) {}

    /** The severity of an error. */
    public enum Severity {
        /** The statement failed. */
        ERROR,
        /** The session ends. */
        FATAL
    }
}
