// SPDX-License-Identifier: Apache-2.0
package dev.forebay.local.sql;

import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;

/**
 * The statements that Aurora DSQL did not know in September 2026, whatever they say.
 *
 * <p>Of most, the error names the node of PostgreSQL's parser without its ending {@code Stmt}. The tables map the words a
 * statement begins with to that name; what begins with a full stop is a message of its own. {@link Profile} asks them of
 * DDL and of statements that have no rules of their own: for one of another kind, such as EXPLAIN, the place is there.
 */
final class UnsupportedStatements {

    private static final Map<String, String> BY_COMMAND = Map.ofEntries(
            Map.entry("TRUNCATE", "Truncate"),
            Map.entry("LISTEN", "Listen"),
            Map.entry("NOTIFY", "Notify"),
            Map.entry("UNLISTEN", "Unlisten"),
            Map.entry("MERGE", ".unsupported statement type: MERGE"),
            Map.entry("PREPARE", "Prepare"),
            Map.entry("EXECUTE", "Execute"),
            Map.entry("DEALLOCATE", "Deallocate"),
            Map.entry("DECLARE", "DeclareCursor"),
            Map.entry("FETCH", "Fetch"),
            Map.entry("MOVE", "Fetch"),
            Map.entry("CLOSE", "ClosePortal"),
            Map.entry("DISCARD", "Discard"),
            Map.entry("LOCK", "Lock"),
            Map.entry("DO", "Do"),
            Map.entry("LOAD", "Load"),
            Map.entry("CHECKPOINT", "CheckPoint"),
            Map.entry("REINDEX", "Reindex"),
            Map.entry("CLUSTER", "Cluster"),
            Map.entry("SECURITY", "SecLabel"),
            Map.entry("IMPORT", "ImportForeignSchema"),
            Map.entry("REFRESH", "RefreshMatView"),
            Map.entry("REASSIGN", "ReassignOwned"),
            Map.entry("VACUUM", ".unsupported VACUUM statement"),
            Map.entry("SAVEPOINT", ".unsupported transaction statement: SAVEPOINT"),
            Map.entry("RELEASE", ".unsupported transaction statement: RELEASE"));

    private static final Map<String, String> BY_CREATED = Map.ofEntries(
            Map.entry("EXTENSION", "CreateExtension"),
            Map.entry("DATABASE", "Createdb"),
            Map.entry("TABLESPACE", "CreateTableSpace"),
            Map.entry("FOREIGN TABLE", "CreateForeignTable"),
            Map.entry("FOREIGN DATA", "CreateFdw"),
            Map.entry("SERVER", "CreateForeignServer"),
            Map.entry("USER MAPPING", "CreateUserMapping"),
            Map.entry("MATERIALIZED", "CreateTableAs"),
            Map.entry("RULE", "Rule"),
            Map.entry("POLICY", "CreatePolicy"),
            Map.entry("PUBLICATION", "CreatePublication"),
            Map.entry("SUBSCRIPTION", "CreateSubscription"),
            Map.entry("EVENT", "CreateEventTrig"),
            Map.entry("AGGREGATE", "Define"),
            Map.entry("OPERATOR", "Define"),
            Map.entry("OPERATOR CLASS", "CreateOpClass"),
            Map.entry("OPERATOR FAMILY", "CreateOpFamily"),
            Map.entry("COLLATION", "Define"),
            Map.entry("TEXT SEARCH", "Define"),
            Map.entry("CAST", "CreateCast"),
            Map.entry("CONVERSION", "CreateConversion"),
            Map.entry("DEFAULT CONVERSION", "CreateConversion"),
            Map.entry("TRANSFORM", "CreateTransform"),
            Map.entry("LANGUAGE", "CreatePLang"),
            Map.entry("TRUSTED", "CreatePLang"),
            Map.entry("PROCEDURAL", "CreatePLang"),
            Map.entry("ACCESS", "CreateAm"),
            Map.entry("TRIGGER", ".CREATE TRIGGER not supported"),
            Map.entry("CONSTRAINT TRIGGER", ".CREATE TRIGGER not supported"),
            Map.entry("PROCEDURE", ".PROCEDURE is not supported"));

    private static final Map<String, String> BY_ALTERED = Map.ofEntries(
            Map.entry("SYSTEM", "AlterSystem"),
            Map.entry("DATABASE", "AlterDatabase"),
            Map.entry("EXTENSION", "AlterExtension"),
            Map.entry("EVENT", "AlterEventTrig"),
            Map.entry("FOREIGN DATA", "AlterFdw"),
            Map.entry("SERVER", "AlterForeignServer"),
            Map.entry("USER MAPPING", "AlterUserMapping"),
            Map.entry("POLICY", "AlterPolicy"),
            Map.entry("PUBLICATION", "AlterPublication"),
            Map.entry("SUBSCRIPTION", "AlterSubscription"),
            Map.entry("TABLESPACE", "AlterTableSpaceOptions"),
            Map.entry("TEXT SEARCH CONFIGURATION", "AlterTSConfiguration"),
            Map.entry("TEXT SEARCH DICTIONARY", "AlterTSDictionary"),
            Map.entry("OPERATOR", "AlterOperator"),
            Map.entry("OPERATOR FAMILY", "AlterOpFamily"),
            Map.entry("COLLATION", "AlterCollation"),
            Map.entry("TYPE", ".ALTER TYPE not supported"));

    private static final Map<String, String> BY_DROPPED = Map.of(
            "DATABASE", "Dropdb",
            "TABLESPACE", "DropTableSpace",
            "OWNED", "DropOwned",
            "SUBSCRIPTION", "DropSubscription",
            "USER MAPPING", "DropUserMapping");

    /** The kinds of object that can be renamed and dropped; the message names no other kind. */
    private static final Set<String> KNOWN_OBJECTS = Set.of(
            "TABLE",
            "INDEX",
            "VIEW",
            "SEQUENCE",
            "SCHEMA",
            "DOMAIN",
            "FUNCTION",
            "ROUTINE",
            "ROLE",
            "USER",
            "GROUP",
            "STATISTICS");

    private static final Map<String, Map<String, String>> BY_OBJECT =
            Map.of("CREATE", BY_CREATED, "ALTER", BY_ALTERED, "DROP", BY_DROPPED);

    private UnsupportedStatements() {}

    /** The refusal of a statement for its first words. */
    static Optional<SqlRefusal> judge(TokenCursor words, String command) {
        if (command.equals("PREPARE") && words.is("PREPARE", "TRANSACTION")) {
            return transaction("PREPARE TRANSACTION");
        }
        if (words.is("COMMIT", "PREPARED") || words.is("ROLLBACK", "PREPARED")) {
            return transaction(command + " PREPARED");
        }
        if (command.equals("ROLLBACK") || command.equals("ABORT")) {
            return transaction("ROLLBACK TO");
        }
        String name = BY_COMMAND.get(command);
        if (name == null && BY_OBJECT.containsKey(command)) {
            return ofObject(words, command);
        }
        return name == null ? Optional.empty() : Optional.of(refusal(name));
    }

    static SqlRefusal refusal(String name) {
        return SqlRefusal.unsupported(name.startsWith(".") ? name.substring(1) : "unsupported statement: " + name);
    }

    private static Optional<SqlRefusal> transaction(String kind) {
        return Optional.of(SqlRefusal.unsupported("unsupported transaction statement: " + kind));
    }

    private static Optional<SqlRefusal> ofObject(TokenCursor words, String command) {
        words.accept(command);
        words.accept("OR", "REPLACE");
        int start = words.place();
        String object = "";
        String name = null;
        for (int length = 1; length <= 3 && words.isName(); length++) {
            object = (object + " " + words.text().toUpperCase(Locale.ROOT)).trim();
            String longer = Objects.requireNonNull(BY_OBJECT.get(command)).get(object);
            name = longer == null ? name : longer;
        }
        words.moveTo(start);
        if (command.equals("ALTER")
                && !isKnown(words)
                && words.has("RENAME")
                && !words.is("SYSTEM")
                && !renamesPart(words)) {
            return Optional.of(SqlRefusal.unsupported("unsupported object in RENAME statement"));
        }
        if (name == null && command.equals("DROP") && !isKnown(words)) {
            return Optional.of(SqlRefusal.unsupported("unsupported object in DROP statement"));
        }
        return name == null ? Optional.empty() : Optional.of(refusal(name));
    }

    private static boolean isKnown(TokenCursor words) {
        for (String object : KNOWN_OBJECTS) {
            if (words.is(object)) {
                return !words.is("USER", "MAPPING");
            }
        }
        return words.done();
    }

    /** Whether it renames the value of an enum, which is no renaming to the parser. */
    private static boolean renamesPart(TokenCursor words) {
        TokenCursor rest = words.copy();
        return rest.find("RENAME") && rest.is("RENAME", "VALUE");
    }
}
