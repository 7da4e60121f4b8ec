// SPDX-License-Identifier: Apache-2.0
package dev.forebay.wire;

import static java.util.concurrent.TimeUnit.NANOSECONDS;

import io.netty.bootstrap.Bootstrap;
import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoop;
import io.netty.channel.socket.nio.NioDomainSocketChannel;
import io.netty.channel.socket.nio.NioSocketChannel;
import java.io.IOException;
import java.net.SocketAddress;
import java.net.UnixDomainSocketAddress;
import java.time.Duration;
import java.util.Map;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A connection to a server further up, for a session that passes messages on. It starts up by itself; then its messages go to
 * the listener. To be used on its event loop only.
 */
public final class PgUpstream {

    private static final Logger log = LoggerFactory.getLogger(PgUpstream.class);
    private static final int MOST_BYTES = 1 << 30;

    /** The longest wait for a server to end the connection that brought it a cancel. */
    private static final Duration CANCEL_PATIENCE = Duration.ofSeconds(10);

    private final SocketAddress address;
    private final String password;
    private final Listener listener;
    private final Channel channel;
    private int processId;
    private int secretKey;
    private boolean ready;

    private PgUpstream(
            EventLoop loop, SocketAddress address, Map<String, String> startup, String password, Listener listener) {
        this.address = address;
        this.password = password;
        this.listener = listener;
        this.channel = bootstrap(loop, address)
                .handler(new ChannelInitializer<>() {
                    @Override
                    protected void initChannel(Channel channel) {
                        channel.pipeline().addLast(new Messages());
                    }
                })
                .connect(address)
                .addListener((io.netty.channel.ChannelFuture connected) -> {
                    if (connected.isSuccess()) {
                        ByteBuf out = connected.channel().alloc().buffer();
                        StartupPacket.write(out, startup);
                        connected.channel().writeAndFlush(out);
                    } else {
                        listener.closed();
                    }
                })
                .channel();
    }

    /**
     * Connects, on {@code loop}.
     *
     * @param address of TCP or of a Unix-domain socket
     * @param startup the content of the start-up packet
     * @param password for a server that asks for it in clear text
     */
    public static PgUpstream connect(
            EventLoop loop, SocketAddress address, Map<String, String> startup, String password, Listener listener) {
        return new PgUpstream(loop, address, startup, password, listener);
    }

    private static Bootstrap bootstrap(EventLoop loop, SocketAddress address) {
        Bootstrap bootstrap = new Bootstrap().group(loop);
        return address instanceof UnixDomainSocketAddress
                ? bootstrap.channel(NioDomainSocketChannel.class)
                : bootstrap.channel(NioSocketChannel.class).option(ChannelOption.TCP_NODELAY, true);
    }

    /** Queues a message, which is released once it is sent. */
    public void write(ByteBuf message) {
        channel.write(message, channel.voidPromise());
    }

    public void flush() {
        channel.flush();
    }

    public boolean isWritable() {
        return channel.isWritable();
    }

    public void autoRead(boolean on) {
        channel.config().setAutoRead(on);
    }

    public void close() {
        channel.close();
    }

    /**
     * Asks the server, on a connection of its own, to cancel what it is doing for this one. A server that takes the request and
     * does not answer may obey it at any time, so this connection is closed then.
     *
     * @param over run once the server has done so, or cannot be asked: a request that is sent from then on is not cancelled by this
     */
    public void cancel(Runnable over) {
        cancel(over, CANCEL_PATIENCE);
    }

    void cancel(Runnable over, Duration patience) {
        bootstrap(channel.eventLoop(), address)
                .handler(new ChannelInitializer<>() {
                    @Override
                    protected void initChannel(Channel opened) {}
                })
                .connect(address)
                .addListener((io.netty.channel.ChannelFuture connected) -> {
                    if (connected.isSuccess()) {
                        ByteBuf out = connected.channel().alloc().buffer();
                        StartupPacket.writeCancel(out, processId, secretKey);
                        connected.channel().writeAndFlush(out).addListener(ChannelFutureListener.CLOSE_ON_FAILURE);
                        var late = channel.eventLoop()
                                .schedule(() -> giveUp(connected.channel()), patience.toNanos(), NANOSECONDS);
                        // the server closes it after the signal
                        connected.channel().closeFuture().addListener(closed -> {
                            late.cancel(false);
                            over.run();
                        });
                    } else {
                        over.run();
                    }
                });
    }

    private void giveUp(Channel cancelling) {
        log.warn("The server does not answer a cancel; its session is closed");
        channel.close();
        cancelling.close();
    }

    /** Hears the server. Called on the event loop. */
    public interface Listener {

        /** It has started up and is ready for a query. */
        void ready();

        /**
         * A message of the server, an error during the start-up included.
         *
         * @param payload valid during the call
         */
        void message(byte type, ByteBuf payload);

        default void writable(boolean writable) {}

        /** The connection is gone, or never came. Called once. */
        void closed();
    }

    private final class Messages extends Frames {

        @Override
        int mostBytes() {
            return MOST_BYTES;
        }

        @Override
        void tooLong(ChannelHandlerContext ctx) {
            ctx.close();
        }

        @Override
        void frame(ChannelHandlerContext ctx, byte type, ByteBuf payload) {
            if (ready) {
                listener.message(type, payload);
                return;
            }
            switch (type) {
                case 'R' -> authenticate(ctx, payload.readInt());
                case 'K' -> {
                    processId = payload.readInt();
                    secretKey = payload.readInt();
                }
                case 'Z' -> {
                    ready = true;
                    listener.ready();
                }
                case 'E' -> listener.message(type, payload);
                default -> {} // ParameterStatus and notices: the session has told its client its own
            }
        }

        private void authenticate(ChannelHandlerContext ctx, int request) {
            switch (request) {
                case 0 -> {}
                case 3 -> {
                    ByteBuf out = ctx.alloc().buffer();
                    Request.writePassword(out, password);
                    ctx.writeAndFlush(out);
                }
                default -> throw new ProtocolException("the server asks for an authentication that is not known here");
            }
        }

        @Override
        public void channelWritabilityChanged(ChannelHandlerContext ctx) throws Exception {
            listener.writable(ctx.channel().isWritable());
            super.channelWritabilityChanged(ctx);
        }

        @Override
        public void channelInactive(ChannelHandlerContext ctx) throws Exception {
            super.channelInactive(ctx);
            listener.closed();
        }

        @Override
        public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
            if (cause instanceof IOException) {
                log.debug("the server is gone", cause);
            } else {
                log.error("bug: what the server said was not taken", cause);
            }
            ctx.close();
        }
    }
}
