// SPDX-License-Identifier: Apache-2.0
package dev.forebay.console;

import dev.forebay.ForebayConfig;
import dev.forebay.engine.internal.GoDuration;
import dev.forebay.sim.Scenario;
import dev.forebay.sim.ScenarioFile;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * A simulation that is to be run. Immutable.
 *
 * @param label its name beside another
 * @param argument the argument that named it
 * @param file the file of its scenario
 * @param scenario the scenario, with the changes of the options
 * @param changes the options that changed it
 */
record SimTask(String label, String argument, Path file, Scenario scenario, Changes changes) {

    private static final Duration LONGEST = Duration.ofDays(31);

    /**
     * The changes that options make to a scenario.
     *
     * @param mode of all services; null for their own
     * @param duration of the run; null for the scenario's
     * @param seed of the run; null for the scenario's
     */
    record Changes(
            ForebayConfig.@Nullable Mode mode,
            @Nullable Duration duration,
            @Nullable Long seed) {

        Scenario applyTo(Scenario scenario) {
            Scenario changed = mode == null ? scenario : scenario.withMode(mode);
            changed = duration == null ? changed : changed.withDuration(duration);
            return seed == null ? changed : changed.withSeed(seed);
        }

        Changes withMode(ForebayConfig.Mode other) {
            return new Changes(other, duration, seed);
        }
    }

    /**
     * Reads a scenario.
     *
     * @throws IllegalArgumentException if there is none by that name
     */
    static SimTask read(String name, Changes changes) throws IOException {
        Path file = ScenarioShelf.shipped().find(name);
        Scenario scenario = ScenarioFile.read(file, changes::applyTo);
        return new SimTask(scenario.name(), name, file, scenario, changes);
    }

    /**
     * Returns the task that {@code other} names beside this: itself in that mode, or another scenario.
     *
     * @throws IllegalArgumentException if that is this again, or nothing
     */
    SimTask compared(String other) throws IOException {
        Optional<ForebayConfig.Mode> mode = mode(other);
        if (mode.isPresent()) {
            if (modes().equals(Set.of(mode.get()))) {
                throw new IllegalArgumentException(label + " is in the mode " + other + " already");
            }
            return read(argument, changes.withMode(mode.get())).labelled(word(mode.get()));
        }
        SimTask task = read(other, changes);
        if (task.file.toRealPath().equals(file.toRealPath())) {
            throw new IllegalArgumentException(other + " is the scenario itself");
        }
        return task.label.equals(label) ? task.labelled(other) : task;
    }

    /** Returns this with a label that differs from {@code other}'s. */
    SimTask beside(SimTask other) {
        if (other.argument.equals(argument)) {
            return labelled(modes().size() == 1 ? word(modes().iterator().next()) : "as written");
        }
        return scenario.name().equals(other.scenario.name()) ? labelled(argument) : this;
    }

    private SimTask labelled(String other) {
        return new SimTask(other, argument, file, scenario, changes);
    }

    private Set<ForebayConfig.Mode> modes() {
        return scenario.services().stream().map(Scenario.Service::mode).collect(Collectors.toSet());
    }

    /** The command that runs it again with {@code seed}. */
    String again(long seed) {
        return "./forebay sim " + quoted(argument)
                + (changes.mode() == null ? "" : " --mode " + word(changes.mode()))
                + (changes.duration() == null ? "" : " --duration " + GoDuration.format(changes.duration()))
                + " --seed " + seed;
    }

    /** Returns the text quoted for a shell. */
    private static String quoted(String argument) {
        return argument.matches("[A-Za-z0-9_./+:@%=-]+") ? argument : "'" + argument.replace("'", "'\\''") + "'";
    }

    private static String word(ForebayConfig.Mode mode) {
        return mode.name().toLowerCase(Locale.ROOT);
    }

    /** The mode that is called {@code text}, if one is. */
    static Optional<ForebayConfig.Mode> mode(String text) {
        return Arrays.stream(ForebayConfig.Mode.values())
                .filter(mode -> word(mode).equals(text.replace('-', '_')))
                .findFirst();
    }

    /**
     * Reads the duration of a simulation.
     *
     * @throws IllegalArgumentException with the error in {@code text}
     */
    static Duration duration(String text) {
        Duration length;
        try {
            length = GoDuration.parse(text);
        } catch (IllegalArgumentException e) {
            throw new IllegalArgumentException(Reason.of(e) + ": " + text, e);
        }
        if (length.isNegative() || length.isZero() || length.compareTo(LONGEST) > 0) {
            throw new IllegalArgumentException("must lie between 0 and 31 days: " + text);
        }
        return length;
    }
}
