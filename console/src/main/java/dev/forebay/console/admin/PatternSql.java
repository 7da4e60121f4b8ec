// SPDX-License-Identifier: Apache-2.0
package dev.forebay.console.admin;

import dev.forebay.console.admin.SqlToken.Kind;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * Puts a call of {@link SystemFunctions#pattern_matches} in the place of each LIKE and {@code ~}, which H2 would do in ways that
 * nothing can end ({@link PatternMatch}).
 *
 * <p>The operand on either side is found from the tokens: values, names, calls, brackets and casts, joined by arithmetic or
 * {@code ||}. Where it is anything else, the statement is refused and says that brackets help.
 */
final class PatternSql {

    private static final String FUNCTION = "pattern_matches";
    private static final String JOINS = "|+-*/%";

    /** Words that neither are an operand nor end one. */
    private static final Set<String> NO_OPERANDS = Set.of(
            ("all and any as between by case distinct else end escape except from having in intersect is join like "
                            + "ilike limit not offset on or order select some then union using values when where with")
                    .split(" "));

    /** Maximum patterns in a statement: finding an operand may read all the tokens before it. */
    private static final int MOST = 500;

    private final List<SqlToken> tokens;
    private final AtomicInteger count;
    private final List<SqlToken> out = new ArrayList<>();
    private int at;

    private PatternSql(List<SqlToken> tokens, AtomicInteger count) {
        this.tokens = tokens;
        this.count = count;
    }

    /** Returns the statement with calls that match its patterns. Collations, of which there is one, are left out. */
    static List<SqlToken> called(List<SqlToken> tokens) throws AdminException {
        return new PatternSql(tokens, new AtomicInteger()).write();
    }

    private List<SqlToken> write() throws AdminException {
        while (at < tokens.size()) {
            SqlToken token = tokens.get(at);
            int start = at;
            String operator = operator();
            if (operator != null) {
                call(operator, token);
            } else if (token.is("regexp") && !follows(".")) {
                throw new AdminException("0A000", "REGEXP is not offered here: write ~", token.position());
            } else if (token.is("collate")) {
                at = Math.min(start + (peek(2).isSign(".") ? 4 : 2), tokens.size() - 1);
            } else {
                out.add(token);
                at = start + 1;
            }
        }
        return out;
    }

    // ---- the operator

    /** Reads an operator that matches patterns, in signs; null, and nothing is read, where there is none. */
    private @Nullable String operator() {
        SqlToken token = tokens.get(at);
        if ((token.is("like") || token.is("ilike")) && !follows(".")) {
            at++;
            boolean negated = !out.isEmpty() && out.get(out.size() - 1).is("not");
            if (negated) {
                out.remove(out.size() - 1);
            }
            return (negated ? "!" : "") + (token.is("like") ? "~~" : "~~*");
        }
        boolean named = token.is("operator") && peek(1).isSign("(");
        int from = named ? at + 2 : at;
        if (named && tokens.get(from).is("pg_catalog") && tokens.get(from + 1).isSign(".")) {
            from += 2;
        }
        int end = signs(from);
        StringBuilder signs = new StringBuilder();
        tokens.subList(from, end).forEach(sign -> signs.append(sign.text()));
        if (!signs.toString().matches("!?~~?\\*?") || (named && !tokens.get(end).isSign(")"))) {
            return null;
        }
        at = named ? end + 1 : end;
        return signs.toString();
    }

    /** Returns the end of the signs without blanks between them that may make an operator. */
    private int signs(int from) {
        int end = from;
        while (end < tokens.size()
                && tokens.get(end).kind() == Kind.SIGN
                && "!~*".contains(tokens.get(end).text())
                && (end == from || tokens.get(end - 1).end() == tokens.get(end).start())) {
            end++;
        }
        return end;
    }

    /** Writes the call, with the operands and that of an ESCAPE as arguments. */
    private void call(String operator, SqlToken token) throws AdminException {
        if (count.incrementAndGet() > MOST) {
            throw new AdminException("54001", "there are more than " + MOST + " patterns", token.position());
        }
        int left = operandBefore(token);
        int right = at;
        at = operandAfter(at, token);
        List<SqlToken> text = List.copyOf(out.subList(left, out.size()));
        out.subList(left, out.size()).clear();
        out.add(made(Kind.WORD, FUNCTION, token));
        out.add(made(Kind.SIGN, "(", token));
        out.addAll(text);
        out.add(made(Kind.SIGN, ",", token));
        out.addAll(operand(right, at));
        out.add(made(Kind.SIGN, ",", token));
        out.add(made(Kind.STRING, operator, token));
        out.add(made(Kind.SIGN, ",", token));
        if (here(at).is("escape")) {
            int escape = at + 1;
            at = operandAfter(escape, token);
            out.addAll(operand(escape, at));
        } else {
            out.add(made(Kind.STRING, "\\", token));
        }
        out.add(made(Kind.SIGN, ")", token));
    }

    /** Returns a part of the statement, with calls for the patterns in it. */
    private List<SqlToken> operand(int start, int end) throws AdminException {
        List<SqlToken> part = new ArrayList<>(tokens.subList(start, end));
        part.add(tokens.get(tokens.size() - 1));
        List<SqlToken> written = new PatternSql(part, count).write();
        return written.subList(0, written.size() - 1);
    }

    /** A token that stands where {@code place} does, and is adjacent to none. */
    private static SqlToken made(Kind kind, String text, SqlToken place) {
        return new SqlToken(kind, text, place.start(), -1);
    }

    // ---- the operand before it, in the output

    private int operandBefore(SqlToken operator) throws AdminException {
        int start = valueBefore(out.size(), operator);
        while (isJoin(written(start - 1))) {
            int join = start - 1;
            while (isJoin(written(join - 1))) {
                join--;
            }
            start = valueBefore(join, operator);
        }
        return start;
    }

    private int valueBefore(int end, SqlToken operator) throws AdminException {
        SqlToken last = written(end - 1);
        int start;
        if (last.isSign("]")) {
            int open = openBefore(end, operator);
            start = open == end - 2 ? nameBefore(open) : valueBefore(open, operator);
        } else if (last.isSign(")")) {
            start = openBefore(end, operator);
            if (isOperand(written(start - 1)) && written(start - 1).isName()) {
                start = nameBefore(start);
            }
        } else if (last.kind() == Kind.STRING) {
            start = written(end - 2).is("e") && written(end - 2).end() == last.start() ? end - 2 : end - 1;
        } else if (last.kind() == Kind.NUMBER) {
            start = written(end - 2).isSign("$") ? end - 2 : end - 1;
        } else if (isOperand(last) && last.isName()) {
            start = nameBefore(end);
        } else {
            throw brackets(operator);
        }
        boolean cast = written(start - 1).isSign(":") && written(start - 2).isSign(":");
        return cast ? valueBefore(start - 2, operator) : start;
    }

    /** Returns the beginning of a name with its qualifiers. */
    private int nameBefore(int end) {
        int start = end - 1;
        while (written(start - 1).isSign(".") && written(start - 2).isName()) {
            start -= 2;
        }
        return start;
    }

    private int openBefore(int end, SqlToken operator) throws AdminException {
        int depth = 0;
        for (int i = end - 1; i >= 0; i--) {
            depth += depth(out.get(i));
            if (depth == 0) {
                return i;
            }
        }
        throw brackets(operator);
    }

    private SqlToken written(int index) {
        return index < 0 ? tokens.get(tokens.size() - 1) : out.get(index);
    }

    // ---- the operand after it

    private int operandAfter(int start, SqlToken operator) throws AdminException {
        int end = valueAfter(start, operator);
        while (isJoin(here(end))) {
            int join = end;
            while (isJoin(here(join))) {
                join++;
            }
            end = valueAfter(join, operator);
        }
        return end;
    }

    private int valueAfter(int start, SqlToken operator) throws AdminException {
        SqlToken first = here(start);
        int end;
        if (first.isSign("(")) {
            end = closeAfter(start, operator);
        } else if (first.isSign("$") || (first.is("e") && here(start + 1).kind() == Kind.STRING)) {
            end = start + 2;
        } else if (first.kind() == Kind.STRING || first.kind() == Kind.NUMBER) {
            end = start + 1;
        } else if (isOperand(first) && first.isName()) {
            end = nameAfter(start);
            end = here(end).isSign("(") ? closeAfter(end, operator) : end;
        } else {
            throw brackets(operator);
        }
        while (here(end).isSign(":") && here(end + 1).isSign(":")) {
            end = nameAfter(end + 2);
            while (here(end).isSign("(") || here(end).isSign("[")) {
                end = closeAfter(end, operator);
            }
        }
        return end;
    }

    private int nameAfter(int start) {
        int end = start + 1;
        while (here(end).isSign(".") && here(end + 1).isName()) {
            end += 2;
        }
        return end;
    }

    private int closeAfter(int start, SqlToken operator) throws AdminException {
        int depth = 0;
        for (int i = start; i < tokens.size(); i++) {
            depth += depth(tokens.get(i));
            if (depth == 0) {
                return i + 1;
            }
        }
        throw brackets(operator);
    }

    private SqlToken here(int index) {
        return tokens.get(Math.min(index, tokens.size() - 1));
    }

    private SqlToken peek(int ahead) {
        return here(at + ahead);
    }

    // ---- both

    private static int depth(SqlToken token) {
        return token.isSign("(") || token.isSign("[") ? 1 : token.isSign(")") || token.isSign("]") ? -1 : 0;
    }

    private static boolean isJoin(SqlToken token) {
        return token.kind() == Kind.SIGN && JOINS.contains(token.text());
    }

    private static boolean isOperand(SqlToken token) {
        return token.kind() != Kind.WORD || !NO_OPERANDS.contains(token.name());
    }

    private boolean follows(String sign) {
        return !out.isEmpty() && out.get(out.size() - 1).isSign(sign);
    }

    private static AdminException brackets(SqlToken operator) {
        return new AdminException(
                "42601",
                "cannot tell what \"" + operator.text() + "\" belongs to: put brackets around both sides",
                operator.position());
    }
}
