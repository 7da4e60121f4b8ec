// SPDX-License-Identifier: Apache-2.0
package dev.forebay.local.sql;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/** The rules for CREATE TABLE and CREATE DOMAIN. */
final class TableRules {

    private static final String[] CONSTRAINTS = {
        "CONSTRAINT",
        "NOT",
        "NULL",
        "CHECK",
        "DEFAULT",
        "GENERATED",
        "UNIQUE",
        "PRIMARY",
        "REFERENCES",
        "DEFERRABLE",
        "INITIALLY"
    };

    private TableRules() {}

    /** Reads from behind CREATE. */
    static Optional<SqlRefusal> create(TokenCursor words) {
        boolean temporary = isTemporary(words);
        boolean unlogged = words.accept("UNLOGGED");
        if (!words.accept("TABLE")) {
            return temporary ? Optional.of(SqlRefusal.unsupported(ofTemporary(words))) : Optional.empty();
        }
        if (temporary) {
            return Optional.of(SqlRefusal.unsupported("TEMPORARY or TEMP table not supported for CREATE TABLE"));
        }
        if (unlogged) {
            return Optional.of(SqlRefusal.unsupported("UNLOGGED table not supported for CREATE TABLE"));
        }
        words.accept("IF", "NOT", "EXISTS");
        words.qualified();
        if (words.is("PARTITION", "OF") || words.is("OF")) {
            return clause(words.is("OF") ? "OF" : "PARTITION OF");
        }
        TokenCursor elements = words.inside();
        if (words.isSymbol('(')) {
            words.skip();
        }
        Optional<SqlRefusal> clauses = clauses(words);
        return clauses.isPresent() ? clauses : elements(elements);
    }

    /** Reads from behind CREATE DOMAIN. */
    static Optional<SqlRefusal> domain(TokenCursor words) {
        words.qualified();
        words.accept("AS");
        Optional<SqlRefusal> type = Types.read(words).inColumn();
        if (type.isPresent()) {
            return type;
        }
        return words.is("COLLATE") ? Optional.of(notSupported("COLLATE")) : Optional.empty();
    }

    static boolean isConstraint(TokenCursor words) {
        return words.isAny(CONSTRAINTS);
    }

    static SqlRefusal notSupported(String clause) {
        return SqlRefusal.unsupported(clause + " clause not supported");
    }

    private static boolean isTemporary(TokenCursor words) {
        if (words.is("LOCAL") || words.is("GLOBAL")) {
            words.skip();
        }
        return words.accept("TEMPORARY") || words.accept("TEMP");
    }

    private static String ofTemporary(TokenCursor words) {
        String object = words.is("SEQUENCE") ? "sequence" : "view";
        return "TEMPORARY or TEMP " + object + " not supported for CREATE " + object.toUpperCase(Locale.ROOT);
    }

    /** Checks the clauses after the columns. */
    private static Optional<SqlRefusal> clauses(TokenCursor words) {
        while (!words.done()) {
            if (words.is("AS")) {
                return Optional.of(UnsupportedStatements.refusal("CreateTableAs"));
            }
            for (String refused : new String[] {"INHERITS", "USING", "WITH", "WITHOUT", "TABLESPACE"}) {
                if (words.is(refused)) {
                    return words.has("AS")
                            ? Optional.of(UnsupportedStatements.refusal("CreateTableAs"))
                            : clause(refused);
                }
            }
            if (words.is("PARTITION", "BY") || words.is("ON", "COMMIT")) {
                return clause(words.is("ON") ? "ON COMMIT" : "PARTITION BY");
            }
            words.skip();
        }
        return Optional.empty();
    }

    private static Optional<SqlRefusal> clause(String clause) {
        return Optional.of(SqlRefusal.unsupported(clause + " clause not supported for CREATE TABLE"));
    }

    private static Optional<SqlRefusal> elements(TokenCursor elements) {
        Map<String, String> types = new HashMap<>();
        List<TokenCursor> constraints = new ArrayList<>();
        while (!elements.done()) {
            int end = elements.endOfItem();
            TokenCursor element = elements.upTo(end);
            if (element.accept("CONSTRAINT")) {
                element.name();
            }
            if (element.isAny("CHECK", "UNIQUE", "PRIMARY", "FOREIGN", "EXCLUDE")) {
                constraints.add(element);
            } else if (!element.is("LIKE")) {
                Optional<SqlRefusal> column = column(element, types);
                if (column.isPresent()) {
                    return column;
                }
            }
            elements.moveTo(end);
            elements.acceptSymbol(',');
        }
        return constraints.stream()
                .map(constraint -> tableConstraint(constraint, types))
                .flatMap(Optional::stream)
                .findFirst();
    }

    private static Optional<SqlRefusal> column(TokenCursor column, Map<String, String> types) {
        String name = column.name();
        Types.Named type = Types.read(column);
        types.put(name, type.name());
        Optional<SqlRefusal> refusal = type.inColumn();
        while (refusal.isEmpty() && !column.done()) {
            if (column.is("COLLATE") || column.is("COMPRESSION")) {
                refusal = Optional.of(notSupported(column.is("COLLATE") ? "COLLATE" : "COMPRESSION"));
            } else if (column.is("GENERATED")) {
                refusal = SequenceRules.identity(column, type);
            } else if ((column.is("PRIMARY", "KEY") || column.is("UNIQUE")) && Types.NOT_KEYS.contains(type.name())) {
                refusal = Optional.of(Types.notInKey(type.name()));
            } else {
                column.skip();
            }
        }
        return refusal;
    }

    private static Optional<SqlRefusal> tableConstraint(TokenCursor constraint, Map<String, String> types) {
        if (constraint.is("EXCLUDE")) {
            return Optional.of(SqlRefusal.unsupported("EXCLUDE constraint not supported"));
        }
        if (!constraint.isAny("UNIQUE", "PRIMARY")) {
            return Optional.empty();
        }
        while (!constraint.done() && !constraint.isSymbol('(')) {
            constraint.skip();
        }
        TokenCursor columns = constraint.inside();
        int count = 0;
        while (!columns.done()) {
            String type = types.getOrDefault(columns.name(), "");
            if (Types.NOT_KEYS.contains(type)) {
                return Optional.of(Types.notInKey(type));
            }
            count++;
            columns.moveTo(columns.endOfItem());
            columns.acceptSymbol(',');
        }
        return count > IndexRules.MAX_KEYS ? Optional.of(IndexRules.TOO_MANY_KEYS) : Optional.empty();
    }
}
