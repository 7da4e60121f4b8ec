// SPDX-License-Identifier: Apache-2.0
package dev.forebay.wire;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.EventLoop;
import io.netty.handler.codec.DecoderException;
import java.io.IOException;
import java.net.SocketAddress;
import java.util.Collections;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A client that has started up: its messages go to its session. */
final class ClientChannel extends Frames implements PgClient {

    private static final Logger log = LoggerFactory.getLogger(ClientChannel.class);

    private final PgServer server;
    private final Channel channel;
    private final Map<String, String> startup;
    private final boolean tls;
    private final @Nullable String serverName;
    private @Nullable PgSession session;
    private boolean admitted;
    private boolean closed;

    ClientChannel(
            PgServer server, Channel channel, Map<String, String> startup, boolean tls, @Nullable String serverName) {
        this.server = server;
        this.channel = channel;
        this.startup = Collections.unmodifiableMap(startup);
        this.tls = tls;
        this.serverName = serverName;
    }

    void open() {
        session = server.service().open(this);
    }

    // ---- from the client

    @Override
    int mostBytes() {
        return admitted ? server.limits().messageBytes() : server.limits().strangerMessageBytes();
    }

    @Override
    void frame(ChannelHandlerContext ctx, byte type, ByteBuf payload) {
        if (!closed && session != null) {
            session.message(type, payload);
        }
    }

    @Override
    public void channelReadComplete(ChannelHandlerContext ctx) throws Exception {
        if (!closed && session != null) {
            session.caughtUp();
        }
        super.channelReadComplete(ctx);
    }

    @Override
    void tooLong(ChannelHandlerContext ctx) {
        closeAbruptly();
    }

    @Override
    public void channelWritabilityChanged(ChannelHandlerContext ctx) throws Exception {
        if (session != null) {
            session.writable(channel.isWritable());
        }
        super.channelWritabilityChanged(ctx);
    }

    @Override
    public void channelInactive(ChannelHandlerContext ctx) throws Exception {
        closed = true;
        PgSession ended = session;
        session = null;
        if (ended != null) {
            ended.closed();
        }
        super.channelInactive(ctx);
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
        closed = true; // to what came along with it
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
        if (!closed && !admitted) {
            ByteBuf out = channel.alloc().buffer();
            Reply.error(out, Reply.Severity.FATAL, "53300", "sorry, too many clients already", "");
            channel.write(out, channel.voidPromise());
            closeAfterFlush();
        }
    }

    /** The last words of a session that cannot go on. */
    static void refuse(ChannelHandlerContext ctx, String sqlState, String message) {
        ByteBuf out = ctx.alloc().buffer();
        Reply.error(out, Reply.Severity.FATAL, sqlState, message, "");
        ctx.channel().config().setAutoRead(false);
        ctx.writeAndFlush(out).addListener(ChannelFutureListener.CLOSE);
    }

    // ---- to the client

    @Override
    public Map<String, String> startup() {
        return startup;
    }

    @Override
    public @Nullable String serverName() {
        return serverName;
    }

    @Override
    public boolean isTls() {
        return tls;
    }

    @Override
    public SocketAddress remoteAddress() {
        return channel.remoteAddress();
    }

    @Override
    public EventLoop eventLoop() {
        return channel.eventLoop();
    }

    @Override
    public ByteBufAllocator allocator() {
        return channel.alloc();
    }

    @Override
    public void admitted() {
        admitted = true;
        server.admitted(channel);
    }

    @Override
    public void write(ByteBuf message) {
        channel.write(message, channel.voidPromise());
    }

    @Override
    public void flush() {
        channel.flush();
    }

    @Override
    public boolean isWritable() {
        return channel.isWritable();
    }

    @Override
    public void autoRead(boolean on) {
        channel.config().setAutoRead(on);
    }

    @Override
    public void closeAfterFlush() {
        closed = true;
        channel.writeAndFlush(Unpooled.EMPTY_BUFFER).addListener(ChannelFutureListener.CLOSE);
    }

    @Override
    public void closeAbruptly() {
        closed = true;
        channel.close();
    }
}
