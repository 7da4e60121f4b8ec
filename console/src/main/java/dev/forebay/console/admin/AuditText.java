// SPDX-License-Identifier: Apache-2.0
package dev.forebay.console.admin;

import java.util.List;
import java.util.Set;
import java.util.stream.IntStream;

/** A statement as the audit shows it. Stateless. */
final class AuditText {

    private static final int LONGEST = 2000;

    /** Statements whose words are harmless, wherever they stand; their values are left out anyway. */
    private static final Set<String> QUESTIONS = Set.of("select", "with", "values", "table", "explain", "show");

    /** Options whose values are no secret; those of all others are left out of the audit. */
    private static final Set<String> HARMLESS = Set.of(
            "host",
            "port",
            "dbname",
            "user",
            "min_connections",
            "max_connections",
            "connect_timeout",
            "query_timeout",
            "acquire_timeout",
            "idle_timeout",
            "max_lifetime",
            "use_ssl",
            "ssl_mode");

    private static final Set<String> PROCEDURES =
            Set.of("warmup_pool", "evict_idle_connections", "close_all_connections", "test_connection");

    private AuditText() {}

    /**
     * Returns {@code sql} without comments and possible secrets. A word in the place of a value may be a password
     * whose quotes were forgotten: of a statement that is not understood, only the beginning is shown.
     */
    static String of(SqlText sql) {
        try {
            return cut(whole(sql, AdminSql.parse(sql.statements())));
        } catch (AdminSyntaxException e) {
            return unread(sql.text());
        }
    }

    /** Returns the beginning of a text that was not understood. */
    static String unread(String sql) {
        return cut(beginning(sql));
    }

    private static String cut(String text) {
        return text.length() <= LONGEST ? text : text.substring(0, LONGEST) + " ***";
    }

    private static String whole(SqlText sql, List<AdminStatement> statements) {
        AdminStatement statement = statements.size() == 1 ? statements.get(0) : null;
        if (statement instanceof AdminStatement.Call call && isHarmless(call)) {
            return "CALL " + call.procedure() + "(" + String.join(", ", call.arguments()) + ")";
        }
        if (statement instanceof AdminStatement.Query || statement == null) {
            List<SqlToken> tokens = sql.tokens();
            boolean dollars = IntStream.range(0, tokens.size())
                    .anyMatch(
                            i -> tokens.get(i).isSign("$") && tokens.get(i + 1).kind() != SqlToken.Kind.NUMBER);
            SqlToken first = tokens.stream()
                    .filter(token -> !token.isSign("("))
                    .findFirst()
                    .orElseThrow();
            boolean question = first.isName() && QUESTIONS.contains(first.name());
            return question && !dollars ? redacted(sql) : beginning(sql.text());
        }
        return redacted(sql);
    }

    /** Returns it without comments, and with {@code '***'} for each value that is not known to be harmless. */
    private static String redacted(SqlText sql) {
        StringBuilder text = new StringBuilder();
        SqlToken before = new SqlToken(SqlToken.Kind.END, "", 0, 0);
        for (SqlToken token : sql.tokens()) {
            if (token.start() > before.end() && !text.isEmpty() && token.kind() != SqlToken.Kind.END) {
                text.append(' ');
            }
            boolean secret =
                    token.kind() == SqlToken.Kind.STRING && !(before.isName() && HARMLESS.contains(before.name()));
            text.append(secret ? "'***'" : sql.whole().substring(token.start(), token.end()));
            before = token;
        }
        return text.toString();
    }

    private static boolean isHarmless(AdminStatement.Call call) {
        String procedure = call.procedure();
        return PROCEDURES.contains(procedure.startsWith("sys.") ? procedure.substring(4) : procedure);
    }

    /** Returns the first word, and {@code ***} for any rest. */
    private static String beginning(String sql) {
        String text = sql.strip();
        int end = 0;
        while (end < text.length() && Character.isLetter(text.charAt(end))) {
            end++;
        }
        return end == text.length() ? text : text.substring(0, end) + " ***";
    }
}
