// SPDX-License-Identifier: Apache-2.0
package dev.forebay.local.testkit;

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
public final class Browser implements AutoCloseable {

    private static final long PATIENCE_SECONDS = 60;

    private final Path profile;
    private final Process process;
    private final WebSocket socket;
    private final BlockingQueue<String> messages = new LinkedBlockingQueue<>();
    private final List<String> events = new ArrayList<>();
    private int lastId;

    /** Where Chromium is; null if it is nowhere. */
    public static Path executable() {
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

    public Browser() throws IOException, InterruptedException {
        profile = Files.createTempDirectory("forebay-browser");
        process = new ProcessBuilder(
                        executable().toString(),
                        "--headless=new",
                        "--no-sandbox",
                        "--disable-gpu",
                        "--no-first-run",
                        "--disable-background-networking",
                        "--disable-component-update",
                        "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1",
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

    /** Opens a page, {@code width} wide, in the light or the dark; forgets what happened before. */
    public void open(URI page, int width, boolean dark) throws InterruptedException {
        call(
                "Emulation.setDeviceMetricsOverride",
                "{\"width\":" + width + ",\"height\":800,\"deviceScaleFactor\":1,\"mobile\":" + (width < 600) + "}");
        call(
                "Emulation.setEmulatedMedia",
                "{\"media\":\"\",\"features\":[{\"name\":\"prefers-color-scheme\",\"value\":\""
                        + (dark ? "dark" : "light") + "\"}]}");
        events.clear();
        call("Page.navigate", "{\"url\":\"" + page + "\"}");
        while (events.stream().noneMatch(event -> event.contains("\"Page.loadEventFired\""))) {
            events.add(next());
        }
    }

    /** Lays the page out as for a printer, on a system that is dark. */
    public void print() throws InterruptedException {
        call(
                "Emulation.setEmulatedMedia",
                "{\"media\":\"print\",\"features\":[{\"name\":\"prefers-color-scheme\",\"value\":\"dark\"}]}");
    }

    /** The value of an expression, as text. */
    public String ask(String expression) throws InterruptedException {
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

    /** Waits until an expression comes to {@code expected}. */
    public void await(String expected, String expression) throws InterruptedException {
        String last = "";
        for (long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(PATIENCE_SECONDS); System.nanoTime() < end; ) {
            last = ask(expression);
            if (last.equals(expected)) {
                return;
            }
            call("Runtime.evaluate", "{\"expression\":\"new Promise(r => setTimeout(r, 50))\",\"awaitPromise\":true}");
        }
        throw new AssertionError(expression + " did not come to " + expected + " but to " + last);
    }

    /** Clicks in the middle of the first element of a selector, as a mouse would. */
    public void click(String selector) throws InterruptedException {
        String element = "document.querySelector('" + selector + "')";
        ask(element + ".scrollIntoView({block: 'center', behavior: 'instant'})");
        String box = element + ".getBoundingClientRect()";
        double x = Double.parseDouble(ask(box + ".left + " + box + ".width / 2"));
        double y = Double.parseDouble(ask(box + ".top + " + box + ".height / 2"));
        for (String type : List.of("mousePressed", "mouseReleased")) {
            call(
                    "Input.dispatchMouseEvent",
                    "{\"type\":\"" + type + "\",\"x\":" + x + ",\"y\":" + y + ",\"button\":\"left\",\"clickCount\":1}");
        }
    }

    /** Writes into what has the focus. */
    public void type(String text) throws InterruptedException {
        call("Input.insertText", "{\"text\":\"" + text + "\"}");
    }

    /** Presses a key: a character, or a name such as {@code Tab}, {@code Enter} and {@code Escape}. */
    public void press(String key) throws InterruptedException {
        int code = key.equals("Tab") ? 9 : key.equals("Enter") ? 13 : key.equals("Escape") ? 27 : 0;
        String text = key.length() == 1 ? ",\"text\":\"" + key + "\"" : key.equals("Enter") ? ",\"text\":\"\\r\"" : "";
        String start = ",\"key\":\"" + key + "\",\"windowsVirtualKeyCode\":" + code;
        call("Input.dispatchKeyEvent", "{\"type\":\"keyDown\"" + start + text + "}");
        call("Input.dispatchKeyEvent", "{\"type\":\"keyUp\"" + start + "}");
    }

    /** The page's requests to the network, except those that begin with {@code own}, and its complaints. */
    public List<String> troubles(URI own) {
        return events.stream()
                .filter(event -> event.contains("\"Log.entryAdded\"")
                        || event.contains("\"Runtime.consoleAPICalled\"")
                        || event.contains("\"Runtime.exceptionThrown\"")
                        || (event.contains("\"Network.requestWillBeSent\"")
                                && !event.contains("\"url\":\"" + own)
                                && !event.contains("\"url\":\"data:")))
                .toList();
    }

    /** Moves the pointer. */
    public void point(double x, double y) throws InterruptedException {
        call("Input.dispatchMouseEvent", "{\"type\":\"mouseMoved\",\"x\":" + x + ",\"y\":" + y + "}");
    }

    /** The whole page as a PNG. */
    public byte[] screenshot() throws InterruptedException {
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
