// SPDX-License-Identifier: Apache-2.0
package dev.forebay.tx.internal;

import java.sql.SQLException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Deque;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Set;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** An error with its causes and those chained to them ({@link SQLException#getNextException}), nearest first. Stateless. */
public final class Causes {

    /** The most errors that are looked at; a batch may chain thousands, which add nothing. */
    private static final int MOST = 64;

    private Causes() {}

    /** Returns {@code error} and those below it, each once, at most 64. */
    public static List<Throwable> of(Throwable error) {
        return of(error, one -> true);
    }

    /** Returns the same without those below an error that fails {@code looksBelow}. */
    public static List<Throwable> of(Throwable error, Predicate<Throwable> looksBelow) {
        if (chained(error) == null && error.getCause() == null) {
            return List.of(error); // as most conflicts are, and those are met often
        }
        Set<Throwable> seen = Collections.newSetFromMap(new IdentityHashMap<>());
        List<Throwable> found = new ArrayList<>();
        Deque<Throwable> toSee = new ArrayDeque<>(List.of(error));
        while (!toSee.isEmpty() && found.size() < MOST) {
            Throwable one = toSee.remove();
            if (seen.add(one)) {
                found.add(one);
                if (looksBelow.test(one)) {
                    add(chained(one), toSee);
                    add(one.getCause(), toSee);
                }
            }
        }
        return found;
    }

    private static @Nullable Throwable chained(Throwable error) {
        return error instanceof SQLException e ? e.getNextException() : null;
    }

    private static void add(@Nullable Throwable next, Deque<Throwable> toSee) {
        if (next != null) {
            toSee.add(next);
        }
    }
}
