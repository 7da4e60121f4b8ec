// SPDX-License-Identifier: Apache-2.0
package dev.forebay.bench.local;

import com.sun.management.OperatingSystemMXBean;
import dev.forebay.local.LocalDsql;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The select of {@code pgbench -S}, with 8 clients. */
final class PgBench implements AutoCloseable {

    private static final Pattern TPS = Pattern.compile("tps = ([0-9.]+)");
    private static final Pattern COUNT = Pattern.compile("actually processed: ([0-9]+)");

    private final OperatingSystemMXBean process = (OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();
    private final Path script;

    /**
     * The result of a run.
     *
     * @param cpuMicros CPU time of this process for a transaction: of the local DSQL, if that is the target
     */
    record Result(double tps, double cpuMicros) {}

    PgBench(LocalDsql dsql) throws IOException, SQLException {
        try (Connection connection = dsql.behind().getConnection();
                Statement statement = connection.createStatement()) {
            statement.execute("CREATE TABLE pgbench_accounts (aid int PRIMARY KEY, abalance int)");
            statement.execute("INSERT INTO pgbench_accounts SELECT n, 0 FROM generate_series(1, 100000) n");
            statement.execute("GRANT ALL ON pgbench_accounts TO PUBLIC");
            statement.execute("ANALYZE pgbench_accounts");
        }
        script = Files.createTempFile("select", ".sql");
        Files.writeString(
                script, "\\set aid random(1, 100000)\nSELECT abalance FROM pgbench_accounts WHERE aid = :aid;\n");
    }

    /** Runs pgbench; an IOException means that there is none. */
    Result run(Target target, String mode, int seconds) throws IOException, InterruptedException {
        ProcessBuilder builder = new ProcessBuilder(
                        "pgbench",
                        "-n",
                        "-f",
                        script.toString(),
                        "-c",
                        "8",
                        "-j",
                        "2",
                        "-M",
                        mode,
                        "-T",
                        Integer.toString(seconds))
                .redirectErrorStream(true);
        builder.environment().putAll(target.environment());
        long before = process.getProcessCpuTime();
        Process started = builder.start();
        String output = new String(started.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        Matcher tps = TPS.matcher(output);
        Matcher count = COUNT.matcher(output);
        if (started.waitFor() != 0 || !tps.find() || !count.find()) {
            throw new IllegalStateException("pgbench failed: " + output);
        }
        double cpuNanos = process.getProcessCpuTime() - before;
        return new Result(Double.parseDouble(tps.group(1)), cpuNanos / 1e3 / Long.parseLong(count.group(1)));
    }

    @Override
    public void close() throws IOException {
        Files.delete(script);
    }
}
