// SPDX-License-Identifier: Apache-2.0
package dev.forebay.local.sql;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** The rules for ALTER TABLE. The messages name an action as PostgreSQL does in its own. */
final class AlterTableRules {

    /** Words an action begins with, and the action that is refused for them; the longer come first. */
    private static final String[][] REFUSED = {
        {"ENABLE ROW LEVEL SECURITY", "ENABLE ROW SECURITY"},
        {"DISABLE ROW LEVEL SECURITY", "DISABLE ROW SECURITY"},
        {"FORCE ROW LEVEL SECURITY", "FORCE ROW SECURITY"},
        {"NO FORCE ROW LEVEL SECURITY", "NO FORCE ROW SECURITY"},
        {"ENABLE ALWAYS TRIGGER"},
        {"ENABLE REPLICA TRIGGER"},
        {"ENABLE TRIGGER ALL"},
        {"ENABLE TRIGGER USER"},
        {"ENABLE TRIGGER"},
        {"DISABLE TRIGGER ALL"},
        {"DISABLE TRIGGER USER"},
        {"DISABLE TRIGGER"},
        {"ENABLE ALWAYS RULE"},
        {"ENABLE REPLICA RULE"},
        {"ENABLE RULE"},
        {"DISABLE RULE"},
        {"CLUSTER ON"},
        {"SET WITHOUT CLUSTER"},
        {"SET WITHOUT OIDS"},
        {"SET TABLESPACE"},
        {"SET ACCESS METHOD"},
        {"SET LOGGED"},
        {"SET UNLOGGED"},
        {"NO INHERIT"},
        {"INHERIT"},
        {"NOT OF"},
        {"OF"},
        {"REPLICA IDENTITY"},
        {"ATTACH PARTITION"},
        {"DETACH PARTITION"},
        {"OPTIONS"},
        {"RESET"},
    };

    private static final String[][] REFUSED_ON_COLUMN = {
        {"SET NOT NULL"},
        {"SET STATISTICS"},
        {"SET COMPRESSION"},
        {"SET DATA TYPE"},
        {"TYPE", "SET DATA TYPE"},
        {"OPTIONS"},
        {"RESET"},
    };

    private AlterTableRules() {}

    /** Reads from behind ALTER TABLE. */
    static Judgement alter(TokenCursor words) {
        boolean async = words.accept("ASYNC");
        words.accept("IF", "EXISTS");
        words.accept("ONLY");
        String table = words.qualified();
        if (words.is("RENAME") || words.is("SET", "SCHEMA")) {
            return Judgement.ACCEPTED;
        }
        List<Check> checks = new ArrayList<>();
        while (!words.done()) {
            int end = words.endOfItem();
            Judgement action = action(words.upTo(end), table, async);
            if (action.refusal().isPresent()) {
                return action;
            }
            checks.addAll(action.checks());
            words.moveTo(end);
            words.acceptSymbol(',');
        }
        return new Judgement(Optional.empty(), checks);
    }

    private static Judgement action(TokenCursor words, String table, boolean async) {
        words.acceptSymbol('*');
        if (words.accept("ADD")) {
            return judged(add(words));
        }
        if (words.accept("DROP")) {
            return drop(words, table);
        }
        if (words.is("ALTER", "CONSTRAINT")) {
            return Judgement.ACCEPTED;
        }
        if (words.accept("ALTER")) {
            words.accept("COLUMN");
            words.skip();
            return judged(column(words));
        }
        if (words.is("VALIDATE", "CONSTRAINT")) {
            return async ? Judgement.ACCEPTED : Judgement.refused(unsupported("VALIDATE CONSTRAINT"));
        }
        return judged(setsOptions(words) ? Optional.of(unsupported("SET")) : listed(words, REFUSED, ""));
    }

    private static Optional<SqlRefusal> add(TokenCursor words) {
        if (words.isAny("CONSTRAINT", "CHECK", "UNIQUE", "PRIMARY", "FOREIGN", "EXCLUDE")) {
            return constraint(words);
        }
        words.accept("COLUMN");
        words.accept("IF", "NOT", "EXISTS");
        words.name();
        Optional<SqlRefusal> type = Types.read(words).inColumn();
        Optional<SqlRefusal> clause = Optional.empty();
        while (!words.done()) {
            if (TableRules.isConstraint(words)) {
                return Optional.of(SqlRefusal.unsupported("ALTER TABLE ADD COLUMN with constraint not supported"));
            }
            if (words.is("COLLATE") || words.is("COMPRESSION")) {
                clause = Optional.of(TableRules.notSupported(words.is("COLLATE") ? "COLLATE" : "COMPRESSION"));
            }
            if (words.is("STORAGE")) {
                words.skip(); // DEFAULT is a storage here, not a constraint
            }
            words.skip();
        }
        return type.isPresent() ? type : clause;
    }

    /** A constraint comes unchecked, or out of an index that is there; what cannot be unchecked is PostgreSQL's to refuse. */
    private static Optional<SqlRefusal> constraint(TokenCursor words) {
        if (words.accept("CONSTRAINT")) {
            words.name();
        }
        boolean adopted = words.is("UNIQUE", "USING", "INDEX");
        TokenCursor rest = words.copy();
        boolean unchecked = false;
        while (rest.find("NOT")) {
            unchecked |= rest.is("NOT", "VALID");
            rest.skip();
        }
        return adopted || unchecked ? Optional.empty() : Optional.of(unsupported("ADD CONSTRAINT"));
    }

    private static Judgement drop(TokenCursor words, String table) {
        boolean constraint = words.accept("CONSTRAINT");
        words.accept("COLUMN");
        words.accept("IF", "EXISTS");
        String name = words.name();
        String key = "SELECT EXISTS (SELECT FROM pg_catalog.pg_constraint AS c WHERE c.contype = 'p' AND c.conrelid ="
                + " pg_catalog.to_regclass(" + Sql.literal(table) + ") AND ";
        Check check = constraint
                ? new Check(key + "c.conname = " + Sql.literal(name) + ")", unsupported("DROP CONSTRAINT"))
                : new Check(
                        key
                                + "EXISTS (SELECT FROM pg_catalog.pg_attribute AS a WHERE a.attrelid = c.conrelid AND a.attnum ="
                                + " ANY (c.conkey) AND a.attname = " + Sql.literal(name) + "))",
                        SqlRefusal.unsupported("cannot drop primary key column " + name));
        return new Judgement(Optional.empty(), List.of(check));
    }

    private static Optional<SqlRefusal> column(TokenCursor words) {
        if (words.is("ADD", "GENERATED")) {
            words.accept("ADD");
            return SequenceRules.identity(words);
        }
        return setsOptions(words)
                ? Optional.of(unsupported("ALTER COLUMN ... SET"))
                : listed(words, REFUSED_ON_COLUMN, "ALTER COLUMN ... ");
    }

    private static boolean setsOptions(TokenCursor words) {
        TokenCursor options = words.copy();
        return options.accept("SET") && options.isSymbol('(');
    }

    private static Optional<SqlRefusal> listed(TokenCursor words, String[][] actions, String prefix) {
        for (String[] action : actions) {
            if (words.is(action[0].split(" "))) {
                return Optional.of(unsupported(prefix + action[action.length - 1]));
            }
        }
        return Optional.empty();
    }

    private static SqlRefusal unsupported(String action) {
        return SqlRefusal.unsupported("unsupported ALTER TABLE " + action + " statement");
    }

    private static Judgement judged(Optional<SqlRefusal> refusal) {
        return refusal.map(Judgement::refused).orElse(Judgement.ACCEPTED);
    }
}
