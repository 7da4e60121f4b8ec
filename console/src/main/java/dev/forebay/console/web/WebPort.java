// SPDX-License-Identifier: Apache-2.0
package dev.forebay.console.web;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.BooleanSupplier;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Shows pages on loopback, some of them only to a holder of the token. Thread-safe.
 *
 * <p>The token comes in the header {@code Authorization}, which no other site's page can make a browser send: so there is
 * nothing to forge, and no cookie to steal.
 */
public final class WebPort implements AutoCloseable {

    public static final String METRICS_TYPE = "text/plain; version=0.0.4; charset=utf-8";
    public static final String TEXT_TYPE = "text/plain; charset=utf-8";
    static final String HTML_TYPE = "text/html; charset=utf-8";
    static final String JSON_TYPE = "application/json";

    private static final Logger log = LoggerFactory.getLogger(WebPort.class);
    private static final Set<String> HOSTS = Set.of("localhost", "127.0.0.1", "[::1]");
    private static final int THREADS = 4;
    private static final int LONGEST_BODY = 8 << 10;

    static {
        // Read once, when the server's classes are loaded. A client that does not finish its request has a thread of
        // four. The time for an answer runs during an action, and that may wait for connects.
        Map.of("sun.net.httpserver.maxReqTime", "5", "sun.net.httpserver.maxRspTime", "60")
                .forEach((patience, seconds) -> System.setProperty(patience, System.getProperty(patience, seconds)));
    }

    private final HttpServer server;
    private final ExecutorService threads;
    private final Map<String, Page> pages;

    private WebPort(HttpServer server, ExecutorService threads, Map<String, Page> pages) {
        this.server = server;
        this.threads = threads;
        this.pages = pages;
    }

    /** An answer: a status and a text. */
    public record Content(int status, String text) {
        public static Content of(String text) {
            return new Content(200, text);
        }
    }

    /** The access to a page, and whether it acts. */
    private enum Door {
        OPEN,
        SECRET,
        /** Secret, and it changes something. */
        ACTION
    }

    private record Page(String type, Door door, Function<Map<String, String>, Content> content) {}

    /** Collects pages, the secret ones for a holder of {@code token}. */
    public static Builder builder(String token) {
        return new Builder(token);
    }

    public int port() {
        return server.getAddress().getPort();
    }

    /** Its address, for a browser on this machine. */
    public String url() {
        return "http://127.0.0.1:" + port() + "/";
    }

    private void answer(HttpExchange exchange, byte[] expected) throws IOException {
        try (exchange) {
            try {
                route(exchange, expected);
            } catch (RuntimeException e) {
                log.error("{} could not be shown", exchange.getRequestURI().getPath(), e);
                if (exchange.getResponseCode() < 0) {
                    exchange.sendResponseHeaders(500, -1);
                }
            }
        }
    }

    private void route(HttpExchange exchange, byte[] expected) throws IOException {
        Page page = pages.get(exchange.getRequestURI().getPath());
        String method = exchange.getRequestMethod();
        if (!isForUs(exchange.getRequestHeaders().getFirst("Host"))) {
            exchange.sendResponseHeaders(421, -1);
        } else if (page == null) {
            exchange.sendResponseHeaders(404, -1);
        } else if (!fits(method, page.door)) {
            exchange.getResponseHeaders().set("Allow", page.door == Door.ACTION ? "POST" : "GET, HEAD");
            exchange.sendResponseHeaders(405, -1);
        } else if (page.door != Door.OPEN && !isAllowed(exchange, expected)) {
            exchange.getResponseHeaders().set("WWW-Authenticate", "Bearer");
            exchange.sendResponseHeaders(401, -1);
        } else {
            show(exchange, page, method);
        }
    }

    /** Returns whether {@code host} is ours: a browser led here sends another site's name; a tunnel may have another port. */
    private static boolean isForUs(@Nullable String host) {
        return host == null || HOSTS.contains(host.toLowerCase(Locale.ROOT).replaceFirst(":\\d+$", ""));
    }

    private static boolean fits(String method, Door door) {
        return door == Door.ACTION ? method.equals("POST") : method.equals("GET") || method.equals("HEAD");
    }

    private static boolean isAllowed(HttpExchange exchange, byte[] expected) {
        String given = exchange.getRequestHeaders().getFirst("Authorization");
        return given != null && MessageDigest.isEqual(expected, given.getBytes(StandardCharsets.UTF_8));
    }

    private static void show(HttpExchange exchange, Page page, String method) throws IOException {
        Map<String, String> parameters = parameters(exchange, page.door);
        Content content = parameters == null ? new Content(400, "") : page.content.apply(parameters);
        byte[] body = content.text().getBytes(StandardCharsets.UTF_8);
        exchange.getResponseHeaders().set("Content-Type", page.type);
        exchange.getResponseHeaders().set("Cache-Control", "no-store");
        exchange.getResponseHeaders().set("Referrer-Policy", "no-referrer");
        exchange.getResponseHeaders().set("X-Content-Type-Options", "nosniff");
        exchange.getResponseHeaders()
                .set(
                        "Content-Security-Policy",
                        "default-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'");
        boolean headOnly = method.equals("HEAD");
        exchange.sendResponseHeaders(content.status(), headOnly || body.length == 0 ? -1 : body.length);
        if (!headOnly) {
            exchange.getResponseBody().write(body);
        }
    }

    /** The query after the question mark or, of an action, in the body; null if it cannot be read. */
    private static @Nullable Map<String, String> parameters(HttpExchange exchange, Door door) throws IOException {
        String text = exchange.getRequestURI().getRawQuery();
        if (door == Door.ACTION) {
            byte[] body = exchange.getRequestBody().readNBytes(LONGEST_BODY + 1);
            if (body.length > LONGEST_BODY) {
                return null;
            }
            text = new String(body, StandardCharsets.UTF_8);
        }
        Map<String, String> parameters = new HashMap<>();
        if (text == null || text.isEmpty()) {
            return parameters;
        }
        try {
            for (String pair : text.split("&")) {
                int equals = pair.indexOf('=');
                String name = equals < 0 ? pair : pair.substring(0, equals);
                String value = equals < 0 ? "" : pair.substring(equals + 1);
                parameters.put(
                        URLDecoder.decode(name, StandardCharsets.UTF_8),
                        URLDecoder.decode(value, StandardCharsets.UTF_8));
            }
        } catch (IllegalArgumentException e) {
            return null;
        }
        return parameters;
    }

    @Override
    public void close() {
        server.stop(0);
        threads.shutdown();
    }

    /** Collects pages. Not thread-safe. */
    public static final class Builder {
        private final byte[] expected;
        private final Map<String, Page> pages = new HashMap<>();

        private Builder(String token) {
            this.expected = ("Bearer " + token).getBytes(StandardCharsets.UTF_8);
        }

        /** Adds a page for all users of this machine. */
        public Builder open(String path, String type, Supplier<Content> content) {
            pages.put(path, new Page(type, Door.OPEN, parameters -> content.get()));
            return this;
        }

        /** Adds {@code /healthz}, and {@code /readyz}, which answers as {@code ready}; for all users of this machine. */
        public Builder health(BooleanSupplier ready) {
            open("/healthz", TEXT_TYPE, () -> Content.of("alive\n"));
            return open(
                    "/readyz",
                    TEXT_TYPE,
                    () -> ready.getAsBoolean() ? Content.of("ready\n") : new Content(503, "not ready\n"));
        }

        /** Adds a page for a holder of the token. */
        public Builder secret(String path, String type, Supplier<Content> content) {
            return secret(path, type, parameters -> content.get());
        }

        /** Adds a page for a holder of the token, which depends on the query after the question mark. */
        Builder secret(String path, String type, Function<Map<String, String>, Content> content) {
            pages.put(path, new Page(type, Door.SECRET, content));
            return this;
        }

        /** Adds an action for a holder of the token, by POST of a form. */
        Builder action(String path, String type, Function<Map<String, String>, Content> content) {
            pages.put(path, new Page(type, Door.ACTION, content));
            return this;
        }

        /** Listens on {@code port}; 0 for any. */
        public WebPort listen(int port) throws IOException {
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
