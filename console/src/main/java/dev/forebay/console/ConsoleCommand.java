// SPDX-License-Identifier: Apache-2.0
package dev.forebay.console;

import dev.forebay.console.admin.AdminPort;
import dev.forebay.console.admin.DeclaredServers;
import dev.forebay.console.state.Definitions;
import dev.forebay.console.web.ConsolePage;
import dev.forebay.console.web.Happenings;
import dev.forebay.console.web.RegistrySource;
import dev.forebay.console.web.WebPort;
import dev.forebay.micrometer.MicrometerMetrics;
import dev.forebay.registry.Registry;
import dev.forebay.registry.jdbc.Drivers;
import dev.forebay.registry.jdbc.JdbcRegistry;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslContextBuilder;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.sql.SQLException;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.Callable;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Stream;
import javax.net.ssl.SSLException;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code forebay console}: a registry of servers with its administration, until it is stopped. */
@Command(
        name = "console",
        description =
                "Keeps connections to many servers for many users; administered with SQL, watched with a browser.",
        mixinStandardHelpOptions = true,
        footer = {
            "",
            "Environment: FOREBAY_ADMIN_PASSWORD, FOREBAY_WEB_TOKEN and FOREBAY_VAULT_KEY, or each with _FILE behind it",
            "for a file that only its owner may read. See docs/remote-pools.md."
        })
final class ConsoleCommand implements Callable<Integer> {

    @Spec
    @SuppressWarnings("NullAway.Init") // set by picocli
    private CommandSpec spec;

    @Option(
            names = "--admin-port",
            paramLabel = "PORT",
            description = "The port for SQL, on loopback; 0 for any (${DEFAULT-VALUE}).")
    private int adminPort = 0;

    @Option(names = "--admin-user", paramLabel = "NAME", description = "Who may administer (${DEFAULT-VALUE}).")
    private String adminUser = "admin";

    @Option(
            names = "--tls-cert",
            paramLabel = "FILE",
            description = "The certificates of the port for SQL, in PEM; with --tls-key it takes TLS only.")
    private @Nullable Path tlsCertificate;

    @Option(names = "--tls-key", paramLabel = "FILE", description = "Their private key, in PEM.")
    private @Nullable Path tlsKey;

    @Option(
            names = "--web-port",
            paramLabel = "PORT",
            description = "The port for /metrics and the page, on loopback; 0 for any (${DEFAULT-VALUE}).")
    private int webPort = 0;

    @Option(
            names = "--state",
            paramLabel = "DIR",
            description = "Where definitions are kept ($XDG_STATE_HOME/forebay, else ~/.local/state/forebay).")
    private @Nullable Path state;

    @Option(
            names = "--ready-file",
            paramLabel = "FILE",
            description = "Written once clients are accepted, with one key=value a line; holds secrets.")
    private @Nullable Path readyFile;

    @Option(
            names = "--servers",
            paramLabel = "FILE",
            description = "Servers declared in YAML, which are made or altered at the start.")
    private @Nullable Path servers;

    @Option(
            names = "--driver-path",
            paramLabel = "DIR",
            description = "Where jars with further JDBC drivers are; PostgreSQL's is built in.")
    private @Nullable Path driverPath;

    @Option(
            names = "--allow",
            paramLabel = "HOST[:PORT]",
            description =
                    "A place where servers may be, *.example.com for all below; may be repeated. By default, any.")
    private List<String> allow = new ArrayList<>();

    @Option(
            names = "--allow-actions",
            description = "Lets the page warm up, evict, pause and resize; without, it is for looking only.")
    private boolean allowActions;

    private final AtomicBoolean ready = new AtomicBoolean();

    @Override
    public Integer call() throws IOException, SQLException, InterruptedException {
        checkPort("--admin-port", adminPort);
        checkPort("--web-port", webPort);
        if ((tlsCertificate == null) != (tlsKey == null)) {
            throw new ParameterException(spec.commandLine(), "--tls-cert and --tls-key belong together");
        }
        FatalErrors.endTheProcess();
        Map<String, String> environment = System.getenv();
        Access access = access(environment);
        DeclaredServers declared = servers == null ? null : DeclaredServers.read(servers);
        PrometheusMeterRegistry metrics = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
        Happenings happenings = new Happenings(InstantSource.system());
        RegistrySource.Hearing hearing = new RegistrySource.Hearing(happenings);
        try (StopSignal stop = new StopSignal();
                Registry<?> registry = registry(metrics, hearing);
                Definitions definitions =
                        Definitions.open(stateDirectory(), environment, registry, InstantSource.system())) {
            for (Path own :
                    Stream.of(readyFile, tlsKey).filter(Objects::nonNull).toList()) {
                definitions.protect(own);
            }
            greet(definitions, declared);
            try (AdminPort admin = admin(registry, definitions, access);
                    ConsolePage page = new ConsolePage(
                            new RegistrySource(registry, hearing, sql -> admin.perform(sql, "the page")),
                            happenings,
                            allowActions);
                    WebPort web = web(access.webToken, metrics, page)) {
                Map<String, String> facts = facts(access, admin, web);
                try (ReadyFile file = readyFile == null ? null : ReadyFile.write(readyFile, facts)) {
                    ready.set(true);
                    announce(facts, access);
                    stop.await();
                    ready.set(false);
                }
            }
        }
        return 0;
    }

    // ---- options

    private void checkPort(String option, int port) {
        if (port < 0 || port > 65_535) {
            throw new ParameterException(spec.commandLine(), option + " must lie between 0 and 65535: " + port);
        }
    }

    /** The secrets that let a user in. */
    private record Access(String adminPassword, boolean passwordIsGiven, String webToken, boolean tokenIsGiven) {
        @Override
        public String toString() {
            return "***";
        }
    }

    private Access access(Map<String, String> environment) throws IOException {
        String password;
        String token;
        try {
            password = GivenSecret.of("FOREBAY_ADMIN_PASSWORD", environment);
            token = GivenSecret.webToken(environment);
        } catch (IllegalArgumentException e) {
            throw new ParameterException(spec.commandLine(), Reason.of(e), e);
        }
        if (password == null && readyFile == null && !hasTerminal()) {
            throw new ParameterException(
                    spec.commandLine(),
                    "Nobody would know the password: set FOREBAY_ADMIN_PASSWORD_FILE, or say --ready-file");
        }
        return new Access(
                password == null ? GivenSecret.random() : password,
                password != null,
                token == null ? GivenSecret.random() : token,
                token != null);
    }

    private static boolean hasTerminal() {
        return Boolean.getBoolean("forebay.terminal");
    }

    private Path stateDirectory() {
        if (state != null) {
            return state;
        }
        String base = System.getenv("XDG_STATE_HOME");
        return base == null || base.isEmpty()
                ? Path.of(System.getProperty("user.home"), ".local", "state", "forebay")
                : Path.of(base, "forebay");
    }

    private Registry<?> registry(PrometheusMeterRegistry metrics, RegistrySource.Hearing hearing) throws IOException {
        try {
            AllowedHosts allowed = AllowedHosts.of(allow);
            Drivers drivers = driverPath == null ? Drivers.onClassPath() : Drivers.of(DriverJars.in(driverPath));
            return JdbcRegistry.builder()
                    .drivers(drivers)
                    .allow(allowed::holds)
                    .listener(hearing)
                    .observer(new MicrometerMetrics(metrics))
                    .build();
        } catch (IllegalArgumentException e) {
            throw new ParameterException(spec.commandLine(), Reason.of(e), e);
        }
    }

    // ---- ports

    private AdminPort admin(Registry<?> registry, Definitions definitions, Access access) throws IOException {
        SslContext tls = null;
        if (tlsCertificate != null && tlsKey != null) {
            try {
                tls = SslContextBuilder.forServer(tlsCertificate.toFile(), tlsKey.toFile())
                        .build();
            } catch (SSLException | IllegalArgumentException e) {
                throw new IOException("--tls-cert and --tls-key cannot be used: " + Reason.of(e), e);
            }
        }
        return AdminPort.open(registry, definitions, adminUser, access.adminPassword.toCharArray(), adminPort, tls);
    }

    private WebPort web(String token, PrometheusMeterRegistry metrics, ConsolePage page) throws IOException {
        WebPort.Builder port = WebPort.builder(token);
        page.showAt(port);
        return port.health(ready::get)
                .secret("/metrics", WebPort.METRICS_TYPE, () -> WebPort.Content.of(metrics.scrape()))
                .listen(webPort);
    }

    private Map<String, String> facts(Access access, AdminPort admin, WebPort web) {
        Map<String, String> facts = new LinkedHashMap<>();
        facts.put("admin_host", "127.0.0.1");
        facts.put("admin_port", Integer.toString(admin.port()));
        facts.put("admin_user", adminUser);
        facts.put("admin_password", access.adminPassword);
        facts.put("admin_database", AdminPort.DATABASE);
        facts.put("web_url", web.url());
        facts.put("web_token", access.webToken);
        return facts;
    }

    // ---- output

    private void greet(Definitions definitions, @Nullable DeclaredServers declared) throws SQLException {
        PrintWriter out = spec.commandLine().getOut();
        definitions
                .madeKey()
                .ifPresent(file -> out.println("Made a key for passwords: " + file + ". Keep a copy in a safe place."));
        if (declared != null) {
            List<String> changes = declared.apply(definitions, adminUser);
            changes.forEach(out::println);
            out.println(servers + ": " + (changes.isEmpty() ? "nothing to change" : changes.size() + " changes"));
        }
        out.flush();
    }

    /** Prints the addresses. A secret made just now is shown to a terminal only, and only if no ready file has it. */
    private void announce(Map<String, String> facts, Access access) {
        PrintWriter out = spec.commandLine().getOut();
        out.println("The console is ready; Ctrl-C stops it.");
        out.println();
        out.println("  psql 'host=" + facts.get("admin_host") + " port=" + facts.get("admin_port") + " user="
                + facts.get("admin_user") + " dbname=" + facts.get("admin_database") + "'");
        out.println("  " + facts.get("web_url"));
        out.println("  definitions in " + stateDirectory());
        out.println();
        out.flush();
        if (readyFile == null && hasTerminal()) {
            PrintWriter err = spec.commandLine().getErr();
            if (!access.passwordIsGiven) {
                err.println("  password, good until it stops: " + access.adminPassword);
            }
            if (!access.tokenIsGiven) {
                err.println("  the page, without asking for the token: " + facts.get("web_url") + "#token="
                        + access.webToken);
            }
            err.println();
            err.flush();
        }
    }
}
