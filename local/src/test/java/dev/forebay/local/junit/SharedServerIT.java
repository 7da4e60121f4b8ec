// SPDX-License-Identifier: Apache-2.0
package dev.forebay.local.junit;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotSame;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.platform.engine.discovery.DiscoverySelectors.selectClass;

import dev.forebay.local.LocalDsql;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Stream;
import javax.sql.DataSource;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtensionConfigurationException;
import org.junit.platform.launcher.core.LauncherDiscoveryRequestBuilder;
import org.junit.platform.launcher.core.LauncherFactory;
import org.junit.platform.launcher.listeners.SummaryGeneratingListener;
import org.junit.platform.launcher.listeners.TestExecutionSummary;

/** Runs of more than one class, and of such as cannot work. */
@Timeout(180)
class SharedServerIT {

    private static final Map<Class<?>, LocalDsql> servers = new ConcurrentHashMap<>();

    @Test
    void classesWithTheSameNumbersShareAServerThatEndsWithTheRun() {
        TestExecutionSummary summary = run(One.class, Two.class, Scarce.class);
        assertEquals(List.of(), failures(summary));
        assertEquals(3, summary.getTestsSucceededCount());
        assertSame(servers.get(One.class), servers.get(Two.class));
        assertNotSame(servers.get(One.class), servers.get(Scarce.class));
        for (LocalDsql server : servers.values()) {
            assertThrows(SQLException.class, () -> server.behind().getConnection());
        }
    }

    @Test
    void numbersThatCannotBeMetAreNamed() {
        assertEquals(
                List.of("@WithLocalDsql of " + Unmeetable.class.getName()
                        + " cannot be met: a connect burst must lie between 1 and a million: 0"),
                failures(run(Unmeetable.class)));
    }

    @Test
    void aDataSourceForAllTestsIsRefusedWithTheReason() {
        List<String> failures = failures(run(TooEarly.class));
        assertEquals(1, failures.size());
        assertTrue(failures.get(0).contains("a DataSource belongs to one test"), failures.get(0));
    }

    @Test
    void aServerThatDoesNotStartIsAClearError() throws IOException {
        try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            ExtensionConfigurationException failure = assertThrows(
                    ExtensionConfigurationException.class,
                    () -> LocalDsqlExtension.start(LocalDsql.builder().port(taken.getLocalPort()), One.class));
            String message = failure.getMessage();
            assertTrue(message.startsWith("the local DSQL for " + One.class.getName() + " did not start: "), message);
            assertTrue(message.contains(Integer.toString(taken.getLocalPort())), message);
        }
    }

    private static TestExecutionSummary run(Class<?>... classes) {
        SummaryGeneratingListener listener = new SummaryGeneratingListener();
        LauncherFactory.create()
                .execute(
                        LauncherDiscoveryRequestBuilder.request()
                                .selectors(Stream.of(classes)
                                        .map(one -> selectClass(one))
                                        .toList())
                                .build(),
                        listener);
        return listener.getSummary();
    }

    private static List<String> failures(TestExecutionSummary summary) {
        return summary.getFailures().stream()
                .map(failure -> failure.getException().getMessage())
                .toList();
    }

    @WithLocalDsql
    static class One {
        @Test
        void connects(DataSource dataSource, LocalDsql server) throws SQLException {
            dataSource.getConnection().close();
            servers.put(One.class, server);
        }
    }

    @WithLocalDsql
    static class Two {
        @Test
        void connects(DataSource dataSource, LocalDsql server) throws SQLException {
            dataSource.getConnection().close();
            servers.put(Two.class, server);
        }
    }

    @WithLocalDsql(rate = 0.001, burst = 1)
    static class Scarce {
        @Test
        void hasOneConnection(DataSource dataSource, LocalDsql server) throws SQLException {
            try (Connection first = dataSource.getConnection()) {
                assertTrue(first.isValid(10));
            }
            SQLException refused = assertThrows(SQLException.class, dataSource::getConnection);
            assertEquals("53400", refused.getSQLState());
            servers.put(Scarce.class, server);
        }
    }

    @WithLocalDsql(burst = 0)
    static class Unmeetable {
        @Test
        void isNotRun() {}
    }

    @WithLocalDsql
    static class TooEarly {
        @BeforeAll
        static void takes(DataSource dataSource) {}

        @Test
        void isNotRun() {}
    }
}
