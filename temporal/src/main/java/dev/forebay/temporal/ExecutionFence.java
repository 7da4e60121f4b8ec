// SPDX-License-Identifier: Apache-2.0
package dev.forebay.temporal;

/**
 * What an execution should still have when it is changed. Immutable.
 *
 * @param column {@code db_record_version} or {@code next_event_id}
 * @param expected its value
 */
public record ExecutionFence(Token column, long expected) {

    /** The columns that tell whether an execution was changed. */
    public enum Token {
        DB_RECORD_VERSION("db_record_version"),
        NEXT_EVENT_ID("next_event_id");

        final String column;

        Token(String column) {
            this.column = column;
        }
    }

    /** The version that was read. */
    public static ExecutionFence dbRecordVersion(long read) {
        return new ExecutionFence(Token.DB_RECORD_VERSION, read);
    }

    /** The next event that was read: for rows whose version is 0, which do not count. */
    public static ExecutionFence nextEventId(long read) {
        return new ExecutionFence(Token.NEXT_EVENT_ID, read);
    }

    /** By what {@code read} is to be fenced: its version, if it has one. */
    public static ExecutionFence of(Execution read) {
        return read.dbRecordVersion() == 0 ? nextEventId(read.nextEventId()) : dbRecordVersion(read.dbRecordVersion());
    }

    /** The token that takes the place of this one; one that never is too small for a state that is fenced by its version from now on. */
    long token(Execution changed) {
        if (column == Token.DB_RECORD_VERSION) {
            return changed.dbRecordVersion();
        }
        return changed.dbRecordVersion() == 0 ? changed.nextEventId() : Long.MAX_VALUE;
    }

    boolean holds(ExecutionVersions actual) {
        return expected == (column == Token.DB_RECORD_VERSION ? actual.dbRecordVersion() : actual.nextEventId());
    }
}
