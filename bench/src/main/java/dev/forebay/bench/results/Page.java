// SPDX-License-Identifier: Apache-2.0
package dev.forebay.bench.results;

import dev.forebay.bench.Threads;
import dev.forebay.bench.results.Table.Column;
import java.nio.file.Path;
import java.time.format.DateTimeFormatter;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The parts of docs/performance.md that have figures, each between {@code <!--name-->} and {@code <!--/name-->}; the rest of
 * the page is written by hand. Stateless.
 */
final class Page {

    static final Path FILE = Path.of("docs", "performance.md");

    private static final Column AGROAL = new Column("Agroal", "", "agroal", false);
    private static final Column HIKARICP = new Column("HikariCP", "", "hikaricp", false);

    private Page() {}

    /**
     * Returns {@code page} with its parts made from {@code runs}.
     *
     * @throws IllegalArgumentException if the page lacks a part, or the runs are not of one machine and JDK
     */
    static String fill(String page, List<Results> runs) {
        String filled = page;
        for (Map.Entry<String, String> part : parts(runs).entrySet()) {
            String begin = "<!--" + part.getKey() + "-->";
            String end = "<!--/" + part.getKey() + "-->";
            int from = filled.indexOf(begin) + begin.length();
            int to = filled.indexOf(end);
            if (from < begin.length() || to < from) {
                throw new IllegalArgumentException("the page lacks " + begin + " … " + end);
            }
            filled = filled.substring(0, from) + part.getValue() + filled.substring(to);
        }
        return filled;
    }

    private static Map<String, String> parts(List<Results> runs) {
        Map<String, String> parts = new LinkedHashMap<>();
        parts.put("runs", runs(runs));
        parts.put("checkout", block(checkout(runs)));
        parts.put(
                "wait",
                block(
                        "`bench/run wait`: 32 threads share 8 connections. A thread that never gets a turn stands in no p99: look at the"
                                + " shares, where 1 is what each would get if all got the same.\n\n" + waits(runs)));
        parts.put("storm", block(storm(runs)));
        parts.put("cold", block(cold(runs)));
        parts.put("occ", block(occ(runs)));
        parts.put("registry", registry(runs));
        parts.put("sim", sim(runs));
        return parts;
    }

    private static String block(Object text) {
        return "\n\n" + text + "\n\n";
    }

    private static String runs(List<Results> runs) {
        Set<String> machines = runs.stream().map(Results::machine).collect(Collectors.toSet());
        if (machines.size() != 1) {
            throw new IllegalArgumentException("the runs do not compare: " + machines);
        }
        DateTimeFormatter format = DateTimeFormatter.ofPattern("d MMMM yyyy", Locale.ENGLISH);
        String days =
                runs.stream().map(run -> format.format(run.day())).distinct().collect(Collectors.joining(", "));
        return "Medians of three runs (%s) on a machine that did nothing else: %s.\n"
                        .formatted(days, machines.iterator().next())
                + "In brackets the least and the greatest; × is the ratio to the first column. **Bold** is behind in every run.";
    }

    private static Column ours(String title, String run, String subject) {
        return new Column(title, run, subject, true);
    }

    private static Column of(Column column, String run) {
        return new Column(column.title(), run, column.subject(), column.ours());
    }

    private static Table checkout(List<Results> runs) {
        String run = "checkout";
        return new Table(runs, "", List.of(ours("Forebay", run, "forebay"), of(AGROAL, run), of(HIKARICP, run)))
                .less("1 thread, 32 connections", "RUN threads=1 size=32:", " # ns")
                .less("32 threads, 32 connections", "RUN threads=32 size=32:", " # ns")
                .less("32 threads, 8 connections", "RUN threads=32 size=8 contended:", " # ns")
                .less("10,000 connections, all idle", "RUN threads=1 size=10000 idle:", " # ns")
                .less("10,000 connections, all but 8 held", "RUN threads=2 size=10000 busy:", " # ns")
                .less("1 thread, with metrics", "RUN threads=1 size=32 metrics:", " # ns")
                .less("2 threads, with metrics", "RUN threads=2 size=32 metrics:", " # ns")
                .less("8 threads, with metrics", "RUN threads=8 size=32 metrics:", " # ns")
                .less("32 threads, with metrics", "RUN threads=32 size=32 metrics:", " # ns")
                .less("32 threads, 8 connections, with metrics", "RUN threads=32 size=8 contended metrics:", " # ns")
                .less("1 thread, allocated, *exact*", "RUN threads=1 size=32 metrics:", " # B");
    }

    private static Table waits(List<Results> runs) {
        String run = "wait";
        Table table = new Table(
                runs,
                "Held for | Threads |",
                List.of(ours("Forebay", run, "forebay"), of(AGROAL, run), of(HIKARICP, run)));
        for (String hold : List.of("1 ms", "0.1 ms")) {
            for (Threads threads : Threads.values()) {
                String line = "RUN hold=" + hold.replace(" ", "") + " threads=" + threads + " POOL:";
                table.more(hold + " | " + threads + " | checkouts a second", line, " #/s")
                        .less("| | wait p99", line, " p99 # ms")
                        .more("| | least share of a thread", line, "share of a thread # to");
            }
        }
        String line = "RUN hold=0.1ms threads=" + Threads.PLATFORM + " POOL:";
        table.less("0.1 ms | platform | wait p50", line, " p50 # ms")
                .less("| | connections idle between two uses", line, " idle for # us")
                .less("| | processors in use", line, " cpu #");
        return table;
    }

    private static Table storm(List<Results> runs) {
        String expiry = "RUN POOL expiry:";
        String drop = "RUN POOL drop:";
        return new Table(
                        runs,
                        "",
                        List.of(
                                ours("Forebay, reservoir", "storm", "forebay"),
                                ours("Forebay, standard", "storm mode=standard", "forebay"),
                                of(AGROAL, "storm"),
                                of(HIKARICP, "storm")))
                .less("while they expire: p99 of `getConnection`", expiry, ", p99 # ms")
                .less("longest", expiry, " max # ms")
                .less("stalls", expiry, ", # stalls")
                .less("handed out dead", expiry, ", # handed out dead")
                .less("by how many connections the level dipped", "RUN:", " dip #")
                .less("after half were killed: full again after", "RUN:", " recovery # s")
                .less("p99 of `getConnection` then", drop, ", p99 # ms")
                .less("stalls then", drop, ", # stalls")
                .less("handed out dead then", drop, ", # handed out dead,");
    }

    private static String cold(List<Results> runs) {
        Table table = new Table(
                runs,
                "Connects | Threads |",
                List.of(
                        ours("Forebay, reservoir", "cold", "forebay reservoir"),
                        ours("standard", "cold", "forebay standard"),
                        ours("on demand", "cold", "forebay on-demand"),
                        of(AGROAL, "cold"),
                        of(HIKARICP, "cold")));
        for (Threads threads : Threads.values()) {
            String line = "RUN connect=%s threads=" + threads + ":";
            table.less("150 ms | " + threads + " | last served after", line.formatted("150ms"), " last # ms")
                    .less("| | all open after", line.formatted("150ms"), " after # s")
                    .less("5 s | | CPU time", line.formatted("5s"), "cpu # ms")
                    .less("| | all open after", line.formatted("5s"), " after # s")
                    .more("hung | | connections open", line.formatted("hung"), " open #")
                    .less("| | callers that failed", line.formatted("hung"), " failed #");
        }
        return "## A cold pool\n\n"
                + "`bench/run cold`: 300 callers ask a pool of 30 that has nothing open; *hung* is one connect that never returns.\n\n"
                + table;
    }

    private static String occ(List<Results> runs) {
        Table table = new Table(
                runs,
                "Database | Rows |",
                List.of(
                        ours("`FAIR`", "occ", "fair"),
                        ours("`lane`", "occ", "lane"),
                        ours("`BRIEF`", "occ", "brief"),
                        ours("`PATIENT`", "occ", "patient"),
                        new Column("a loop that retries at once", "occ", "loop", false)));
        for (String database : List.of("PostgreSQL", "DSQL")) {
            for (int rows : new int[] {1, 10, 100}) {
                String line = "RUN " + database.toLowerCase(Locale.ROOT) + " rows=" + rows + ":";
                table.more(database + " | " + rows + " | commits a second", line, " #/s")
                        .less("| | failed attempts per commit", line, " wasted #")
                        .less("| | slowest of a thousand", line, " p99.9 # ms");
            }
            String one = "RUN " + database.toLowerCase(Locale.ROOT) + " rows=1:";
            table.less(database + " | 1 | given up a second", one, " given up #/s");
        }
        return table + "\n\nWithout conflicts, a transaction takes " + alone(runs, "occ overhead:", null, " # %")
                + " longer than by hand, " + alone(runs, "occ overhead with metrics:", null, " # %")
                + " with metrics. DSQL is the local one, with 10 ms added to COMMIT.";
    }

    private static String registry(List<Results> runs) {
        String line = "registry users=1000 threads=1:";
        return alone(runs, line, "registry", " # ns") + "; a pool found in a map "
                + alone(runs, line, "pool by name", " # ns") + ", with metrics "
                + alone(runs, line, "with metrics", " # ns")
                + ", HikariCP " + alone(runs, line, "hikaricp", " # ns")
                + " | `bench/run registry`";
    }

    private static String sim(List<Results> runs) {
        return alone(runs, "sim ecs-150wps, 2,000 connections, 24h0m0s:", null, " # s") + " | `bench/run sim`";
    }

    /** Returns one figure with its unit and its spread. */
    private static String alone(List<Results> runs, String line, @Nullable String subject, String figure) {
        Table.Cell cell = new Table.Cell(
                runs.stream().map(run -> run.figure(line, subject, figure)).toArray(String[]::new));
        if (!cell.isKnown()) {
            throw new IllegalArgumentException("not every run has '" + line + figure + "'");
        }
        return cell.median() + figure.substring(figure.indexOf('#') + 1) + cell.spread();
    }
}
