// SPDX-License-Identifier: Apache-2.0
package dev.forebay.local.sql;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** The rules for CREATE INDEX. */
final class IndexRules {

    static final int MAX_KEYS = 8;
    static final SqlRefusal TOO_MANY_KEYS =
            SqlRefusal.of("54011", "more than " + MAX_KEYS + " column keys in an index are not supported");

    private IndexRules() {}

    /** Reads from behind CREATE. */
    static Judgement create(TokenCursor words) {
        words.accept("UNIQUE");
        words.accept("INDEX");
        boolean async = words.accept("ASYNC");
        if (words.is("CONCURRENTLY")) {
            return refused("CONCURRENTLY");
        }
        if (!words.find("ON")) {
            return Judgement.ACCEPTED;
        }
        words.accept("ON");
        words.accept("ONLY");
        String table = words.qualified();
        if (words.is("USING")) {
            return refused("USING");
        }
        TokenCursor keys = words.inside();
        if (words.isSymbol('(')) {
            words.skip();
        }
        for (String clause : new String[] {"WITH", "TABLESPACE"}) {
            if (words.has(clause)) {
                return refused(clause);
            }
        }
        if (!async) {
            return Judgement.refused(SqlRefusal.unsupported("unsupported mode. please use CREATE INDEX ASYNC."));
        }
        return keys(keys, table);
    }

    private static Judgement refused(String clause) {
        return Judgement.refused(SqlRefusal.unsupported(clause + " not supported for CREATE INDEX"));
    }

    private static Judgement keys(TokenCursor keys, String table) {
        List<String> columns = new ArrayList<>();
        int count = 0;
        while (!keys.done()) {
            int end = keys.endOfItem();
            Optional<SqlRefusal> refusal = key(keys.upTo(end), columns);
            if (refusal.isPresent()) {
                return Judgement.refused(refusal.get());
            }
            if (++count > MAX_KEYS) {
                return Judgement.refused(TOO_MANY_KEYS);
            }
            keys.moveTo(end);
            keys.acceptSymbol(',');
        }
        return columns.isEmpty() ? Judgement.ACCEPTED : new Judgement(Optional.empty(), checks(table, columns));
    }

    /** One key: a column, a call or an expression in parentheses, and what stands behind it. */
    private static Optional<SqlRefusal> key(TokenCursor key, List<String> columns) {
        if (key.isName()) {
            String name = key.name();
            while (key.acceptSymbol('.')) {
                key.name();
            }
            if (key.isSymbol('(')) {
                key.skip();
            } else {
                columns.add(name);
            }
        } else {
            key.skip();
        }
        if (key.accept("COLLATE")) {
            key.qualified();
        }
        if (key.is("ASC") || key.is("DESC")) {
            return Optional.of(SqlRefusal.unsupported("specifying sort order not supported for index keys"));
        }
        boolean operatorClass = key.isName() && !key.is("NULLS");
        return operatorClass
                ? Optional.of(SqlRefusal.unsupported("opclass not supported for index keys"))
                : Optional.empty();
    }

    private static List<Check> checks(String table, List<String> columns) {
        StringBuilder names = new StringBuilder();
        for (String column : columns) {
            names.append(names.isEmpty() ? "" : ", ").append(Sql.literal(column));
        }
        List<Check> checks = new ArrayList<>();
        for (String type : Types.NOT_KEYS.stream().sorted().toList()) {
            checks.add(new Check(
                    "SELECT EXISTS (SELECT FROM pg_catalog.pg_attribute WHERE attrelid = pg_catalog.to_regclass("
                            + Sql.literal(table) + ") AND attname IN (" + names + ") AND atttypid = 'pg_catalog." + type
                            + "'::pg_catalog.regtype)",
                    Types.notInKey(type)));
        }
        return checks;
    }
}
