// SPDX-License-Identifier: Apache-2.0
package dev.forebay.console;

import dev.forebay.ForebayConfig;
import dev.forebay.dsql.AuroraDsql;
import dev.forebay.dsql.DsqlDataSource;
import dev.forebay.dsql.DsqlEndpoint;
import dev.forebay.dsql.DsqlTokens;
import dev.forebay.dsql.FleetTable;
import dev.forebay.dsql.Token;
import dev.forebay.dsql.TokenException;
import dev.forebay.fleet.FleetConfig;
import dev.forebay.fleet.StoreException;
import java.io.IOException;
import java.net.URI;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.InstantSource;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import software.amazon.awssdk.auth.credentials.AwsCredentials;
import software.amazon.awssdk.auth.credentials.AwsSessionCredentials;
import software.amazon.awssdk.auth.credentials.DefaultCredentialsProvider;
import software.amazon.awssdk.core.exception.SdkException;
import software.amazon.awssdk.services.dynamodb.DynamoDbClient;

/**
 * Walks from the settings to the cluster and to the fleet's table, one line for each step. A step that needs one that
 * failed is skipped. Prints no secret.
 */
final class Doctor {

    private static final String BY_VARIABLE = "environment variable ";
    private static final double NEARLY = 0.9;

    /** The limits of every cluster of Aurora DSQL: new connections a second and saved up, which are fixed, and open ones. */
    private static final int CLUSTER_RATE = 100;

    private static final int CLUSTER_BURST = 1_000;
    private static final int CLUSTER_OPEN = 10_000;

    /** The SDK's short names of the sources of credentials; those that begin with a profile's are all a profile's. */
    private static final Map<String, String> PROVIDERS = Map.of(
            "f", "system properties",
            "g", "the environment",
            "h", "a web identity",
            "k", "a web identity",
            "n", "a profile",
            "z", "the container",
            "0", "the instance");

    private final FleetOptions options;
    private final Report report;

    Doctor(FleetOptions options, Report report) {
        this.options = options;
        this.report = report;
    }

    void examine() {
        options.dynamoEndpoint(); // wrong arguments are reported before anything else
        ForebayConfig config = configuration();
        if (config == null) {
            report.skip("everything else", "the configuration is wrong");
            return;
        }
        DsqlEndpoint endpoint = DsqlEndpoint.of(config);
        boolean identified = credentials();
        clock(endpoint.region());
        cluster(config, endpoint, identified);
        FleetConfig fleet = options.fleet();
        tables(fleet, endpoint, identified);
        rateLimit(config, fleet);
        clusterLimits(config, fleet);
    }

    private @Nullable ForebayConfig configuration() {
        try {
            ForebayConfig config = options.config();
            AuroraDsql.builder(config); // checks the requirements of Aurora DSQL
            FleetConfig fleet = options.fleet();
            List<String> variables = Stream.of(config.origins(), fleet.origins())
                    .flatMap(origins -> origins.values().stream())
                    .filter(origin -> origin.startsWith(BY_VARIABLE))
                    .map(origin -> origin.substring(BY_VARIABLE.length()))
                    .distinct()
                    .sorted()
                    .toList();
            report.ok("configuration: " + (variables.isEmpty() ? "no variable is set" : String.join(", ", variables)));
            Stream.of(config.notices(), fleet.notices())
                    .flatMap(List::stream)
                    .forEach(notice -> report.warn("configuration: " + notice));
            return config;
        } catch (IllegalArgumentException e) {
            report.fail("configuration: " + Reason.of(e), "docs/configuration.md lists every variable");
            return null;
        }
    }

    private boolean credentials() {
        try (DefaultCredentialsProvider chain =
                DefaultCredentialsProvider.builder().build()) {
            AwsCredentials found = chain.resolveCredentials();
            String kind = found instanceof AwsSessionCredentials ? "of a session" : "a long-lived key";
            report.ok("credentials: " + kind
                    + found.providerName().map(Doctor::provider).orElse("")
                    + found.expirationTime().map(end -> ", until " + end).orElse(""));
            return true;
        } catch (SdkException e) {
            report.fail(
                    "credentials: the AWS SDK finds none",
                    "set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY or AWS_PROFILE, or give the machine a role");
            return false;
        }
    }

    private static String provider(String name) {
        String words = PROVIDERS.get(name.replaceFirst(",.*", ""));
        return words == null ? "" : ", from " + words;
    }

    private void clock(String region) {
        URI server = dynamoDb(region);
        try {
            ClockSkew.judge(ClockSkew.measure(server, InstantSource.system()), server.getHost(), report);
        } catch (IOException | IllegalArgumentException e) {
            report.warn("clock: could not be compared with " + server + ": " + Reason.of(e));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            report.warn("clock: interrupted");
        }
    }

    /** The address that the SDK would use. */
    private URI dynamoDb(String region) {
        URI named = options.dynamoEndpoint();
        Map<String, String> variables = System.getenv();
        return named != null
                ? named
                : Stream.of("AWS_ENDPOINT_URL_DYNAMODB", "AWS_ENDPOINT_URL")
                        .filter(variables::containsKey)
                        .map(name -> URI.create(variables.get(name)))
                        .findFirst()
                        .orElse(URI.create("https://dynamodb." + region + ".amazonaws.com"));
    }

    // ---- the cluster

    private void cluster(ForebayConfig config, DsqlEndpoint endpoint, boolean identified) {
        ServerProbe probe = new ServerProbe(endpoint, config.caFile(), report);
        boolean trusted = false;
        if (!probe.findsTheName()) {
            report.skip("TCP, TLS", "the name is not known");
        } else if (!probe.reachesThePort()) {
            report.skip("TLS", "nobody answers");
        } else {
            trusted = probe.trustsTheServer();
        }
        boolean signed = identified && token(config);
        if (!identified) {
            report.skip("token", "there are no credentials");
        }
        if (trusted && signed) {
            connect(config);
        } else {
            report.skip("connect, SELECT 1", trusted ? "there is no token" : "the server cannot be reached or trusted");
        }
    }

    private boolean token(ForebayConfig config) {
        try {
            Token token = TokenCommand.tokens(config).token();
            boolean admin = config.user().equals(DsqlTokens.ADMIN);
            report.ok("token: kind " + (admin ? "DbConnectAdmin" : "DbConnect") + " for the user " + config.user()
                    + ", good until " + token.expiresAt());
            if (!admin && config.user().equalsIgnoreCase(DsqlTokens.ADMIN)) {
                report.warn("token: the user is " + config.user() + ", which is not admin");
            }
            return true;
        } catch (TokenException e) {
            report.fail("token: " + Reason.of(e), "look at the credentials");
            return false;
        }
    }

    private void connect(ForebayConfig config) {
        AuroraDsql.Builder alone = AuroraDsql.builder(config)
                .fleet(FleetConfig.builder().build()); // the fleet's table has checks of its own
        try (DsqlDataSource source = alone.buildUnpooled();
                Connection connection = source.getConnection()) {
            report.ok("connect: as " + config.user() + " to " + config.database());
            select(connection, report);
        } catch (SQLException e) {
            ConnectTrouble trouble = ConnectTrouble.of(e, config.user());
            report.fail("connect: " + trouble.what(), trouble.remedy());
            report.skip("SELECT 1", "there is no connection");
        }
    }

    static void select(Connection connection, Report report) {
        try (Statement statement = connection.createStatement()) {
            statement.execute("SELECT 1");
            report.ok("SELECT 1: answered");
        } catch (SQLException e) {
            report.fail("SELECT 1: " + Reason.of(e), "look at the cluster's state in the AWS console");
        }
    }

    // ---- the fleet

    private void tables(FleetConfig fleet, DsqlEndpoint endpoint, boolean identified) {
        Set<String> tables = options.tables();
        if (tables.isEmpty()) {
            report.skip("table, counter", "no table is named, so no limit is shared with a fleet");
            return;
        }
        if (!fleet.connectionLease() && !fleet.rateLimiter()) {
            report.warn("fleet: a table is named but neither DSQL_DISTRIBUTED_CONN_LEASE_ENABLED nor"
                    + " DSQL_DISTRIBUTED_RATE_LIMITER_ENABLED is true");
        }
        if (!identified) {
            report.skip("table, counter", "there are no credentials");
            return;
        }
        try (DynamoDbClient client = options.client()) {
            boolean leases = true; // the table of the leases is the first
            for (String name : tables) {
                table(new FleetTable(client, name), leases, fleet, endpoint);
                leases = false;
            }
        }
    }

    private void table(FleetTable table, boolean leases, FleetConfig fleet, DsqlEndpoint endpoint) {
        try {
            boolean usable = report.add(table.check());
            if (leases && usable) {
                counter(table.status(endpoint.signedHost()), fleet.leaseLimit());
            } else if (leases) {
                report.skip("counter", "the table is not as it should be");
            }
        } catch (StoreException e) {
            String said = Reason.of(e);
            int at = said.lastIndexOf("; ");
            report.fail(
                    "table: " + (at < 0 ? said : said.substring(0, at)),
                    at < 0 ? "look at the table" : said.substring(at + 2));
            report.skip("counter", "the table cannot be read");
        }
    }

    private void counter(FleetTable.Status status, int limit) {
        String words = "counter: " + status.counted() + " of " + limit + ", the leases say " + status.leased();
        if (!status.steady()) {
            report.warn(words + "; it changes too fast to compare them");
        } else if (status.isConsistent() && status.counted() < NEARLY * limit) {
            report.ok(words);
        } else if (status.isConsistent()) {
            report.warn(words + "; the limit is near: ./forebay tables status shows who has them");
        } else if (status.isMixed()) {
            report.warn(words + "; Go services take part, whose leases end before their connections");
        } else {
            report.fail(
                    words + (status.counted() == status.leased() ? ", but the index lists others" : ""),
                    "./forebay tables reconcile --endpoint " + status.endpoint());
        }
    }

    private void rateLimit(ForebayConfig config, FleetConfig fleet) {
        if (fleet.rateLimiter()) {
            report.ok("rate limit: shared by the fleet, " + lower(fleet.rateKind()) + " of "
                    + fleet.rateLimit() + " a second"
                    + (fleet.rateKind() == FleetConfig.PermitKind.BUCKET
                            ? " and " + fleet.rateBurst() + " saved up"
                            : "")
                    + "; without the table: " + lower(fleet.rateOutage()));
        } else {
            report.ok("rate limit: of this process alone, " + config.connectionRateLimit() + " a second and "
                    + config.connectionBurstLimit() + " saved up");
        }
    }

    /** Compares the limits of the settings with those that every cluster has. */
    private void clusterLimits(ForebayConfig config, FleetConfig fleet) {
        boolean shared = fleet.rateLimiter();
        int rate = shared ? fleet.rateLimit() : config.connectionRateLimit();
        boolean hasBurst = !shared || fleet.rateKind() == FleetConfig.PermitKind.BUCKET;
        int burst = shared ? fleet.rateBurst() : config.connectionBurstLimit();
        String prefix = shared ? "DSQL_DISTRIBUTED_RATE_LIMITER_" : "DSQL_CONNECTION_";
        String rateName = prefix + (shared ? "LIMIT" : "RATE_LIMIT");
        String burstName = prefix + (shared ? "BURST" : "BURST_LIMIT");
        exceeds(rateName, rate, CLUSTER_RATE, "a cluster admits " + CLUSTER_RATE + " new connections a second");
        if (hasBurst) {
            exceeds(burstName, burst, CLUSTER_BURST, "a cluster saves up " + CLUSTER_BURST + " new connections");
        }
        int most = mostOpen(config);
        if (fleet.connectionLease()) {
            if (fleet.leaseLimit() > CLUSTER_OPEN) {
                report.warn("DSQL_DISTRIBUTED_CONN_LIMIT=" + fleet.leaseLimit() + ": a cluster has " + CLUSTER_OPEN
                        + " connections unless its quota was raised");
            }
            if (most > fleet.leaseLimit()) {
                report.warn("pool size: up to " + most + " connections, but all services together may have "
                        + fleet.leaseLimit());
            }
        } else if (most > CLUSTER_OPEN) {
            report.warn("pool size: up to " + most + " connections, but a cluster has " + CLUSTER_OPEN
                    + " unless its quota was raised");
        }
    }

    private void exceeds(String name, int value, int limit, String words) {
        if (value > limit) {
            report.fail(
                    name + "=" + value + ": " + words + ", whatever the quota", "lower it to " + limit + " or less");
        }
    }

    private static int mostOpen(ForebayConfig config) {
        boolean outer = config.mode() == ForebayConfig.Mode.RESERVOIR && config.underAnotherPool();
        return outer ? config.targetReady() + config.outerPoolSize() : config.maxOpen();
    }

    private static String lower(Enum<?> value) {
        return value.name().toLowerCase(Locale.ROOT);
    }
}
