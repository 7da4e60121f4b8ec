// SPDX-License-Identifier: Apache-2.0
package dev.forebay.wire;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelHandlerContext;
import io.netty.handler.codec.DecoderException;
import java.io.IOException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The channel of a client that has started up: its messages go to its conversation. */
final class ClientChannel extends Frames {

    private static final Logger log = LoggerFactory.getLogger(ClientChannel.class);

    private final ClientLimits limits;
    private final Conversation conversation;

    ClientChannel(ClientLimits limits, Conversation conversation) {
        this.limits = limits;
        this.conversation = conversation;
    }

    @Override
    int mostBytes() {
        return conversation.isAdmitted() ? limits.messageBytes() : limits.strangerMessageBytes();
    }

    @Override
    void frame(ChannelHandlerContext ctx, byte type, ByteBuf payload) {
        conversation.message(type, payload);
    }

    @Override
    public void channelReadComplete(ChannelHandlerContext ctx) throws Exception {
        conversation.work();
        super.channelReadComplete(ctx);
    }

    @Override
    void tooLong(ChannelHandlerContext ctx) {
        conversation.closeAbruptly();
    }

    @Override
    public void channelWritabilityChanged(ChannelHandlerContext ctx) throws Exception {
        conversation.writable(ctx.channel().isWritable());
        super.channelWritabilityChanged(ctx);
    }

    @Override
    public void channelInactive(ChannelHandlerContext ctx) throws Exception {
        conversation.closed();
        super.channelInactive(ctx);
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
        conversation.stop(); // what came along with it is not handled
        end(ctx, cause);
    }

    /** Ends a connection for {@code cause}, which the client is told if it is its own doing. */
    static void end(ChannelHandlerContext ctx, Throwable cause) {
        Throwable reason = cause instanceof DecoderException && cause.getCause() != null ? cause.getCause() : cause;
        if (reason instanceof ProtocolException) {
            refuse(ctx, "08P01", String.valueOf(reason.getMessage()));
        } else if (reason instanceof IOException) {
            log.debug("a client is gone", reason);
            ctx.close();
        } else {
            log.error("bug: a session failed", reason);
            refuse(ctx, "XX000", "internal error");
        }
    }

    /** Ends it for another stranger; on its loop. */
    void turnAway() {
        if (!conversation.isAdmitted()) {
            conversation.refuse(
                    out -> Reply.error(out, Reply.Severity.FATAL, "53300", "sorry, too many clients already", ""));
        }
    }

    /** The last words of a session that cannot go on. */
    static void refuse(ChannelHandlerContext ctx, String sqlState, String message) {
        ByteBuf out = ctx.alloc().buffer();
        Reply.error(out, Reply.Severity.FATAL, sqlState, message, "");
        ctx.channel().config().setAutoRead(false);
        ctx.writeAndFlush(out).addListener(ChannelFutureListener.CLOSE);
    }
}
