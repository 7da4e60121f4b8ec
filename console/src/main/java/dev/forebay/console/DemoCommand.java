// SPDX-License-Identifier: Apache-2.0
package dev.forebay.console;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import dev.forebay.console.demo.Demo;
import dev.forebay.console.demo.Plan;
import dev.forebay.console.web.ConsolePage;
import dev.forebay.console.web.WebPort;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import java.io.IOException;
import java.io.PrintWriter;
import java.sql.SQLException;
import java.util.Locale;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import org.slf4j.LoggerFactory;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code forebay demo}: Forebay's purpose, shown on this machine beside HikariCP, with a verdict. */
@Command(
        name = "demo",
        description = "Shows on this machine what Forebay does, beside HikariCP, and judges it: exit code 0 or 1.",
        mixinStandardHelpOptions = true,
        footer = {
            "",
            "Environment: FOREBAY_WEB_TOKEN, or FOREBAY_WEB_TOKEN_FILE for a file that only its owner may read, is the token",
            "for the page and /metrics; without, one is made, and shown on a terminal."
        })
final class DemoCommand implements Callable<Integer> {

    private static final int ENDED_BY_CTRL_C = 130;

    @Spec
    @SuppressWarnings("NullAway.Init") // set by picocli
    private CommandSpec spec;

    @Option(names = "--seconds", paramLabel = "N", description = "How long, from 30 to 3600 (${DEFAULT-VALUE}).")
    private int seconds = 120;

    @Option(names = "--keep", description = "Goes on after the verdict, until Ctrl-C.")
    private boolean keep;

    @Option(
            names = "--web-port",
            paramLabel = "PORT",
            description = "The port for the page and /metrics, on loopback; 0 for any.")
    private int webPort = 0;

    @Option(
            names = "--allow-actions",
            description = "Lets the page evict, pause and resize; without, it is for looking only.")
    private boolean allowActions;

    @Option(names = "--break", paramLabel = "WHAT", hidden = true)
    private @Nullable String broken;

    @Override
    public Integer call() throws IOException, SQLException, InterruptedException {
        Plan plan = plan();
        String token = token();
        quiet();
        boolean isTerminal = Boolean.getBoolean("forebay.terminal");
        PrintWriter out = spec.commandLine().getOut();
        PrintWriter live = isTerminal ? spec.commandLine().getErr() : out;
        PrometheusMeterRegistry metrics = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
        try (Interrupt interrupt = new Interrupt(Thread.currentThread()::interrupt)) {
            try (Demo demo = new Demo(plan, metrics, out, live, isTerminal, interrupt::check);
                    ConsolePage page = new ConsolePage(demo.source(), demo.happenings(), allowActions);
                    WebPort web = web(metrics, demo, page, token, isTerminal)) {
                boolean kept = demo.play();
                if (keep) {
                    out.println("It goes on until Ctrl-C; the page is at " + web.url());
                    out.flush();
                    demo.goOn();
                }
                return kept ? 0 : 1;
            } catch (Interrupt.Stopped e) {
                return ENDED_BY_CTRL_C;
            } catch (IOException | SQLException | InterruptedException e) {
                if (interrupt.askedSoon()) {
                    return ENDED_BY_CTRL_C; // the processes it was starting got Ctrl-C as well
                }
                throw e;
            }
        }
    }

    /** Turns the log off: the figures show the trouble, and a line for each broken connection would bury them. */
    private static void quiet() {
        if (System.getenv("FOREBAY_LOG") == null
                && LoggerFactory.getLogger(Logger.ROOT_LOGGER_NAME) instanceof Logger root) {
            root.setLevel(Level.OFF);
        }
    }

    private Plan plan() {
        try {
            Plan.Broken what =
                    broken == null ? Plan.Broken.NOTHING : Plan.Broken.valueOf(broken.toUpperCase(Locale.ROOT));
            return new Plan(seconds, what);
        } catch (IllegalArgumentException e) {
            throw new ParameterException(spec.commandLine(), Reason.of(e), e);
        }
    }

    /** The given token, null if there is none; read early, so that nothing is started in vain. */
    private @Nullable String token() throws IOException {
        if (webPort < 0 || webPort > 65_535) {
            throw new ParameterException(spec.commandLine(), "--web-port must lie between 0 and 65535: " + webPort);
        }
        try {
            return GivenSecret.webToken(System.getenv());
        } catch (IllegalArgumentException e) {
            throw new ParameterException(spec.commandLine(), Reason.of(e), e);
        }
    }

    private WebPort web(
            PrometheusMeterRegistry metrics, Demo demo, ConsolePage page, @Nullable String given, boolean isTerminal)
            throws IOException {
        String token = given == null ? GivenSecret.random() : given;
        WebPort.Builder port = WebPort.builder(token);
        page.showAt(port);
        WebPort web = port.health(demo::isReady)
                .secret("/metrics", WebPort.METRICS_TYPE, () -> WebPort.Content.of(metrics.scrape()))
                .listen(webPort);
        PrintWriter out = spec.commandLine().getOut();
        out.println("The page is at " + web.url() + ", metrics at " + web.url() + "metrics");
        out.flush();
        if (given == null && isTerminal) {
            PrintWriter err = spec.commandLine().getErr();
            err.println("  without asking for the token: " + web.url() + "#token=" + token);
            err.flush();
        } else if (given == null) {
            out.println("  they ask for a token, which nobody knows: set FOREBAY_WEB_TOKEN to look at them");
            out.flush();
        }
        return web;
    }
}
