// SPDX-License-Identifier: Apache-2.0
package dev.forebay.console.web;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.forebay.registry.DatabaseType;
import dev.forebay.registry.RegistryException;
import dev.forebay.registry.Secret;
import dev.forebay.registry.ServerDefinition;
import dev.forebay.registry.UserMapping;
import dev.forebay.registry.jdbc.JdbcRegistry;
import java.net.UnknownHostException;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Finding F12: what the page tells about servers that are not well. */
@Timeout(60)
class RegistrySourceTest {

    private static final Duration SHORT = Duration.ofMillis(200);

    private final Happenings happenings = new Happenings(() -> Instant.EPOCH);
    private final RegistrySource.Hearing hearing = new RegistrySource.Hearing(happenings);
    private SQLException said = new SQLException("no driver in this test", "08001");
    private JdbcRegistry registry;
    private RegistrySource source;

    @BeforeEach
    void open() throws Exception {
        registry = JdbcRegistry.builder()
                .drivers(type -> {
                    throw said;
                })
                .listener(hearing)
                .build();
        source = new RegistrySource(registry, hearing, sql -> {});
        for (String name : List.of("a", "b")) {
            registry.register(ServerDefinition.builder(name, DatabaseType.POSTGRESQL)
                    .option("host", "h")
                    .option("dbname", "d")
                    .option("max_connections", "5")
                    .option("enable_health_check", "false")
                    .build());
        }
    }

    @AfterEach
    void close() {
        registry.close();
    }

    private void map() throws RegistryException {
        registry.map("a", UserMapping.ofPublic("app", Secret.of("secret")));
    }

    /** The detail of the event, which may come a moment after the refusal. */
    private String happened(Event event) {
        for (int i = 0; i < 10_000; i++) {
            for (Happenings.Happening one : happenings.newest()) {
                if (one.event() == event) {
                    return one.detail();
                }
            }
            LockSupport.parkNanos(1_000_000);
        }
        return "nothing, but " + happenings.newest();
    }

    @Test
    void aServerOfWhichNothingWasHeardIsUnknown() {
        assertEquals("unknown", source.servers().get(0).health());
        assertEquals(List.of("a is unknown", "b is unknown"), source.troubles());
    }

    @Test
    void theSickComeFirstAndSayWhy() throws Exception {
        registry.markUnhealthy("b", "maintenance");
        assertEquals(List.of("b is unhealthy: maintenance", "a is unknown"), source.troubles());
    }

    @Test
    void aConnectThatFailsSaysItsCause() throws Exception {
        map();
        said = new SQLException("The connection attempt failed.", "08001", new UnknownHostException("nowhere"));
        assertThrows(SQLException.class, () -> registry.acquire("a", "ann", SHORT));
        assertEquals("connection failed (RD001), for ann: unknown host: nowhere", happened(Event.OPEN_FAILED));
    }

    @Test
    void whatWillNotGetBetterIsNotSaidToBeTriedAgain() throws Exception {
        map();
        said = new SQLException("password authentication failed", "28P01");
        assertThrows(SQLException.class, () -> registry.acquire("a", "ann", SHORT));
        assertEquals("auth failed (RD002), for ann: password authentication failed", happened(Event.OPEN_DENIED));
    }

    @Test
    void aUserWithoutAMappingIsToldToBeMapped() {
        assertThrows(SQLException.class, () -> registry.acquire("a", "ann", SHORT));
        assertEquals("user mapping missing (RD031), for ann", happened(Event.NOT_MAPPED));
    }

    @Test
    void aServerIsDrawnOfWhatItsUsersMayHave() {
        assertEquals(5, source.pools().get(0).most());
    }
}
