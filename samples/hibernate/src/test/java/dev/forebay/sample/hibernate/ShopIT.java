// SPDX-License-Identifier: Apache-2.0
package dev.forebay.sample.hibernate;

import static org.assertj.core.api.Assertions.assertThat;

import dev.forebay.local.LocalDsql;
import dev.forebay.local.junit.WithLocalDsql;
import dev.forebay.model.Fault;
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
class ShopIT {

    private static final int CLIENTS = 4;
    private static final int ORDERS_EACH = 25;

    private static final HttpClient http = HttpClient.newHttpClient();
    private static ConfigurableApplicationContext application;
    private static String address;

    @BeforeAll
    static void start(LocalDsql dsql) {
        AwsCredentialsProvider keys = StaticCredentialsProvider.create(AwsBasicCredentials.create(
                dsql.accessKey().id(), dsql.accessKey().secret()));
        application = new SpringApplicationBuilder(ShopApplication.class)
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
    void ordersThatMeetAreAllTakenAndTheStockIsRight() throws Exception {
        String product = id(post("/products", "{\"name\": \"lamp\", \"stock\": 1000}", 201));
        CountDownLatch together = new CountDownLatch(CLIENTS);
        ExecutorService clients = Executors.newFixedThreadPool(CLIENTS);
        try {
            List<Future<?>> done = new ArrayList<>();
            for (int i = 0; i < CLIENTS; i++) {
                done.add(clients.submit(() -> {
                    together.countDown();
                    together.await();
                    for (int j = 0; j < ORDERS_EACH; j++) {
                        post("/products/" + product + "/orders", "{\"quantity\": 2}", 201);
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
        int orders = CLIENTS * ORDERS_EACH;
        assertThat(get("/products/" + product, 200))
                .contains("\"stock\":" + (1000 - 2 * orders))
                .contains("\"orders\":" + orders);
        double conflicts = number(get("/actuator/metrics/dsql_tx_conflicts_total?tag=operation:Shop.order", 200));
        assertThat(conflicts).as("conflicts that were tried again").isPositive();
    }

    @Test
    void whatTheApplicationRefusesIsNotTriedAgain() throws Exception {
        String product = id(post("/products", "{\"name\": \"chair\", \"stock\": 1}", 201));
        assertThat(post("/products/" + product + "/orders", "{\"quantity\": 2}", 409))
                .contains("only 1 of chair");
        assertThat(get("/products/" + product, 200)).contains("\"stock\":1").contains("\"orders\":0");
    }

    @Test
    void aCommitThatIsNotAnsweredIsNotRepeated(LocalDsql dsql) throws Exception {
        String product = id(post("/products", "{\"name\": \"table\", \"stock\": 10}", 201));
        dsql.inject(Fault.parse("fail commits 1 XX000 applied"));
        assertThat(post("/products/" + product + "/orders", "{\"quantity\": 2}", 503))
                .contains("nobody knows");
        assertThat(get("/products/" + product, 200)).contains("\"stock\":8").contains("\"orders\":1");
    }

    @Test
    void itsHealthIsToldByThePoolAndByTheDatabase() throws Exception {
        assertThat(get("/actuator/health", 200))
                .contains("\"forebay\":{")
                .contains("\"state\":\"serving\"")
                .contains("\"db\":{")
                .startsWith("{\"")
                .contains("\"status\":\"UP\"");
    }

    @Test
    void itsMetricsAreThoseOfBootAndOfThePool() throws Exception {
        assertThat(number(get("/actuator/metrics/jdbc.connections.max", 200))).isEqualTo(10);
        assertThat(number(get("/actuator/metrics/dsql_reservoir_size", 200))).isEqualTo(10);
    }

    @Test
    void theEndpointShowsThePoolAndActsOnItWhereThatIsAllowed() throws Exception {
        assertThat(get("/actuator/forebay", 200)).contains("\"service\":\"shop\"");
        assertThat(post("/actuator/forebay/check", "{}", 200)).contains("\"done\":\"check\"");
        post("/actuator/forebay/explode", "{}", 400);
    }

    @Test
    void itIsNotReadyWhileThePoolHandsOutNothing() throws Exception {
        get("/actuator/health/readiness", 200);
        post("/actuator/forebay/suspend", "{}", 200);
        try {
            get("/actuator/health/readiness", 503);
            get("/actuator/health/liveness", 200);
        } finally {
            post("/actuator/forebay/resume", "{}", 200);
        }
        get("/actuator/health/readiness", 200);
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
