// SPDX-License-Identifier: Apache-2.0
package dev.forebay.console.web;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.forebay.console.web.WebPort.Content;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class WebPortTest {

    private final HttpClient client = HttpClient.newHttpClient();
    private WebPort port;
    private int done;
    private volatile boolean ready;

    @BeforeEach
    void open() throws IOException {
        port = WebPort.builder("sesame")
                .health(() -> ready)
                .open("/open", WebPort.TEXT_TYPE, () -> Content.of("for all"))
                .secret("/secret", WebPort.TEXT_TYPE, given -> Content.of("a=" + given.get("a")))
                .action("/do", WebPort.TEXT_TYPE, given -> {
                    done++;
                    return Content.of("did " + given.get("a"));
                })
                .open("/bug", WebPort.TEXT_TYPE, () -> {
                    throw new IllegalStateException("on purpose");
                })
                .listen(0);
    }

    @AfterEach
    void close() {
        port.close();
    }

    /** Finding C8: a page of another site whose name leads here would be answered. */
    @Test
    void aRequestForAnotherHostIsNotAnswered() throws Exception {
        int own = URI.create(port.url()).getPort();
        assertEquals("421", statusFor("evil.example:" + own));
        assertEquals("421", statusFor("127.0.0.1.evil.example"));
        assertEquals("421", statusFor("localhost.evil"));
        assertEquals("200", statusFor("localhost:" + own));
        assertEquals("200", statusFor("127.0.0.1:" + own));
        assertEquals("200", statusFor("[::1]:" + own));
        assertEquals("200", statusFor("localhost:1"), "a tunnel has another port");
    }

    private String statusFor(String host) throws IOException {
        try (Socket socket = new Socket("127.0.0.1", URI.create(port.url()).getPort())) {
            String request = "GET /open HTTP/1.1\r\nHost: " + host + "\r\nConnection: close\r\n\r\n";
            socket.getOutputStream().write(request.getBytes(StandardCharsets.US_ASCII));
            String answer = new String(socket.getInputStream().readAllBytes(), StandardCharsets.US_ASCII);
            return answer.split(" ")[1];
        }
    }

    private HttpResponse<String> send(String method, String path, String authorization, String body) throws Exception {
        HttpRequest.Builder request = HttpRequest.newBuilder(URI.create(port.url() + path.substring(1)))
                .method(method, HttpRequest.BodyPublishers.ofString(body));
        if (!authorization.isEmpty()) {
            request.header("Authorization", authorization);
        }
        return client.send(request.build(), HttpResponse.BodyHandlers.ofString());
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "Bearer", "Bearer ", "Bearer sesam", "Bearer sesame2", "Basic sesame", "sesame"})
    void withoutTheTokenNothingSecretIsShownAndNothingIsDone(String authorization) throws Exception {
        assertEquals(401, send("GET", "/secret", authorization, "").statusCode());
        assertEquals(401, send("POST", "/do", authorization, "a=1").statusCode());
        assertEquals(0, done);
        assertEquals("for all", send("GET", "/open", authorization, "").body());
    }

    @Test
    void whetherItIsWellAndReadyIsForEverybody() throws Exception {
        assertEquals("alive\n", send("GET", "/healthz", "", "").body());
        assertEquals(503, send("GET", "/readyz", "", "").statusCode());
        ready = true;
        assertEquals("ready\n", send("GET", "/readyz", "", "").body());
    }

    @Test
    void theTokenInTheAddressIsNoToken() throws Exception {
        assertEquals(401, send("GET", "/secret?token=sesame", "", "").statusCode());
    }

    @ParameterizedTest
    @CsvSource({
        "GET, /do, 405, POST",
        "PUT, /do, 405, POST",
        "POST, /secret, 405, 'GET, HEAD'",
        "DELETE, /open, 405, 'GET, HEAD'",
        "GET, /nothing, 404, ''",
        "GET, /bug, 500, ''",
        "GET, /open/../secret, 404, ''"
    })
    void onlyWhatIsMeantIsAnswered(String method, String path, int status, String allowed) throws Exception {
        HttpResponse<String> answer = send(method, path, "Bearer sesame", "");
        assertEquals(status, answer.statusCode());
        assertEquals(allowed, answer.headers().firstValue("Allow").orElse(""));
    }

    @Test
    void whatIsAskedAndWhatIsPostedIsRead() throws Exception {
        assertEquals(
                "a=x y&z",
                send("GET", "/secret?b=1&a=x+y%26z", "Bearer sesame", "").body());
        assertEquals(
                "did ü=1",
                send("POST", "/do?a=no", "Bearer sesame", "a=%C3%BC=1").body());
    }

    @Test
    void whatCannotBeReadIsRefused() throws Exception {
        assertEquals(400, send("POST", "/do", "Bearer sesame", "a=%zz").statusCode());
        assertEquals(
                400,
                send("POST", "/do", "Bearer sesame", "a=" + "x".repeat(9_000)).statusCode());
        assertEquals(0, done);
    }

    @Test
    void whoDoesNotFinishHisQuestionIsNotWaitedForForEver() throws Exception {
        List<Socket> silent = new ArrayList<>();
        try {
            for (int i = 0; i < 8; i++) {
                Socket socket = new Socket(InetAddress.getLoopbackAddress(), port.port());
                silent.add(socket);
                socket.getOutputStream().write("GET /open HTTP/1.1\r\nHost: l".getBytes(StandardCharsets.US_ASCII));
                socket.getOutputStream().flush();
            }
            assertEquals("for all", send("GET", "/open", "", "").body());
        } finally {
            for (Socket socket : silent) {
                socket.close();
            }
        }
    }

    @Test
    void noOtherPageMayFrameItOrBringScripts() throws Exception {
        var headers = send("GET", "/open", "", "").headers();
        String policy = headers.firstValue("Content-Security-Policy").orElse("");
        assertTrue(policy.contains("default-src 'self'") && policy.contains("frame-ancestors 'none'"), policy);
        assertEquals("nosniff", headers.firstValue("X-Content-Type-Options").orElse(""));
        assertEquals("no-store", headers.firstValue("Cache-Control").orElse(""));
    }
}
