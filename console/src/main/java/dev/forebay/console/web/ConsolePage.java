// SPDX-License-Identifier: Apache-2.0
package dev.forebay.console.web;

import dev.forebay.console.web.WebPort.Content;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.sql.SQLException;
import java.time.InstantSource;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The page of a {@link Source}: its files for all users of this machine, its figures for a holder of the token. Thread-safe. */
public final class ConsolePage implements AutoCloseable {

    private static final Logger log = LoggerFactory.getLogger(ConsolePage.class);

    private static final Map<String, String> FILES = Map.of(
            "index.html", WebPort.HTML_TYPE,
            "console.js", "text/javascript; charset=utf-8",
            "console.css", "text/css; charset=utf-8",
            "uPlot.iife.min.js", "text/javascript; charset=utf-8",
            "uPlot.min.css", "text/css; charset=utf-8",
            "icon.svg", "image/svg+xml");

    private final Source source;
    private final Happenings happenings;
    private final boolean mayAct;
    private final Watch watch;
    private final Map<String, String> files = new HashMap<>();
    private final ScheduledExecutorService clock;

    /**
     * Begins to watch.
     *
     * @param happenings the events of the source's listeners
     * @param mayAct whether the page offers actions, or only shows
     */
    public ConsolePage(Source source, Happenings happenings, boolean mayAct) throws IOException {
        this.source = source;
        this.happenings = happenings;
        this.mayAct = mayAct;
        this.watch = new Watch(source, happenings);
        for (String name : FILES.keySet()) {
            files.put(name, read(name));
        }
        this.clock = Executors.newSingleThreadScheduledExecutor(task -> {
            Thread thread = new Thread(task, "forebay-watch");
            thread.setDaemon(true);
            return thread;
        });
        var unused = clock.scheduleAtFixedRate(this::sample, 0, 1, TimeUnit.SECONDS);
    }

    private static String read(String name) throws IOException {
        try (InputStream in = ConsolePage.class.getResourceAsStream(name)) {
            if (in == null) {
                throw new IllegalStateException("bug: not in the jar: " + name);
            }
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        }
    }

    private void sample() {
        try {
            watch.sample(InstantSource.system().instant(), System.nanoTime());
        } catch (RuntimeException e) { // otherwise there would be no next one
            log.error("the numbers could not be taken", e);
        }
    }

    /** Adds its pages to a port. */
    public void showAt(WebPort.Builder port) {
        FILES.forEach((name, type) -> port.open("/" + name, type, () -> Content.of(files.getOrDefault(name, ""))));
        port.open("/", WebPort.HTML_TYPE, () -> Content.of(files.getOrDefault("index.html", "")));
        port.secret("/api/state", WebPort.JSON_TYPE, this::state);
        port.secret("/api/pool", WebPort.JSON_TYPE, this::pool);
        port.secret("/api/words", WebPort.JSON_TYPE, parameters -> Content.of(LabelMeanings.json()));
        port.action("/api/act", WebPort.JSON_TYPE, this::act);
    }

    private Content state(Map<String, String> parameters) {
        return Content.of(watch.state(number(parameters, "since", 0), number(parameters, "seen", -1), mayAct));
    }

    private Content pool(Map<String, String> parameters) {
        String json = watch.pool(parameters.getOrDefault("name", ""), number(parameters, "since", 0));
        return json == null ? refusal(404, "there is no such pool") : Content.of(json);
    }

    private static long number(Map<String, String> parameters, String name, long otherwise) {
        try {
            return Long.parseLong(parameters.getOrDefault(name, ""));
        } catch (NumberFormatException e) {
            return otherwise;
        }
    }

    private Content act(Map<String, String> parameters) {
        if (!mayAct) {
            return refusal(403, "this page is for looking only; start it with --allow-actions");
        }
        String pool = parameters.getOrDefault("pool", "");
        String name = parameters.getOrDefault("action", "");
        Source.Action action = source.actions(pool).stream()
                .filter(one -> one.name().equals(name))
                .findFirst()
                .orElse(null);
        if (action == null) {
            return refusal(404, "there is no action " + name + " of a pool " + pool);
        }
        Map<String, Integer> values = new HashMap<>();
        for (Source.Argument argument : action.arguments()) {
            long value = number(parameters, argument.name(), Long.MIN_VALUE);
            if (value < argument.least() || value > argument.most()) {
                return refusal(
                        400,
                        argument.label() + " must be a whole number from " + argument.least() + " to "
                                + argument.most());
            }
            values.put(argument.name(), (int) value);
        }
        try {
            String done = source.act(pool, name, values);
            happenings.add(pool, Event.ACTION, done);
            return Content.of(Json.of(Json.object("done", done)));
        } catch (SQLException e) {
            return refusal(409, String.valueOf(e.getMessage()));
        }
    }

    private static Content refusal(int status, String words) {
        return new Content(status, Json.of(Json.object("refused", words)));
    }

    @Override
    public void close() {
        clock.shutdownNow();
    }
}
