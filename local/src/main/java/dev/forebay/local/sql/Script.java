// SPDX-License-Identifier: Apache-2.0
package dev.forebay.local.sql;

import java.util.ArrayList;
import java.util.List;

/** The splitter of a string of SQL into its statements. */
public final class Script {

    private Script() {}

    /**
     * The statements of a string, each with its text as it stood there, without the semicolon that ends it.
     *
     * <p>Empty statements are left out, as PostgreSQL leaves them out; of a string that has no other, one stays. Semicolons in
     * parentheses (rules) and in the body of a function that begins with BEGIN ATOMIC do not split.
     */
    public static List<Statement> of(String sql) {
        Tokens tokens = Tokens.of(sql);
        List<Statement> statements = new ArrayList<>(1);
        int first = 0;
        int textStart = 0;
        int parentheses = 0;
        int blocks = 0;
        for (int token = 0; token < tokens.size(); token++) {
            if (tokens.kind(token) == Tokens.WORD) {
                blocks = parentheses == 0 ? blocks(tokens, first, token, blocks) : blocks;
            } else if (tokens.isSymbol(token, '(')) {
                parentheses++;
            } else if (tokens.isSymbol(token, ')')) {
                parentheses = Math.max(0, parentheses - 1);
            } else if (parentheses == 0 && blocks == 0 && tokens.isSymbol(token, ';')) {
                if (first < token) {
                    statements.add(new Statement(sql, textStart, tokens.start(token), tokens, first, token));
                }
                first = token + 1;
                textStart = tokens.end(token);
            }
        }
        if (first < tokens.size() || statements.isEmpty()) {
            statements.add(new Statement(sql, textStart, sql.length(), tokens, first, tokens.size()));
        }
        return statements;
    }

    /** The number of open blocks after a word: only the body of a function has any. */
    private static int blocks(Tokens tokens, int first, int token, int open) {
        if (open > 0) {
            if (tokens.is(token, "CASE")) {
                return open + 1;
            }
            return tokens.is(token, "END") ? open - 1 : open;
        }
        if (!tokens.is(token, "ATOMIC") || !tokens.is(token - 1, "BEGIN") || !tokens.is(first, "CREATE")) {
            return 0;
        }
        int object = tokens.is(first + 1, "OR") ? first + 3 : first + 1;
        return tokens.is(object, "FUNCTION") || tokens.is(object, "PROCEDURE") ? 1 : 0;
    }
}
