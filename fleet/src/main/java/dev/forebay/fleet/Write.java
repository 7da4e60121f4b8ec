// SPDX-License-Identifier: Apache-2.0
package dev.forebay.fleet;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * One conditional write to an item of a {@link FleetStore}. Immutable.
 *
 * @param key the item's key
 * @param delete whether it is deleted; then there are no changes
 * @param conditions the conditions, all of which must hold for the write to take effect
 * @param changes the changes of the attributes
 */
public record Write(String key, boolean delete, List<Condition> conditions, List<Change> changes) {

    public Write {
        conditions = List.copyOf(conditions);
        changes = List.copyOf(changes);
    }

    /** A write that changes the item, or makes it if it does not exist; it still needs a change. */
    public static Write to(String key) {
        return new Write(key, false, List.of(), List.of());
    }

    /** A write that deletes the item. */
    public static Write deleting(String key) {
        return new Write(key, true, List.of(), List.of());
    }

    /** Requires that a number has this value. */
    public Write ifEqual(String attribute, long value) {
        return and(new Condition(Test.EQUAL, attribute, value));
    }

    /** Requires that there is no attribute of that name. */
    public Write ifAbsent(String attribute) {
        return and(new Condition(Test.ABSENT, attribute, 0));
    }

    /** Requires that a number is at least {@code least}. */
    public Write ifAtLeast(String attribute, long least) {
        return and(new Condition(Test.AT_LEAST, attribute, least));
    }

    /** Requires that there is no such number, or that it is at most {@code most}. */
    public Write ifAbsentOrAtMost(String attribute, long most) {
        return and(new Condition(Test.ABSENT_OR_AT_MOST, attribute, most));
    }

    /** Sets a number. */
    public Write set(String attribute, long value) {
        return and(new Change(Kind.SET, attribute, value));
    }

    /** Sets a text. */
    public Write set(String attribute, String value) {
        return and(new Change(Kind.SET, attribute, value));
    }

    /** Adds to a number, which is zero if there is none. */
    public Write add(String attribute, long amount) {
        return and(new Change(Kind.ADD, attribute, amount));
    }

    /** Removes an attribute if it is there. */
    public Write remove(String attribute) {
        return and(new Change(Kind.REMOVE, attribute, null));
    }

    private Write and(Condition condition) {
        List<Condition> all = new ArrayList<>(conditions);
        all.add(condition);
        return new Write(key, delete, all, changes);
    }

    private Write and(Change change) {
        List<Change> all = new ArrayList<>(changes);
        all.add(change);
        return new Write(key, delete, conditions, all);
    }

    /** The kind of a condition. */
    public enum Test {
        EQUAL,
        ABSENT,
        AT_LEAST,
        ABSENT_OR_AT_MOST
    }

    /** The kind of a change. */
    public enum Kind {
        SET,
        ADD,
        REMOVE
    }

    /**
     * One condition.
     *
     * @param value the number to compare with; unused for {@link Test#ABSENT}
     */
    public record Condition(Test test, String attribute, long value) {

        /** Whether it holds for {@code item}. */
        public boolean holds(Item item) {
            boolean there = item.attributes().containsKey(attribute);
            long number = item.number(attribute, 0);
            return switch (test) {
                case EQUAL -> there && number == value;
                case ABSENT -> !there;
                case AT_LEAST -> there && number >= value;
                case ABSENT_OR_AT_MOST -> !there || number <= value;
            };
        }
    }

    /**
     * One change.
     *
     * @param value a {@link Long} or a {@link String}; null for {@link Kind#REMOVE}
     */
    public record Change(
            Kind kind, String attribute, @Nullable Object value) {}
}
