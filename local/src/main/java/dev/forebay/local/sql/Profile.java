// SPDX-License-Identifier: Apache-2.0
package dev.forebay.local.sql;

import java.util.Locale;
import java.util.Optional;
import java.util.Set;

/**
 * The statements that Aurora DSQL refused at a date, whatever the transaction. Immutable.
 *
 * <p>The rules are those that were seen on clusters and those that the documentation states; where neither says with which
 * words a thing is refused, the words follow the nearest that was seen. A statement that no rule knows is PostgreSQL's to judge.
 */
public final class Profile {

    /** The rules of September 2026. */
    public static final Profile SEPTEMBER_2026 = new Profile();

    private static final Set<String> SYSTEM_SCHEMAS = Set.of("public", "pg_catalog", "information_schema", "sys");

    /** The names of a role that may be the administrator, whom no statement can modify. */
    private static final Set<String> ADMIN = Set.of("admin", "current_user", "current_role", "session_user");

    private static final SqlRefusal SYSTEM_ENTITY = SqlRefusal.unsupported("feature not supported on system entity");
    private static final Set<String> NOT_GRANTED =
            Set.of("database", "foreign", "language", "large", "parameter", "tablespace", "type", "domain");

    private Profile() {}

    /** Judges a statement. */
    public Judgement judge(Statement statement) {
        TokenCursor words = TokenCursor.of(statement);
        Outline outline = statement.outline();
        return switch (outline.verbKind()) {
            case EMPTY, SHOW -> Judgement.ACCEPTED;
            case BEGIN -> judged(SettingRules.begin(words));
            case COMMIT -> judged(SettingRules.end(words, "COMMIT"));
            case ROLLBACK -> judged(SettingRules.end(words, "ROLLBACK"));
            case SET -> words.is("DISCARD") ? other(words) : judged(SettingRules.set(words));
            case INSERT, UPDATE, DELETE, SELECT, LOCKING_SELECT, CALL, EXPLAIN -> judged(QueryRules.judge(statement));
            case COPY_IN, COPY_OUT -> judged(copy(words).or(() -> QueryRules.judge(statement)));
            case DDL, MERGE, OTHER -> other(words);
        };
    }

    /** Returns why a parameter cannot be set when a session starts, as a client does in its first message. */
    public Optional<SqlRefusal> judgeParameter(String name) {
        return SettingRules.setting(name, false);
    }

    private static Judgement other(TokenCursor words) {
        String command = words.copy().text().toUpperCase(Locale.ROOT);
        Optional<SqlRefusal> unsupported = UnsupportedStatements.judge(words.copy(), command);
        if (unsupported.isPresent()) {
            return Judgement.refused(unsupported.get());
        }
        words.skip();
        return switch (command) {
            case "CREATE" -> create(words);
            case "ALTER" -> alter(words);
            case "DROP" -> judged(drop(words));
            case "GRANT", "REVOKE" -> judged(grant(words));
            default -> Judgement.ACCEPTED;
        };
    }

    private static Judgement create(TokenCursor words) {
        words.accept("OR", "REPLACE");
        if (words.accept("FUNCTION")) {
            return judged(function(words));
        }
        if (words.accept("TYPE")) {
            return Judgement.refused(type(words));
        }
        if (words.accept("DOMAIN")) {
            return judged(TableRules.domain(words));
        }
        if (words.accept("SEQUENCE")) {
            return judged(SequenceRules.create(words));
        }
        if (words.is("INDEX") || words.is("UNIQUE")) {
            return IndexRules.create(words);
        }
        return judged(TableRules.create(words));
    }

    private static Judgement alter(TokenCursor words) {
        if (words.accept("TABLE")) {
            return AlterTableRules.alter(words);
        }
        if (words.accept("SEQUENCE")) {
            return judged(SequenceRules.alter(words));
        }
        if (words.accept("ROLE") || words.accept("USER") || words.accept("GROUP")) {
            return ADMIN.contains(words.name()) ? Judgement.refused(SYSTEM_ENTITY) : Judgement.ACCEPTED;
        }
        boolean constrains = words.accept("DOMAIN") && (words.has("ADD", "VALIDATE") || setsNotNull(words));
        return constrains
                ? Judgement.refused(SqlRefusal.unsupported("unsupported ALTER DOMAIN statement"))
                : Judgement.ACCEPTED;
    }

    private static boolean setsNotNull(TokenCursor words) {
        return words.find("SET") && words.is("SET", "NOT", "NULL");
    }

    private static Optional<SqlRefusal> drop(TokenCursor words) {
        return words.is("INDEX", "CONCURRENTLY")
                ? Optional.of(SqlRefusal.unsupported("DROP INDEX CONCURRENTLY must be first action in transaction"))
                : Optional.empty();
    }

    private static SqlRefusal type(TokenCursor words) {
        words.qualified();
        words.accept("AS");
        if (words.isSymbol('(')) {
            return UnsupportedStatements.refusal("CompositeType");
        }
        return words.is("RANGE")
                ? UnsupportedStatements.refusal("CreateRange")
                : SqlRefusal.unsupported("CREATE TYPE not supported");
    }

    private static Optional<SqlRefusal> function(TokenCursor words) {
        if (!words.find("LANGUAGE")) {
            return Optional.empty();
        }
        words.skip();
        String language = words.isString() ? words.string() : words.name();
        return language.equalsIgnoreCase("sql")
                ? Optional.empty()
                : Optional.of(SqlRefusal.unsupported("CREATE FUNCTION with language " + language + " not supported"));
    }

    private static Optional<SqlRefusal> grant(TokenCursor words) {
        if (!words.find("ON")) {
            return Optional.empty();
        }
        words.skip();
        String object = words.name();
        if (NOT_GRANTED.contains(object) && words.isName() && !words.is("TO") && !words.is("FROM")) {
            return Optional.of(SqlRefusal.unsupported("unsupported object type in GRANT"));
        }
        while (object.equals("schema") && words.isName()) {
            if (SYSTEM_SCHEMAS.contains(words.name())) {
                return Optional.of(SYSTEM_ENTITY);
            }
            if (!words.acceptSymbol(',')) {
                break;
            }
        }
        return Optional.empty();
    }

    /** COPY reads from the client and writes to it, and has no files. */
    private static Optional<SqlRefusal> copy(TokenCursor words) {
        words.skip();
        words.find("FROM", "TO");
        words.skip();
        if (words.is("PROGRAM")) {
            return Optional.of(SqlRefusal.of("42501", "permission denied to COPY to or from an external program"));
        }
        return words.isString()
                ? Optional.of(SqlRefusal.of("42501", "permission denied to COPY to or from a file"))
                : Optional.empty();
    }

    private static Judgement judged(Optional<SqlRefusal> refusal) {
        return refusal.map(Judgement::refused).orElse(Judgement.ACCEPTED);
    }
}
