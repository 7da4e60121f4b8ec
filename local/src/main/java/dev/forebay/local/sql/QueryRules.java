// SPDX-License-Identifier: Apache-2.0
package dev.forebay.local.sql;

import java.util.BitSet;
import java.util.Optional;
import java.util.Set;

/** The rules for queries and the statements that hold them. One pass over the tokens. */
final class QueryRules {

    /** Words behind which an expression begins. */
    private static final Set<String> BEFORE_EXPRESSION = Set.of(
            "select",
            "where",
            "and",
            "or",
            "not",
            "by",
            "then",
            "else",
            "when",
            "case",
            "returning",
            "having",
            "limit",
            "offset",
            "distinct",
            "all",
            "in",
            "between",
            "like",
            "ilike",
            "from",
            "join",
            "lateral",
            "filter",
            "default",
            "any");

    private static final Set<String> FULL_TEXT = Set.of(
            "to_tsvector",
            "to_tsquery",
            "plainto_tsquery",
            "phraseto_tsquery",
            "websearch_to_tsquery",
            "ts_headline",
            "json_to_tsvector",
            "jsonb_to_tsvector");

    private static final SqlRefusal LOCKING =
            SqlRefusal.unsupported("locking clauses other than FOR UPDATE/FOR KEY SHARE are not supported");
    private static final SqlRefusal TABLESAMPLE = SqlRefusal.unsupported("TABLESAMPLE clause not supported");

    private final Tokens tokens;
    private final int first;
    private final int last;
    private final BitSet casts = new BitSet();
    private int depth;

    private QueryRules(Statement statement) {
        this.tokens = statement.tokens();
        this.first = statement.first();
        this.last = statement.last();
    }

    static Optional<SqlRefusal> judge(Statement statement) {
        Outline outline = statement.outline();
        boolean query = outline.verbKind() == Kind.SELECT || outline.verbKind() == Kind.LOCKING_SELECT;
        if (query && Clauses.find(statement.tokens(), outline.verb(), statement.last(), "INTO") < statement.last()) {
            return Optional.of(UnsupportedStatements.refusal("CreateTableAs"));
        }
        return new QueryRules(statement).scan();
    }

    private Optional<SqlRefusal> scan() {
        for (int token = first; token < last; token++) {
            Optional<SqlRefusal> refusal = switch (tokens.kind(token)) {
                case Tokens.SYMBOL -> symbol(token);
                case Tokens.WORD -> word(token);
                default -> Optional.empty();
            };
            if (refusal.isPresent()) {
                return refusal;
            }
        }
        return Optional.empty();
    }

    private Optional<SqlRefusal> symbol(int token) {
        if (tokens.isSymbol(token, '(')) {
            depth++;
            casts.set(depth, tokens.is(token - 1, "CAST") && token > first);
        } else if (tokens.isSymbol(token, ')')) {
            depth = Math.max(0, depth - 1);
        } else if (tokens.isSymbol(token, "::")) {
            return type(token + 1);
        }
        return Optional.empty();
    }

    private Optional<SqlRefusal> word(int token) {
        int length = tokens.end(token) - tokens.start(token);
        if (length == 2 && tokens.is(token, "AS")) {
            return casts.get(depth) ? type(token + 1) : Optional.empty();
        }
        if (length == 3 && tokens.is(token, "FOR")) {
            String strength = Clauses.lockStrength(tokens, token, last);
            return strength.equals("SHARE") || strength.equals("NO KEY UPDATE")
                    ? Optional.of(LOCKING)
                    : Optional.empty();
        }
        if (length == 11 && tokens.is(token, "TABLESAMPLE") && tokens.isName(token + 1)) {
            return Optional.of(TABLESAMPLE);
        }
        boolean call = token + 1 < last && tokens.isSymbol(token + 1, '(');
        boolean constant = token + 1 < last && tokens.kind(token + 1) == Tokens.STRING;
        return call || constant ? named(token, call) : Optional.empty();
    }

    /** The type behind a cast, where an array of it is as bad as one. */
    private Optional<SqlRefusal> type(int token) {
        boolean qualified = tokens.is(token, "pg_catalog") && tokens.isSymbol(token + 1, '.');
        int name = qualified ? token + 2 : token;
        boolean other = !qualified && tokens.isSymbol(token + 1, '.');
        if (name >= last || !tokens.isName(name) || other || Types.isComputed(tokens.name(name))) {
            return Optional.empty();
        }
        return Optional.of(Types.notSupported(tokens.name(name)));
    }

    /** A function's call, or a constant with its type in front, as far as an expression can begin here. */
    private Optional<SqlRefusal> named(int token, boolean call) {
        boolean qualified = tokens.isSymbol(token - 1, '.') && token - 1 > first;
        if (qualified && !tokens.is(token - 2, "pg_catalog")) {
            return Optional.empty();
        }
        if (!qualified && !beginsExpression(token)) {
            return Optional.empty();
        }
        String name = tokens.name(token);
        if (!Types.isComputed(name)) {
            return call && namesColumns(token + 1) ? Optional.empty() : Optional.of(Types.notSupported(name));
        }
        if (!call) {
            return Optional.empty();
        }
        if (isUnsupportedFunction(name)) {
            return Optional.of(SqlRefusal.unsupported("function " + name + " not supported"));
        }
        String constant = constant(token + 2);
        if (FULL_TEXT.contains(name) && !constant.isEmpty() && followsComma(token + 3)) {
            boolean simple = constant.equals("simple") || constant.equals("pg_catalog.simple");
            String message = "text search configuration \"" + constant + "\" does not exist";
            return simple ? Optional.empty() : Optional.of(SqlRefusal.of("42704", message));
        }
        return name.equals("set_config") && !constant.isEmpty()
                ? SettingRules.setting(constant, false)
                : Optional.empty();
    }

    private static boolean isUnsupportedFunction(String name) {
        return name.equals("pg_backend_pid") || name.startsWith("pg_advisory_") || name.startsWith("pg_try_advisory_");
    }

    private boolean beginsExpression(int token) {
        int before = token - 1;
        if (before < first) {
            return false;
        }
        return switch (tokens.kind(before)) {
            case Tokens.WORD -> BEFORE_EXPRESSION.contains(tokens.name(before));
            case Tokens.SYMBOL -> !tokens.isSymbol(before, ')') && !tokens.isSymbol(before, ']');
            default -> false;
        };
    }

    /** Whether it is the list of columns of a part of WITH, as in {@code path (a, b) AS (…)}. */
    private boolean namesColumns(int parenthesis) {
        int token = parenthesis + 1;
        while (token < last && (tokens.isName(token) || tokens.isSymbol(token, ','))) {
            token++;
        }
        return tokens.isSymbol(token, ')')
                && tokens.is(token + 1, "AS")
                && (tokens.isSymbol(token + 2, '(')
                        || tokens.is(token + 2, "NOT")
                        || tokens.is(token + 2, "MATERIALIZED"));
    }

    private boolean followsComma(int token) {
        return token < last && (tokens.isSymbol(token, ',') || tokens.isSymbol(token, "::"));
    }

    private String constant(int token) {
        if (token >= last || tokens.kind(token) != Tokens.STRING) {
            return "";
        }
        String text = tokens.text(token);
        return text.length() > 2 && text.charAt(0) == '\'' ? text.substring(1, text.length() - 1) : "";
    }
}
