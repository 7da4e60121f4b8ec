// SPDX-License-Identifier: Apache-2.0
package dev.forebay.console.admin;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.postgresql.core.BaseConnection;

/** Patterns that would take years to match: the statement ends with its timeout, and its thread is free. */
@Timeout(120)
final class RunawayPatternTest {

    /** Steps double with each letter. */
    private static final String LETTERS = "a".repeat(60) + "!";

    private TestPort port;

    @BeforeEach
    void start() throws Exception {
        port = new TestPort();
    }

    @AfterEach
    void stop() {
        port.close();
    }

    @Test
    void asManyAsThereAreSessionsDoNotBlockThePort() throws Exception {
        ExecutorService attackers = Executors.newFixedThreadPool(32);
        try {
            List<Callable<String>> attacks = new ArrayList<>();
            for (int i = 0; i < 32; i++) {
                attacks.add(() -> sqlState("SELECT '" + LETTERS + "' ~ '(.*a){25}b'"));
            }
            for (Future<String> each : attackers.invokeAll(attacks)) {
                assertEquals("57014", each.get());
            }
            TestPort.await(() -> port.port.sessions() == 0);
            assertEquals("f", first("SELECT 'b' ~ '^a'"));
        } finally {
            attackers.shutdownNow();
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "SELECT '%s' ~ '(.*a){25}b'",
                "SELECT '%s' !~* '(.*a){25}b'",
                "SELECT '%s' OPERATOR(pg_catalog.~) '(.*a){25}b'",
                "SELECT count(*) FROM remote_pool_stats WHERE server_name || '%s' ~ '(.*a){25}b'",
                "SELECT CASE WHEN (SELECT '%s') ~ ('(.*a){25}' || 'b') THEN 1 END"
            })
    void aRunawayExpressionEndsWithTheStatement(String sql) throws Exception {
        assertEquals("57014", sqlState(sql.formatted(LETTERS)));
    }

    @Test
    void aCancelEndsARunawayExpression() throws Exception {
        try (Connection connection = port.connect();
                Statement statement = connection.createStatement()) {
            ExecutorService other = Executors.newSingleThreadExecutor();
            try {
                Future<SQLException> ended = other.submit(() -> assertThrows(
                        SQLException.class, () -> statement.executeQuery("SELECT '" + LETTERS + "' ~ '(.*a){25}b'")));
                BaseConnection canceller = connection.unwrap(BaseConnection.class);
                while (!ended
                        .isDone()) { // one that comes before the statement ends nothing, and a statement sends but one
                    canceller.cancelQuery();
                }
                assertEquals("57014", ended.get().getSQLState());
                assertEquals(
                        "ERROR: canceling statement due to user request",
                        ended.get().getMessage());
            } finally {
                other.shutdownNow();
            }
        }
    }

    /** H2's own LIKE tries every way to share the text among the percent signs. */
    @Test
    void aPatternOfManyPercentSignsIsAnswered() throws Exception {
        assertEquals("f", first("SELECT '" + LETTERS + "' LIKE '" + "%a".repeat(30) + "b'"));
    }

    @ParameterizedTest
    @CsvSource(
            quoteCharacter = '"',
            value = {
                "'abc' LIKE 'a%', t",
                "'abc' LIKE 'a', f",
                "'abc' NOT LIKE '_b_', f",
                "'ABC' ILIKE 'a%', t",
                "'ABC' NOT ILIKE 'a%', f",
                "'a%c' LIKE 'a\\%c', t",
                "'abc' LIKE 'a\\%c', f",
                "'a%c' LIKE 'a!%c' ESCAPE '!', t",
                "'abc' LIKE 'a!%c' ESCAPE '!', f",
                "'ab' || 'c' LIKE 'a' || '%c', t",
                "'' LIKE '%', t",
                "'' LIKE '_', f",
                "'xaxb' LIKE '%a%b', t",
                "12 LIKE '1_', t",
                "'abc' ~ 'B', f",
                "'abc' ~* 'B', t",
                "'abc' !~ '^a.c$', f",
                "'abc'::text ~ 'b'::text, t",
                "NOT 'abc' LIKE 'b%' AND 'abc' ~ 'c', t",
                "lower('ABC') LIKE lower('A%'), t",
                "(NULL LIKE 'a') IS NULL, t"
            })
    void patternsMeanWhatTheyMeanInPostgres(String expression, String expected) throws Exception {
        assertEquals(expected, first("SELECT " + expression));
    }

    @Test
    void aParameterMayBeAPattern() throws Exception {
        try (Connection connection = port.connect();
                var statement = connection.prepareStatement(
                        "SELECT server_name FROM remote_pool_stats s WHERE s.server_name LIKE ? AND server_name ~ ?")) {
            statement.setString(1, "prod%");
            statement.setString(2, "sql$");
            try (ResultSet rows = statement.executeQuery()) {
                rows.next();
                assertEquals("prod_mysql", rows.getString(1));
            }
        }
    }

    @ParameterizedTest
    @CsvSource({
        "SELECT 'a' REGEXP 'a', 0A000",
        "SELECT 'a' ~ '(', 2201B",
        "SELECT 'a' ~ '(?:(?:){999999}){999999}', 2201B",
        "SELECT 'a' LIKE 'a\\', 22025",
        "SELECT CASE 'a' WHEN LIKE 'a' THEN 1 END, 42601",
        "SELECT 'a' LIKE, 42601"
    })
    void patternsThatCannotBeUsedAreRefused(String sql, String sqlState) throws Exception {
        assertEquals(sqlState, sqlState(sql));
    }

    /** Choices that read no character never come to a look at the clock. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "(|)",
                "(^|$)",
                "(?:a?|b*)",
                "(a?)?",
                "(?:a*)*",
                "(?:a?){0,2}",
                "(?:a{0}|b{00,3})",
                "^?",
                "()\\1?",
                "(?=)",
                "(?!x)"
            })
    void choicesThatReadNothingAreRefused(String choice) throws Exception {
        for (int count : List.of(2, 9, 45)) {
            assertEquals("2201B", sqlState("SELECT '' ~ '" + choice.repeat(count) + "(?!)'"));
            assertEquals("2201B", sqlState("SELECT 'yy' ~ '(?:yy|y)" + choice.repeat(count) + "x'"));
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "^(abc)$",
                "^(.*)$",
                "^(ab.*|x)$",
                "^(a|ab)(c|bcd)?$",
                "(^|,)abc(,|$)",
                "^[a-c]{1,3}?$",
                "^()abc",
                "^(a?)(b?)(c*)$",
                "(?i)^ABC$",
                "^\\w+$",
                "^[^\\]x]+$",
                "^\\p{L}{3}$",
                "^(?:[[a]b]|c)+$",
                "^[]a][^]a]",
                ""
            })
    void ordinaryExpressionsAreMatched(String pattern) throws Exception {
        assertEquals("t", first("SELECT 'abc' ~ '" + pattern + "'"));
    }

    @ParameterizedTest
    @ValueSource(strings = {"\\Q(\\E", "[a&&b]", "a**", "*a", "a)", "[a", "(?<n>a)", "a\\"})
    void expressionsThatCannotBeJudgedAreRefused(String pattern) throws Exception {
        assertEquals("2201B", sqlState("SELECT 'abc' ~ '" + pattern + "'"));
    }

    @Test
    void anExpressionOfTooManyChoicesIsRefused() throws Exception {
        assertEquals("t", first("SELECT 'abc' ~ '" + "a*".repeat(20) + "'"));
        assertEquals("2201B", sqlState("SELECT 'abc' ~ '" + "a*".repeat(21) + "'"));
    }

    private String sqlState(String sql) throws SQLException {
        try (Connection connection = port.connect("options", "-c statement_timeout=1000");
                Statement statement = connection.createStatement()) {
            return assertThrows(SQLException.class, () -> statement.executeQuery(sql), sql)
                    .getSQLState();
        }
    }

    private String first(String sql) throws SQLException {
        try (Connection connection = port.connect();
                Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery(sql)) {
            rows.next();
            return rows.getString(1);
        }
    }
}
