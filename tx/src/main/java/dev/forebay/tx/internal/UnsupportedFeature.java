// SPDX-License-Identifier: Apache-2.0
package dev.forebay.tx.internal;

import java.util.Locale;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * A feature that a database refused as unsupported, recognised in Aurora DSQL's words; the first that fits counts. A fixed set, so
 * that it can be a label, and written instead of the message, which may hold data.
 */
public enum UnsupportedFeature {
    LOCKING_CLAUSE("locking clauses? other than"),
    SAVEPOINT("transaction statement: savepoint"),
    ISOLATION("unsupported isolation level|configuration parameter \"transaction\""),
    DDL_IN_TRANSACTION("multiple ddl statements|ddl and dml are not supported"),
    INDEX_MODE("please use create index async"),
    TRUNCATE("statement: truncate"),
    TEMPORARY_TABLE("temp(orary)? tables? not supported|statement: createtemp"),
    UNLOGGED_TABLE("unlogged tables? not supported"),
    TRIGGER("create trigger not supported"),
    EXTENSION("statement: createextension"),
    TYPE("create type not supported|statement: compositetype"),
    DATA_TYPE("datatype \\S+ not supported"),
    ALTER_TABLE("unsupported alter table|alter table .*not supported"),
    LISTEN_NOTIFY("statement: (un)?listen|statement: notify"),
    VACUUM("unsupported vacuum"),
    OTHER("");

    @SuppressWarnings("ImmutableEnumChecker") // a pattern does not change
    private final Pattern words;

    UnsupportedFeature(String words) {
        this.words = Pattern.compile(words, Pattern.CASE_INSENSITIVE);
    }

    /** Returns its label in metrics. */
    public String label() {
        return name().toLowerCase(Locale.ROOT);
    }

    /** Returns the feature that {@code error} or one of its causes names. */
    public static UnsupportedFeature of(Throwable error) {
        for (Throwable one : Causes.of(error)) {
            UnsupportedFeature feature = of(one.getMessage());
            if (feature != OTHER) {
                return feature;
            }
        }
        return OTHER;
    }

    private static UnsupportedFeature of(@Nullable String message) {
        String text = message == null ? "" : message;
        for (UnsupportedFeature feature : values()) {
            if (feature.words.matcher(text).find()) {
                return feature;
            }
        }
        return OTHER;
    }
}
