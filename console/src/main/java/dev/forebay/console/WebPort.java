// SPDX-License-Identifier: Apache-2.0
package dev.forebay.console;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Shows pages on loopback, some of them only to whoever has the token. Thread-safe. */
final class WebPort implements AutoCloseable {

    static final String METRICS_TYPE = "text/plain; version=0.0.4; charset=utf-8";
    static final String TEXT_TYPE = "text/plain; charset=utf-8";
    static final String HTML_TYPE = "text/html; charset=utf-8";

    private static final Logger log = LoggerFactory.getLogger(WebPort.class);
    private static final int THREADS = 4;

    private final HttpServer server;
    private final ExecutorService threads;
    private final Map<String, Page> pages;

    private WebPort(HttpServer server, ExecutorService threads, Map<String, Page> pages) {
        this.server = server;
        this.threads = threads;
        this.pages = pages;
    }

    /** What is answered: a status and a text. */
    record Content(int status, String text) {
        static Content of(String text) {
            return new Content(200, text);
        }
    }

    private record Page(String type, boolean isSecret, Supplier<Content> content) {}

    static Builder builder(String token) {
        return new Builder(token);
    }

    int port() {
        return server.getAddress().getPort();
    }

    private void answer(HttpExchange exchange, byte[] expected) throws IOException {
        try (exchange) {
            Page page = pages.get(exchange.getRequestURI().getPath());
            String method = exchange.getRequestMethod();
            if (page == null) {
                exchange.sendResponseHeaders(404, -1);
            } else if (!method.equals("GET") && !method.equals("HEAD")) {
                exchange.getResponseHeaders().set("Allow", "GET, HEAD");
                exchange.sendResponseHeaders(405, -1);
            } else if (page.isSecret && !isAllowed(exchange, expected)) {
                exchange.getResponseHeaders().set("WWW-Authenticate", "Bearer");
                exchange.sendResponseHeaders(401, -1);
            } else {
                show(exchange, page, method.equals("HEAD"));
            }
        } catch (RuntimeException e) {
            log.error("{} could not be shown", exchange.getRequestURI().getPath(), e);
            throw e;
        }
    }

    private static boolean isAllowed(HttpExchange exchange, byte[] expected) {
        String given = exchange.getRequestHeaders().getFirst("Authorization");
        return given != null && MessageDigest.isEqual(expected, given.getBytes(StandardCharsets.UTF_8));
    }

    private static void show(HttpExchange exchange, Page page, boolean headOnly) throws IOException {
        Content content = page.content.get();
        byte[] body = content.text().getBytes(StandardCharsets.UTF_8);
        exchange.getResponseHeaders().set("Content-Type", page.type);
        exchange.getResponseHeaders().set("Cache-Control", "no-store");
        exchange.getResponseHeaders().set("X-Content-Type-Options", "nosniff");
        exchange.getResponseHeaders().set("Content-Security-Policy", "default-src 'self'; frame-ancestors 'none'");
        exchange.sendResponseHeaders(content.status(), headOnly ? -1 : body.length);
        if (!headOnly) {
            exchange.getResponseBody().write(body);
        }
    }

    @Override
    public void close() {
        server.stop(0);
        threads.shutdown();
    }

    /** Collects pages. Not thread-safe. */
    static final class Builder {
        private final byte[] expected;
        private final Map<String, Page> pages = new HashMap<>();

        private Builder(String token) {
            this.expected = ("Bearer " + token).getBytes(StandardCharsets.UTF_8);
        }

        /** A page for everybody on this machine. */
        Builder open(String path, String type, Supplier<Content> content) {
            pages.put(path, new Page(type, false, content));
            return this;
        }

        /** A page for whoever has the token. */
        Builder secret(String path, String type, Supplier<Content> content) {
            pages.put(path, new Page(type, true, content));
            return this;
        }

        /** Listens on {@code port}; 0 for any. */
        WebPort listen(int port) throws IOException {
            InetSocketAddress address = new InetSocketAddress(InetAddress.getLoopbackAddress(), port);
            HttpServer server;
            try {
                server = HttpServer.create(address, 0);
            } catch (IOException e) {
                throw new IOException("cannot listen on " + address + ": " + e.getMessage(), e);
            }
            ExecutorService threads = Executors.newFixedThreadPool(THREADS, task -> {
                Thread thread = new Thread(task, "forebay-web");
                thread.setDaemon(true);
                return thread;
            });
            WebPort opened = new WebPort(server, threads, Map.copyOf(pages));
            server.setExecutor(threads);
            server.createContext("/", exchange -> opened.answer(exchange, expected));
            server.start();
            return opened;
        }
    }
}
