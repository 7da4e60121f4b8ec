// SPDX-License-Identifier: Apache-2.0
package dev.forebay.dsql;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import dev.forebay.ForebayConfig;
import dev.forebay.ForebayDataSource;
import dev.forebay.engine.OpenFailure;
import dev.forebay.engine.PoolListener;
import dev.forebay.local.LocalDsql;
import dev.forebay.local.iam.AccessKey;
import dev.forebay.wire.SelfSigned;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import software.amazon.awssdk.auth.credentials.AwsBasicCredentials;
import software.amazon.awssdk.auth.credentials.AwsCredentialsProvider;

/** The front door, with tokens signed by AWS's own code, before a local DSQL that verifies them. */
@Timeout(120)
class AuroraDsqlIT {

    private static LocalDsql dsql;
    private static AwsCredentialsProvider credentials;

    @BeforeAll
    static void start() throws Exception {
        dsql = LocalDsql.builder().start();
        AccessKey key = dsql.accessKey();
        credentials = () -> AwsBasicCredentials.create(key.id(), key.secret());
        execute(dsql.dataSource("admin"), "CREATE ROLE app WITH LOGIN");
        execute(dsql.dataSource("admin"), "AWS IAM GRANT app TO '" + dsql.identity() + "'");
    }

    @AfterAll
    static void stop() throws Exception {
        dsql.close();
    }

    private static ForebayConfig.Builder config() {
        return ForebayConfig.builder()
                .clusterEndpoint("localhost:" + dsql.port())
                .region(dsql.region())
                .caFile(dsql.caFile().toString())
                .mode(ForebayConfig.Mode.RESERVOIR)
                .staggeredStartup(false)
                .targetReady(3);
    }

    private static AuroraDsql.Builder door(ForebayConfig.Builder config) {
        return AuroraDsql.builder(config.build()).credentials(credentials);
    }

    private static void execute(DataSource source, String sql) throws SQLException {
        try (Connection connection = source.getConnection();
                Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }

    private static String value(DataSource source, String sql) throws SQLException {
        try (Connection connection = source.getConnection();
                Statement statement = connection.createStatement();
                ResultSet result = statement.executeQuery(sql)) {
            assertTrue(result.next());
            return result.getString(1);
        }
    }

    @Test
    void aPoolIsReadyForTheAdministrator() throws Exception {
        try (ForebayDataSource pool = door(config()).build()) {
            assertEquals(3, pool.stats().ready());
            assertEquals("admin", value(pool, "SELECT current_user"));
        }
    }

    @Test
    void anyOtherRoleHasItsOwnKindOfToken() throws Exception {
        try (ForebayDataSource pool = door(config().user("app")).build()) {
            assertEquals(3, pool.stats().ready());
            assertEquals("app", value(pool, "SELECT current_user"));
        }
    }

    /** The local server takes a token for another cluster's host if that cluster is named, and only then. */
    @Test
    void aClusterIsNamedByItsIdAndTheTokenSignedForItsHost() throws Exception {
        AuroraDsql.Builder door = door(config().clusterId("anothercluster"));
        try (DsqlDataSource source = door.buildUnpooled()) {
            assertEquals("1", value(source, "SELECT 1"));
        }
        try (DsqlDataSource source = door.property("options", "").buildUnpooled()) {
            SQLException refused = assertThrows(SQLException.class, source::getConnection);
            assertTrue(refused.getMessage().contains("access denied"), refused.getMessage());
        }
    }

    @Test
    void tlsMayBeginAtOnce() throws Exception {
        try (DsqlDataSource source =
                door(config()).property("sslNegotiation", "direct").buildUnpooled()) {
            assertEquals("1", value(source, "SELECT 1"));
        }
    }

    /** Neither a server that nobody vouches for nor one of another name is talked to. */
    @Test
    void theServerIsVerifiedInFull(@TempDir Path directory) throws Exception {
        try (DsqlDataSource unknownToTheJvm = door(config().caFile(null)).buildUnpooled()) {
            assertThrows(SQLException.class, unknownToTheJvm::getConnection);
        }
        Path other = directory.resolve("other.pem");
        Files.writeString(
                other,
                SelfSigned.of(List.of("localhost"), Instant.now(), Duration.ofDays(1))
                        .pem());
        try (DsqlDataSource untrusted = door(config().caFile(other.toString())).buildUnpooled()) {
            assertThrows(SQLException.class, untrusted::getConnection);
        }
        // Another way to write 127.0.0.1, which the certificate does not name.
        try (DsqlDataSource misnamed =
                door(config().clusterEndpoint("127.1:" + dsql.port())).buildUnpooled()) {
            SQLException refused = assertThrows(SQLException.class, misnamed::getConnection);
            assertTrue(refused.getMessage().contains("could not be verified"), refused.getMessage());
        }
    }

    @Test
    void nothingThatAuroraDsqlRefusesIsSentWhenAConnectionComesBack() throws Exception {
        ForebayConfig.Builder one = config().targetReady(1).isolation(ForebayConfig.Isolation.REPEATABLE_READ);
        try (ForebayDataSource pool = door(one).build()) {
            for (int i = 0; i < 5; i++) {
                try (Connection connection = pool.getConnection()) {
                    connection.setAutoCommit(false);
                    connection.setReadOnly(true);
                    connection.setSchema("pg_catalog");
                    try (Statement statement = connection.createStatement()) {
                        statement.execute("SELECT 1");
                    }
                }
            }
            assertEquals("public", pool.getConnection().getSchema());
            assertEquals(1, pool.stats().opened(), "no connection was thrown away");
        }
    }

    @Test
    void underHikariEachNewConnectionHasAGoodToken() throws Exception {
        try (DsqlDataSource source = door(config()).buildUnpooled()) {
            HikariConfig hikari = new HikariConfig();
            hikari.setDataSource(source);
            hikari.setMaximumPoolSize(4);
            hikari.setRegisterMbeans(false);
            try (HikariDataSource pool = new HikariDataSource(hikari)) {
                assertEquals("admin", value(pool, "SELECT current_user"));
                pool.getHikariPoolMXBean().softEvictConnections();
                assertEquals("1", value(pool, "SELECT 1"));
            }
        }
    }

    @Test
    void passwordsMayComeFromElsewhere() throws Exception {
        AtomicInteger asked = new AtomicInteger();
        TokenProvider own = () -> {
            asked.incrementAndGet();
            return new Token(
                    dsql.token("admin", Duration.ofMinutes(15)), Instant.now().plusSeconds(900));
        };
        try (ForebayDataSource pool = door(config()).tokens(own).build()) {
            assertEquals(3, pool.stats().ready());
        }
        assertEquals(1, asked.get(), "one is made for all connections");
    }

    @Test
    void withoutCredentialsNothingIsOpenedAndTheReasonIsTheTokenProvider() throws Exception {
        Set<OpenFailure.Cause> causes = ConcurrentHashMap.newKeySet();
        CountDownLatch failed = new CountDownLatch(2);
        AwsCredentialsProvider none = () -> {
            throw new IllegalStateException("no credentials here");
        };
        int before = dsql.counts().open();
        ForebayConfig.Builder quick = config().initialFillTimeout(Duration.ofSeconds(3));
        try (ForebayDataSource pool = AuroraDsql.builder(quick.build())
                .credentials(none)
                .listener(new PoolListener() {
                    @Override
                    public void openFailed(OpenFailure failure, int attempt, long delayNanos) {
                        causes.add(failure.cause());
                        failed.countDown();
                    }
                })
                .build()) {
            assertTrue(failed.await(60, TimeUnit.SECONDS));
            assertEquals(Set.of(OpenFailure.Cause.TOKEN_PROVIDER), causes);
            assertEquals(0, pool.stats().ready());
            assertEquals(before, dsql.counts().open());
        }
    }

    @Test
    void failFastSaysWhy() {
        ForebayConfig.Builder eager = config().failFast(true).initialFillTimeout(Duration.ofSeconds(2));
        AwsCredentialsProvider stranger = () -> AwsBasicCredentials.create("AKIASTRANGER", "not-the-key");
        SQLException refused = assertThrows(
                SQLException.class,
                () -> AuroraDsql.builder(eager.build()).credentials(stranger).build());
        assertTrue(refused.getMessage().contains("access denied"), refused.getMessage());
        assertTrue(!refused.toString().contains("not-the-key")
                && !refused.toString().contains("X-Amz-Signature"));
    }
}
