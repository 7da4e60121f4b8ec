// SPDX-License-Identifier: Apache-2.0
package dev.forebay.local;

import static dev.forebay.local.testkit.Json.list;
import static dev.forebay.local.testkit.Json.map;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.forebay.local.RawClient.Answer;
import dev.forebay.local.testkit.Json;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * The answers of a real cluster, asked for again here: the file of recordings comes from {@code -Ddsql.recordings}. What differs is
 * listed in docs/local.md, and nothing else is.
 */
@Timeout(300)
class RecordingsIT {

    private static final int AIM = 156;
    private static final Pattern LISTED = Pattern.compile("^\\| `([a-z0-9_]+)` \\|", Pattern.MULTILINE);

    @Test
    void theRecordedAnswersAreGivenAgain() throws Exception {
        String file = System.getProperty("dsql.recordings", "");
        assumeTrue(!file.isEmpty(), "skipped: no recordings given with -Ddsql.recordings=FILE");
        Map<String, Object> recordings = map(Json.read(Files.readString(Path.of(file))));
        Map<String, String> deviations = new TreeMap<>();
        List<Map<String, Object>> cases = new ArrayList<>();
        list(recordings.get("cases")).forEach(one -> cases.add(map(one)));
        cases.sort(Comparator.comparingDouble(one -> (Double) one.get("order")));
        try (LocalDsql dsql = LocalDsql.builder().start();
                RawClient shared = new RawClient(dsql, "admin")) {
            for (Map<String, Object> one : cases) {
                prepare(dsql, list(recordings.get("setup")), one);
                String difference = replay(dsql, shared, one);
                if (difference != null) {
                    deviations.put((String) one.get("id"), difference);
                }
                shared.simple("ROLLBACK");
            }
        }
        deviations.forEach((id, difference) -> System.out.println("deviates: " + id + ": " + difference));
        System.out.println("recordings: " + (cases.size() - deviations.size()) + " of " + cases.size() + " match");
        assertEquals(listed(), new TreeSet<>(deviations.keySet()), "the deviations that docs/local.md lists");
        assertTrue(cases.size() - deviations.size() >= AIM, () -> deviations.size() + " deviations");
    }

    /** A schema as it was before this case, made behind the server's back. */
    private static void prepare(LocalDsql dsql, List<Object> setup, Map<String, Object> one) throws SQLException {
        StringBuilder script = new StringBuilder(
                "DROP SCHEMA IF EXISTS public, baseline_schema CASCADE; CREATE SCHEMA public AUTHORIZATION admin;"
                        + " SET SESSION AUTHORIZATION admin;");
        setup.forEach(statement -> script.append(statement).append(';'));
        if (one.get("prelude") != null) {
            list(one.get("prelude"))
                    .forEach(statement -> script.append(statement).append(';'));
        }
        try (Connection connection = dsql.behind().getConnection();
                Statement statement = connection.createStatement()) {
            statement.execute("SET lock_timeout = 0");
            statement.execute(script.toString());
        }
    }

    private static Set<String> listed() throws Exception {
        String page = Files.readString(Path.of("../docs/local.md"));
        Matcher listed = LISTED.matcher(page.substring(page.indexOf("## Deviations")));
        Set<String> ids = new TreeSet<>();
        while (listed.find()) {
            ids.add(listed.group(1));
        }
        return ids;
    }

    // ---- one case

    /** How the answers differ from those recorded, null if they do not. */
    private static String replay(LocalDsql dsql, RawClient shared, Map<String, Object> one) throws Exception {
        List<Object> sessions = list(one.get("sessions"));
        if (sessions.size() == 1) {
            for (Object step : list(sessions.get(0))) {
                String difference = differs(one, map(step), ask(shared, one, map(step)));
                if (difference != null) {
                    return difference;
                }
            }
            return null;
        }
        List<RawClient> clients = new ArrayList<>();
        try {
            for (int i = 0; i < sessions.size(); i++) {
                clients.add(new RawClient(dsql, "admin"));
            }
            return interleaved(one, sessions, clients);
        } finally {
            for (RawClient client : clients) {
                client.close();
            }
        }
    }

    /** Sessions take their steps in turns. Of a race, only how many lose, where and with what, is a fact. */
    private static String interleaved(Map<String, Object> one, List<Object> sessions, List<RawClient> clients)
            throws Exception {
        boolean race = Boolean.TRUE.equals(one.get("race"));
        List<String> expected = new ArrayList<>();
        List<String> actual = new ArrayList<>();
        for (int step = 0; ; step++) {
            boolean any = false;
            for (int i = 0; i < sessions.size(); i++) {
                List<Object> steps = list(sessions.get(i));
                if (step < steps.size()) {
                    any = true;
                    Map<String, Object> recorded = map(steps.get(step));
                    List<Answer> answers = ask(clients.get(i), one, recorded);
                    String difference = differs(one, recorded, answers);
                    if (!race && difference != null) {
                        return difference;
                    }
                    expected.add(step + " " + recorded.get("sqlstate") + " " + recorded.get("message"));
                    Answer last = last(answers);
                    actual.add(step + " " + last.sqlState() + " " + last.message());
                }
            }
            if (!any) {
                break;
            }
        }
        expected.sort(null);
        actual.sort(null);
        return !race || expected.equals(actual) ? null : "expected " + expected + " but was " + actual;
    }

    private static List<Answer> ask(RawClient client, Map<String, Object> one, Map<String, Object> step)
            throws Exception {
        String sql = (String) step.get("sql");
        return Boolean.TRUE.equals(one.get("simple_protocol")) ? client.simple(sql) : client.extended(sql);
    }

    private static String differs(Map<String, Object> one, Map<String, Object> recorded, List<Answer> answers) {
        Answer answer = last(answers);
        String sql = recorded.get("sql") + " → ";
        if ("error".equals(recorded.get("outcome"))) {
            return Objects.equals(recorded.get("sqlstate"), answer.sqlState())
                            && Objects.equals(recorded.get("message"), answer.message())
                    ? null
                    : sql + recorded.get("sqlstate") + " " + recorded.get("message") + ", but was " + answer;
        }
        if (answer.isError()) {
            return sql + "ok, but was " + answer;
        }
        if (recorded.get("results") != null) {
            List<String> tags = list(recorded.get("results")).stream()
                    .map(result -> (String) map(result).get("tag"))
                    .toList();
            List<String> was = answers.stream().map(Answer::tag).toList();
            return tags.equals(was) ? null : sql + tags + ", but was " + was;
        }
        boolean ignoresRows = Boolean.TRUE.equals(one.get("ignore_rows"));
        if (!tag(recorded.get("tag"), ignoresRows).equals(tag(answer.tag(), ignoresRows))) {
            return sql + recorded.get("tag") + ", but was " + answer.tag();
        }
        if (recorded.get("columns") != null && !recorded.get("columns").equals(answer.columns())) {
            return sql + recorded.get("columns") + ", but was " + answer.columns();
        }
        return ignoresRows || sameRows(one, recorded, answer)
                ? null
                : sql + recorded.get("rows") + ", but was " + answer.rows();
    }

    private static boolean sameRows(Map<String, Object> one, Map<String, Object> recorded, Answer answer) {
        Object rows = one.get("rows_text") != null ? one.get("rows_text") : recorded.get("rows");
        List<String> expected = new ArrayList<>();
        (rows == null ? List.of() : list(rows)).forEach(row -> expected.add(String.valueOf(row)));
        List<String> actual = new ArrayList<>();
        answer.rows().forEach(row -> actual.add(String.valueOf(row)));
        if (Boolean.TRUE.equals(one.get("unordered"))) {
            expected.sort(null);
            actual.sort(null);
        }
        return expected.equals(actual);
    }

    private static String tag(Object tag, boolean ignoresRows) {
        return ignoresRows ? String.valueOf(tag).replaceAll(" [0-9]+$", "") : String.valueOf(tag);
    }

    private static Answer last(List<Answer> answers) {
        return answers.isEmpty() ? new Answer("", List.of(), List.of(), null, null) : answers.get(answers.size() - 1);
    }
}
