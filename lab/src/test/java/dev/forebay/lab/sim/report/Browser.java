// SPDX-License-Identifier: Apache-2.0
package dev.forebay.lab.sim.report;

import java.io.IOException;
import java.net.URI;
import java.net.URLDecoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.WebSocket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Base64;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/** Chromium without a window, told what to do over its own protocol. Not thread-safe. */
final class Browser implements AutoCloseable {

    private static final long PATIENCE_SECONDS = 60;

    private final Path profile;
    private final Process process;
    private final WebSocket socket;
    private final BlockingQueue<String> messages = new LinkedBlockingQueue<>();
    private final List<String> events = new ArrayList<>();
    private int lastId;

    /** Where Chromium is; null if it is nowhere. */
    static Path executable() {
        for (String directory : System.getenv().getOrDefault("PATH", "").split(":")) {
            for (String name : List.of("chromium", "chromium-browser", "google-chrome")) {
                Path file = Path.of(directory, name);
                if (Files.isExecutable(file)) {
                    return file;
                }
            }
        }
        return null;
    }

    Browser() throws IOException, InterruptedException {
        profile = Files.createTempDirectory("forebay-browser");
        process = new ProcessBuilder(
                        executable().toString(),
                        "--headless=new",
                        "--no-sandbox",
                        "--disable-gpu",
                        "--no-first-run",
                        "--disable-background-networking",
                        "--disable-component-update",
                        "--host-resolver-rules=MAP * ~NOTFOUND",
                        "--remote-debugging-port=0",
                        "--user-data-dir=" + profile,
                        "about:blank")
                .redirectErrorStream(true)
                .redirectOutput(profile.resolve("log").toFile())
                .start();
        socket = HttpClient.newHttpClient()
                .newWebSocketBuilder()
                .buildAsync(page(port()), new Listener())
                .join();
        for (String domain : List.of("Page", "Runtime", "Log", "Network")) {
            call(domain + ".enable", "{}");
        }
    }

    private String port() throws IOException, InterruptedException {
        Path file = profile.resolve("DevToolsActivePort");
        for (long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(PATIENCE_SECONDS); System.nanoTime() < end; ) {
            if (Files.exists(file) && Files.readString(file).contains("\n")) {
                return Files.readAllLines(file).get(0);
            }
            if (process.waitFor(20, TimeUnit.MILLISECONDS)) {
                break;
            }
        }
        throw new IllegalStateException("no browser: " + Files.readString(profile.resolve("log")));
    }

    private static URI page(String port) throws IOException, InterruptedException {
        HttpRequest newPage = HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + "/json/new?about:blank"))
                .PUT(HttpRequest.BodyPublishers.noBody())
                .build();
        String page = HttpClient.newHttpClient()
                .send(newPage, HttpResponse.BodyHandlers.ofString())
                .body();
        return URI.create(page.replaceAll("(?s).*\"webSocketDebuggerUrl\": \"([^\"]+/page/[^\"]+)\".*", "$1"));
    }

    /** Opens a file, {@code width} wide, in the light or the dark; forgets what happened before. */
    void open(Path file, int width, boolean dark) throws InterruptedException {
        call(
                "Emulation.setDeviceMetricsOverride",
                "{\"width\":" + width + ",\"height\":800,\"deviceScaleFactor\":1,\"mobile\":" + (width < 600) + "}");
        call(
                "Emulation.setEmulatedMedia",
                "{\"media\":\"\",\"features\":[{\"name\":\"prefers-color-scheme\",\"value\":\""
                        + (dark ? "dark" : "light") + "\"}]}");
        events.clear();
        call("Page.navigate", "{\"url\":\"" + file.toUri() + "\"}");
        while (events.stream().noneMatch(event -> event.contains("\"Page.loadEventFired\""))) {
            events.add(next());
        }
    }

    /** Lays the page out as for a printer, on a system that is dark. */
    void print() throws InterruptedException {
        call(
                "Emulation.setEmulatedMedia",
                "{\"media\":\"print\",\"features\":[{\"name\":\"prefers-color-scheme\",\"value\":\"dark\"}]}");
    }

    /** What an expression comes to, as text. */
    String ask(String expression) throws InterruptedException {
        String answer = call(
                "Runtime.evaluate",
                "{\"expression\":\"encodeURIComponent(String("
                        + expression.replace("\\", "\\\\").replace("\"", "\\\"") + "))\"}");
        if (!answer.contains("\"type\":\"string\"")) {
            throw new IllegalStateException(expression + ": " + answer);
        }
        String value = answer.replaceAll("(?s).*\"value\":\"([^\"]*)\".*", "$1");
        return URLDecoder.decode(value.replace("+", "%2B"), StandardCharsets.UTF_8);
    }

    /** What the page asked the network for, itself apart, and what it complained of. */
    List<String> troubles(Path opened) {
        return events.stream()
                .filter(event -> event.contains("\"Log.entryAdded\"")
                        || event.contains("\"Runtime.consoleAPICalled\"")
                        || event.contains("\"Runtime.exceptionThrown\"")
                        || (event.contains("\"Network.requestWillBeSent\"")
                                && !event.contains("\"url\":\"" + opened.toUri() + "\"")
                                && !event.contains("\"url\":\"data:")))
                .toList();
    }

    /** Moves the pointer. */
    void point(double x, double y) throws InterruptedException {
        call("Input.dispatchMouseEvent", "{\"type\":\"mouseMoved\",\"x\":" + x + ",\"y\":" + y + "}");
    }

    /** The whole page as a PNG. */
    byte[] screenshot() throws InterruptedException {
        String answer = call("Page.captureScreenshot", "{\"captureBeyondViewport\":true}");
        return Base64.getDecoder().decode(answer.replaceAll("(?s).*\"data\":\"([^\"]*)\".*", "$1"));
    }

    private String call(String method, String parameters) throws InterruptedException {
        int id = ++lastId;
        socket.sendText("{\"id\":" + id + ",\"method\":\"" + method + "\",\"params\":" + parameters + "}", true)
                .join();
        while (true) {
            String message = next();
            if (message.startsWith("{\"id\":" + id + ",")) {
                if (message.startsWith("{\"id\":" + id + ",\"error\"")) {
                    throw new IllegalStateException(method + ": " + message);
                }
                return message;
            }
            events.add(message);
        }
    }

    private String next() throws InterruptedException {
        String message = messages.poll(PATIENCE_SECONDS, TimeUnit.SECONDS);
        if (message == null) {
            throw new IllegalStateException("the browser does not answer");
        }
        return message;
    }

    @Override
    public void close() throws IOException, InterruptedException {
        socket.abort();
        List<ProcessHandle> children = process.descendants().toList();
        process.destroy();
        if (!process.waitFor(PATIENCE_SECONDS, TimeUnit.SECONDS)) {
            process.destroyForcibly().waitFor();
        }
        for (ProcessHandle child : children) {
            child.onExit().orTimeout(PATIENCE_SECONDS, TimeUnit.SECONDS).join();
        }
        try (Stream<Path> files = Files.walk(profile)) {
            for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
                Files.deleteIfExists(file);
            }
        }
    }

    /** Puts the parts of a message together. */
    private final class Listener implements WebSocket.Listener {
        private final StringBuilder parts = new StringBuilder();

        @Override
        public CompletionStage<?> onText(WebSocket from, CharSequence data, boolean last) {
            parts.append(data);
            if (last) {
                messages.add(parts.toString());
                parts.setLength(0);
            }
            from.request(1);
            return null;
        }
    }
}
