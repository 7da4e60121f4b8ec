// SPDX-License-Identifier: Apache-2.0
package dev.forebay.temporal;

import static dev.forebay.temporal.Sample.WORKFLOW;
import static dev.forebay.temporal.Sample.execution;
import static dev.forebay.temporal.Sample.run;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.sql.SQLException;
import java.util.Optional;
import org.junit.jupiter.api.Test;

final class ExecutionsIT extends OnBothDatabases {

    @Test
    void anExecutionIsReadAsItWasInserted() throws SQLException {
        Executions.Execution execution = execution(run(1), 4, 1);
        temporal.executions().insert(execution);

        assertEquals(Optional.of(execution), temporal.executions().select(execution.key()));
        assertEquals(Optional.empty(), temporal.executions().select(WORKFLOW.run(run(2))));
        assertEquals(new Executions.Versions(1, 4), temporal.executions().writeLock(execution.key()));
    }

    @Test
    void anExecutionThatIsThereIsNotInsertedAgain() throws SQLException {
        temporal.executions().insert(execution(run(1), 4, 1));

        WorkflowConditionFailedException failure = assertThrows(
                WorkflowConditionFailedException.class,
                () -> temporal.executions().insert(execution(run(1), 9, 2)));
        assertEquals(0, failure.dbRecordVersion());
        assertEquals(4, temporal.executions().writeLock(WORKFLOW.run(run(1))).nextEventId());
    }

    @Test
    void anExecutionIsChangedOnlyByWhoReadItsLatestVersion() throws SQLException {
        temporal.executions().insert(execution(run(1), 4, 1));
        temporal.executions().update(execution(run(1), 6, 2), Executions.Fence.dbRecordVersion(1));

        WorkflowConditionFailedException failure = assertThrows(
                WorkflowConditionFailedException.class,
                () -> temporal.executions().update(execution(run(1), 7, 2), Executions.Fence.dbRecordVersion(1)));
        assertEquals(2, failure.dbRecordVersion());
        assertEquals(6, failure.nextEventId());
        assertEquals(Optional.of(execution(run(1), 6, 2)), temporal.executions().select(WORKFLOW.run(run(1))));
    }

    @Test
    void anExecutionWithoutAVersionIsFencedByItsNextEvent() throws SQLException {
        Executions.Execution old = execution(run(1), 4, 0);
        temporal.executions().insert(old);
        assertEquals(Executions.Fence.nextEventId(4), Executions.Fence.of(old));

        assertThrows(
                WorkflowConditionFailedException.class,
                () -> temporal.executions().update(execution(run(1), 7, 0), Executions.Fence.nextEventId(3)));
        temporal.executions().update(execution(run(1), 7, 1), Executions.Fence.of(old));
        assertEquals(
                Executions.Fence.dbRecordVersion(1),
                Executions.Fence.of(temporal.executions().select(old.key()).orElseThrow()));
    }

    @Test
    void aVersionNeverGoesBack() throws SQLException {
        Executions.Execution there = execution(run(1), 9, 5);
        temporal.executions().insert(there);
        Executions.Fence read = Executions.Fence.of(there);
        assertThrows(
                IllegalArgumentException.class, () -> temporal.executions().update(execution(run(1), 10, 4), read));
        assertThrows(
                IllegalArgumentException.class, () -> temporal.executions().update(execution(run(1), 10, 0), read));
        assertEquals(Optional.of(there), temporal.executions().select(there.key()));
        temporal.executions().update(execution(run(1), 8, 5), read); // a state may be reset to fewer events
        assertEquals(new Executions.Versions(5, 8), temporal.executions().writeLock(there.key()));
    }

    @Test
    void theNextEventOfAnExecutionWithoutAVersionNeverGoesBack() throws SQLException {
        Executions.Execution old = execution(run(1), 9, 0);
        temporal.executions().insert(old);
        assertThrows(
                IllegalArgumentException.class,
                () -> temporal.executions().update(execution(run(1), 8, 0), Executions.Fence.of(old)));
        assertEquals(Optional.of(old), temporal.executions().select(old.key()));
        temporal.executions().update(execution(run(1), 9, 0), Executions.Fence.of(old));
        temporal.executions().update(execution(run(1), 8, 1), Executions.Fence.of(old)); // from now on by its version
        assertEquals(new Executions.Versions(1, 8), temporal.executions().writeLock(old.key()));
    }

    @Test
    void anExecutionIsDeletedOnlyByWhoReadItsLatestVersion() throws SQLException {
        temporal.executions().insert(execution(run(1), 4, 1));

        assertThrows(
                WorkflowConditionFailedException.class,
                () -> temporal.executions().delete(WORKFLOW.run(run(1)), Executions.Fence.dbRecordVersion(2)));
        temporal.executions().delete(WORKFLOW.run(run(1)), Executions.Fence.dbRecordVersion(1));
        assertEquals(Optional.empty(), temporal.executions().select(WORKFLOW.run(run(1))));
    }

    @Test
    void whatIsNotThereIsNotFound() {
        assertThrows(NotFoundException.class, () -> temporal.executions().writeLock(WORKFLOW.run(run(1))));
        assertThrows(
                NotFoundException.class,
                () -> temporal.executions().update(execution(run(1), 7, 2), Executions.Fence.dbRecordVersion(1)));
    }
}
