// SPDX-License-Identifier: Apache-2.0
package dev.forebay.temporal;

import static dev.forebay.temporal.Sample.RUNNING;
import static dev.forebay.temporal.Sample.WORKFLOW;
import static dev.forebay.temporal.Sample.blob;
import static dev.forebay.temporal.Sample.execution;
import static dev.forebay.temporal.Sample.run;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.sql.SQLException;
import java.time.Instant;
import java.util.Optional;
import java.util.UUID;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class CurrentExecutionsIT extends OnBothDatabases {

    private static CurrentExecutions.Current current(long archetype, UUID run) {
        Instant began = Instant.parse("2026-01-02T03:04:05.678901Z");
        return new CurrentExecutions.Current(
                WORKFLOW, archetype, run, "request", RUNNING, 1, 3, began, 77, blob("state"));
    }

    @ParameterizedTest
    @ValueSource(longs = {0, 42})
    void whatANameStandsForIsReadAsItWasInserted(long archetype) throws SQLException {
        CurrentExecutions.Current current = current(archetype, run(1));
        temporal.currentExecutions().insert(current);

        assertEquals(Optional.of(current), temporal.currentExecutions().select(WORKFLOW, archetype));
        assertEquals(Optional.of(current), temporal.currentExecutions().lock(WORKFLOW, archetype));
        assertEquals(Optional.empty(), temporal.currentExecutions().select(WORKFLOW, archetype + 1));
        assertThrows(SQLException.class, () -> temporal.currentExecutions().insert(current(archetype, run(2))));
    }

    @ParameterizedTest
    @ValueSource(longs = {0, 42})
    void itIsChangedOnlyByWhoKnowsTheRun(long archetype) throws SQLException {
        temporal.currentExecutions().insert(current(archetype, run(1)));

        CurrentWorkflowConditionFailedException failure = assertThrows(
                CurrentWorkflowConditionFailedException.class,
                () -> temporal.currentExecutions().update(current(archetype, run(3)), run(2)));
        assertEquals(Optional.of(current(archetype, run(1))), failure.current());
        temporal.currentExecutions().update(current(archetype, run(3)), run(1));
        assertEquals(
                Optional.of(current(archetype, run(3))),
                temporal.currentExecutions().select(WORKFLOW, archetype));
    }

    @ParameterizedTest
    @ValueSource(longs = {0, 42})
    void aNameThatStandsForNothingIsNotChanged(long archetype) {
        CurrentWorkflowConditionFailedException failure = assertThrows(
                CurrentWorkflowConditionFailedException.class,
                () -> temporal.currentExecutions().update(current(archetype, run(3)), run(2)));
        assertEquals(Optional.empty(), failure.current());
    }

    @ParameterizedTest
    @ValueSource(longs = {0, 42})
    void itIsDeletedOnlyIfItStandsForTheRun(long archetype) throws SQLException {
        temporal.currentExecutions().insert(current(archetype, run(1)));

        assertFalse(temporal.currentExecutions().delete(WORKFLOW, archetype, run(2)));
        assertTrue(temporal.currentExecutions().delete(WORKFLOW, archetype, run(1)));
        assertEquals(Optional.empty(), temporal.currentExecutions().select(WORKFLOW, archetype));
    }

    @ParameterizedTest
    @ValueSource(longs = {0, 42})
    void aLockWithTheExecutionTellsTheVersionThatTheExecutionHas(long archetype) throws SQLException {
        temporal.currentExecutions().insert(current(archetype, run(1)));
        assertEquals(
                77,
                temporal.currentExecutions()
                        .lockWithExecution(WORKFLOW, archetype)
                        .orElseThrow()
                        .lastWriteVersion());

        Executions.Execution execution = execution(run(1), 4, 1);
        temporal.executions().insert(execution);
        assertEquals(
                execution.lastWriteVersion(),
                temporal.currentExecutions()
                        .lockWithExecution(WORKFLOW, archetype)
                        .orElseThrow()
                        .lastWriteVersion());
    }
}
