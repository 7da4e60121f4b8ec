// SPDX-License-Identifier: Apache-2.0
package dev.forebay.sim.report;

import dev.forebay.sim.Sample;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.io.Writer;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.Locale;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Samples as CSV, as they come. The first moment is the first of 2026. Samples of several
 * runs have the name of their run in a column before these. Not thread-safe.
 */
public final class SampleCsv implements Consumer<Sample>, AutoCloseable {

    /** The names of the columns. */
    public static final String HEADER = "t_rfc3339,service,size,target,in_use,checkouts,empty_events,discards,"
            + "discard_expired,discard_guard,discard_full,refills,refill_failures,scan_evictions,limiter_denies,"
            + "work_started,work_completed";

    private static final Instant START = Instant.parse("2026-01-01T00:00:00Z");
    private static final DateTimeFormatter TIME = DateTimeFormatter.ofPattern(
                    "uuuu-MM-dd'T'HH:mm:ss.SSS'Z'", Locale.ROOT)
            .withZone(ZoneOffset.UTC);
    private static final int FULL = 1 << 15;

    private final Writer out;
    private final StringBuilder text = new StringBuilder(FULL + 1024);
    private @Nullable String run;
    private long lastNanos = -1;
    private String lastTime = "";

    /** Begins with the header; {@link #close} closes {@code out}. */
    public SampleCsv(Writer out) {
        this.out = out;
        text.append(HEADER).append('\n');
    }

    /** Begins with the header for several runs, of which {@code run} is the first. */
    public SampleCsv(Writer out, String run) {
        this.out = out;
        this.run = run;
        text.append("run,").append(HEADER).append('\n');
    }

    /** Puts what follows under the name of another run; only for one that has begun with a run. */
    public void run(String other) {
        run = other;
    }

    /** @throws UncheckedIOException if it cannot be written */
    @Override
    public void accept(Sample sample) {
        if (run != null) {
            appendName(run);
            text.append(',');
        }
        text.append(time(sample.atNanos())).append(',');
        appendName(sample.service());
        number(sample.size());
        number(sample.target());
        number(sample.inUse());
        number(sample.checkouts());
        number(sample.emptyEvents());
        number(sample.discards());
        number(sample.discardExpired());
        number(sample.discardGuard());
        number(sample.discardFull());
        number(sample.refills());
        number(sample.refillFailures());
        number(sample.scanEvictions());
        number(sample.limiterDenies());
        number(sample.workStarted());
        number(sample.workCompleted());
        text.append('\n');
        if (text.length() >= FULL) {
            drain();
        }
    }

    @Override
    public void close() throws IOException {
        try (out) {
            out.append(text);
            text.setLength(0);
        }
    }

    private void drain() {
        try {
            out.append(text);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        text.setLength(0);
    }

    /** Many samples are of the same moment. */
    private String time(long nanos) {
        if (nanos != lastNanos) {
            lastTime = TIME.format(START.plusNanos(nanos));
            lastNanos = nanos;
        }
        return lastTime;
    }

    private void number(long value) {
        text.append(',').append(value);
    }

    private void appendName(String name) {
        if (name.indexOf(',') < 0 && name.indexOf('"') < 0 && name.indexOf('\n') < 0 && name.indexOf('\r') < 0) {
            text.append(name);
        } else {
            text.append('"').append(name.replace("\"", "\"\"")).append('"');
        }
    }
}
