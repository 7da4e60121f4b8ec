// SPDX-License-Identifier: Apache-2.0
package dev.forebay.testkit;

import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The little SQL that {@link SimDatabase} understands; anything else is a syntax error. */
final class SimSql {

    enum Verb {
        SELECT,
        INSERT,
        UPDATE,
        DELETE
    }

    /** A parameter, counted from 0, or if that is negative a literal. */
    record Operand(int parameter, Object literal) {
        Object value(Object[] parameters) {
            return parameter < 0 ? literal : parameters[parameter];
        }
    }

    /** {@code column = operand}, or {@code column = base + sign * operand}. */
    record Assignment(String column, String base, int sign, Operand operand) {}

    record Condition(String column, Operand operand) {}

    /** A statement. {@code columns} of a SELECT may be one {@code sum(a)} or {@code count(*)}. */
    record Statement(
            Verb verb,
            String table,
            List<String> columns,
            List<Assignment> assignments,
            List<Condition> conditions,
            boolean forUpdate,
            int parameters) {}

    private static final Pattern TOKEN =
            Pattern.compile("\\s*(?:([A-Za-z_]\\w*)|(\\?)|'((?:[^']|'')*)'|(\\d+)|([=,()+*-]))");
    private static final Map<String, Statement> KNOWN = new ConcurrentHashMap<>();

    private final String sql;
    private final List<Object> tokens = new ArrayList<>();
    private int at;
    private int parameters;

    private SimSql(String sql) {
        this.sql = sql;
    }

    /** A text literal among the tokens. */
    private record Text(String value) {}

    static Statement parse(String sql) throws SQLException {
        Statement known = KNOWN.get(sql);
        if (known == null) {
            known = new SimSql(sql).statement();
            KNOWN.put(sql, known);
        }
        return known;
    }

    private Statement statement() throws SQLException {
        tokenize();
        Verb verb;
        try {
            verb = Verb.valueOf(name().toUpperCase(Locale.ROOT));
        } catch (IllegalArgumentException e) {
            throw syntaxError();
        }
        return switch (verb) {
            case SELECT -> select();
            case INSERT -> insert();
            case UPDATE -> update();
            case DELETE -> {
                expect("FROM");
                yield end(Verb.DELETE, name(), List.of(), List.of());
            }
        };
    }

    private Statement select() throws SQLException {
        List<String> columns = new ArrayList<>();
        do {
            String column = name();
            if (take("(")) {
                column = column.toLowerCase(Locale.ROOT) + "(" + (take("*") ? "*" : name()) + ")";
                expect(")");
            }
            columns.add(column);
        } while (take(","));
        expect("FROM");
        return end(Verb.SELECT, name(), columns, List.of());
    }

    private Statement insert() throws SQLException {
        expect("INTO");
        String table = name();
        List<String> columns = new ArrayList<>();
        expect("(");
        do {
            columns.add(name());
        } while (take(","));
        expect(")");
        expect("VALUES");
        expect("(");
        List<Assignment> assignments = new ArrayList<>();
        for (String column : columns) {
            if (!assignments.isEmpty()) {
                expect(",");
            }
            assignments.add(new Assignment(column, null, 1, operand()));
        }
        expect(")");
        if (at < tokens.size()) {
            throw syntaxError();
        }
        return new Statement(Verb.INSERT, table, columns, assignments, List.of(), false, parameters);
    }

    private Statement update() throws SQLException {
        String table = name();
        expect("SET");
        List<Assignment> assignments = new ArrayList<>();
        do {
            String column = name();
            expect("=");
            if (at < tokens.size() && tokens.get(at) instanceof String word && isName(word)) {
                String base = name();
                int sign = take("-") ? -1 : 1;
                if (sign > 0) {
                    expect("+");
                }
                assignments.add(new Assignment(column, base, sign, operand()));
            } else {
                assignments.add(new Assignment(column, null, 1, operand()));
            }
        } while (take(","));
        return end(Verb.UPDATE, table, List.of(), assignments);
    }

    /** The conditions, and FOR UPDATE. */
    private Statement end(Verb verb, String table, List<String> columns, List<Assignment> assignments)
            throws SQLException {
        List<Condition> conditions = new ArrayList<>();
        if (take("WHERE")) {
            do {
                String column = name();
                expect("=");
                conditions.add(new Condition(column, operand()));
            } while (take("AND"));
        }
        boolean forUpdate = verb == Verb.SELECT && take("FOR");
        if (forUpdate) {
            expect("UPDATE");
        }
        if (at < tokens.size()) {
            throw syntaxError();
        }
        return new Statement(verb, table, columns, assignments, conditions, forUpdate, parameters);
    }

    private Operand operand() throws SQLException {
        if (take("?")) {
            return new Operand(parameters++, null);
        }
        Object token = at < tokens.size() ? tokens.get(at++) : null;
        if (token instanceof Long number) {
            return new Operand(-1, number);
        }
        if (token instanceof Text text) {
            return new Operand(-1, text.value);
        }
        throw syntaxError();
    }

    private String name() throws SQLException {
        if (at < tokens.size() && tokens.get(at) instanceof String word && isName(word)) {
            at++;
            return word;
        }
        throw syntaxError();
    }

    private static boolean isName(String token) {
        return Character.isLetter(token.charAt(0)) || token.charAt(0) == '_';
    }

    private boolean take(String token) {
        boolean there = at < tokens.size() && tokens.get(at) instanceof String word && word.equalsIgnoreCase(token);
        at += there ? 1 : 0;
        return there;
    }

    private void expect(String token) throws SQLException {
        if (!take(token)) {
            throw syntaxError();
        }
    }

    private void tokenize() throws SQLException {
        String text = sql.stripTrailing();
        Matcher matcher = TOKEN.matcher(text);
        int end = 0;
        while (end < text.length()) {
            if (!matcher.find(end) || matcher.start() != end) {
                throw syntaxError();
            }
            end = matcher.end();
            if (matcher.group(3) != null) {
                tokens.add(new Text(matcher.group(3).replace("''", "'")));
            } else if (matcher.group(4) != null) {
                tokens.add(Long.valueOf(matcher.group(4)));
            } else {
                tokens.add(matcher.group().strip());
            }
        }
    }

    private SQLException syntaxError() {
        return new SQLException("syntax error in: " + sql, "42601");
    }
}
