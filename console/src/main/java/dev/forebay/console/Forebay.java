// SPDX-License-Identifier: Apache-2.0
package dev.forebay.console;

import java.io.PrintWriter;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.HelpCommand;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** The commands of Forebay. */
@Command(
        name = "forebay",
        description = "Connections that are ready ahead of demand.",
        mixinStandardHelpOptions = true,
        version = "Forebay 0.1.0-SNAPSHOT",
        subcommands = {
            DemoCommand.class,
            ConsoleCommand.class,
            LocalCommand.class,
            SimCommand.class,
            TablesCommand.class,
            TokenCommand.class,
            SchemaCommand.class,
            DoctorCommand.class,
            HelpCommand.class
        })
public final class Forebay implements Runnable {

    @Spec
    @SuppressWarnings("NullAway.Init") // set by picocli
    private CommandSpec spec;

    private Forebay() {}

    /** Runs a command and exits with its code: 0 done, 1 failed, 2 called wrongly. */
    public static void main(String[] arguments) {
        Interrupt.exit(commands().execute(arguments));
    }

    static CommandLine commands() {
        return new CommandLine(new Forebay())
                .setExecutionExceptionHandler((failure, command, parsed) -> {
                    PrintWriter err = command.getErr();
                    err.println(command.getCommandSpec().qualifiedName() + ": " + Reason.of(failure));
                    return 1;
                })
                .setParameterExceptionHandler((wrong, arguments) -> {
                    String name = wrong.getCommandLine().getCommandSpec().qualifiedName();
                    PrintWriter err = wrong.getCommandLine().getErr();
                    err.println(name + ": " + WrongArguments.said(wrong) + "; see ./" + name + " --help");
                    return 2;
                });
    }

    @Override
    public void run() {
        throw new ParameterException(spec.commandLine(), "Say what to do");
    }
}
