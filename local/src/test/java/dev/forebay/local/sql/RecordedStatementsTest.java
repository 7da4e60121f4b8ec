// SPDX-License-Identifier: Apache-2.0
package dev.forebay.local.sql;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.forebay.local.testkit.Json;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

/** The profile and the transaction rules beside what a cluster answered; without the recordings it is skipped by name. */
class RecordedStatementsTest {

    /** Errors that PostgreSQL finds itself, or that only two sessions can make. */
    private static final Set<String> NOT_OF_THE_PROFILE = Set.of("23503", "23514", "22P02", "40001", "42601", "42804");

    /** The rest of those, by case: the first is PostgreSQL's word too, the others need its catalog. */
    private static final Set<String> POSTGRES_SAYS = Set.of(
            "sys_call_wait_for_job",
            "enum_column_undefined",
            "env_lc_collate",
            "alter_drop_pk_column",
            "row_cap",
            "row_cap_implicit");

    @Test
    void refusesWhatTheClusterRefusedInItsWordsAndNothingElse() throws IOException {
        String path = System.getProperty("dsql.recordings", "");
        assumeTrue(!path.isEmpty(), "skipped: no recordings, set -Ddsql.recordings=PATH");
        Map<String, Object> recordings = Json.map(Json.read(Files.readString(Path.of(path))));

        List<String> deviations = new ArrayList<>();
        Set<String> refused = new TreeSet<>();
        for (Object setup : Json.list(recordings.get("setup"))) {
            Optional<SqlRefusal> refusal = judge((String) setup, new TransactionRules(Limits.DEFAULT));
            refusal.ifPresent(r -> deviations.add("setup: " + setup + ": " + r));
        }
        for (Object each : Json.list(recordings.get("cases"))) {
            Map<String, Object> recorded = Json.map(each);
            for (Object session : Json.list(recorded.get("sessions"))) {
                replay((String) recorded.get("id"), Json.list(session), deviations, refused);
            }
        }

        assertEquals(List.of(), deviations);
        assertTrue(refused.size() > 50, "refused: " + refused.size() + " " + refused);
    }

    private static void replay(String id, List<Object> steps, List<String> deviations, Set<String> refused) {
        TransactionRules rules = new TransactionRules(Limits.DEFAULT);
        for (Object each : steps) {
            Map<String, Object> step = Json.map(each);
            String sql = (String) step.get("sql");
            Optional<SqlRefusal> refusal = judge(sql, rules);
            boolean error = "error".equals(step.get("outcome"));
            if (error && refusal.isEmpty() && isLeftToPostgres(id, (String) step.get("sqlstate"))) {
                rules.fail();
                continue;
            }
            String expected = error ? step.get("sqlstate") + " " + step.get("message") : "ok";
            String actual = refusal.map(r -> r.sqlState() + " " + r.message()).orElse("ok");
            if (!expected.equals(actual)) {
                deviations.add(id + ": " + sql + ": expected " + expected + ", got " + actual);
            } else if (error) {
                refused.add(id);
            }
        }
    }

    private static boolean isLeftToPostgres(String id, String sqlState) {
        return NOT_OF_THE_PROFILE.contains(sqlState) || POSTGRES_SAYS.contains(id);
    }

    /** The judgement on a string, as a session asks: first the state of the transaction, then the profile. */
    private static Optional<SqlRefusal> judge(String sql, TransactionRules rules) {
        for (Statement statement : Script.of(sql)) {
            rules.beginImplicit(0);
            Optional<SqlRefusal> refusal = rules.before(statement, 0)
                    .or(() -> Profile.SEPTEMBER_2026.judge(statement).refusal());
            if (refusal.isPresent()) {
                rules.fail();
                return refusal;
            }
            switch (statement.kind()) {
                case BEGIN -> rules.begin(0);
                case COMMIT, ROLLBACK -> rules.end();
                default -> rules.after(statement, statement.writes() ? 1 : 0, sql.length());
            }
        }
        if (rules.state() == TransactionRules.State.IMPLICIT) {
            rules.end();
        }
        return Optional.empty();
    }
}
