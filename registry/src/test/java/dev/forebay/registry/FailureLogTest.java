// SPDX-License-Identifier: Apache-2.0
package dev.forebay.registry;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import dev.forebay.testkit.SimServer.Behaviour;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

/** Finding C4: failed connects and changes of health leave a line each, and no flood. */
class FailureLogTest {

    private final World world = new World(1);
    private final Logger logger = (Logger) LoggerFactory.getLogger("dev.forebay.registry");
    private final ListAppender<ILoggingEvent> appender = new ListAppender<>();

    @BeforeEach
    void listen() {
        appender.start();
        logger.addAppender(appender);
    }

    @AfterEach
    void stopListening() {
        logger.detachAppender(appender);
    }

    private List<String> warnings() {
        return appender.list.stream()
                .filter(event -> event.getLevel() == Level.WARN)
                .map(ILoggingEvent::getFormattedMessage)
                .toList();
    }

    @Test
    void aFailedConnectLeavesALineWithItsCause() {
        World.Server server = world.server("s", 10);
        server.sim().behave(Behaviour.REFUSE);
        server.acquire("ann", Duration.ofMillis(100));
        world.advance(Duration.ofMillis(100));
        assertEquals(1, warnings().size(), warnings().toString());
        String line = warnings().get(0);
        assertTrue(line.contains("server s") && line.contains("ann") && line.contains("connection refused"), line);
    }

    @Test
    void manyFailedConnectsLeaveALineAMinute() {
        World.Server server = world.server("s", 100);
        server.sim().behave(Behaviour.REFUSE);
        for (int minute = 0; minute < 5; minute++) {
            for (int user = 0; user < 20; user++) {
                server.acquire("user" + user, Duration.ofMinutes(1));
            }
            world.advance(Duration.ofMinutes(1));
        }
        List<String> lines = warnings();
        assertTrue(lines.size() >= 2 && lines.size() <= 6, lines.toString());
        assertTrue(lines.get(1).contains("more"), lines.get(1));
    }

    @Test
    void aChangeOfHealthLeavesALine() {
        World.Server server = world.server("s", 10, "enable_health_check", "true", "failure_threshold", "1");
        server.sim().behave(Behaviour.REFUSE);
        world.advance(Duration.ofSeconds(31));
        assertTrue(
                warnings().stream().anyMatch(line -> line.contains("server s is unhealthy: connection refused")),
                warnings().toString());
        server.sim().behave(Behaviour.ACCEPT);
        world.advance(Duration.ofSeconds(62));
        assertTrue(
                warnings().stream().anyMatch(line -> line.contains("server s is healthy again")),
                warnings().toString());
    }

    /** Finding C8: a name with a newline forges a line. */
    @Test
    void aNameCannotForgeALine() {
        World.Server server = world.server("s", 10);
        server.sim().behave(Behaviour.REFUSE);
        server.acquire("eve\nWARN all is well", Duration.ofMillis(100));
        world.advance(Duration.ofMillis(100));
        assertFalse(warnings().isEmpty());
        warnings().forEach(line -> assertFalse(line.contains("\n"), line));
    }

    @Test
    void anOpenThatIsForgottenLeavesALine() {
        World.Server server = world.server("s", 10, "min_connections", "0", "connect_timeout", "1000");
        server.sim().next(Behaviour.HANG);
        server.acquire("ann", Duration.ofMillis(100));
        world.advance(Duration.ofSeconds(20));
        assertTrue(
                warnings()
                        .contains("server s: an open for ann hangs in the driver for 10 s and is no longer counted;"
                                + " give the driver a timeout"),
                warnings().toString());
    }
}
