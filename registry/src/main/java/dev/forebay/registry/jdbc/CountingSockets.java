// SPDX-License-Identifier: Apache-2.0
package dev.forebay.registry.jdbc;

import java.io.FilterInputStream;
import java.io.FilterOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import javax.net.SocketFactory;
import org.jspecify.annotations.Nullable;

/**
 * Makes sockets that count their bytes, for drivers that take a factory by the name of its class. Thread-safe.
 *
 * <p>A driver makes the factory itself and hands it a text only; so the text names the {@link TrafficCount}. With TLS,
 * the encrypted bytes are counted.
 */
public final class CountingSockets extends SocketFactory {

    /** The current counts, by the names that drivers get. */
    private static final Map<String, TrafficCount> COUNTED = new ConcurrentHashMap<>();

    private static final AtomicLong LAST_NAME = new AtomicLong();

    private final TrafficCount traffic;

    /** Makes a factory for a driver by the {@code name} it got. */
    public CountingSockets(String name) {
        TrafficCount known = COUNTED.get(name);
        this.traffic = known == null ? new TrafficCount() : known; // of a server that has just gone
    }

    /** Has {@code traffic} count until it is forgotten; returns the name for a driver. */
    static String count(TrafficCount traffic) {
        String name = Long.toString(LAST_NAME.incrementAndGet());
        COUNTED.put(name, traffic);
        return name;
    }

    static void forget(String name) {
        COUNTED.remove(name);
    }

    @Override
    public Socket createSocket() {
        return new CountingSocket(traffic);
    }

    @Override
    public Socket createSocket(String host, int port) throws IOException {
        return connected(new InetSocketAddress(host, port), null);
    }

    @Override
    public Socket createSocket(String host, int port, InetAddress localHost, int localPort) throws IOException {
        return connected(new InetSocketAddress(host, port), new InetSocketAddress(localHost, localPort));
    }

    @Override
    public Socket createSocket(InetAddress host, int port) throws IOException {
        return connected(new InetSocketAddress(host, port), null);
    }

    @Override
    public Socket createSocket(InetAddress host, int port, InetAddress localHost, int localPort) throws IOException {
        return connected(new InetSocketAddress(host, port), new InetSocketAddress(localHost, localPort));
    }

    private Socket connected(InetSocketAddress remote, @Nullable InetSocketAddress local) throws IOException {
        Socket socket = createSocket();
        try {
            if (local != null) {
                socket.bind(local);
            }
            socket.connect(remote);
            return socket;
        } catch (IOException e) {
            socket.close();
            throw e;
        }
    }

    private static final class CountingSocket extends Socket {
        private final TrafficCount traffic;

        CountingSocket(TrafficCount traffic) {
            this.traffic = traffic;
        }

        @Override
        public InputStream getInputStream() throws IOException {
            return new FilterInputStream(super.getInputStream()) {
                @Override
                public int read() throws IOException {
                    int value = in.read();
                    traffic.received(value < 0 ? 0 : 1);
                    return value;
                }

                @Override
                public int read(byte[] bytes, int from, int length) throws IOException {
                    int count = in.read(bytes, from, length);
                    traffic.received(Math.max(0, count));
                    return count;
                }
            };
        }

        @Override
        public OutputStream getOutputStream() throws IOException {
            return new FilterOutputStream(super.getOutputStream()) {
                @Override
                public void write(int value) throws IOException {
                    out.write(value);
                    traffic.sent(1);
                }

                @Override
                public void write(byte[] bytes, int from, int length) throws IOException {
                    out.write(bytes, from, length);
                    traffic.sent(length);
                }
            };
        }
    }
}
