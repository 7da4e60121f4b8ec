// SPDX-License-Identifier: Apache-2.0
package dev.forebay.temporal;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Arrays;
import java.util.Locale;
import java.util.Map;
import java.util.function.Function;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/** The rule for locks: FOR UPDATE and no other, one table, by its whole key. */
final class Locks {

    private static final Map<String, Table> TABLES =
            Arrays.stream(Table.values()).collect(Collectors.toMap(Table::sqlName, Function.identity()));

    private static final Pattern OTHER_LOCKS =
            Pattern.compile("\\bfor\\s+(share|key\\s+share|no\\s+key\\s+update)\\b|\\block\\s+(table|in)\\b");
    private static final Pattern LOCK =
            Pattern.compile("select [\\w, ]+ from (\\w+) where (\\w+ = \\$\\d+(?: and \\w+ = \\$\\d+)*) for update");

    private Locks() {}

    /** Fails if {@code statement} breaks the rule; returns whether it locks at all. */
    static boolean check(String statement) {
        String sql = statement.toLowerCase(Locale.ROOT).strip();
        assertFalse(OTHER_LOCKS.matcher(sql).find(), () -> "a lock that DSQL does not have: " + statement);
        if (!sql.contains("for update")) {
            return false;
        }
        Matcher lock = LOCK.matcher(sql);
        assertTrue(lock.matches(), () -> "not a lock of one row of one table: " + statement);
        Table table = TABLES.get(lock.group(1));
        String key = table.keyColumns().stream().map(Column::name).collect(Collectors.joining(", "));
        String given = Arrays.stream(lock.group(2).split(" and "))
                .map(condition -> condition.substring(0, condition.indexOf(' ')))
                .collect(Collectors.joining(", "));
        assertEquals(key, given, () -> "not by the whole key: " + statement);
        return true;
    }
}
