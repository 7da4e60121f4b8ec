// SPDX-License-Identifier: Apache-2.0
package dev.forebay.sim;

import dev.forebay.time.VirtualTime;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** The assertions, in the order in which they are printed. Not thread-safe. */
final class Claims {

    private final VirtualTime time;
    private final Journal journal;
    private final List<Claim> all = new ArrayList<>();

    Claims(VirtualTime time, Journal journal) {
        this.time = time;
        this.journal = journal;
    }

    Claim add(String name, String bound, Supplier<String> measured) {
        Claim claim = new Claim(name, bound, measured);
        all.add(claim);
        return claim;
    }

    /** A claim on {@code value}; none, and null, if there is no value. */
    <V> @Nullable Claim add(String name, @Nullable V value, Function<V, String> bound, Supplier<String> measured) {
        return value == null ? null : add(name, bound.apply(value), measured);
    }

    /** One that is not told, to keep a failure that may turn out to be none. */
    Claim aside() {
        return new Claim("", "", () -> "");
    }

    List<Result.Verdict> verdicts() {
        return all.stream().map(Claim::verdict).toList();
    }

    /** Something that has to hold; only the first time that it does not is told. */
    final class Claim {
        private final String name;
        private final String bound;
        private final Supplier<String> measured;
        private Result.@Nullable Failure failure;

        private Claim(String name, String bound, Supplier<String> measured) {
            this.name = name;
            this.bound = bound;
            this.measured = measured;
        }

        void fail(String where, String what) {
            if (failure == null) {
                failure = new Result.Failure(time.nanos(), where, what, journal.latest());
            }
        }

        /** Fails when, where and how {@code other} did. */
        void failAs(Claim other) {
            failure = other.failure;
        }

        private Result.Verdict verdict() {
            return new Result.Verdict(name, bound, measured.get(), failure);
        }
    }
}
