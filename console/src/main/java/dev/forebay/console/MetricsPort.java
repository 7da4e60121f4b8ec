// SPDX-License-Identifier: Apache-2.0
package dev.forebay.console;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.util.function.Supplier;

/** Shows metrics at {@code /metrics} on loopback, to whoever has the token. Thread-safe. */
final class MetricsPort implements AutoCloseable {

    private static final String TYPE = "text/plain; version=0.0.4; charset=utf-8";

    private final HttpServer server;
    private final byte[] expected;
    private final Supplier<String> metrics;

    private MetricsPort(HttpServer server, String token, Supplier<String> metrics) {
        this.server = server;
        this.expected = ("Bearer " + token).getBytes(StandardCharsets.UTF_8);
        this.metrics = metrics;
    }

    static MetricsPort open(int port, String token, Supplier<String> metrics) throws IOException {
        InetSocketAddress address = new InetSocketAddress(InetAddress.getLoopbackAddress(), port);
        HttpServer server;
        try {
            server = HttpServer.create(address, 0);
        } catch (IOException e) {
            throw new IOException("cannot listen on " + address + ": " + e.getMessage(), e);
        }
        MetricsPort opened = new MetricsPort(server, token, metrics);
        server.createContext("/metrics", opened::answer);
        server.start();
        return opened;
    }

    int port() {
        return server.getAddress().getPort();
    }

    private void answer(HttpExchange exchange) throws IOException {
        try (exchange) {
            String given = exchange.getRequestHeaders().getFirst("Authorization");
            if (given == null || !MessageDigest.isEqual(expected, given.getBytes(StandardCharsets.UTF_8))) {
                exchange.getResponseHeaders().set("WWW-Authenticate", "Bearer");
                exchange.sendResponseHeaders(401, -1);
                return;
            }
            byte[] body = metrics.get().getBytes(StandardCharsets.UTF_8);
            exchange.getResponseHeaders().set("Content-Type", TYPE);
            exchange.sendResponseHeaders(200, body.length);
            exchange.getResponseBody().write(body);
        }
    }

    @Override
    public void close() {
        server.stop(0);
    }
}
