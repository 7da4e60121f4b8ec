// SPDX-License-Identifier: Apache-2.0
package dev.forebay.console.web;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.sql.SQLException;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The page's answers to forms. */
class PageTest {

    private final List<String> done = new ArrayList<>();
    private final Happenings happenings = new Happenings(InstantSource.system());
    private ConsolePage page;
    private WebPort port;

    private final class Given implements Source {
        @Override
        public String title() {
            return "a title";
        }

        @Override
        public List<PoolNow> pools() {
            return List.of();
        }

        @Override
        public List<Action> actions(String pool) {
            return pool.equals("a")
                    ? List.of(new Action("resize", "Resize", "", "", List.of(new Argument("to", "Size", 1, 20, 10))))
                    : List.of();
        }

        @Override
        public String act(String pool, String action, Map<String, Integer> values) throws SQLException {
            if (values.get("to") == 13) {
                throw new SQLException("not on a Friday");
            }
            done.add(action + " " + pool + " " + values);
            return "resized to " + values.get("to");
        }
    }

    private HttpResponse<String> post(boolean mayAct, String form) throws IOException, InterruptedException {
        page = new ConsolePage(new Given(), happenings, mayAct);
        WebPort.Builder builder = WebPort.builder("sesame");
        page.showAt(builder);
        port = builder.listen(0);
        HttpRequest request = HttpRequest.newBuilder(URI.create(port.url() + "api/act"))
                .header("Authorization", "Bearer sesame")
                .POST(HttpRequest.BodyPublishers.ofString(form))
                .build();
        return HttpClient.newHttpClient().send(request, HttpResponse.BodyHandlers.ofString());
    }

    @AfterEach
    void close() {
        port.close();
        page.close();
    }

    @Test
    void whoMayOnlyLookIsRefused() throws Exception {
        HttpResponse<String> answer = post(false, "pool=a&action=resize&to=5");
        assertEquals(403, answer.statusCode());
        assertTrue(answer.body().contains("--allow-actions"), answer.body());
        assertEquals(List.of(), done);
    }

    @Test
    void whatIsDoneIsToldAmongTheEvents() throws Exception {
        assertEquals(
                "{\"done\":\"resized to 20\"}",
                post(true, "pool=a&action=resize&to=20").body());
        assertEquals(List.of("resize a {to=20}"), done);
        Happenings.Happening told = happenings.newest().get(0);
        assertEquals("a ACTION resized to 20", told.where() + " " + told.event() + " " + told.detail());
    }

    @ParameterizedTest
    @CsvSource({
        "pool=b&action=resize&to=5, 404, there is no action resize of a pool b",
        "pool=a&action=close&to=5, 404, there is no action close of a pool a",
        "action=resize, 404, there is no action",
        "pool=a&action=resize, 400, Size must be a whole number from 1 to 20",
        "pool=a&action=resize&to=21, 400, Size must be a whole number from 1 to 20",
        "pool=a&action=resize&to=5.5, 400, Size must be a whole number from 1 to 20",
        "pool=a&action=resize&to=4294967301, 400, Size must be a whole number from 1 to 20",
        "pool=a&action=resize&to=13, 409, not on a Friday"
    })
    void whatCannotBeDoneIsSaidAndNotDone(String form, int status, String words) throws Exception {
        HttpResponse<String> answer = post(true, form);
        assertEquals(status, answer.statusCode());
        assertTrue(answer.body().contains(words), answer.body());
        assertEquals(List.of(), done);
        assertEquals(List.of(), happenings.newest());
    }
}
