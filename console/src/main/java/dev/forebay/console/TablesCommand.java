// SPDX-License-Identifier: Apache-2.0
package dev.forebay.console;

import dev.forebay.dsql.DsqlEndpoint;
import dev.forebay.dsql.DsqlTokens;
import dev.forebay.dsql.FleetTable;
import dev.forebay.fleet.StoreException;
import java.io.Console;
import java.io.PrintWriter;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.Set;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;
import software.amazon.awssdk.services.dynamodb.DynamoDbClient;

/** {@code forebay tables}: the DynamoDB table behind the limits that a fleet shares. */
@Command(
        name = "tables",
        description = "Makes, checks, shows and puts right the DynamoDB table behind a fleet's limits.",
        mixinStandardHelpOptions = true)
final class TablesCommand implements Runnable {

    @Spec
    @SuppressWarnings("NullAway.Init") // set by picocli
    private CommandSpec spec;

    private final InstantSource clock = InstantSource.system();

    @Override
    public void run() {
        throw new ParameterException(spec.commandLine(), "Say what to do with the table");
    }

    @Command(
            mixinStandardHelpOptions = true,
            description = "Makes the table unless it is there, billed by request, with its time-to-live.")
    int create(@Mixin FleetOptions options) throws StoreException {
        Set<String> tables = options.someTables();
        try (DynamoDbClient client = options.client()) {
            for (String table : tables) {
                new FleetTable(client, table).create().forEach(out()::println);
            }
        }
        return 0;
    }

    @Command(mixinStandardHelpOptions = true, description = "Looks whether the table is there and as it should be.")
    int check(@Mixin FleetOptions options) throws StoreException {
        Set<String> tables = options.someTables();
        Report report = new Report(out());
        try (DynamoDbClient client = options.client()) {
            for (String table : tables) {
                report.add(new FleetTable(client, table).check());
            }
        }
        return report.exitCode();
    }

    @Command(
            mixinStandardHelpOptions = true,
            description = "Shows the counter and the leases of each cluster, or of that of --endpoint.")
    int status(@Mixin FleetOptions options) throws StoreException {
        Set<String> tables = options.someTables();
        String one = options.clusterByOption();
        try (DynamoDbClient client = options.client()) {
            for (String name : tables) {
                FleetTable table = new FleetTable(client, name);
                Map<String, FleetTable.Status> all = one == null ? table.status() : Map.of(one, table.status(one));
                out().println("table " + name + (all.isEmpty() ? ": nothing is in it" : ""));
                all.values().forEach(this::show);
            }
        }
        return 0;
    }

    private void show(FleetTable.Status status) {
        PrintWriter out = out();
        out.println();
        out.println("cluster " + status.endpoint());
        out.println("  counter " + (status.counter() == null ? "none" : status.counter()) + ", leased "
                + status.leased() + ", leases " + status.leases().size());
        if (!status.leases().isEmpty()) {
            out.printf("  %-20s %-34s %7s %7s  %s%n", "SERVICE", "LEASE", "SLOTS", "WANTED", "WRITTEN");
        }
        for (FleetTable.LeaseRow lease : status.leases()) {
            out.printf(
                    "  %-20s %-34s %7d %7d  %s%n",
                    lease.service().isEmpty() ? "-" : lease.service(),
                    lease.id(),
                    lease.slots(),
                    lease.wanted(),
                    ago(lease.updatedMillis()) + (lease.ours() ? "" : ", by a Go service"));
        }
        if (!status.isConsistent()) {
            out.println("  counter, leases and index do not agree"
                    + (status.isMixed()
                            ? ", which is normal while Go services run"
                            : "; if that lasts: ./forebay tables reconcile --endpoint " + status.endpoint()));
        }
    }

    private String ago(long millis) {
        Duration age = Duration.between(Instant.ofEpochMilli(millis), clock.instant());
        return age.toSeconds() < 120 ? age.toSeconds() + " s ago" : age.toMinutes() + " min ago";
    }

    @Command(
            mixinStandardHelpOptions = true,
            description = "Sets the counter of a cluster, and its list of leases, to what the leases say.")
    int reconcile(
            @Mixin FleetOptions options,
            @Option(names = "--yes", description = "Also if Go services take part.") boolean yes)
            throws StoreException {
        String name = options.someTables().iterator().next();
        String cluster = options.cluster().signedHost();
        try (DynamoDbClient client = options.client()) {
            FleetTable table = new FleetTable(client, name);
            FleetTable.Status status = table.status(cluster);
            if (status.isMixed() && !status.isConsistent()) {
                out().println("Go services have leases on " + cluster
                        + ". Theirs end after three minutes, so"
                        + " the counter may rightly say more than the leases: it says " + status.counted()
                        + ", they say " + status.leased() + ".");
                confirm(options, yes, "Set the counter to what the leases say?");
            }
            out().println(cluster + ": " + table.reconcile(cluster));
        }
        return 0;
    }

    @Command(
            mixinStandardHelpOptions = true,
            description = "Deletes all that the table says of a cluster, after asking.")
    int reset(@Mixin FleetOptions options, @Option(names = "--yes", description = "Does not ask.") boolean yes)
            throws StoreException {
        Set<String> tables = options.someTables();
        String cluster = options.cluster().signedHost();
        try (DynamoDbClient client = options.client()) {
            for (String name : tables) {
                FleetTable table = new FleetTable(client, name);
                List<String> keys = table.keys(cluster);
                out().println("Of the cluster " + cluster + ", the table " + name + " has " + keys.size() + " items:");
                keys.forEach(key -> out().println("  " + key));
                if (keys.isEmpty()) {
                    continue;
                }
                out().println(
                                "Without them services that run acquire anew what they hold; until then the limit may be exceeded.");
                confirm(options, yes, "Delete them?");
                out().println("deleted " + table.reset(cluster) + " items");
            }
        }
        return 0;
    }

    /** Asks for a yes. Without a terminal there is no console before JDK 22, and later one whose input ends: no yes. */
    @SuppressWarnings("SystemConsoleNull")
    private void confirm(FleetOptions options, boolean yes, String question) {
        if (yes) {
            return;
        }
        out().flush();
        Console console = System.console();
        String answer = console == null ? null : console.readLine("%s [yes/no] ", question);
        if (answer == null) {
            throw options.wrong("there is no terminal to ask; say --yes");
        }
        if (!answer.equals("yes")) {
            throw new IllegalStateException("nothing was changed");
        }
    }

    @Command(mixinStandardHelpOptions = true, description = "Prints the IAM policy that a service needs.")
    int policy(
            @Mixin FleetOptions options,
            @Option(
                            names = "--account",
                            paramLabel = "ID",
                            defaultValue = "ACCOUNT",
                            description = "The account in its names (${DEFAULT-VALUE}).")
                    String account,
            @Option(names = "--operator", description = "Lets its owner use these commands too.") boolean operator) {
        DsqlEndpoint cluster = options.cluster();
        Set<String> tables = options.tables();
        String id = cluster.signedHost().replaceFirst("\\..*", "");
        boolean admin = options.config().user().equals(DsqlTokens.ADMIN);
        out().print(FleetTable.policy(cluster.region(), account, tables, id, admin, operator));
        out().flush();
        return 0;
    }

    private PrintWriter out() {
        return spec.commandLine().getOut();
    }
}
