// SPDX-License-Identifier: Apache-2.0
package dev.forebay.console.admin;

import java.util.List;
import java.util.Set;

/** A statement as the audit shows it. Stateless. */
final class AuditText {

    private static final int LONGEST = 2000;

    /** Those whose words are harmless, wherever they stand; their values are left out all the same. */
    private static final Set<String> QUESTIONS = Set.of("select", "with", "values", "table", "explain", "show");

    private static final Set<String> PROCEDURES =
            Set.of("warmup_pool", "evict_idle_connections", "close_all_connections", "test_connection");

    private AuditText() {}

    /**
     * {@code sql} without comments and without what may be secret. A word that stands where a value belongs may be a
     * password whose quotes were forgotten: of a statement that is not understood, only how it begins is shown.
     */
    static String of(String sql) {
        String text = whole(sql);
        return text.length() <= LONGEST ? text : text.substring(0, LONGEST) + " ***";
    }

    private static String whole(String sql) {
        List<SqlToken> tokens;
        List<AdminStatement> statements;
        try {
            tokens = SqlToken.of(sql);
            statements = AdminSql.parse(sql);
        } catch (AdminSyntaxException e) {
            return beginning(sql);
        }
        AdminStatement statement = statements.size() == 1 ? statements.get(0) : null;
        if (statement instanceof AdminStatement.Call call && isHarmless(call)) {
            return "CALL " + call.procedure() + "(" + String.join(", ", call.arguments()) + ")";
        }
        if (statement instanceof AdminStatement.Query || statement == null) {
            boolean dollars = tokens.stream()
                    .anyMatch(token -> token.isSign("$")
                            && tokens.get(tokens.indexOf(token) + 1).kind() != SqlToken.Kind.NUMBER);
            SqlToken first = tokens.stream()
                    .filter(token -> !token.isSign("("))
                    .findFirst()
                    .orElseThrow();
            boolean question = first.isName() && QUESTIONS.contains(first.name());
            return question && !dollars ? AdminSql.redacted(sql) : beginning(sql);
        }
        return AdminSql.redacted(sql);
    }

    private static boolean isHarmless(AdminStatement.Call call) {
        String procedure = call.procedure();
        return PROCEDURES.contains(procedure.startsWith("sys.") ? procedure.substring(4) : procedure);
    }

    /** The first word, if it is followed by others. */
    private static String beginning(String sql) {
        String text = sql.strip();
        int end = 0;
        while (end < text.length() && Character.isLetter(text.charAt(end))) {
            end++;
        }
        return end == text.length() ? text : text.substring(0, end) + " ***";
    }
}
