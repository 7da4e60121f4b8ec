// SPDX-License-Identifier: Apache-2.0
package dev.forebay.dsql;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.forebay.local.LocalDsql;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** A {@link FleetProcess} that runs, seen from outside. Everything but its state is Linux's. */
final class FleetChild {

    private static final long PATIENCE_SECONDS = 90;

    /** How long after it goes on it may still have connections whose slots went to others. */
    static final Duration MERCY = Duration.ofSeconds(3);

    private static final Duration LONGEST_STOP = Duration.ofSeconds(30);

    private final Process process;
    private final String name;
    private final int dsqlPort;
    private final Duration ttl;

    /** When it is to go on. */
    private long goOnAt;

    private volatile boolean stopped;

    /** Until when, by the wall clock that all of them share, nobody may end the lease of one that is stopped. */
    private volatile long goodUntilMillis;

    /** When it went on after it may have been given up for dead; zero if it never was. */
    private volatile long wentOnAt;

    private FleetChild(Process process, String name, int dsqlPort, Duration ttl) {
        this.process = process;
        this.name = name;
        this.dsqlPort = dsqlPort;
        this.ttl = ttl;
    }

    /** Starts a service whose lease lives {@code ttl} and is renewed three times in it, and that closes some connections after each {@code pause}. */
    static FleetChild start(
            LocalDsql dsql, Path log, String name, Duration ttl, Duration pause, Map<String, String> settings)
            throws IOException {
        Duration renewal = ttl.dividedBy(3);
        ProcessBuilder builder = new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Xmx128m",
                "-XX:TieredStopAtLevel=1",
                "-cp",
                System.getProperty("java.class.path"),
                FleetProcess.class.getName(),
                Long.toString(pause.toMillis()));
        Map<String, String> environment = builder.environment();
        environment.put("AWS_ACCESS_KEY_ID", dsql.accessKey().id());
        environment.put("AWS_SECRET_ACCESS_KEY", dsql.accessKey().secret());
        environment.put("CLUSTER_ENDPOINT", "localhost:" + dsql.port());
        environment.put("REGION", dsql.region());
        environment.put("DSQL_CA_FILE", dsql.caFile().toString());
        environment.put("DSQL_SERVICE_NAME", name);
        environment.put("DSQL_RESERVOIR_ENABLED", "true");
        environment.put("DSQL_STAGGERED_STARTUP", "false");
        environment.put("DSQL_RESERVOIR_LOW_WATERMARK", "1");
        environment.put("DSQL_DISTRIBUTED_CONN_LEASE_ENABLED", "true");
        environment.put("DSQL_DISTRIBUTED_CONN_LEASE_TTL", ttl.toSeconds() + "s");
        environment.put("DSQL_DISTRIBUTED_CONN_LEASE_RENEWAL", renewal.toSeconds() + "s");
        environment.put("DSQL_DISTRIBUTED_CONN_LEASE_OUTAGE", "block");
        environment.put("DSQL_DISTRIBUTED_RATE_LIMITER_ENABLED", "true");
        environment.put("DSQL_DISTRIBUTED_RATE_LIMITER_OUTAGE", "block");
        environment.putAll(settings);
        builder.redirectErrorStream(true).redirectOutput(log.toFile());
        return new FleetChild(builder.start(), name, dsql.port(), ttl);
    }

    void kill() throws InterruptedException {
        process.destroyForcibly().waitFor();
    }

    /** Stops it until {@code timesToLive} of its lease have passed, for half a minute at most. */
    void stop(double timesToLive, LeaseTable table) throws Exception {
        signal("STOP");
        goodUntilMillis = table.renewedMillis(name) + ttl.toMillis();
        goOnAt = System.nanoTime() + Math.min(LONGEST_STOP.toNanos(), (long) (timesToLive * ttl.toNanos()));
        stopped = true;
    }

    void goOn() throws Exception {
        if (mayBeGivenUp()) {
            wentOnAt = System.nanoTime();
        }
        signal("CONT");
        stopped = false;
    }

    /** Ends it in good order, and waits for that. */
    void close() throws Exception {
        process.getOutputStream().close();
        assertTrue(process.waitFor(PATIENCE_SECONDS, TimeUnit.SECONDS), "it closes");
        assertEquals(0, process.exitValue());
    }

    boolean isStopped() {
        return stopped;
    }

    boolean isToGoOn() {
        return stopped && System.nanoTime() - goOnAt >= 0;
    }

    private void signal(String name) throws Exception {
        Process kill = new ProcessBuilder("kill", "-" + name, Long.toString(process.pid())).start();
        assertEquals(0, kill.waitFor(), "kill -" + name);
    }

    /** Whether it is stopped and has not renewed its lease for a time-to-live, so that others may have its slots. */
    private boolean mayBeGivenUp() {
        return stopped && System.currentTimeMillis() >= goodUntilMillis;
    }

    /** The sessions that do not count: all that it has while it may be given up for dead, and a little longer. */
    int excused() throws IOException {
        long since = wentOnAt;
        boolean lately = since != 0 && System.nanoTime() - since < MERCY.toNanos();
        return mayBeGivenUp() || lately ? sessions() : 0;
    }

    /** How many of its sockets lead to the cluster. */
    private int sessions() throws IOException {
        Path proc = Path.of("/proc", Long.toString(process.pid()));
        Set<String> sockets;
        try (Stream<Path> open = Files.list(proc.resolve("fd"))) {
            sockets = open.map(FleetChild::target)
                    .filter(target -> target.startsWith("socket:["))
                    .map(target -> target.substring("socket:[".length(), target.length() - 1))
                    .collect(Collectors.toSet());
        } catch (NoSuchFileException e) {
            return 0; // it is gone
        }
        int sessions = 0;
        for (String table : List.of("tcp", "tcp6")) {
            for (String line : Files.readAllLines(Path.of("/proc/self/net", table))) {
                String[] fields = line.trim().split("\\s+");
                boolean toTheCluster = fields[2].endsWith(String.format(":%04X", dsqlPort));
                sessions += toTheCluster && sockets.contains(fields[9]) ? 1 : 0;
            }
        }
        return sessions;
    }

    private static String target(Path link) {
        try {
            return Files.readSymbolicLink(link).toString();
        } catch (IOException e) {
            return ""; // closed meanwhile
        }
    }
}
