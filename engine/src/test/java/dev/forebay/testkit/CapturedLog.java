// SPDX-License-Identifier: Apache-2.0
package dev.forebay.testkit;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import java.util.List;
import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.BeforeEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.slf4j.LoggerFactory;

/** What a class logs during a test, from INFO on unless told otherwise; the console does not hear of it. */
public final class CapturedLog implements BeforeEachCallback, AfterEachCallback {

    private final Logger logger;
    private final ListAppender<ILoggingEvent> appender = new ListAppender<>();

    public CapturedLog(Class<?> type) {
        this(type.getName());
    }

    /** For a class that cannot be seen from where the test stands. */
    public CapturedLog(String name) {
        this.logger = (Logger) LoggerFactory.getLogger(name);
    }

    @Override
    public void beforeEach(ExtensionContext context) {
        appender.start();
        logger.setLevel(Level.INFO);
        logger.setAdditive(false);
        logger.addAppender(appender);
    }

    @Override
    public void afterEach(ExtensionContext context) {
        logger.detachAppender(appender);
        logger.setLevel(null);
        logger.setAdditive(true);
        appender.list.clear();
    }

    public void level(Level level) {
        logger.setLevel(level);
    }

    public List<ILoggingEvent> events() {
        return List.copyOf(appender.list);
    }

    public List<String> messages() {
        return events().stream().map(ILoggingEvent::getFormattedMessage).toList();
    }

    /** Levels and messages since the last call. */
    public List<String> takeLines() {
        List<String> lines = events().stream()
                .map(event -> event.getLevel() + " " + event.getFormattedMessage())
                .toList();
        appender.list.clear();
        return lines;
    }
}
