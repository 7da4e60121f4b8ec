// SPDX-License-Identifier: Apache-2.0
package dev.forebay.local.sql;

import java.util.Locale;
import java.util.Optional;
import java.util.Set;

/** The rules for settings of a session, and for the beginning of a transaction. */
final class SettingRules {

    /** The settings that the documentation lists; every other is refused by its name. */
    private static final Set<String> SETTABLE = Set.of(
            "application_name",
            "client_encoding",
            "datestyle",
            "extra_float_digits",
            "intervalstyle",
            "timezone",
            "search_path",
            "enable_bitmapscan",
            "enable_hashjoin",
            "enable_indexonlyscan",
            "enable_indexscan",
            "enable_material",
            "enable_mergejoin",
            "enable_nestloop",
            "enable_seqscan",
            "dsql.enable_batched_nestloop",
            "disable_sync_create_index");

    private SettingRules() {}

    /** BEGIN and START TRANSACTION: one isolation level only. */
    static Optional<SqlRefusal> begin(TokenCursor words) {
        return isolation(words);
    }

    /** COMMIT and ROLLBACK: no chains, so that the end of a transaction is the end. */
    static Optional<SqlRefusal> end(TokenCursor words, String command) {
        boolean chain = words.find("AND") && words.is("AND", "CHAIN");
        return chain
                ? Optional.of(SqlRefusal.unsupported("unsupported transaction statement: " + command + " AND CHAIN"))
                : Optional.empty();
    }

    static Optional<SqlRefusal> set(TokenCursor words) {
        if (words.accept("RESET")) {
            return Optional.empty();
        }
        words.accept("SET");
        if (words.is("SESSION", "CHARACTERISTICS") || words.is("TRANSACTION")) {
            Optional<SqlRefusal> isolation = isolation(words.copy());
            return isolation.isPresent() ? isolation : Optional.of(notSettable(kindOfCharacteristics(words)));
        }
        boolean local = words.accept("LOCAL");
        if (!local && !words.is("SESSION", "AUTHORIZATION")) {
            words.accept("SESSION");
        }
        if (words.isAny("CONSTRAINTS") || words.done()) {
            return Optional.empty();
        }
        return setting(settingName(words), local);
    }

    /** Setting a parameter by its name. */
    static Optional<SqlRefusal> setting(String name, boolean local) {
        String folded = name.toLowerCase(Locale.ROOT);
        boolean settable = SETTABLE.contains(folded) || (local && folded.equals("role"));
        return settable ? Optional.empty() : Optional.of(notSettable(name));
    }

    private static String kindOfCharacteristics(TokenCursor words) {
        if (words.is("SESSION")) {
            return "SESSION CHARACTERISTICS";
        }
        return words.is("TRANSACTION", "SNAPSHOT") ? "TRANSACTION SNAPSHOT" : "TRANSACTION";
    }

    private static String settingName(TokenCursor words) {
        if (words.accept("TIME", "ZONE")) {
            return "timezone";
        }
        if (words.accept("SESSION", "AUTHORIZATION")) {
            return "session_authorization";
        }
        if (words.accept("XML", "OPTION")) {
            return "xmloption";
        }
        String name = words.name();
        boolean assigned = words.isAny("TO") || words.isSymbol('=') || words.isSymbol('.');
        if (!assigned) {
            return switch (name) {
                case "names" -> "client_encoding";
                case "schema" -> "search_path";
                default -> name;
            };
        }
        StringBuilder whole = new StringBuilder(name);
        while (words.acceptSymbol('.')) {
            whole.append('.').append(words.name());
        }
        return whole.toString();
    }

    private static Optional<SqlRefusal> isolation(TokenCursor words) {
        if (!words.find("ISOLATION") || !words.accept("ISOLATION", "LEVEL") || words.is("REPEATABLE", "READ")) {
            return Optional.empty();
        }
        String level = words.is("SERIALIZABLE")
                ? "SERIALIZABLE"
                : words.is("READ", "COMMITTED") ? "READ COMMITTED" : "READ UNCOMMITTED";
        boolean known = words.isAny("SERIALIZABLE") || words.is("READ", "COMMITTED") || words.is("READ", "UNCOMMITTED");
        return known ? Optional.of(SqlRefusal.unsupported("Unsupported isolation level: " + level)) : Optional.empty();
    }

    private static SqlRefusal notSettable(String name) {
        return SqlRefusal.unsupported("setting configuration parameter \"" + name + "\" not supported");
    }
}
