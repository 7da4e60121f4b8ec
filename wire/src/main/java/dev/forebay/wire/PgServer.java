// SPDX-License-Identifier: Apache-2.0
package dev.forebay.wire;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.WriteBufferWaterMark;
import io.netty.channel.group.ChannelGroup;
import io.netty.channel.group.DefaultChannelGroup;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.handler.ssl.SslContext;
import io.netty.util.AttributeKey;
import io.netty.util.concurrent.DefaultThreadFactory;
import io.netty.util.concurrent.Future;
import io.netty.util.concurrent.GlobalEventExecutor;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.ReentrantLock;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * Listens for clients of PostgreSQL and hands each to a {@link PgService}. Thread-safe.
 *
 * <p>It binds to loopback unless told otherwise. TLS is offered if there is a context for it, by SSLRequest and at once
 * (with ALPN), and can be required.
 */
public final class PgServer implements AutoCloseable {

    private static final AttributeKey<Future<?>> DEADLINE = AttributeKey.valueOf(PgServer.class, "deadline");
    private static final int BACKLOG = 1024;
    private static final WriteBufferWaterMark WATER_MARK = new WriteBufferWaterMark(64 << 10, 256 << 10);

    private final PgService service;
    private final @Nullable SslContext tls;
    private final boolean requiresTls;
    private final ClientLimits limits;
    private final int mostStrangers;
    private final EventLoopGroup loops;
    private final ChannelGroup clients = new DefaultChannelGroup(GlobalEventExecutor.INSTANCE, true);
    private final Channel listening;
    private final RandomGenerator secrets;
    private final AtomicInteger lastProcessId = new AtomicInteger();

    /** Clients that have sent their start-up packet, by process id. */
    private final Map<Integer, Conversation> conversations = new ConcurrentHashMap<>();

    private final ReentrantLock lock = new ReentrantLock();

    /** Clients that were not admitted yet, the oldest first. */
    @GuardedBy("lock")
    private final Set<Channel> strangers = new LinkedHashSet<>();

    private PgServer(Builder builder) throws IOException {
        this.service = builder.service;
        this.secrets = builder.secrets;
        this.tls = builder.tls;
        this.requiresTls = builder.requiresTls;
        this.limits = builder.limits;
        this.mostStrangers = builder.mostStrangers;
        this.loops = new MultiThreadIoEventLoopGroup(
                builder.threads, new DefaultThreadFactory("forebay-wire", true), NioIoHandler.newFactory());
        try {
            this.listening = bind(new InetSocketAddress(builder.address, builder.port));
        } catch (IOException | RuntimeException e) {
            loops.shutdownGracefully(0, 0, TimeUnit.SECONDS);
            throw e;
        }
    }

    /**
     * A server of {@code service}.
     *
     * @param secrets the source of the keys with which clients cancel
     */
    public static Builder builder(PgService service, RandomGenerator secrets) {
        return new Builder(service, secrets);
    }

    private Channel bind(InetSocketAddress address) throws IOException {
        var bound = new ServerBootstrap()
                .group(loops)
                .channel(NioServerSocketChannel.class)
                .option(ChannelOption.SO_BACKLOG, BACKLOG)
                .option(ChannelOption.SO_REUSEADDR, true)
                .childOption(ChannelOption.TCP_NODELAY, true)
                .childOption(ChannelOption.WRITE_BUFFER_WATER_MARK, WATER_MARK)
                .childHandler(new ChannelInitializer<>() {
                    @Override
                    protected void initChannel(Channel channel) {
                        accept(channel);
                    }
                })
                .bind(address)
                .awaitUninterruptibly();
        if (!bound.isSuccess()) {
            throw new IOException(
                    "cannot listen on " + address + ": " + bound.cause().getMessage(), bound.cause());
        }
        return bound.channel();
    }

    private void accept(Channel channel) {
        clients.add(channel);
        channel.attr(DEADLINE)
                .set(channel.eventLoop()
                        .schedule(() -> channel.close(), limits.startUp().toNanos(), TimeUnit.NANOSECONDS));
        channel.closeFuture().addListener(closed -> admitted(channel));
        channel.pipeline().addLast("start-up", new StartUp(this));
        Channel oldest = meet(channel);
        if (oldest != null) {
            oldest.eventLoop().execute(() -> turnAway(oldest));
        }
    }

    /** Counts a stranger, and returns the one that has to go for it. */
    private @Nullable Channel meet(Channel stranger) {
        lock.lock();
        try {
            strangers.add(stranger);
            if (strangers.size() <= mostStrangers) {
                return null;
            }
            Channel oldest = strangers.iterator().next();
            strangers.remove(oldest);
            return oldest;
        } finally {
            lock.unlock();
        }
    }

    /** Closes a connection, with a word if its client has come far enough to read it. */
    private static void turnAway(Channel channel) {
        ClientChannel client = channel.pipeline().get(ClientChannel.class);
        if (client == null) {
            channel.close();
        } else {
            client.turnAway();
        }
    }

    void admitted(Channel channel) {
        lock.lock();
        try {
            strangers.remove(channel);
        } finally {
            lock.unlock();
        }
        Future<?> deadline = channel.attr(DEADLINE).getAndSet(null);
        if (deadline != null) {
            deadline.cancel(false);
        }
    }

    /** The port on which it listens. */
    public int port() {
        return ((InetSocketAddress) listening.localAddress()).getPort();
    }

    /** The number of clients that are connected, strangers included. */
    public int clients() {
        return clients.size();
    }

    /** Stops listening, closes every client, and returns when its threads have ended. */
    @Override
    public void close() {
        listening.close().awaitUninterruptibly();
        clients.close().awaitUninterruptibly();
        loops.shutdownGracefully(0, 5, TimeUnit.SECONDS).awaitUninterruptibly();
    }

    /** Opens a session for a client, which can be cancelled from now on. */
    PgSession open(Conversation client) {
        conversations.put(client.processId(), client);
        return service.open(client);
    }

    void closed(Conversation client) {
        conversations.remove(client.processId());
    }

    /** Cancels what a client's session is doing; wrong keys are ignored. */
    void cancel(int processId, int secretKey, Runnable decided) {
        Conversation client = conversations.get(processId);
        if (client == null || client.secretKey() != secretKey) {
            decided.run();
        } else {
            client.cancel(decided);
        }
    }

    int nextProcessId() {
        return lastProcessId.incrementAndGet();
    }

    int newSecretKey() {
        return secrets.nextInt();
    }

    @Nullable
    SslContext tls() {
        return tls;
    }

    boolean requiresTls() {
        return requiresTls;
    }

    ClientLimits limits() {
        return limits;
    }

    /** Makes a {@link PgServer}. Not thread-safe. */
    public static final class Builder {

        private final PgService service;
        private final RandomGenerator secrets;
        private InetAddress address = InetAddress.getLoopbackAddress();
        private int port;
        private int threads = Math.max(2, Runtime.getRuntime().availableProcessors());
        private @Nullable SslContext tls;
        private boolean requiresTls;
        private ClientLimits limits = ClientLimits.DEFAULT;
        private int mostStrangers = Integer.MAX_VALUE;

        private Builder(PgService service, RandomGenerator secrets) {
            this.service = Objects.requireNonNull(service);
            this.secrets = Objects.requireNonNull(secrets);
        }

        /** The address on which it listens; loopback by default. */
        public Builder address(InetAddress address) {
            this.address = address;
            return this;
        }

        /** The port; 0, the default, is any. */
        public Builder port(int port) {
            this.port = port;
            return this;
        }

        /** The number of threads that serve the clients. */
        public Builder threads(int threads) {
            this.threads = threads;
            return this;
        }

        /** Offers TLS. */
        public Builder tls(SslContext context) {
            this.tls = context;
            return this;
        }

        /** Refuses clients that do without. */
        public Builder requireTls() {
            this.requiresTls = true;
            return this;
        }

        /** The limits on what it takes from a client. */
        public Builder limits(ClientLimits limits) {
            this.limits = limits;
            return this;
        }

        /** Maximum clients that have not been admitted; beyond it the oldest of them goes. Unlimited by default. */
        public Builder mostStrangers(int most) {
            if (most < 1) {
                throw new IllegalArgumentException("there must be room for a stranger, not for " + most);
            }
            this.mostStrangers = most;
            return this;
        }

        /** Starts it. */
        public PgServer start() throws IOException {
            if (requiresTls && tls == null) {
                throw new IllegalStateException("TLS is required, but there is no context for it");
            }
            return new PgServer(this);
        }
    }
}
