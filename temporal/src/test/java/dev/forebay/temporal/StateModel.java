// SPDX-License-Identifier: Apache-2.0
package dev.forebay.temporal;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.UUID;

/**
 * The expected content of one workflow's tables, by the rules of Temporal and not by SQL. An operation either takes place as a
 * whole or throws what it should be refused with.
 */
final class StateModel {

    /** Why an operation is refused. */
    static final class Refused extends RuntimeException {

        private static final long serialVersionUID = 1;

        final Class<? extends TemporalException> with;

        Refused(Class<? extends TemporalException> with) {
            super(with.getSimpleName());
            this.with = with;
        }
    }

    long rangeId;
    Optional<CurrentExecutions.Current> current = Optional.empty();
    final Map<UUID, Workflows.State> states;
    final Map<HistoryTasks.Category, TreeMap<HistoryTasks.Key, Blob>> tasks;

    StateModel(long rangeId) {
        this.rangeId = rangeId;
        this.states = new HashMap<>();
        this.tasks = new HashMap<>();
    }

    StateModel(StateModel other) {
        this.rangeId = other.rangeId;
        this.current = other.current;
        this.states = new HashMap<>(other.states);
        this.tasks = new HashMap<>();
        other.tasks.forEach((category, some) -> tasks.put(category, new TreeMap<>(some)));
    }

    void takeOver(long expected) {
        owned(expected);
        rangeId++;
    }

    void begin(long range, Workflows.Snapshot snapshot) {
        owned(range);
        require(current.isEmpty(), CurrentWorkflowConditionFailedException.class);
        require(!states.containsKey(run(snapshot)), WorkflowConditionFailedException.class);
        write(snapshot);
        pointTo(snapshot.execution(), snapshot.run());
    }

    void reuse(long range, UUID previous, long version, Workflows.Snapshot snapshot) {
        owned(range);
        CurrentExecutions.Current now =
                current.orElseThrow(() -> new Refused(CurrentWorkflowConditionFailedException.class));
        long written = Optional.ofNullable(states.get(now.runId()))
                .map(state -> state.execution().lastWriteVersion())
                .orElse(now.lastWriteVersion());
        require(
                now.runId().equals(previous)
                        && written == version
                        && now.state() == CurrentExecutions.Current.COMPLETED,
                CurrentWorkflowConditionFailedException.class);
        require(!states.containsKey(run(snapshot)), WorkflowConditionFailedException.class);
        write(snapshot);
        pointTo(snapshot.execution(), snapshot.run());
    }

    void createBeside(long range, Workflows.Snapshot snapshot) {
        owned(range);
        requireNotCurrent(run(snapshot));
        require(!states.containsKey(run(snapshot)), WorkflowConditionFailedException.class);
        write(snapshot);
    }

    void update(long range, Executions.Fence expected, Workflows.Mutation mutation, Optional<Workflows.Snapshot> next) {
        owned(range);
        UUID run = mutation.execution().key().runId();
        require(
                current.isPresent() && current.get().runId().equals(run),
                CurrentWorkflowConditionFailedException.class);
        mutate(expected, mutation);
        next.ifPresent(snapshot -> {
            require(!states.containsKey(run(snapshot)), WorkflowConditionFailedException.class);
            write(snapshot);
        });
        pointTo(
                next.map(Workflows.Snapshot::execution).orElse(mutation.execution()),
                next.map(Workflows.Snapshot::run).orElse(mutation.run()));
    }

    void updateBeside(long range, Executions.Fence expected, Workflows.Mutation mutation) {
        owned(range);
        requireNotCurrent(mutation.execution().key().runId());
        mutate(expected, mutation);
    }

    void resolve(
            long range,
            Executions.Fence expected,
            Workflows.Snapshot reset,
            Optional<Workflows.Suppressed> suppressed) {
        owned(range);
        UUID previous = suppressed
                .map(some -> some.mutation().execution().key().runId())
                .orElse(run(reset));
        require(
                current.isPresent() && current.get().runId().equals(previous),
                CurrentWorkflowConditionFailedException.class);
        fenced(run(reset), expected);
        write(reset);
        suppressed.ifPresent(some -> mutate(some.expected(), some.mutation()));
        pointTo(reset.execution(), reset.run());
    }

    void set(long range, Executions.Fence expected, Workflows.Snapshot snapshot) {
        owned(range);
        fenced(run(snapshot), expected);
        states.remove(run(snapshot));
        write(snapshot);
    }

    void delete(long range, UUID run) {
        owned(range);
        states.remove(run);
    }

    void deleteCurrent(long range, UUID run) {
        owned(range);
        current = current.filter(now -> !now.runId().equals(run));
    }

    // ---- parts

    private void mutate(Executions.Fence expected, Workflows.Mutation mutation) {
        UUID run = mutation.execution().key().runId();
        Workflows.State before = fenced(run, expected);
        StateMaps.Builder maps = StateMaps.builder();
        for (MapKind<?, ?> kind : MapKind.ALL) {
            merge(kind, before.maps(), mutation, maps);
        }
        List<Blob> events = new ArrayList<>(mutation.clearsBufferedEvents() ? List.of() : before.bufferedEvents());
        events.addAll(mutation.newBufferedEvents());
        states.put(run, new Workflows.State(mutation.execution(), maps.build(), events));
        add(mutation.tasks());
    }

    private static <K, V> void merge(
            MapKind<K, V> kind, StateMaps before, Workflows.Mutation mutation, StateMaps.Builder into) {
        Map<K, V> merged = new LinkedHashMap<>(before.get(kind));
        mutation.deletes().get(kind).forEach(merged::remove);
        merged.putAll(mutation.puts().get(kind));
        merged.forEach((key, value) -> into.put(kind, key, value));
    }

    private Workflows.State fenced(UUID run, Executions.Fence expected) {
        Workflows.State state = states.get(run);
        require(state != null, NotFoundException.class);
        Executions.Versions versions = new Executions.Versions(
                state.execution().dbRecordVersion(), state.execution().nextEventId());
        require(expected.holds(versions), WorkflowConditionFailedException.class);
        return state;
    }

    private void write(Workflows.Snapshot snapshot) {
        states.put(run(snapshot), new Workflows.State(snapshot.execution(), snapshot.maps(), List.of()));
        add(snapshot.tasks());
    }

    private void add(Map<HistoryTasks.Category, List<HistoryTasks.Task>> more) {
        more.forEach((category, some) -> some.forEach(
                task -> tasks.computeIfAbsent(category, none -> new TreeMap<>()).put(task.key(), task.data())));
    }

    private void pointTo(Executions.Execution execution, Workflows.RunState run) {
        current = Optional.of(new CurrentExecutions.Current(
                execution.key().workflow(),
                0,
                execution.key().runId(),
                run.createRequestId(),
                run.state(),
                run.status(),
                run.startVersion(),
                run.startTime(),
                execution.lastWriteVersion(),
                execution.state()));
    }

    private void owned(long range) {
        require(range == rangeId, ShardOwnershipLostException.class);
    }

    private void requireNotCurrent(UUID run) {
        require(
                current.filter(now -> now.runId().equals(run)).isEmpty(),
                CurrentWorkflowConditionFailedException.class);
    }

    private static void require(boolean condition, Class<? extends TemporalException> otherwise) {
        if (!condition) {
            throw new Refused(otherwise);
        }
    }

    private static UUID run(Workflows.Snapshot snapshot) {
        return snapshot.execution().key().runId();
    }
}
