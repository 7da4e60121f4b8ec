// SPDX-License-Identifier: Apache-2.0
package dev.forebay.local;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.forebay.local.RawClient.Answer;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Random histories of two and three sessions on a few rows: no statement waits for another transaction, who loses fails at
 * COMMIT with 40001 and nowhere else, nobody loses against nobody, and what was committed is what is there.
 */
@Timeout(300)
class HistoriesIT {

    private static final int HISTORIES = 200;
    private static final int STEPS = 24;
    private static final int ROWS = 3;

    @Test
    void losersFailAtCommitAndWhatWasCommittedIsThere() throws Exception {
        long only = Long.getLong("dsql.seed", -1);
        try (LocalDsql dsql = LocalDsql.builder().start()) {
            try (RawClient admin = new RawClient(dsql, "admin")) {
                admin.simple("CREATE TABLE counters (id int PRIMARY KEY, n int NOT NULL)");
                try (RawClient first = new RawClient(dsql, "admin");
                        RawClient second = new RawClient(dsql, "admin");
                        RawClient third = new RawClient(dsql, "admin")) {
                    int lost = 0;
                    for (long seed = only < 0 ? 1 : only; seed <= (only < 0 ? HISTORIES : only); seed++) {
                        try {
                            List<RawClient> clients =
                                    seed % 3 == 0 ? List.of(first, second, third) : List.of(first, second);
                            lost += new History(seed, admin, clients).run();
                        } catch (AssertionError | Exception e) {
                            throw new AssertionError("-Ddsql.seed=" + seed + " shows it again: " + e, e);
                        }
                    }
                    assertTrue(only >= 0 || lost > HISTORIES / 4, "conflicts there were: " + lost);
                }
            }
        }
    }

    /** A transaction in progress. */
    private static final class Tx {
        private final Set<Integer> touched = new HashSet<>();
        private final Map<Integer, Integer> added = new TreeMap<>();
        private final Set<Integer> inserted = new HashSet<>();
        private final Set<Tx> met = new HashSet<>();
        private boolean failed;
    }

    private static final class History {
        private final Random random;
        private final RawClient admin;
        private final List<RawClient> clients;
        private final List<Tx> open = new ArrayList<>();
        private final Map<Integer, Integer> committed = new TreeMap<>();
        private int nextKey = 100;
        private int lost;

        History(long seed, RawClient admin, List<RawClient> clients) {
            this.random = new Random(seed);
            this.admin = admin;
            this.clients = clients;
            clients.forEach(client -> open.add(null));
        }

        int run() throws Exception {
            ask(admin, "DELETE FROM counters");
            for (int id = 1; id <= ROWS; id++) {
                ask(admin, "INSERT INTO counters VALUES (" + id + ", 0)");
                committed.put(id, 0);
            }
            for (int step = 0; step < STEPS; step++) {
                step(random.nextInt(clients.size()));
            }
            for (int i = 0; i < clients.size(); i++) {
                if (open.get(i) != null) {
                    end(i, random.nextBoolean());
                }
            }
            Map<Integer, Integer> there = new TreeMap<>();
            for (List<String> row : ask(admin, "SELECT id, n FROM counters").rows()) {
                there.put(Integer.valueOf(row.get(0)), Integer.valueOf(row.get(1)));
            }
            assertEquals(committed, there);
            return lost;
        }

        private void step(int i) throws Exception {
            Tx tx = open.get(i);
            if (tx == null) {
                assertFalse(ask(clients.get(i), "BEGIN").isError());
                Tx begun = new Tx();
                for (Tx other : open) {
                    if (other != null) {
                        other.met.add(begun);
                        begun.met.add(other);
                    }
                }
                open.set(i, begun);
                return;
            }
            int choice = random.nextInt(10);
            int row = 1 + random.nextInt(ROWS);
            if (choice < 4) {
                touch(i, row, "UPDATE counters SET n = n + 1 WHERE id = " + row, "UPDATE 1");
                tx.added.merge(row, 1, Integer::sum);
            } else if (choice < 5) {
                touch(i, row, "SELECT n FROM counters WHERE id = " + row + " FOR UPDATE", "SELECT 1");
            } else if (choice < 6) {
                assertEquals(
                        "SELECT 1",
                        answered(i, "SELECT n FROM counters WHERE id = " + row).tag());
            } else if (choice < 7) {
                insert(i, tx);
            } else {
                end(i, choice < 9);
            }
        }

        private void touch(int i, int row, String sql, String tag) throws Exception {
            open.get(i).touched.add(row);
            assertEquals(tag, answered(i, sql).tag(), sql);
        }

        /** Often of a key that another has just inserted and not committed. */
        private void insert(int i, Tx tx) throws Exception {
            int key = random.nextBoolean() ? nextKey : ++nextKey;
            tx.touched.add(key);
            Answer answer = ask(clients.get(i), "INSERT INTO counters VALUES (" + key + ", 0)");
            if (answer.isError()) {
                assertEquals("23505", answer.sqlState(), answer.toString());
                tx.failed = true;
                end(i, false);
            } else {
                assertEquals("INSERT 0 1", answer.tag());
                tx.inserted.add(key);
            }
        }

        private Answer answered(int i, String sql) throws Exception {
            Answer answer = ask(clients.get(i), sql);
            assertFalse(answer.isError(), () -> sql + ": " + answer);
            return answer;
        }

        private void end(int i, boolean commit) throws Exception {
            Tx tx = open.set(i, null);
            Answer answer = ask(clients.get(i), commit ? "COMMIT" : "ROLLBACK");
            if (!commit) {
                assertEquals("ROLLBACK", answer.tag());
            } else if (answer.isError()) {
                lost++;
                assertEquals("40001", answer.sqlState());
                assertEquals("change conflicts with another transaction (OC000)", answer.message());
                assertTrue(
                        tx.met.stream().anyMatch(other -> other.touched.stream().anyMatch(tx.touched::contains)),
                        "lost against nobody");
            } else {
                tx.added.forEach((row, n) -> committed.merge(row, n, Integer::sum));
                tx.inserted.forEach(key -> committed.putIfAbsent(key, 0));
            }
            assertEquals('I', clients.get(i).status);
        }

        private Answer ask(RawClient client, String sql) throws Exception {
            List<Answer> answers = random.nextBoolean() ? client.simple(sql) : client.extended(sql);
            return answers.get(answers.size() - 1);
        }
    }
}
