// SPDX-License-Identifier: Apache-2.0
package dev.forebay.console;

import dev.forebay.ForebayConfig;
import dev.forebay.dsql.DsqlEndpoint;
import dev.forebay.dsql.DynamoStore;
import dev.forebay.fleet.FleetConfig;
import java.net.URI;
import java.util.LinkedHashSet;
import java.util.Set;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;
import software.amazon.awssdk.auth.credentials.DefaultCredentialsProvider;
import software.amazon.awssdk.regions.Region;
import software.amazon.awssdk.services.dynamodb.DynamoDbClient;

/** The cluster and the table of a command: from its options, otherwise from the environment. */
final class FleetOptions {

    @Spec(Spec.Target.MIXEE)
    @SuppressWarnings("NullAway.Init") // set by picocli
    private CommandSpec spec;

    @Option(
            names = "--table",
            paramLabel = "NAME",
            description =
                    "The table; by default DSQL_DISTRIBUTED_CONN_LEASE_TABLE and DSQL_DISTRIBUTED_RATE_LIMITER_TABLE.")
    private @Nullable String table;

    @Option(
            names = "--endpoint",
            paramLabel = "CLUSTER",
            description = "The endpoint of the cluster; by default CLUSTER_ENDPOINT.")
    private @Nullable String endpoint;

    @Option(
            names = "--region",
            paramLabel = "REGION",
            description = "The region; by default REGION, else that of the cluster's endpoint.")
    private @Nullable String region;

    @Option(
            names = "--dynamodb-endpoint",
            paramLabel = "URL",
            description =
                    "Where DynamoDB is, such as http://localhost:8000; by default AWS_ENDPOINT_URL_DYNAMODB, else that of the region.")
    private @Nullable URI dynamoEndpoint;

    /** The settings of the environment, with the options in their place. */
    ForebayConfig config() {
        ForebayConfig.Builder builder = ForebayConfig.builder().applyEnvironment(System.getenv());
        if (endpoint != null) {
            builder.clusterEndpoint(endpoint);
        }
        if (region != null) {
            String given = region;
            builder.region(checked(() -> WrongArguments.region(given)));
        }
        return builder.build();
    }

    @Nullable
    URI dynamoEndpoint() {
        if (dynamoEndpoint != null
                && (dynamoEndpoint.getHost() == null
                        || !String.valueOf(dynamoEndpoint.getScheme()).startsWith("http"))) {
            throw wrong("--dynamodb-endpoint=" + dynamoEndpoint
                    + ": not the address of a server; valid is one such as http://localhost:8000");
        }
        return dynamoEndpoint;
    }

    /** The tables that are named, that of the leases first. */
    Set<String> tables() {
        Set<String> tables = new LinkedHashSet<>();
        if (table != null) {
            tables.add(table);
            return tables;
        }
        FleetConfig fleet = checked(this::fleet);
        if (fleet.leaseTable() != null) {
            tables.add(fleet.leaseTable());
        }
        if (fleet.rateTable() != null) {
            tables.add(fleet.rateTable());
        }
        return tables;
    }

    /** The limits of the environment that a fleet shares. */
    FleetConfig fleet() {
        return FleetConfig.of(config().fleetSettings());
    }

    /** The tables that are named, at least one. */
    Set<String> someTables() {
        Set<String> tables = tables();
        if (tables.isEmpty()) {
            throw wrong("there is no table; valid is --table, or the variable DSQL_DISTRIBUTED_CONN_LEASE_TABLE");
        }
        return tables;
    }

    /** The cluster; there must be one. */
    DsqlEndpoint cluster() {
        return checked(() -> DsqlEndpoint.of(config()));
    }

    /** The cluster that an option names, by the name that the table has for it; null if none does. */
    @Nullable
    String clusterByOption() {
        return endpoint == null ? null : cluster().signedHost();
    }

    /** A client for calls to DynamoDB, one after the other. */
    DynamoDbClient client() {
        return DynamoStore.client(
                Region.of(regionName()), DefaultCredentialsProvider.builder().build(), dynamoEndpoint());
    }

    private String regionName() {
        ForebayConfig config = checked(this::config);
        if (config.region() != null) {
            return config.region();
        }
        if (config.clusterEndpoint() == null) {
            throw wrong("there is no region; valid is --region, or the variable REGION or CLUSTER_ENDPOINT");
        }
        return cluster().region();
    }

    private <T> T checked(Supplier<T> settings) {
        try {
            return settings.get();
        } catch (IllegalArgumentException e) {
            throw wrong(Reason.of(e));
        }
    }

    ParameterException wrong(String what) {
        return new ParameterException(spec.commandLine(), what);
    }
}
