// SPDX-License-Identifier: Apache-2.0
package dev.forebay.console.admin;

import java.util.ArrayList;
import java.util.List;

/**
 * SQL that was cut into tokens once, for all its readers. Positions are those in the whole text. Immutable.
 *
 * @param whole the client's text, of which this may be one statement
 * @param tokens the last of them an END
 */
record SqlText(String whole, List<SqlToken> tokens) {

    static SqlText of(String sql) throws AdminSyntaxException {
        return new SqlText(sql, SqlToken.of(sql));
    }

    /** The statements, which semicolons separate; those without a word are left out. */
    List<SqlText> statements() {
        List<SqlText> statements = new ArrayList<>();
        int begin = 0;
        for (int i = 0; i < tokens.size(); i++) {
            if (tokens.get(i).isSign(";") || tokens.get(i).kind() == SqlToken.Kind.END) {
                if (i > begin) {
                    int end = tokens.get(i - 1).end();
                    List<SqlToken> own = new ArrayList<>(tokens.subList(begin, i));
                    own.add(new SqlToken(SqlToken.Kind.END, "", end, end));
                    statements.add(new SqlText(whole, own));
                }
                begin = i + 1;
            }
        }
        return statements;
    }

    /** The start of the first token, from 0. */
    int start() {
        return tokens.get(0).start();
    }

    /** Its own part of the whole. */
    String text() {
        return whole.substring(start(), tokens.get(tokens.size() - 1).end());
    }
}
