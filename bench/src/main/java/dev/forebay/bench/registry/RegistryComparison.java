// SPDX-License-Identifier: Apache-2.0
package dev.forebay.bench.registry;

import dev.forebay.bench.Comparison;
import dev.forebay.bench.Options;
import dev.forebay.bench.Options.Option;
import dev.forebay.bench.Report;
import dev.forebay.bench.checkout.CpuProfiler;
import dev.forebay.bench.driver.BenchDriver;
import dev.forebay.bench.driver.Server;
import dev.forebay.bench.driver.StubConnection;
import dev.forebay.bench.registry.UserPools.Way;
import dev.forebay.console.admin.AdminPort;
import dev.forebay.console.state.Definitions;
import dev.forebay.registry.DatabaseType;
import dev.forebay.registry.Secret;
import dev.forebay.registry.ServerDefinition;
import dev.forebay.registry.ServerOption;
import dev.forebay.registry.UserMapping;
import dev.forebay.registry.jdbc.JdbcRegistry;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Stream;
import org.openjdk.jmh.results.RunResult;
import org.openjdk.jmh.runner.Runner;
import org.openjdk.jmh.runner.RunnerException;
import org.openjdk.jmh.runner.options.TimeValue;
import org.openjdk.jmh.runner.options.VerboseMode;

/** CPU time of acquire and release, through the registry, on a bare pool and on a HikariCP for each user. */
public final class RegistryComparison implements Comparison {

    private static final int MANY = 1_000;
    private static final int LOOKS = 200;
    private static final String PASSWORD = "bench";

    @Override
    public String name() {
        return "registry";
    }

    @Override
    public String purpose() {
        return "what it costs to acquire through the registry, with 1 and 1,000 user pools";
    }

    @Override
    public List<Option> options() {
        return List.of(new Option("--rounds", Option.NUMBER, "how often each is measured; the median is printed"));
    }

    @Override
    public void run(Options options) throws RunnerException, SQLException, IOException {
        for (int threads : options.quick() ? new int[] {1} : new int[] {1, 8}) {
            Map<Way, Double> one = measure(1, threads, options);
            System.out.println(line(1, threads, one));
            Map<Way, Double> many = measure(MANY, threads, options);
            System.out.println(line(MANY, threads, many));
            StringBuilder flat = new StringBuilder("registry flat threads=" + threads + ":");
            for (Way way : Way.values()) {
                flat.append(String.format(
                        Locale.ROOT,
                        " %s %.2f,",
                        way.name().toLowerCase(Locale.ROOT).replace('_', ' '),
                        nanos(many, way) / nanos(one, way)));
            }
            flat.setLength(flat.length() - 1);
            System.out.println(flat + " (1 to " + MANY + " user pools)");
        }
        statistics();
    }

    private static Map<Way, Double> measure(int users, int threads, Options options) throws RunnerException {
        int rounds = options.number("--rounds", options.quick() ? 1 : 2);
        Map<Way, List<Double>> all = new EnumMap<>(Way.class);
        for (int round = 0; round < rounds; round++) {
            for (Way way : Way.values()) {
                all.computeIfAbsent(way, unused -> new ArrayList<>()).add(measureOnce(way, users, threads, options));
            }
        }
        Map<Way, Double> medians = new EnumMap<>(Way.class);
        all.forEach((way, list) -> medians.put(way, Report.median(list.stream().mapToDouble(each -> each))));
        return medians;
    }

    private static double measureOnce(Way way, int users, int threads, Options options) throws RunnerException {
        boolean quick = options.quick();
        RunResult result = new Runner(CpuProfiler.fork()
                        .include(UserPools.class.getName() + ".acquire$")
                        .param("way", way.name())
                        .param("users", String.valueOf(users))
                        .threads(threads)
                        .warmupIterations(3)
                        .warmupTime(TimeValue.milliseconds(quick ? 400 : 1_000))
                        .measurementIterations(3)
                        .measurementTime(TimeValue.milliseconds(quick ? 400 : 1_000))
                        .verbosity(VerboseMode.SILENT)
                        .build())
                .runSingle();
        return CpuProfiler.nanos(result);
    }

    private static String line(int users, int threads, Map<Way, Double> costs) {
        return String.format(
                Locale.ROOT,
                "registry users=%d threads=%d: registry %.1f ns, with metrics %.1f ns, pool %.1f ns, pool by name %.1f ns,"
                        + " hikaricp %.1f ns; registry/pool %.2f, registry/pool by name %.2f, registry/hikaricp %.2f,"
                        + " with metrics/registry %.2f",
                users,
                threads,
                nanos(costs, Way.REGISTRY),
                nanos(costs, Way.REGISTRY_METRICS),
                nanos(costs, Way.POOL),
                nanos(costs, Way.POOL_BY_NAME),
                nanos(costs, Way.HIKARICP),
                nanos(costs, Way.REGISTRY) / nanos(costs, Way.POOL),
                nanos(costs, Way.REGISTRY) / nanos(costs, Way.POOL_BY_NAME),
                nanos(costs, Way.REGISTRY) / nanos(costs, Way.HIKARICP),
                nanos(costs, Way.REGISTRY_METRICS) / nanos(costs, Way.REGISTRY));
    }

    private static double nanos(Map<Way, Double> costs, Way way) {
        return costs.getOrDefault(way, Double.NaN);
    }

    /** Times a look at all of it: as by a program, and as by psql at the console's port. */
    private static void statistics() throws SQLException, IOException {
        Server server = StubConnection::new;
        String url = BenchDriver.serve(server);
        Path state = Files.createTempDirectory("registry");
        try (JdbcRegistry registry = JdbcRegistry.builder()
                        .drivers(type -> new ToOneUrl(new BenchDriver(), url))
                        .build();
                Definitions definitions = Definitions.open(state, Map.of(), registry, InstantSource.system());
                AdminPort port = AdminPort.open(registry, definitions, "bench", PASSWORD.toCharArray(), 0, null)) {
            registry.register(ServerDefinition.builder("server", DatabaseType.POSTGRESQL)
                    .option(ServerOption.HOST, "localhost")
                    .option(ServerOption.DBNAME, "bench")
                    .option(ServerOption.MAX_SERVER_CONNECTIONS, 10 * MANY)
                    .build());
            registry.map("server", UserMapping.ofPublic("bench", Secret.of(PASSWORD)));
            for (int i = 0; i < MANY; i++) {
                registry.acquire("server", "user" + i, Duration.ofSeconds(10)).close();
            }
            print(
                    "statistics",
                    () -> registry.serverStats("server").totalUserPools()
                            + registry.userStats("server").size()
                            - MANY);
            String place = "jdbc:postgresql://localhost:" + port.port() + "/" + AdminPort.DATABASE;
            try (Connection connection = DriverManager.getConnection(place, "bench", PASSWORD);
                    Statement statement = connection.createStatement()) {
                print("sys.remote_pool_stats", () -> rows(statement, "SELECT * FROM sys.remote_pool_stats") * MANY);
                print("sys.remote_user_pool_stats", () -> rows(statement, "SELECT * FROM sys.remote_user_pool_stats"));
            }
        } finally {
            try (Stream<Path> files = Files.list(state)) {
                for (Path file : files.toList()) {
                    Files.delete(file);
                }
            }
            Files.delete(state);
        }
    }

    private interface Look {
        int pools() throws SQLException;
    }

    private static void print(String what, Look look) throws SQLException {
        List<Double> millis = new ArrayList<>();
        for (int i = 0; i < LOOKS; i++) {
            long began = System.nanoTime();
            if (look.pools() != MANY) {
                throw new IllegalStateException("not all pools are there");
            }
            millis.add((System.nanoTime() - began) / 1e6);
        }
        System.out.printf(
                Locale.ROOT,
                "registry %s of %d user pools: %.2f ms%n",
                what,
                MANY,
                Report.median(millis.stream().mapToDouble(each -> each)));
    }

    private static int rows(Statement statement, String question) throws SQLException {
        int count = 0;
        try (ResultSet rows = statement.executeQuery(question)) {
            while (rows.next()) {
                count++;
            }
        }
        return count;
    }
}
