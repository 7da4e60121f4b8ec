// SPDX-License-Identifier: Apache-2.0
package dev.forebay.sim;

import org.jspecify.annotations.Nullable;

/**
 * A key of a scenario's file. Immutable.
 *
 * @param section where it stands
 * @param name how it is written
 * @param kind what it takes
 * @param defaultValue what it is if it is not written; null if that is not a value of its own
 * @param defaultText the same in words
 * @param meaning what it is for, in one sentence
 */
record ScenarioKey<T>(
        ScenarioKeys.Section section,
        String name,
        ValueKind<T> kind,
        @Nullable T defaultValue,
        String defaultText,
        String meaning) {}
