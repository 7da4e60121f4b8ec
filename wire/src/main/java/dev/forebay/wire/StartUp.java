// SPDX-License-Identifier: Apache-2.0
package dev.forebay.wire;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelHandlerContext;
import io.netty.handler.codec.ByteToMessageDecoder;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslHandler;
import io.netty.handler.ssl.SslHandshakeCompletionEvent;
import java.util.List;
import java.util.Map;
import javax.net.ssl.ExtendedSSLSession;
import javax.net.ssl.SNIHostName;
import org.jspecify.annotations.Nullable;

/**
 * The exchange before the first message: TLS, asked for with an SSLRequest or begun at once, then the start-up packet. One of
 * these stands before TLS and another behind it.
 */
final class StartUp extends ByteToMessageDecoder {

    static final String ALPN = "postgresql";

    private static final byte TLS_HANDSHAKE = 0x16;
    private static final int HEAD = 2 * Integer.BYTES;

    private final PgServer server;
    private final boolean encrypted;
    private final boolean direct;

    /** Nothing is read any more: what came along with a refused packet is not to be taken for the next one. */
    private boolean over;

    /** The exchange with a client that comes in plain. */
    StartUp(PgServer server) {
        this(server, false, false);
    }

    private StartUp(PgServer server, boolean encrypted, boolean direct) {
        this.server = server;
        this.encrypted = encrypted;
        this.direct = direct;
    }

    @Override
    protected void decode(ChannelHandlerContext ctx, ByteBuf in, List<Object> out) {
        if (over) {
            in.skipBytes(in.readableBytes());
            return;
        }
        if (!encrypted && in.isReadable() && in.getByte(in.readerIndex()) == TLS_HANDSHAKE && server.tls() != null) {
            encrypt(ctx, server.tls(), true);
            return;
        }
        if (in.readableBytes() < HEAD) {
            return;
        }
        int length = in.getInt(in.readerIndex());
        if (length < HEAD || length > StartupPacket.MOST_BYTES) {
            throw new ProtocolException("invalid length of startup packet");
        }
        if (in.readableBytes() < length) {
            return;
        }
        ByteBuf packet = in.readSlice(length).skipBytes(Integer.BYTES);
        int code = packet.readInt();
        switch (code) {
            case StartupPacket.SSL_REQUEST -> answerSslRequest(ctx, in);
            case StartupPacket.GSS_REQUEST -> ctx.writeAndFlush(Unpooled.wrappedBuffer(new byte[] {'N'}));
            case StartupPacket.CANCEL_REQUEST -> cancel(ctx, packet);
            default -> start(ctx, code, packet);
        }
    }

    /** Bytes sent before the handshake would be taken for encrypted ones. */
    private void answerSslRequest(ChannelHandlerContext ctx, ByteBuf rest) {
        if (encrypted) {
            throw new ProtocolException("the connection is encrypted already");
        }
        if (rest.isReadable()) {
            throw new ProtocolException("received unencrypted data after SSL request");
        }
        SslContext tls = server.tls();
        ctx.writeAndFlush(Unpooled.wrappedBuffer(new byte[] {(byte) (tls == null ? 'N' : 'S')}));
        if (tls != null) {
            encrypt(ctx, tls, false);
        }
    }

    private void encrypt(ChannelHandlerContext ctx, SslContext tls, boolean atOnce) {
        SslHandler handler = tls.newHandler(ctx.alloc());
        handler.setHandshakeTimeoutMillis(server.limits().startUp().toMillis());
        ctx.pipeline().addAfter(ctx.name(), "tls", handler);
        ctx.pipeline().addAfter("tls", "start-up in TLS", new StartUp(server, true, atOnce));
        ctx.pipeline().remove(this);
    }

    @Override
    public void userEventTriggered(ChannelHandlerContext ctx, Object event) throws Exception {
        if (event instanceof SslHandshakeCompletionEvent done && encrypted) {
            SslHandler handler = ctx.pipeline().get(SslHandler.class);
            if (!done.isSuccess() || (direct && !ALPN.equals(handler.applicationProtocol()))) {
                over = true;
                ctx.close();
            }
        }
        super.userEventTriggered(ctx, event);
    }

    private void cancel(ChannelHandlerContext ctx, ByteBuf packet) {
        over = true;
        if (packet.readableBytes() == HEAD) {
            server.cancel(packet.readInt(), packet.readInt(), ctx::close);
        } else {
            ctx.close();
        }
    }

    private void start(ChannelHandlerContext ctx, int version, ByteBuf packet) {
        if (version >> 16 != 3) {
            throw new ProtocolException("unsupported frontend protocol " + (version >> 16) + "." + (version & 0xffff)
                    + ": server supports 3.0");
        }
        if (!encrypted && server.requiresTls()) {
            over = true;
            ClientChannel.refuse(ctx, "08004", "SSL/TLS required: this server takes no unencrypted connections");
            return;
        }
        Map<String, String> parameters = StartupPacket.parameters(packet);
        List<String> options = parameters.keySet().stream()
                .filter(name -> name.startsWith("_pq_."))
                .toList();
        if (version != StartupPacket.VERSION_3_0 || !options.isEmpty()) {
            ByteBuf answer = ctx.alloc().buffer();
            Reply.negotiateProtocolVersion(answer, options);
            ctx.write(answer);
        }
        Conversation client = new Conversation(server, ctx.channel(), parameters, serverName(ctx));
        ctx.pipeline().addAfter(ctx.name(), "messages", new ClientChannel(server.limits(), client));
        client.open();
        ctx.pipeline().remove(this);
    }

    private static @Nullable String serverName(ChannelHandlerContext ctx) {
        SslHandler handler = ctx.pipeline().get(SslHandler.class);
        if (handler == null || !(handler.engine().getSession() instanceof ExtendedSSLSession session)) {
            return null;
        }
        return session.getRequestedServerNames().stream()
                .filter(SNIHostName.class::isInstance)
                .map(name -> ((SNIHostName) name).getAsciiName())
                .findFirst()
                .orElse(null);
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
        over = true;
        ClientChannel.end(ctx, cause);
    }
}
