// SPDX-License-Identifier: Apache-2.0
package dev.forebay.dsql;

import dev.forebay.ForebayConfig;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The address of a cluster, and the host that tokens are signed for. Immutable and thread-safe.
 *
 * @param host the host to connect to
 * @param port the port there
 * @param region the region of the cluster
 * @param clusterId the cluster to name in a connect, if the host does not name it
 */
public record DsqlEndpoint(
        String host, int port, String region, @Nullable String clusterId) {

    private static final int DEFAULT_PORT = 5432;
    private static final Pattern HOST_AND_PORT = Pattern.compile("([A-Za-z0-9._-]+)(?::(\\d{1,5}))?");

    /** {@code ID.dsql.REGION.on.aws}, and forms with a suffix such as {@code ID.dsql-fnh4.REGION.on.aws}. */
    private static final Pattern IN_THE_CLOUD =
            Pattern.compile("(?:[a-z0-9-]+\\.)+dsql(?:-[a-z0-9]+)?\\.([a-z]{2}(?:-[a-z]+)+-\\d)\\.on\\.aws");

    private static final Pattern CLUSTER_ID = Pattern.compile("[a-z0-9]{1,63}");

    /** Returns the cluster that {@code config} names, as {@link #of(String, String, String)}. */
    public static DsqlEndpoint of(ForebayConfig config) {
        return of(config.clusterEndpoint(), config.region(), config.clusterId());
    }

    /**
     * Returns the endpoint of the settings, the region taken from the host if they name none.
     *
     * @throws IllegalArgumentException saying what is missing, by the name of the variable
     */
    public static DsqlEndpoint of(@Nullable String endpoint, @Nullable String region, @Nullable String clusterId) {
        if (endpoint == null) {
            throw new IllegalArgumentException(
                    "there is no endpoint; valid is CLUSTER_ENDPOINT or forebay.dsql.endpoint with that of a cluster,"
                            + " such as ID.dsql.us-east-1.on.aws");
        }
        Matcher parts = HOST_AND_PORT.matcher(endpoint);
        if (!parts.matches()) {
            throw new IllegalArgumentException(
                    "CLUSTER_ENDPOINT=" + endpoint + ": not a host; valid is one such as ID.dsql.us-east-1.on.aws");
        }
        String host = parts.group(1);
        int port = parts.group(2) == null ? DEFAULT_PORT : Integer.parseInt(parts.group(2));
        if (port < 1 || port > 65_535) {
            throw new IllegalArgumentException("CLUSTER_ENDPOINT=" + endpoint + ": there is no such port");
        }
        if (clusterId != null && !CLUSTER_ID.matcher(clusterId).matches()) {
            throw new IllegalArgumentException(
                    "DSQL_CLUSTER_ID=" + clusterId + ": not the id of a cluster; valid are small letters and digits");
        }
        Matcher cloud = IN_THE_CLOUD.matcher(host);
        String known = region != null ? region : cloud.matches() ? cloud.group(1) : null;
        if (known == null) {
            throw new IllegalArgumentException("CLUSTER_ENDPOINT=" + endpoint
                    + ": the region is not part of it; valid is REGION or forebay.dsql.region beside it");
        }
        return new DsqlEndpoint(host, port, known, clusterId);
    }

    /** Returns the host that tokens are signed for, and by which the fleet knows the cluster. */
    public String signedHost() {
        return clusterId == null ? host : clusterId + ".dsql." + region + ".on.aws";
    }
}
