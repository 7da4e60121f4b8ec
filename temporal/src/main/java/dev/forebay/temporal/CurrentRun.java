// SPDX-License-Identifier: Apache-2.0
package dev.forebay.temporal;

import java.util.Objects;
import java.util.UUID;

/**
 * The fate of the run that a workflow's name stands for, when a state is written. Immutable.
 *
 * <p>{@link #update} and {@link #bypass} are for every operation, {@link #brandNew} and {@link #reuse} for creating, {@link #ignore}
 * for updating.
 */
public final class CurrentRun {

    /** The name stands for nothing yet, and from now on for the new run. */
    public static CurrentRun brandNew() {
        return new CurrentRun(Mode.BRAND_NEW, 0, NONE, 0);
    }

    /** The name stands for {@code runId}, which is completed and was last written in {@code lastWriteVersion}; from now on for the new run. */
    public static CurrentRun reuse(UUID runId, long lastWriteVersion) {
        return new CurrentRun(Mode.REUSE, 0, runId, lastWriteVersion);
    }

    /** The name stands for the run that is written, and from now on for the run that comes after it, if one does. */
    public static CurrentRun update() {
        return new CurrentRun(Mode.UPDATE, 0, NONE, 0);
    }

    /** The name does not stand for the run that is written, and what it stands for stays. */
    public static CurrentRun bypass() {
        return new CurrentRun(Mode.BYPASS, 0, NONE, 0);
    }

    /** The name may stand for anything, and it stays. */
    public static CurrentRun ignore() {
        return new CurrentRun(Mode.IGNORE, 0, NONE, 0);
    }

    /** The same for another archetype than a workflow. */
    public CurrentRun of(long archetype) {
        return new CurrentRun(mode, archetype, previousRunId, previousLastWriteVersion);
    }

    enum Mode {
        BRAND_NEW,
        REUSE,
        UPDATE,
        BYPASS,
        IGNORE
    }

    private static final UUID NONE = new UUID(0, 0);

    final Mode mode;
    final long archetypeId;
    final UUID previousRunId;
    final long previousLastWriteVersion;

    private CurrentRun(Mode mode, long archetypeId, UUID previousRunId, long previousLastWriteVersion) {
        this.mode = mode;
        this.archetypeId = archetypeId;
        this.previousRunId = Objects.requireNonNull(previousRunId);
        this.previousLastWriteVersion = previousLastWriteVersion;
    }

    /** Its mode. */
    @Override
    public String toString() {
        return mode.name();
    }
}
