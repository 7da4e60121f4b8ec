// SPDX-License-Identifier: Apache-2.0
package dev.forebay.local;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.forebay.local.RawClient.Answer;
import java.io.IOException;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Whatever is cancelled when: what was acknowledged is there, what failed is not, and the session goes on as if each statement had
 * been cancelled or had not.
 */
class CancelsIT {

    private static final int AIMED = 500;
    private static final int AIMED_IN_SOAK = 25_000;
    private static final int STORMY = 100;
    private static final int STORMY_IN_SOAK = 3_000;
    private static final int FROM_BEHIND = 3_000;
    private static final int HIT_FROM_BEHIND = 5;
    private static final int STORM_THREADS = 2;

    private static LocalDsql dsql;

    @BeforeAll
    static void start() throws Exception {
        dsql = LocalDsql.builder().start();
        try (RawClient client = new RawClient(dsql, "admin")) {
            client.simple("CREATE TABLE t (id int PRIMARY KEY, n bigint)");
        }
    }

    @AfterAll
    static void stop() throws IOException {
        dsql.close();
    }

    @BeforeEach
    void anEmptyTable() throws SQLException {
        try (Connection connection = dsql.behind().getConnection();
                Statement statement = connection.createStatement()) {
            statement.execute("TRUNCATE t");
        }
    }

    enum Protocol {
        SIMPLE,
        EXTENDED
    }

    enum Shape {
        ALONE,
        TRANSACTION
    }

    private static Stream<Arguments> all() {
        return Stream.of(Protocol.values())
                .flatMap(protocol -> Stream.of(Shape.values()).map(shape -> Arguments.of(protocol, shape)));
    }

    @ParameterizedTest
    @MethodSource("all")
    @Timeout(240)
    void aCancelAtTheEndOfAStatementMakesNoLie(Protocol protocol, Shape shape) throws Exception {
        aim(protocol, shape, AIMED);
    }

    @ParameterizedTest
    @MethodSource("all")
    @Timeout(240)
    void aStormOfCancelsMakesNoLie(Protocol protocol, Shape shape) throws Exception {
        storm(protocol, shape, STORMY);
    }

    @Tag("soak")
    @ParameterizedTest
    @MethodSource("all")
    @Timeout(value = 30, unit = TimeUnit.MINUTES)
    void aHundredThousandCancelsMakeNoLie(Protocol protocol, Shape shape) throws Exception {
        aim(protocol, shape, AIMED_IN_SOAK);
    }

    @Tag("soak")
    @ParameterizedTest
    @MethodSource("all")
    @Timeout(value = 30, unit = TimeUnit.MINUTES)
    void aLongStormOfCancelsMakesNoLie(Protocol protocol, Shape shape) throws Exception {
        storm(protocol, shape, STORMY_IN_SOAK);
    }

    /** Past the port, where nothing keeps a cancel from a command of the server's own. */
    @ParameterizedTest
    @MethodSource("all")
    @Timeout(240)
    void cancelsFromBehindMakeNoLie(Protocol protocol, Shape shape) throws Exception {
        fromBehind(protocol, shape, FROM_BEHIND);
    }

    @Tag("soak")
    @ParameterizedTest
    @MethodSource("all")
    @Timeout(value = 30, unit = TimeUnit.MINUTES)
    void aHundredThousandCancelsFromBehindMakeNoLie(Protocol protocol, Shape shape) throws Exception {
        fromBehind(protocol, shape, AIMED_IN_SOAK);
    }

    private static void aim(Protocol protocol, Shape shape, int cancels) throws Exception {
        try (Writer writer = new Writer(protocol, shape)) {
            while (writer.cancels < cancels) {
                writer.write(true);
            }
            writer.assertTruth();
            assertFalse(writer.acknowledged.isEmpty(), "every cancel came too early");
            assertTrue(writer.failed > 0, "every cancel came too late");
        }
    }

    private static void storm(Protocol protocol, Shape shape, int statements) throws Exception {
        AtomicBoolean over = new AtomicBoolean();
        AtomicInteger cancels = new AtomicInteger();
        List<CompletableFuture<Void>> storm = new ArrayList<>();
        try (Writer writer = new Writer(protocol, shape)) {
            for (int i = 0; i < STORM_THREADS; i++) {
                storm.add(CompletableFuture.runAsync(() -> {
                    while (!over.get()) {
                        writer.cancel();
                        cancels.incrementAndGet();
                    }
                }));
            }
            try {
                for (int i = 0; i < statements; i++) {
                    writer.write(false);
                }
            } finally {
                over.set(true);
                for (CompletableFuture<Void> one : storm) {
                    one.get(60, TimeUnit.SECONDS);
                }
            }
            writer.cancels = cancels.get();
            writer.assertTruth();
            assertTrue(writer.failed > 0, "every cancel came too late");
        }
    }

    private static void fromBehind(Protocol protocol, Shape shape, int cancels) throws Exception {
        AtomicBoolean over = new AtomicBoolean();
        AtomicInteger sent = new AtomicInteger();
        try (Writer writer = new Writer(protocol, shape)) {
            writer.work = 1;
            writer.fromBehind = true;
            CompletableFuture<Void> storm = CompletableFuture.runAsync(() -> cancelFromBehind(over, sent));
            try {
                while (sent.get() < cancels || writer.failed < HIT_FROM_BEHIND) {
                    writer.write(false);
                }
            } finally {
                over.set(true);
                storm.get(60, TimeUnit.SECONDS);
            }
            writer.cancels = sent.get();
            writer.assertTruth();
        }
    }

    private static void cancelFromBehind(AtomicBoolean over, AtomicInteger sent) {
        Random random = new Random(2);
        try (Connection connection = dsql.behind().getConnection();
                PreparedStatement cancel = connection.prepareStatement("SELECT count(pg_cancel_backend(pid)) FROM"
                        + " (SELECT pid, generate_series(1, ?) FROM pg_stat_get_activity(NULL) WHERE usesysid ="
                        + " 'admin'::regrole) AS sessions")) {
            while (!over.get()) {
                cancel.setInt(1, 1 + random.nextInt(3));
                try (ResultSet count = cancel.executeQuery()) {
                    count.next();
                    sent.addAndGet(count.getInt(1));
                }
            }
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }

    /** A client that writes one row after the other, and knows of each whether it must be there. */
    private static final class Writer implements AutoCloseable {

        private static final double MOST_WORK = 1_000_000;

        private final Protocol protocol;
        private final Shape shape;
        private final RawClient client = new RawClient(dsql, "admin");
        private final Random random = new Random(1);
        private final Set<Integer> acknowledged = new TreeSet<>();

        /** How much an INSERT has to do, so that it ends about when a cancel that was sent with it arrives. */
        private double work = 20_000;

        /** Whether cancels come past the port, where they also hit COMMIT. */
        private boolean fromBehind;

        private int id;
        private int failed;
        private int cancels;

        Writer(Protocol protocol, Shape shape) throws Exception {
            this.protocol = protocol;
            this.shape = shape;
        }

        void cancel() {
            try {
                client.cancel();
            } catch (IOException e) {
                throw new IllegalStateException(e);
            }
        }

        /** Writes the next row; with a cancel at one of the statements that this takes, if {@code aimed}. */
        void write(boolean aimed) throws IOException {
            id++;
            int target = !aimed ? -1 : shape == Shape.ALONE ? 1 : random.nextInt(3);
            if (shape == Shape.TRANSACTION && !isDone(ask("BEGIN", target == 0), "BEGIN", 'T', 'I')) {
                return;
            }
            boolean alone = shape == Shape.ALONE;
            boolean wrote = isDone(ask(insert(), target == 1), "INSERT 0 1", alone ? 'I' : 'T', alone ? 'I' : 'E');
            if (!fromBehind && (target == 1 || !aimed)) {
                work = Math.min(MOST_WORK, Math.max(1, work * (wrote ? 1.05 : 0.95)));
            }
            if (wrote && (alone || isDone(ask("COMMIT", target == 2), "COMMIT", 'I', 'I'))) {
                acknowledged.add(id);
            }
            while (client.status == 'E') {
                isDone(ask("ROLLBACK", false), "ROLLBACK", 'I', '-');
            }
        }

        private String insert() {
            long rows = Math.round(work * (0.95 + 0.1 * random.nextDouble()));
            return "INSERT INTO t SELECT " + id + ", count(*) FROM generate_series(1, " + rows + ")";
        }

        /** Asks, and cancels: most often right behind the statement, else just ahead of it. */
        private List<Answer> ask(String sql, boolean cancel) throws IOException {
            boolean ahead = cancel && random.nextInt(5) == 0;
            if (ahead) {
                cancel();
            }
            if (protocol == Protocol.SIMPLE) {
                client.addSimple(sql);
            } else {
                client.addExtended(sql).send('S');
            }
            client.raw(new byte[0]);
            if (cancel && !ahead) {
                cancel();
            }
            cancels += cancel ? 1 : 0;
            return client.answers();
        }

        /** Whether a statement was done, and not cancelled; there is nothing else that it may be. */
        private boolean isDone(List<Answer> answers, String tag, char done, char cancelled) {
            Answer answer = answers.get(answers.size() - 1);
            if (answer.isError()) {
                failed++;
                assertEquals("57014", answer.sqlState(), () -> "instead of " + tag + ": " + answers);
                boolean stillOpen = fromBehind && client.status == 'E' && !tag.equals("BEGIN") && shape != Shape.ALONE;
                assertTrue(
                        client.status == cancelled || stillOpen,
                        () -> "a cancelled " + tag + " leads to " + client.status);
                assertTrue(answers.size() == 1 || fromBehind, () -> tag + ": " + answers);
                return false;
            }
            assertEquals(1, answers.size(), () -> tag + ": " + answers);
            assertEquals(tag, answer.tag());
            assertEquals(done, client.status, () -> "where " + tag + " leads");
            return true;
        }

        /** Compares what is there with what was acknowledged. */
        void assertTruth() throws SQLException {
            System.out.println("cancels: " + protocol + " " + shape + ": " + cancels + " sent, " + failed
                    + " statements cancelled, " + acknowledged.size() + " rows acknowledged");
            Set<Integer> there = new TreeSet<>();
            try (Connection connection = dsql.behind().getConnection();
                    Statement statement = connection.createStatement();
                    ResultSet rows = statement.executeQuery("SELECT id FROM t")) {
                while (rows.next()) {
                    there.add(rows.getInt(1));
                }
            }
            Set<Integer> lost = new TreeSet<>(acknowledged);
            lost.removeAll(there);
            there.removeAll(acknowledged);
            assertEquals(Set.of(), lost, "acknowledged, but not there");
            assertEquals(Set.of(), there, "there, but failed");
        }

        @Override
        public void close() throws IOException {
            client.close();
        }
    }
}
