// SPDX-License-Identifier: Apache-2.0
package dev.forebay.local.sql;

import java.util.Optional;

/** The rules for the cache of sequences and identity columns: one number at a time, or many. */
final class SequenceRules {

    private static final long ONE = 1;
    private static final long MANY = 65_536;

    private SequenceRules() {}

    /** Reads from behind CREATE SEQUENCE. */
    static Optional<SqlRefusal> create(TokenCursor words) {
        words.accept("IF", "NOT", "EXISTS");
        words.qualified();
        Optional<SqlRefusal> type = type(words.copy());
        return type.isPresent() || isCached(words) ? type : Optional.of(notCached("CREATE SEQUENCE"));
    }

    /** Reads from behind ALTER SEQUENCE: what is not named stays as it is. */
    static Optional<SqlRefusal> alter(TokenCursor words) {
        Optional<SqlRefusal> type = type(words.copy());
        boolean good = !words.has("CACHE") || isCached(words);
        return type.isPresent() || good ? type : Optional.of(notCached("ALTER SEQUENCE"));
    }

    /** Reads {@code GENERATED … AS IDENTITY (…)} or {@code GENERATED ALWAYS AS (…) STORED}, from GENERATED on. */
    static Optional<SqlRefusal> identity(TokenCursor words, Types.Named type) {
        Optional<SqlRefusal> cached = identity(words);
        if (cached.isPresent() || type.isBigint() || !words.accept("IDENTITY")) {
            return cached;
        }
        return Optional.of(type.notIdentity());
    }

    /** The same where the type is not known; it stops at IDENTITY. */
    static Optional<SqlRefusal> identity(TokenCursor words) {
        words.accept("GENERATED");
        words.accept("ALWAYS");
        words.accept("BY", "DEFAULT");
        words.accept("AS");
        if (!words.is("IDENTITY")) {
            return Optional.empty();
        }
        int identity = words.place();
        words.skip();
        boolean cached = isCached(words.inside());
        words.moveTo(identity);
        return cached ? Optional.empty() : Optional.of(notCached("identity column"));
    }

    private static Optional<SqlRefusal> type(TokenCursor words) {
        if (!words.find("AS") || !words.accept("AS") || Types.read(words).isBigint()) {
            return Optional.empty();
        }
        return Optional.of(SqlRefusal.of("22023", "sequence type must be bigint"));
    }

    private static boolean isCached(TokenCursor words) {
        if (!words.find("CACHE")) {
            return false;
        }
        words.skip();
        String size = words.text();
        boolean number = !size.isEmpty() && size.length() < 19 && size.chars().allMatch(c -> c >= '0' && c <= '9');
        long cache = number ? Long.parseLong(size) : 0;
        return cache == ONE || cache >= MANY;
    }

    private static SqlRefusal notCached(String what) {
        return SqlRefusal.unsupported(
                what + " is not supported without an explicit cache size. please define CACHE greater than"
                        + " or equal to " + MANY + " or equal to " + ONE);
    }
}
