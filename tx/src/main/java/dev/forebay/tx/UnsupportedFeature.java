// SPDX-License-Identifier: Apache-2.0
package dev.forebay.tx;

import java.util.Iterator;
import java.util.Locale;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * What a database said it does not support, recognised in Aurora DSQL's words; the first that fits counts. A fixed set, so
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

    /** More than any driver chains. */
    private static final int MOST_LOOKED_AT = 16;

    @SuppressWarnings("ImmutableEnumChecker") // a pattern does not change
    private final Pattern words;

    UnsupportedFeature(String words) {
        this.words = Pattern.compile(words, Pattern.CASE_INSENSITIVE);
    }

    /** The label it has in metrics. */
    public String label() {
        return name().toLowerCase(Locale.ROOT);
    }

    /** The feature that {@code error}, or what it was caused by, complains about. */
    public static UnsupportedFeature of(Throwable error) {
        Throwable one = error;
        for (int looked = 0; one != null && looked < MOST_LOOKED_AT; looked++) {
            UnsupportedFeature feature = said(one);
            if (feature != OTHER) {
                return feature;
            }
            one = one.getCause();
        }
        return OTHER;
    }

    /** An SQL exception iterates over those chained to it, which is all of it that may be known here. */
    private static UnsupportedFeature said(Throwable error) {
        UnsupportedFeature feature = of(error.getMessage());
        if (feature == OTHER && error instanceof Iterable<?> chain) {
            Iterator<?> chained = chain.iterator();
            for (int looked = 0; feature == OTHER && chained.hasNext() && looked < MOST_LOOKED_AT; looked++) {
                if (chained.next() instanceof Throwable next) {
                    feature = of(next.getMessage());
                }
            }
        }
        return feature;
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
