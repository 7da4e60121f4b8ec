// SPDX-License-Identifier: Apache-2.0
package dev.forebay.console;

import dev.forebay.console.web.WebPort;
import dev.forebay.engine.internal.GoDuration;
import dev.forebay.local.LocalDsql;
import dev.forebay.local.iam.AccessKey;
import dev.forebay.model.ClusterSettings;
import dev.forebay.model.Fault;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code forebay local}: an Aurora DSQL on this machine until it is stopped. */
@Command(
        name = "local",
        description = "Runs an Aurora DSQL on this machine, for tests, until it is stopped.",
        mixinStandardHelpOptions = true,
        footer = {
            "",
            "While it runs it takes commands on its standard input, one a line: status, drop 30%%,",
            "delay statements 20ms, fail commits 3 OC000, expire tokens, waking up 10s, freeze 5s, refuse connects 5s, clear."
        })
final class LocalCommand implements Callable<Integer> {

    private static final Duration TOKEN = Duration.ofDays(7);
    private static final String USER = "admin";

    @Spec
    @SuppressWarnings("NullAway.Init") // set by picocli
    private CommandSpec spec;

    @Option(names = "--port", paramLabel = "PORT", description = "The port to listen on; 0 for any (${DEFAULT-VALUE}).")
    private int port = 0;

    @Option(
            names = "--ready-file",
            paramLabel = "FILE",
            description = "Written once clients are accepted, with one key=value a line; holds secrets.")
    private @Nullable Path readyFile;

    @Option(names = "--region", paramLabel = "REGION", description = "The region of its tokens (${DEFAULT-VALUE}).")
    private String region = "us-east-1";

    @Option(names = "--endpoint", paramLabel = "HOST", description = "A host for which tokens are good as well.")
    private @Nullable String endpoint;

    @Option(
            names = "--access-key-id",
            paramLabel = "ID",
            description =
                    "The key whose tokens are good, with the secret in FOREBAY_SECRET_ACCESS_KEY; by default one is made.")
    private @Nullable String accessKeyId;

    @Option(
            names = "--identity",
            paramLabel = "ARN",
            description = "Who owns that key, for AWS IAM GRANT; by default arn:aws:iam::123456789012:user/local.")
    private @Nullable String identity;

    @Option(names = "--rate", paramLabel = "N", description = "New connections a second (${DEFAULT-VALUE}).")
    private double rate = 100;

    @Option(
            names = "--burst",
            paramLabel = "N",
            description = "New connections that may be saved up (${DEFAULT-VALUE}).")
    private long burst = 1000;

    @Option(names = "--max-connections", paramLabel = "N", description = "Open connections (${DEFAULT-VALUE}).")
    private int maxConnections = 10_000;

    @Option(names = "--lifetime", paramLabel = "DURATION", description = "How long a connection lasts (60m).")
    private String lifetime = "60m";

    @Option(names = "--require-sni", description = "Refuses clients that name no server in their TLS handshake.")
    private boolean requireServerName;

    @Option(names = "--lockers-do-not-conflict", description = "Lets two transactions read a row FOR UPDATE.")
    private boolean lockersDoNotConflict;

    @Option(names = "--any-password", description = "Lets everyone in without a token.")
    private boolean anyPassword;

    @Option(
            names = "--metrics-port",
            paramLabel = "PORT",
            description =
                    "Shows metrics for Prometheus at /metrics of this port, on loopback, to whoever sends the printed token.")
    private @Nullable Integer metricsPort;

    @Option(names = "--seed", paramLabel = "N", description = "From what faults are drawn (${DEFAULT-VALUE}).")
    private long seed = 1;

    @Override
    public Integer call() throws Exception {
        LocalDsql.Builder builder = checkedBuilder();
        if (readyFile != null) {
            ReadyFile.requireDirectory(readyFile);
        }
        try (StopSignal stop = new StopSignal()) {
            try (LocalDsql dsql = stop.interrupting(builder::start)) {
                if (!stop.isGiven()) {
                    serve(dsql, stop);
                }
            } catch (IOException e) {
                if (!stop.isGivenSoon()) {
                    throw e;
                }
            }
        }
        return 0;
    }

    private void serve(LocalDsql dsql, StopSignal stop) throws IOException, InterruptedException {
        PrintWriter out = spec.commandLine().getOut();
        Map<String, String> facts = facts(dsql);
        try (WebPort metrics = metricsPort == null ? null : openMetrics(metricsPort, dsql, facts);
                ReadyFile ready = readyFile == null ? null : ReadyFile.write(readyFile, facts)) {
            announce(out, dsql.identity(), facts, readyFile);
            Thread commands = new Thread(() -> obey(dsql, out), "forebay-commands");
            commands.setDaemon(true);
            commands.start();
            stop.await();
        }
    }

    /** Reports wrong options before anything is started. */
    private LocalDsql.Builder checkedBuilder() {
        try {
            return builder();
        } catch (IllegalArgumentException e) {
            throw new ParameterException(spec.commandLine(), Reason.of(e), e);
        }
    }

    private LocalDsql.Builder builder() {
        checkPort("--port", port);
        checkPort("--metrics-port", metricsPort == null ? 0 : metricsPort);
        WrongArguments.region(region);
        ClusterSettings settings = ClusterSettings.builder()
                .connectsPerSecond(rate)
                .connectBurst(burst)
                .mostSessions(maxConnections)
                .lifetime(duration("--lifetime", lifetime))
                .build();
        LocalDsql.Builder builder = LocalDsql.builder()
                .port(port)
                .seed(seed)
                .settings(settings)
                .endpoint(endpoint != null ? endpoint : "local.dsql." + region + ".on.aws", region);
        if (accessKeyId != null) {
            String secret = System.getenv("FOREBAY_SECRET_ACCESS_KEY");
            if (secret == null || secret.isEmpty()) {
                throw new IllegalArgumentException("--access-key-id needs the secret in FOREBAY_SECRET_ACCESS_KEY");
            }
            builder.accessKey(AccessKey.of(accessKeyId, secret));
        }
        if (identity != null) {
            builder.identity(identity);
        }
        if (requireServerName) {
            builder.requireServerName();
        }
        if (lockersDoNotConflict) {
            builder.lockersDoNotConflict();
        }
        if (anyPassword) {
            builder.acceptAnyPassword();
        }
        return builder;
    }

    private static void checkPort(String option, int port) {
        if (port < 0 || port > 65_535) {
            throw new IllegalArgumentException(option + " must lie between 0 and 65535: " + port);
        }
    }

    private static Duration duration(String option, String text) {
        try {
            return GoDuration.parse(text);
        } catch (IllegalArgumentException e) {
            throw new IllegalArgumentException(option + ": " + Reason.of(e) + ": " + text, e);
        }
    }

    private static WebPort openMetrics(int port, LocalDsql dsql, Map<String, String> facts) throws IOException {
        byte[] random = new byte[16];
        new SecureRandom().nextBytes(random);
        String token = HexFormat.of().formatHex(random);
        WebPort metrics = WebPort.builder(token)
                .secret("/metrics", WebPort.METRICS_TYPE, () -> WebPort.Content.of(dsql.metricsText()))
                .listen(port);
        facts.put("metrics_url", "http://127.0.0.1:" + metrics.port() + "/metrics");
        facts.put("metrics_token", token);
        return metrics;
    }

    private static Map<String, String> facts(LocalDsql dsql) {
        Map<String, String> facts = new LinkedHashMap<>();
        facts.put("host", dsql.host());
        facts.put("port", Integer.toString(dsql.port()));
        facts.put("user", USER);
        facts.put("database", LocalDsql.DATABASE);
        facts.put("ca", dsql.caFile().toString());
        facts.put("token", dsql.token(USER, TOKEN));
        facts.put("access_key_id", dsql.accessKey().id());
        facts.put("secret_access_key", dsql.accessKey().secret());
        facts.put("region", dsql.region());
        facts.put("jdbc_url", dsql.jdbcUrl());
        return facts;
    }

    private static void announce(
            PrintWriter out, String identity, Map<String, String> facts, @Nullable Path readyFile) {
        out.println("A local Aurora DSQL is ready; Ctrl-C stops it.");
        out.println();
        out.println("  JDBC   " + facts.get("jdbc_url"));
        out.println("  user   " + facts.get("user"));
        out.println("  CA     " + facts.get("ca"));
        out.println("  token  " + facts.get("token"));
        out.println("  owner  " + identity);
        out.println("  key    " + facts.get("access_key_id") + ", its secret is "
                + (readyFile == null
                        ? "not shown: --ready-file FILE writes it"
                        : "in " + readyFile.toAbsolutePath().normalize())
                + ", for ./forebay token, doctor and the samples");
        out.println();
        out.println("  PGPASSWORD='" + facts.get("token") + "' psql 'host=" + facts.get("host") + " port="
                + facts.get("port") + " user=" + facts.get("user") + " dbname=" + facts.get("database")
                + " sslmode=verify-full sslrootcert=" + facts.get("ca") + "'");
        if (facts.containsKey("metrics_url")) {
            out.println(
                    "  curl -H 'Authorization: Bearer " + facts.get("metrics_token") + "' " + facts.get("metrics_url"));
        }
        out.println();
        out.flush();
    }

    /** Runs the commands of the input, one a line, until it ends. */
    private static void obey(LocalDsql dsql, PrintWriter out) {
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        try {
            for (String line = in.readLine(); line != null; line = in.readLine()) {
                if (!line.isBlank()) {
                    out.println(obey(dsql, line.strip()));
                    out.flush();
                }
            }
        } catch (IOException e) {
            out.println("no more commands: " + Reason.of(e));
            out.flush();
        }
    }

    private static String obey(LocalDsql dsql, String command) {
        if (command.equals("status")) {
            return dsql.status();
        }
        try {
            Fault fault = Fault.parse(command);
            int dropped = dsql.inject(fault);
            return "done: " + command
                    + (fault instanceof Fault.Drop
                            ? ", " + dropped + (dropped == 1 ? " session" : " sessions") + " closed"
                            : "");
        } catch (IllegalArgumentException e) {
            return e.getMessage() + "; or say status";
        }
    }
}
