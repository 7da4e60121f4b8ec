// SPDX-License-Identifier: Apache-2.0
package dev.forebay.console.state;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.forebay.console.state.Definitions.Change;
import dev.forebay.registry.DatabaseType;
import dev.forebay.registry.ServerDefinition;
import dev.forebay.registry.jdbc.JdbcRegistry;
import java.io.BufferedReader;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.Arrays;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A process that is killed while it changes definitions. */
class KillIT {

    private static final int ROUNDS = Boolean.getBoolean("test.full") ? 20 : 5;

    @TempDir
    Path directory;

    @Test
    void everythingThatWasAcknowledgedIsThereAfterAKill() throws Exception {
        Random random = new Random(7);
        int acknowledged = 0;
        for (int round = 0; round < ROUNDS; round++) {
            Process process = changer(directory, "0");
            int wanted = 1 + random.nextInt(60);
            long spin = random.nextInt(3_000_000);
            try (BufferedReader out = process.inputReader()) {
                for (int i = 0; i < wanted; i++) {
                    String line = out.readLine();
                    assertTrue(line != null, () -> "it ended by itself: " + read(directory.resolve("err")));
                    acknowledged = Integer.parseInt(line);
                }
                long until = System.nanoTime() + spin; // so that it is not always hit right after an answer
                while (System.nanoTime() < until) {
                    Thread.onSpinWait();
                }
                assertTrue(process.toHandle().destroyForcibly()); // which leaves its output to be read
                for (String line = out.readLine(); line != null; line = out.readLine()) {
                    acknowledged = Integer.parseInt(line);
                }
            }
            assertTrue(process.waitFor(20, TimeUnit.SECONDS));
            try (JdbcRegistry registry = JdbcRegistry.builder().build();
                    Definitions definitions = Definitions.open(
                            directory, Vault.of(VaultTest.KEY, "test"), registry, InstantSource.system(), Disk.REAL)) {
                int kept = count(definitions);
                assertTrue(
                        kept == acknowledged || kept == acknowledged + 1,
                        "acknowledged " + acknowledged + ", kept " + kept);
                assertEquals(definitions.servers().size(), registry.servers().size());
                acknowledged = kept;
            }
        }
        assertTrue(acknowledged > ROUNDS, "only " + acknowledged + " changes");
    }

    /** The same at the moments that matter: in the middle of each step of the disk. */
    @Test
    void aProcessThatEndsInTheMiddleOfAnyStepLeavesAWholeFile() throws Exception {
        for (int step = 1; step <= 12; step++) {
            Path place = Files.createDirectory(directory.resolve("step" + step));
            Process process = changer(place, Integer.toString(step));
            int acknowledged = 0;
            try (BufferedReader out = process.inputReader()) {
                for (String line = out.readLine(); line != null; line = out.readLine()) {
                    acknowledged = Integer.parseInt(line);
                }
            }
            assertTrue(process.waitFor(20, TimeUnit.SECONDS));
            assertEquals(Changer.HALTED, process.exitValue(), () -> read(directory.resolve("err")));
            try (JdbcRegistry registry = JdbcRegistry.builder().build();
                    Definitions definitions = Definitions.open(
                            place, Vault.of(VaultTest.KEY, "test"), registry, InstantSource.system(), Disk.REAL)) {
                int kept = count(definitions);
                assertTrue(
                        kept == acknowledged || kept == acknowledged + 1,
                        "acknowledged " + acknowledged + ", kept " + kept + ", step " + step);
            }
        }
    }

    private Process changer(Path place, String haltAt) throws IOException {
        return new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-Xmx64m",
                        "-XX:TieredStopAtLevel=1",
                        "-cp",
                        System.getProperty("java.class.path"),
                        Changer.class.getName(),
                        place.toString(),
                        haltAt)
                .redirectError(directory.resolve("err").toFile())
                .start();
    }

    private static String read(Path file) {
        try {
            return Files.readString(file);
        } catch (IOException e) {
            return e.toString();
        }
    }

    private static int count(Definitions definitions) {
        KeptServer server = definitions.servers().get("counted");
        return server == null
                ? 0
                : Integer.parseInt(server.definition().options().get("max_connections"));
    }

    /** Alters a server again and again, and says so each time. */
    static final class Changer {
        static final int HALTED = 77;

        public static void main(String[] arguments) throws Exception {
            Disk disk = new HaltingDisk(Integer.parseInt(arguments[1]));
            JdbcRegistry registry = JdbcRegistry.builder().build();
            Definitions definitions = Definitions.open(
                    Path.of(arguments[0]), Vault.of(VaultTest.KEY, "test"), registry, InstantSource.system(), disk);
            while (true) {
                int next = count(definitions) + 1;
                ServerDefinition definition = ServerDefinition.builder("counted", DatabaseType.POSTGRESQL)
                        .option("host", "db.example.com")
                        .option("dbname", "production")
                        .option("enable_health_check", "false")
                        .option("max_connections", Integer.toString(next))
                        .build();
                definitions.change((servers, now) -> Change.put(
                        servers,
                        new KeptServer(definition, now, now, Map.of()),
                        next == 1 ? all -> all.register(definition) : all -> all.update(definition)));
                System.out.println(next);
            }
        }
    }

    /** Ends the process in the middle of one step. */
    private static final class HaltingDisk implements Disk {
        private final int last;
        private int steps;

        HaltingDisk(int last) {
            this.last = last;
        }

        private boolean isLast() {
            return ++steps == last;
        }

        private static void halt() {
            Runtime.getRuntime().halt(Changer.HALTED);
        }

        @Override
        public void write(Path file, byte[] bytes) throws IOException {
            boolean ends = isLast();
            Disk.super.write(file, ends ? Arrays.copyOf(bytes, bytes.length / 2) : bytes);
            if (ends) {
                halt();
            }
        }

        @Override
        public void move(Path from, Path to) throws IOException {
            boolean ends = isLast();
            Disk.super.move(from, to);
            if (ends) {
                halt();
            }
        }

        @Override
        public void sync(Path place) throws IOException {
            if (isLast()) {
                halt();
            }
            Disk.super.sync(place);
        }
    }
}
