// SPDX-License-Identifier: Apache-2.0
package dev.forebay.temporal;

/** The execution is no longer as it was when it was read, or is there already. Thread-safe. */
public final class WorkflowConditionFailedException extends TemporalException {

    private static final long serialVersionUID = 1;

    private final long nextEventId;
    private final long dbRecordVersion;

    WorkflowConditionFailedException(String message, long nextEventId, long dbRecordVersion) {
        super(message);
        this.nextEventId = nextEventId;
        this.dbRecordVersion = dbRecordVersion;
    }

    /** The column of the row; 0 if the row should not have been there at all. */
    public long nextEventId() {
        return nextEventId;
    }

    /** The column of the row; 0 if the row should not have been there at all. */
    public long dbRecordVersion() {
        return dbRecordVersion;
    }
}
