// SPDX-License-Identifier: Apache-2.0
package dev.forebay.dsql;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.util.EnumMap;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/** A DynamoDB that is slow, throttles, conflicts, loses requests and answers, or is gone; between a client and a real one. */
final class FaultyDynamo implements AutoCloseable {

    enum Fault {
        /** The answer takes a while. */
        SLOW,
        /** Too many requests. */
        THROTTLED,
        /** Another transaction was there; other requests pass. */
        CONFLICT,
        /** Nothing takes effect, and nobody answers. */
        REQUEST_LOST,
        /** It takes effect, and nobody answers. */
        ANSWER_LOST,
        /** The server fails after it took effect. */
        ERROR_AFTER
    }

    private static final Set<String> NOT_PASSED_ON =
            Set.of("connection", "content-length", "host", "expect", "upgrade", "transfer-encoding");

    private final URI real;
    private final HttpServer server;
    private final ExecutorService threads = Executors.newCachedThreadPool();
    private final HttpClient http = HttpClient.newHttpClient();
    private final Map<Fault, AtomicInteger> happened = new EnumMap<>(Fault.class);
    private final CountDownLatch closed = new CountDownLatch(1);
    private final Random random;
    private volatile double likelihood;
    private volatile Fault only;
    private volatile boolean gone;

    FaultyDynamo(URI real, long seed) throws IOException {
        this.real = real;
        this.random = new Random(seed);
        for (Fault fault : Fault.values()) {
            happened.put(fault, new AtomicInteger());
        }
        this.server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.setExecutor(threads);
        server.createContext("/", this::answer);
        server.start();
    }

    URI endpoint() {
        return URI.create("http://localhost:" + server.getAddress().getPort());
    }

    /** Each request meets each fault with this likelihood from now on. */
    void trouble(double each) {
        likelihood = each;
    }

    /** Each request meets this fault, and no other, with this likelihood from now on. */
    void only(Fault fault, double each) {
        only = fault;
        likelihood = each;
    }

    /** Whether every request is lost. */
    void gone(boolean isGone) {
        gone = isGone;
    }

    Map<Fault, AtomicInteger> happened() {
        return happened;
    }

    private void answer(HttpExchange exchange) throws IOException {
        byte[] body = exchange.getRequestBody().readAllBytes();
        String target = String.valueOf(exchange.getRequestHeaders().getFirst("X-Amz-Target"));
        int fate = (int) (random.nextDouble() / Math.max(1e-9, likelihood));
        Fault fault = gone ? Fault.REQUEST_LOST : fate < Fault.values().length ? Fault.values()[fate] : null;
        if (only != null && !gone) {
            fault = fate == 0 ? only : null;
        }
        if (fault == Fault.CONFLICT && !target.endsWith("TransactWriteItems")) {
            fault = null;
        }
        if (fault != null) {
            happened.get(fault).incrementAndGet();
        }
        try {
            if (fault == Fault.REQUEST_LOST) {
                keepSilent(exchange);
            } else if (fault == Fault.THROTTLED) {
                fail(exchange, 400, "ProvisionedThroughputExceededException", "");
            } else if (fault == Fault.CONFLICT) {
                fail(
                        exchange,
                        400,
                        "TransactionCanceledException",
                        ",\"CancellationReasons\":[{\"Code\":\"None\"},{\"Code\":\"TransactionConflict\"}]");
            } else {
                HttpResponse<byte[]> response = pass(exchange, body);
                if (fault == Fault.ANSWER_LOST) {
                    keepSilent(exchange);
                } else if (fault == Fault.ERROR_AFTER) {
                    fail(exchange, 500, "InternalServerError", "");
                } else {
                    if (fault == Fault.SLOW) {
                        closed.await(200, TimeUnit.MILLISECONDS);
                    }
                    reply(exchange, response.statusCode(), response.body());
                }
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } finally {
            exchange.close();
        }
    }

    private HttpResponse<byte[]> pass(HttpExchange exchange, byte[] body) throws IOException, InterruptedException {
        HttpRequest.Builder request = HttpRequest.newBuilder(real).POST(HttpRequest.BodyPublishers.ofByteArray(body));
        exchange.getRequestHeaders().forEach((name, values) -> {
            if (!NOT_PASSED_ON.contains(name.toLowerCase(java.util.Locale.ROOT))) {
                values.forEach(value -> request.header(name, value));
            }
        });
        return http.send(request.build(), HttpResponse.BodyHandlers.ofByteArray());
    }

    /** Longer than any client of the tests waits. */
    private void keepSilent(HttpExchange exchange) throws InterruptedException {
        closed.await(2, TimeUnit.SECONDS);
    }

    private static void fail(HttpExchange exchange, int status, String type, String more) throws IOException {
        String body =
                "{\"__type\":\"com.amazonaws.dynamodb.v20120810#" + type + "\",\"message\":\"injected\"" + more + "}";
        reply(exchange, status, body.getBytes(StandardCharsets.UTF_8));
    }

    private static void reply(HttpExchange exchange, int status, byte[] body) throws IOException {
        exchange.getResponseHeaders().set("Content-Type", "application/x-amz-json-1.0");
        exchange.sendResponseHeaders(status, body.length);
        exchange.getResponseBody().write(body);
    }

    @Override
    public void close() {
        closed.countDown();
        server.stop(0);
        threads.shutdownNow();
    }
}
