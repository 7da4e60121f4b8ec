// SPDX-License-Identifier: Apache-2.0
package dev.forebay.testkit;

import java.time.Duration;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.Map;
import java.util.random.RandomGenerator;

/**
 * How often each fault strikes, and how long an answer takes at most. Immutable.
 *
 * @param chances by kind, from 0 to 1; what is not in it never strikes
 * @param maxLatency a round trip takes from nothing to this
 */
public record Faults(Map<Kind, Double> chances, Duration maxLatency) {

    public static final Faults NONE = new Faults(Map.of(), Duration.ZERO);

    /** Where a fault strikes. */
    public enum Point {
        CONNECT,
        STATEMENT,
        COMMIT,
        ROLLBACK
    }

    /** What goes wrong. */
    public enum Kind {
        REFUSED(Point.CONNECT, "08001", "connection refused"),
        CONFLICT_AT_STATEMENT(Point.STATEMENT, "40001", "could not serialize access due to concurrent update"),
        SCHEMA_CHANGED_AT_STATEMENT(Point.STATEMENT, "40001", "schema has been updated by another transaction (OC001)"),
        DEADLOCK(Point.STATEMENT, "40P01", "deadlock detected"),
        UNAVAILABLE_AT_STATEMENT(Point.STATEMENT, "XX000", "server unavailable"),
        LOST_AT_STATEMENT(Point.STATEMENT, "08006", "An I/O error occurred while sending to the backend."),
        TIMED_OUT(Point.STATEMENT, "57014", "canceling statement due to statement timeout"),
        UNSUPPORTED(Point.STATEMENT, "0A000", "locking clauses other than FOR UPDATE/FOR KEY SHARE are not supported"),
        ROW_LIMIT(Point.STATEMENT, "54000", "transaction row limit exceeded"),
        DUPLICATE(Point.STATEMENT, "23505", "duplicate key value violates unique constraint"),
        CONFLICT_AT_COMMIT(Point.COMMIT, "40001", SimDatabase.OC000),
        SCHEMA_CHANGED_AT_COMMIT(Point.COMMIT, "40001", "schema has been updated by another transaction (OC001)"),
        SIZE_LIMIT(Point.COMMIT, "54000", "transaction size limit 10mb exceeded"),
        UNAVAILABLE_APPLIED(Point.COMMIT, "XX000", "server unavailable"),
        UNAVAILABLE_UNDONE(Point.COMMIT, "XX000", "server unavailable"),
        LOST_APPLIED(Point.COMMIT, "08006", "An I/O error occurred while sending to the backend."),
        LOST_UNDONE(Point.COMMIT, "08006", "An I/O error occurred while sending to the backend."),
        LOST_AT_ROLLBACK(Point.ROLLBACK, "08006", "An I/O error occurred while sending to the backend."),
        /** The transaction is still open then, and must not be committed by what comes after. */
        UNAVAILABLE_AT_ROLLBACK(Point.ROLLBACK, "XX000", "server unavailable");

        private final Point point;
        private final String sqlState;
        private final String message;

        Kind(Point point, String sqlState, String message) {
            this.point = point;
            this.sqlState = sqlState;
            this.message = message;
        }

        public Point point() {
            return point;
        }

        public String sqlState() {
            return sqlState;
        }

        public String message() {
            return message;
        }

        public boolean losesTheConnection() {
            return name().startsWith("LOST");
        }

        /** Whether the COMMIT that it strikes is applied all the same. */
        public boolean isApplied() {
            return name().endsWith("_APPLIED");
        }

        /** Whether who is struck cannot know whether the transaction was applied. */
        public boolean leavesTheOutcomeUnknown() {
            return isApplied() || name().endsWith("_UNDONE");
        }
    }

    public Faults {
        chances = chances.isEmpty() ? Map.of() : Map.copyOf(chances);
    }

    /** Every kind with the same chance. */
    public static Faults all(double chance) {
        Faults faults = NONE;
        for (Kind kind : Kind.values()) {
            faults = faults.with(kind, chance);
        }
        return faults;
    }

    public static Faults of(double chance, Kind... kinds) {
        Faults[] faults = {NONE};
        Arrays.stream(kinds).forEach(kind -> faults[0] = faults[0].with(kind, chance));
        return faults[0];
    }

    public Faults with(Kind kind, double chance) {
        Map<Kind, Double> more = new EnumMap<>(Kind.class);
        more.putAll(chances);
        more.put(kind, chance);
        return new Faults(more, maxLatency);
    }

    public Faults latency(Duration most) {
        return new Faults(chances, most);
    }

    /** The fault that strikes at {@code point} this time, null if none does. */
    Kind draw(Point point, RandomGenerator random) {
        for (Kind kind : Kind.values()) {
            if (kind.point == point && chances.containsKey(kind) && random.nextDouble() < chances.get(kind)) {
                return kind;
            }
        }
        return null;
    }
}
