// SPDX-License-Identifier: Apache-2.0
package dev.forebay.console;

import dev.forebay.ForebayDataSource;
import dev.forebay.temporal.Schema;
import dev.forebay.tx.Transactions;
import java.io.IOException;
import java.io.PrintWriter;
import java.sql.SQLException;
import java.util.List;
import java.util.Optional;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code forebay schema}: the schemas that Forebay knows. */
@Command(
        name = "schema",
        description = "Installs and checks the schemas that Forebay knows.",
        mixinStandardHelpOptions = true,
        subcommands = SchemaCommand.TemporalSchema.class)
final class SchemaCommand implements Runnable {

    @Spec
    @SuppressWarnings("NullAway.Init") // set by picocli
    private CommandSpec spec;

    @Override
    public void run() {
        throw new ParameterException(spec.commandLine(), "Say which schema");
    }

    /** {@code forebay schema temporal}. */
    @Command(
            name = "temporal",
            description = "Temporal's schema on Aurora DSQL, or in the same shape on PostgreSQL.",
            mixinStandardHelpOptions = true)
    static final class TemporalSchema implements Runnable {

        @Spec
        @SuppressWarnings("NullAway.Init") // set by picocli
        private CommandSpec spec;

        @Override
        public void run() {
            throw new ParameterException(spec.commandLine(), "Say what to do with the schema");
        }

        @Command(
                mixinStandardHelpOptions = true,
                description = "Makes what is not there, one statement a transaction; goes on where it was stopped.")
        int install(
                @Mixin SchemaOptions options,
                @Option(names = "--force", description = "Writes the version also over another one, be it newer.")
                        boolean isForced)
                throws SQLException, IOException {
            try (ForebayDataSource dataSource = options.dataSource();
                    Interrupt interrupt = new Interrupt()) {
                Schema schema = schema(dataSource);
                Schema.Progress progress = (number, of, what) -> {
                    out().printf("%2d/%d %s%n", number, of, what);
                    out().flush();
                    interrupt.check();
                };
                int steps = isForced ? schema.installForced(progress) : schema.install(progress);
                out().println("version " + schema.latest()
                        + (steps == 0 ? " is there; nothing to do" : " is installed"));
                return 0;
            } catch (Interrupt.Stopped e) {
                out().println("stopped; install again to go on");
                return 1;
            }
        }

        @Command(
                mixinStandardHelpOptions = true,
                description =
                        "Prints the statements that install it; needs no server. Run each in a transaction of its own.")
        int print(
                @Option(names = "--postgres", description = "For PostgreSQL, rather than for Aurora DSQL.")
                        boolean isPostgres) {
            Schema.statements(!isPostgres).forEach(statement -> out().println(statement + ";"));
            return 0;
        }

        @Command(mixinStandardHelpOptions = true, description = "Prints the version that is installed.")
        int version(@Mixin SchemaOptions options) throws SQLException, IOException {
            try (ForebayDataSource dataSource = options.dataSource()) {
                Optional<String> version = schema(dataSource).version();
                out().println(version.orElse("none"));
                return version.isPresent() ? 0 : 1;
            }
        }

        @Command(mixinStandardHelpOptions = true, description = "Names every difference to what should be there.")
        int verify(@Mixin SchemaOptions options) throws SQLException, IOException {
            try (ForebayDataSource dataSource = options.dataSource()) {
                List<Schema.Finding> findings = schema(dataSource).verify();
                findings.forEach(out()::println);
                out().println(
                                findings.isEmpty()
                                        ? "the schema is as it should be"
                                        : findings.size() + (findings.size() == 1 ? " difference" : " differences"));
                return findings.isEmpty() ? 0 : 1;
            }
        }

        @Command(
                mixinStandardHelpOptions = true,
                description =
                        "Prints the statements that would mend the differences; run each in a transaction of its own.")
        int diff(@Mixin SchemaOptions options) throws SQLException, IOException {
            try (ForebayDataSource dataSource = options.dataSource()) {
                Schema.Diff diff = schema(dataSource).diff();
                diff.statements().forEach(statement -> out().println(statement + ";"));
                diff.unmendable().forEach(finding -> out().println("-- cannot be mended: " + finding));
                return diff.statements().isEmpty() && diff.unmendable().isEmpty() ? 0 : 1;
            }
        }

        private static Schema schema(ForebayDataSource dataSource) {
            return Schema.on(Transactions.of(dataSource));
        }

        private PrintWriter out() {
            return spec.commandLine().getOut();
        }
    }
}
