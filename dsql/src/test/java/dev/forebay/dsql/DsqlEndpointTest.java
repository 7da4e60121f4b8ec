// SPDX-License-Identifier: Apache-2.0
package dev.forebay.dsql;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.forebay.ForebayConfig;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class DsqlEndpointTest {

    private static String refusal(String endpoint, String region, String clusterId) {
        return assertThrows(IllegalArgumentException.class, () -> DsqlEndpoint.of(endpoint, region, clusterId))
                .getMessage();
    }

    @ParameterizedTest
    @CsvSource({
        "abcdefghijklmnopqrstuvwxyz.dsql.us-east-1.on.aws, us-east-1",
        "abcdefghijklmnopqrstuvwxyz.dsql-fnh4.eu-central-2.on.aws, eu-central-2",
        "vpce-0f0f-0f0f.dsql-fnh4.ap-southeast-1.on.aws, ap-southeast-1",
        "abc.dsql.us-gov-west-1.on.aws, us-gov-west-1",
    })
    void theRegionIsPartOfTheHost(String host, String region) {
        DsqlEndpoint endpoint = DsqlEndpoint.of(host, null, null);
        assertEquals(new DsqlEndpoint(host, 5432, region, null), endpoint);
        assertEquals(host, endpoint.signedHost());
    }

    @Test
    void aRegionThatIsGivenComesFirst() {
        assertEquals(
                "eu-west-1",
                DsqlEndpoint.of("abc.dsql.us-east-1.on.aws", "eu-west-1", null).region());
    }

    @Test
    void aPortMayFollow() {
        assertEquals(
                new DsqlEndpoint("localhost", 15432, "us-east-1", null),
                DsqlEndpoint.of("localhost:15432", "us-east-1", null));
    }

    @Test
    void withAClusterIdTheTokenIsSignedForTheClustersOwnHost() {
        DsqlEndpoint endpoint = DsqlEndpoint.of("vpce-0f.dsql-fnh4.us-east-1.on.aws", null, "abcdef");
        assertEquals("abcdef.dsql.us-east-1.on.aws", endpoint.signedHost());
        assertEquals("vpce-0f.dsql-fnh4.us-east-1.on.aws", endpoint.host());
    }

    @Test
    void whatIsMissingOrWrongIsNamed() {
        assertTrue(refusal(null, "us-east-1", null).contains("CLUSTER_ENDPOINT"));
        assertTrue(refusal("localhost", null, null).contains("REGION"));
        assertTrue(refusal("https://abc.dsql.us-east-1.on.aws", null, null).contains("not a host"));
        assertTrue(refusal("localhost:99999", "us-east-1", null).contains("no such port"));
        assertTrue(refusal("localhost", "us-east-1", "a -c b=c").contains("DSQL_CLUSTER_ID"));
    }

    @Test
    void anIsolationThatAuroraDsqlDoesNotHaveIsRefused() {
        ForebayConfig.Builder config = ForebayConfig.builder().clusterEndpoint("abc.dsql.us-east-1.on.aws");
        AuroraDsql.builder(
                config.isolation(ForebayConfig.Isolation.REPEATABLE_READ).build());
        ForebayConfig serializable =
                config.isolation(ForebayConfig.Isolation.SERIALIZABLE).build();
        String message = assertThrows(IllegalArgumentException.class, () -> AuroraDsql.builder(serializable))
                .getMessage();
        assertTrue(message.contains("DSQL_TRANSACTION_ISOLATION"), message);
    }
}
