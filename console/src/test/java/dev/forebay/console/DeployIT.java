// SPDX-License-Identifier: Apache-2.0
package dev.forebay.console;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.forebay.ForebayConfig;
import dev.forebay.fleet.FleetConfig;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.snakeyaml.engine.v2.api.Load;
import org.snakeyaml.engine.v2.api.LoadSettings;

/** The files of {@code deploy/} can be read, name what there is, and start what works; without Docker, which there may not be. */
@Timeout(value = 120, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class DeployIT {

    private static final Path DEPLOY = Document.ROOT.resolve("deploy");
    private static final Path JAR = Path.of("target", "forebay.jar").toAbsolutePath();

    @TempDir
    private Path run;

    @Test
    void everyVariableIsOneThatForebayKnowsWithAValueThatItTakes() throws IOException {
        List<Map<String, String>> environments = new ArrayList<>();
        for (Object container : list(read("ecs-task-definition.json"), "containerDefinitions")) {
            Map<String, String> environment = new LinkedHashMap<>();
            for (Object variable : list(container, "environment")) {
                environment.put(text(variable, "name"), text(variable, "value"));
            }
            environments.add(environment);
        }
        environments.add(environment("local-dsql.compose.yaml", "service"));
        for (Map<String, String> environment : environments) {
            environment.keySet().removeIf(name -> name.startsWith("AWS_"));
            ForebayConfig config = ForebayConfig.fromEnvironment(environment);
            config.toPoolConfig();
            FleetConfig fleet = FleetConfig.of(config.fleetSettings());
            assertEquals(List.of(), config.notices());
            assertEquals(List.of(), fleet.notices());
            for (String variable : environment.keySet()) {
                String origin = "environment variable " + variable;
                assertTrue(
                        config.origins().containsValue(origin)
                                || fleet.origins().containsValue(origin),
                        variable);
            }
        }
    }

    @Test
    void everyFileThatIsMountedIsThere() throws IOException {
        for (String file : List.of("compose.yaml", "local-dsql.compose.yaml")) {
            for (Object service : map(read(file), "services").values()) {
                for (Object volume : list(service, "volumes")) {
                    String source = volume.toString().split(":")[0];
                    assertTrue(
                            !source.startsWith(".")
                                    || Files.exists(DEPLOY.resolve(source).normalize()),
                            file + ": " + source);
                }
            }
        }
    }

    @Test
    void prometheusScrapesWhereTheDemoListensAndGrafanaAsksPrometheus() throws IOException {
        List<String> demo =
                strings(map(map(read("compose.yaml"), "services"), "demo").get("command"));
        String port = demo.get(demo.indexOf("--web-port") + 1);
        Object job = list(read("prometheus.yaml"), "scrape_configs").get(0);
        assertEquals(
                List.of("127.0.0.1:" + port),
                strings(map(list(job, "static_configs").get(0)).get("targets")));
        assertEquals("/run/secrets/web-token", text(map(job, "authorization"), "credentials_file"));
        Object source =
                list(read("grafana/datasources/prometheus.yaml"), "datasources").get(0);
        assertEquals("http://127.0.0.1:9090", text(source, "url"));
    }

    /** Where the container has its own directories and port, those of this test stand. */
    @Test
    void whatTheContainersOfTheLocalDsqlRunWorks() throws Exception {
        String port;
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            port = Integer.toString(socket.getLocalPort());
        }
        Process dsql = start("dsql", port);
        try {
            while (!Files.exists(run.resolve("local.properties"))) {
                assertFalse(
                        dsql.waitFor(20, TimeUnit.MILLISECONDS), () -> said("dsql")); // the test's own limit ends this
            }
            assertEquals(0, start("service", port).waitFor(), () -> said("service"));
            assertTrue(said("service").contains("ok   SELECT 1: answered"), said("service"));
        } finally {
            dsql.destroy();
            assertTrue(dsql.waitFor(60, TimeUnit.SECONDS), () -> said("dsql"));
        }
    }

    private Process start(String name, String port) throws IOException {
        Map<?, ?> service = map(map(read("local-dsql.compose.yaml"), "services"), name);
        List<String> command = Stream.concat(
                        strings(service.get("entrypoint")).stream(), strings(service.get("command")).stream())
                .map(word -> here(word, port))
                .toList();
        ProcessBuilder builder = new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(run.resolve(name).toFile());
        builder.environment().put("PATH", System.getProperty("java.home") + "/bin:" + System.getenv("PATH"));
        builder.environment().put("AWS_EC2_METADATA_DISABLED", "true");
        builder.environment().put("AWS_ENDPOINT_URL_DYNAMODB", "http://127.0.0.1:1"); // nobody is asked outside
        environment("local-dsql.compose.yaml", name)
                .forEach((variable, value) -> builder.environment().put(variable, here(value, port)));
        builder.environment().remove("XDG_CACHE_HOME"); // PostgreSQL need not be unpacked once more
        return builder.start();
    }

    private String here(String text, String port) {
        return text.replace("$$", "$")
                .replace("/forebay/forebay.jar", JAR.toString())
                .replace("/run/forebay", run.toString())
                .replace("5432", port);
    }

    private String said(String name) {
        try {
            return Files.readString(run.resolve(name));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    // ---- reading; JSON is YAML

    private static Object read(String name) throws IOException {
        return new Load(LoadSettings.builder().build()).loadFromString(Files.readString(DEPLOY.resolve(name)));
    }

    private static Map<String, String> environment(String file, String service) throws IOException {
        Map<String, String> environment = new LinkedHashMap<>();
        map(map(map(read(file), "services"), service), "environment")
                .forEach((name, value) -> environment.put(name.toString(), value.toString()));
        return environment;
    }

    private static Map<?, ?> map(Object value) {
        return (Map<?, ?>) value;
    }

    private static Map<?, ?> map(Object value, String key) {
        return map(map(value).get(key));
    }

    private static List<?> list(Object value, String key) {
        Object found = map(value).get(key);
        return found == null ? List.of() : (List<?>) found;
    }

    private static String text(Object value, String key) {
        return map(value).get(key).toString();
    }

    private static List<String> strings(Object list) {
        return list == null
                ? List.of()
                : ((List<?>) list).stream().map(Object::toString).toList();
    }
}
