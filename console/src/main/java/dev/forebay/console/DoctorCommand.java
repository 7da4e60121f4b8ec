// SPDX-License-Identifier: Apache-2.0
package dev.forebay.console;

import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** {@code forebay doctor}: finds the obstacle between a service and its cluster. */
@Command(
        name = "doctor",
        description = "Walks from the settings to the cluster and to the fleet's table, and says what is wrong.",
        mixinStandardHelpOptions = true)
final class DoctorCommand implements Callable<Integer> {

    @Spec
    @SuppressWarnings("NullAway.Init") // set by picocli
    private CommandSpec spec;

    @Mixin
    @SuppressWarnings("NullAway.Init") // set by picocli
    private FleetOptions options;

    @Override
    public Integer call() {
        Report report = new Report(spec.commandLine().getOut());
        new Doctor(options, report).examine();
        return report.exitCode();
    }
}
