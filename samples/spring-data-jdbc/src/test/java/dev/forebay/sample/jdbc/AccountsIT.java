// SPDX-License-Identifier: Apache-2.0
package dev.forebay.sample.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import dev.forebay.local.LocalDsql;
import dev.forebay.local.junit.WithLocalDsql;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.support.GenericApplicationContext;
import software.amazon.awssdk.auth.credentials.AwsBasicCredentials;
import software.amazon.awssdk.auth.credentials.AwsCredentialsProvider;
import software.amazon.awssdk.auth.credentials.StaticCredentialsProvider;

/** The application as it is, on a local DSQL, driven over HTTP. */
@WithLocalDsql
class AccountsIT {

    private static final int CLIENTS = 4;
    private static final int TRANSFERS_EACH = 25;

    private static final HttpClient http = HttpClient.newHttpClient();
    private static ConfigurableApplicationContext application;
    private static String address;

    @BeforeAll
    static void start(LocalDsql dsql) {
        AwsCredentialsProvider keys = StaticCredentialsProvider.create(AwsBasicCredentials.create(
                dsql.accessKey().id(), dsql.accessKey().secret()));
        application = new SpringApplicationBuilder(AccountsApplication.class)
                .initializers((GenericApplicationContext context) ->
                        context.registerBean(AwsCredentialsProvider.class, () -> keys))
                .run(
                        "--server.port=0",
                        "--forebay.dsql.endpoint=" + dsql.host() + ":" + dsql.port(),
                        "--forebay.dsql.region=" + dsql.region(),
                        "--forebay.dsql.ca-file=" + dsql.caFile());
        address = "http://localhost:" + application.getEnvironment().getProperty("local.server.port");
    }

    @AfterAll
    static void stop() {
        application.close();
    }

    @Test
    void transfersThatMeetAreAllMadeAndNoneTwice() throws Exception {
        String ada = id(post("/accounts", "{\"owner\": \"Ada\", \"balance\": 1000}", 201));
        String grace = id(post("/accounts", "{\"owner\": \"Grace\", \"balance\": 1000}", 201));
        String transfer = "{\"from\": \"%s\", \"to\": \"%s\", \"amount\": 3}".formatted(ada, grace);
        CountDownLatch together = new CountDownLatch(CLIENTS);
        ExecutorService clients = Executors.newFixedThreadPool(CLIENTS);
        try {
            List<Future<?>> done = new ArrayList<>();
            for (int i = 0; i < CLIENTS; i++) {
                done.add(clients.submit(() -> {
                    together.countDown();
                    together.await();
                    for (int j = 0; j < TRANSFERS_EACH; j++) {
                        post("/transfers", transfer, 204);
                    }
                    return null;
                }));
            }
            for (Future<?> one : done) {
                one.get();
            }
        } finally {
            clients.shutdownNow();
        }
        int moved = 3 * CLIENTS * TRANSFERS_EACH;
        assertThat(get("/accounts/" + ada, 200)).contains("\"balance\":" + (1000 - moved));
        assertThat(get("/accounts/" + grace, 200)).contains("\"balance\":" + (1000 + moved));
        double conflicts =
                number(get("/actuator/metrics/dsql_tx_conflicts_total?tag=operation:TransferService.transfer", 200));
        assertThat(conflicts).as("conflicts that were tried again").isPositive();
    }

    @Test
    void itsHealthIsToldByThePoolAndByTheDatabase() throws Exception {
        assertThat(get("/actuator/health", 200))
                .contains("\"forebay\":{")
                .contains("\"state\":\"serving\"")
                .contains("\"db\":{")
                .startsWith("{\"")
                .contains("\"status\":\"UP\"");
        assertThat(get("/actuator/health/readiness", 200)).contains("UP");
    }

    @Test
    void itsMetricsAreThoseOfBootAndOfThePool() throws Exception {
        assertThat(number(get("/actuator/metrics/jdbc.connections.max", 200))).isEqualTo(10);
        assertThat(number(get("/actuator/metrics/dsql_reservoir_size", 200))).isEqualTo(10);
    }

    @Test
    void theEndpointShowsThePoolAndIsReadOnly() throws Exception {
        assertThat(get("/actuator/forebay", 200))
                .contains("\"service\":\"accounts\"")
                .contains("\"name\":\"forebay.reservoir.target-ready\",\"value\":\"10\"")
                .contains("application.yaml")
                .doesNotContain(application
                        .getBean(AwsCredentialsProvider.class)
                        .resolveCredentials()
                        .secretAccessKey());
        assertThat(send(HttpRequest.newBuilder(URI.create(address + "/actuator/forebay/evict"))
                                .POST(HttpRequest.BodyPublishers.noBody()))
                        .statusCode())
                .isIn(404, 405);
    }

    private static String get(String path, int status) throws Exception {
        return expect(status, send(HttpRequest.newBuilder(URI.create(address + path))));
    }

    private static String post(String path, String body, int status) throws Exception {
        return expect(
                status,
                send(HttpRequest.newBuilder(URI.create(address + path))
                        .header("Content-Type", "application/json")
                        .POST(HttpRequest.BodyPublishers.ofString(body))));
    }

    private static HttpResponse<String> send(HttpRequest.Builder request) throws Exception {
        return http.send(request.build(), HttpResponse.BodyHandlers.ofString());
    }

    private static String expect(int status, HttpResponse<String> response) {
        assertThat(response.statusCode()).as(response.body()).isEqualTo(status);
        return response.body();
    }

    private static String id(String json) {
        return find("\"id\":\"([^\"]+)\"", json);
    }

    private static double number(String json) {
        return Double.parseDouble(find("\"value\":([-+.0-9E]+)", json));
    }

    private static String find(String pattern, String json) {
        Matcher matcher = Pattern.compile(pattern).matcher(json);
        assertThat(matcher.find()).as(json).isTrue();
        return matcher.group(1);
    }
}
