// SPDX-License-Identifier: Apache-2.0
package dev.forebay.sim.report;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.forebay.sim.Sample;
import java.io.IOException;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.io.Writer;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** The bytes of the CSV. */
class SampleCsvTest {

    private static Sample sample(long atNanos, String service) {
        return new Sample(atNanos, service, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, Long.MAX_VALUE);
    }

    private static String csv(Sample... samples) throws IOException {
        StringWriter out = new StringWriter();
        try (SampleCsv csv = new SampleCsv(out)) {
            for (Sample sample : samples) {
                csv.accept(sample);
            }
        }
        return out.toString();
    }

    @Test
    void withoutSamplesThereIsTheHeaderOfTheReference() throws IOException {
        assertEquals(
                "t_rfc3339,service,size,target,in_use,checkouts,empty_events,discards,discard_expired,discard_guard,"
                        + "discard_full,refills,refill_failures,scan_evictions,limiter_denies,work_started,work_completed\n",
                csv());
    }

    @Test
    void aSampleIsARowFromTheFirstOf2026On() throws IOException {
        String rest = ",1,2,3,4,5,6,7,8,9,10,11,12,13,14,9223372036854775807\n";
        assertEquals(
                SampleCsv.HEADER + "\n" + "2026-01-01T00:00:00.000Z,history" + rest
                        + "2026-01-01T00:00:00.000Z,worker" + rest
                        + "2026-01-01T00:00:01.999Z,history" + rest
                        + "2026-01-08T12:00:00.000Z,history" + rest,
                csv(
                        sample(0, "history"),
                        sample(0, "worker"),
                        sample(1_999_999_999, "history"),
                        sample(Duration.ofHours(7 * 24 + 12).toNanos(), "history")));
    }

    @Test
    void aNameThatCouldBeTakenForSeveralColumnsIsQuoted() throws IOException {
        String csv = csv(sample(0, "a,b"), sample(0, "say \"hi\""), sample(0, "two\nlines"), sample(0, "plain"));
        assertEquals(
                "2026-01-01T00:00:00.000Z,\"a,b\",1",
                csv.substring(SampleCsv.HEADER.length() + 1).substring(0, 32));
        assertEquals(true, csv.contains("Z,\"say \"\"hi\"\"\",1,"), csv);
        assertEquals(true, csv.contains("Z,\"two\nlines\",1,"), csv);
        assertEquals(true, csv.contains("Z,plain,1,"), csv);
    }

    @Test
    void manyRowsAreAllThere() throws IOException {
        Sample[] samples = new Sample[5_000];
        for (int i = 0; i < samples.length; i++) {
            samples[i] = sample(i * 1_000_000_000L, "s" + i);
        }
        String csv = csv(samples);
        assertEquals(5_001, csv.lines().count());
        assertEquals(true, csv.contains("2026-01-01T01:23:19.000Z,s4999,"));
    }

    @Test
    void aDiskThatIsFullIsNotPassedOver() {
        Writer full = new Writer() {
            @Override
            public void write(char[] text, int from, int length) throws IOException {
                throw new IOException("no space left");
            }

            @Override
            public void flush() {}

            @Override
            public void close() {}
        };
        SampleCsv csv = new SampleCsv(full);
        assertThrows(UncheckedIOException.class, () -> {
            for (int i = 0; i < 1_000; i++) {
                csv.accept(sample(i, "history"));
            }
        });
        assertThrows(IOException.class, csv::close);
    }
}
