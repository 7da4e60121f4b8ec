// SPDX-License-Identifier: Apache-2.0
package dev.forebay.local;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.forebay.model.Fault;
import java.io.IOException;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;

/** The servers that are asked the same about cancels, with a table of one row. */
abstract class CancelledServers {

    static final String CANCELED = "57014";

    /** So long that a cancel which is on its way would end it. */
    static final String READ = "SELECT n FROM t, pg_sleep(0.05)";

    static final String WRITE = "UPDATE t SET n = n + 1 FROM pg_sleep(0.05)";

    static LocalDsql dsql;

    enum Server {
        POSTGRES,
        LOCAL;

        RawClient connect() throws Exception {
            return this == LOCAL ? new RawClient(dsql, "admin") : RawClient.behind(dsql);
        }
    }

    @BeforeAll
    static void start() throws Exception {
        dsql = LocalDsql.builder().start();
        try (RawClient client = new RawClient(dsql, "admin")) {
            client.simple("CREATE TABLE t (id int PRIMARY KEY, n int)");
            client.simple("INSERT INTO t VALUES (1, 0)");
        }
    }

    @AfterAll
    static void stop() throws IOException {
        dsql.close();
    }

    @AfterEach
    void clear() {
        dsql.inject(Fault.parse("clear"));
    }

    static RawClient.Answer only(List<RawClient.Answer> answers) {
        assertEquals(1, answers.size(), answers::toString);
        return answers.get(0);
    }

    /** Waits until a statement sleeps for ten minutes. */
    static void awaitSleep() throws SQLException {
        try (Connection connection = dsql.behind().getConnection();
                Statement statement = connection.createStatement()) {
            boolean sleeps = false;
            while (!sleeps) {
                try (ResultSet count = statement.executeQuery(
                        "SELECT count(*) > 0 FROM pg_stat_activity WHERE"
                                + " wait_event = 'PgSleep' AND (query LIKE '%pg_sleep(600)%' OR query LIKE '%long_planned()%')")) {
                    count.next();
                    sleeps = count.getBoolean(1);
                }
            }
        }
    }
}
