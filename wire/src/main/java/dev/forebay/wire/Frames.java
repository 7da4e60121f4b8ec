// SPDX-License-Identifier: Apache-2.0
package dev.forebay.wire;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.handler.codec.ByteToMessageDecoder;
import java.util.List;

/**
 * Cuts the stream into messages, in either direction: a type, a length that counts itself, a payload. Nothing is allocated for
 * a length that is only announced.
 */
abstract class Frames extends ByteToMessageDecoder {

    private static final int HEAD = 1 + Integer.BYTES;

    /** The longest payload that is taken now. */
    abstract int mostBytes();

    /** One message; the payload is valid during the call. */
    abstract void frame(ChannelHandlerContext ctx, byte type, ByteBuf payload);

    /** A message that announces more than {@link #mostBytes}; nothing is read any more. */
    abstract void tooLong(ChannelHandlerContext ctx);

    @Override
    protected final void decode(ChannelHandlerContext ctx, ByteBuf in, List<Object> out) {
        if (in.readableBytes() < HEAD) {
            return;
        }
        int length = in.getInt(in.readerIndex() + 1) - Integer.BYTES;
        if (length < 0) {
            throw new ProtocolException("invalid message length");
        }
        if (length > mostBytes()) {
            in.skipBytes(in.readableBytes());
            tooLong(ctx);
            return;
        }
        if (in.readableBytes() < HEAD + length) {
            return;
        }
        byte type = in.readByte();
        in.skipBytes(Integer.BYTES);
        frame(ctx, type, in.readSlice(length));
    }
}
