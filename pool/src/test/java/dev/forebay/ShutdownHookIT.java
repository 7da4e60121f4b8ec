// SPDX-License-Identifier: Apache-2.0
package dev.forebay;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.forebay.jdbc.UnpooledDataSource;
import dev.forebay.testkit.PlainDataSource;
import dev.forebay.time.SystemTime;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.lang.ref.ReferenceQueue;
import java.lang.ref.WeakReference;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Properties;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The end of a plain program that closes nothing, in a process of its own. */
@Timeout(120)
class ShutdownHookIT {

    private static final String READY = "ready";
    private static final String GIVEN_BACK = "given back";

    /** The program: a pool that says when it has given back what it held. */
    static final class Program {
        private Program() {}

        public static void main(String[] arguments) throws Exception {
            Properties settings = new Properties();
            settings.setProperty("forebay.mode", "on-demand");
            if (arguments[0].equals("hook")) {
                settings.setProperty("forebay.shutdown-hook", "true");
            }
            ForebayDataSource.Builder builder = ForebayDataSource.builder()
                    .config(ForebayConfig.fromProperties(settings))
                    .dataSource(new PlainDataSource() {
                        @Override
                        public Connection getConnection() throws SQLException {
                            throw new SQLException("there is no server", "08001");
                        }
                    })
                    .afterDrain(() -> System.out.println(GIVEN_BACK));
            if (arguments[1].equals("unpooled")) {
                builder.buildUnpooled();
                System.out.println(READY);
                new CountDownLatch(1).await();
            }
            ForebayDataSource pool = builder.build();
            switch (arguments[1]) {
                case "close" -> pool.close();
                case "exit" -> SystemTime.shared().schedule(0, () -> System.exit(3));
                default -> System.out.println(READY);
            }
            if (!arguments[1].equals("close")) {
                new CountDownLatch(1).await();
            }
        }
    }

    private static Process start(String... arguments) throws IOException {
        String java = Path.of(System.getProperty("java.home"), "bin", "java").toString();
        ProcessBuilder builder =
                new ProcessBuilder(java, "-cp", System.getProperty("java.class.path"), Program.class.getName());
        builder.command().addAll(List.of(arguments));
        return builder.redirectErrorStream(true).start();
    }

    private static List<String> lines(Process process, boolean terminate) throws IOException {
        try (BufferedReader reader =
                new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8))) {
            List<String> lines = new ArrayList<>();
            for (String line = reader.readLine(); line != null; line = reader.readLine()) {
                lines.add(line);
                if (terminate && line.equals(READY)) {
                    process.toHandle().destroy(); // SIGTERM, and the streams stay open
                }
            }
            return lines;
        }
    }

    @Test
    void aTerminatedProgramGivesBackWhatItHolds() throws Exception {
        Process process = start("hook", "wait");
        List<String> lines = lines(process, true);
        assertTrue(lines.contains(GIVEN_BACK), lines::toString);
        assertTrue(process.waitFor(60, TimeUnit.SECONDS));
    }

    @Test
    void aTerminatedProgramClosesItsUnpooledSource() throws Exception {
        List<String> lines = lines(start("hook", "unpooled"), true);
        assertTrue(lines.contains(READY) && lines.contains(GIVEN_BACK), lines::toString);
        List<String> without = lines(start("none", "unpooled"), true);
        assertTrue(without.contains(READY) && !without.contains(GIVEN_BACK), without::toString);
    }

    /** A source that is built for each connection would otherwise leave a hook each. */
    @Test
    void aClosedUnpooledSourceLeavesNoHook() throws Exception {
        ReferenceQueue<Object> collected = new ReferenceQueue<>();
        WeakReference<Object> source = new WeakReference<>(closedSource(), collected);
        boolean gone = false;
        for (int i = 0; i < 50 && !gone; i++) {
            System.gc();
            gone = collected.remove(200) == source;
        }
        assertTrue(gone, "the hook still holds the data source");
    }

    private static Object closedSource() {
        UnpooledDataSource source = ForebayDataSource.builder()
                .config(ForebayConfig.builder().shutdownHook(true).build())
                .url("jdbc:none://host")
                .buildUnpooled();
        source.close();
        return source;
    }

    @Test
    void withoutTheHookNothingIsDone() throws Exception {
        List<String> lines = lines(start("none", "wait"), true);
        assertTrue(lines.contains(READY) && !lines.contains(GIVEN_BACK), lines::toString);
    }

    @Test
    void aPoolThatIsClosedIsNotClosedAgain() throws Exception {
        Process process = start("hook", "close");
        assertEquals(
                1, lines(process, false).stream().filter(GIVEN_BACK::equals).count());
        assertEquals(0, process.waitFor());
    }

    /** The clock's own thread waits in exit for the hook, which needs that thread to drain the pool. */
    @Test
    void anExitOnThePoolsOwnThreadEndsTheProgram() throws Exception {
        Process process = start("hook", "exit");
        lines(process, false);
        assertEquals(3, process.waitFor());
    }
}
