// SPDX-License-Identifier: Apache-2.0
package dev.forebay.testkit;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.classic.spi.ThrowableProxy;
import ch.qos.logback.core.AppenderBase;
import dev.forebay.time.Actions;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.BeforeEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.slf4j.LoggerFactory;

/**
 * Fails a test in which a check failed inside a callback: {@link Actions} logs what callbacks throw and goes on, so
 * the check alone would not be noticed. An error whose message begins with {@link #EXPECTED} is let through.
 */
public final class NothingFailedUnseen implements BeforeEachCallback, AfterEachCallback {

    /** Begins the message of an error that a test throws to see what becomes of it. */
    public static final String EXPECTED = "thrown by a test";

    private static final Logger logger = (Logger) LoggerFactory.getLogger(Actions.class);
    private final Queue<AssertionError> failed = new ConcurrentLinkedQueue<>();

    private final AppenderBase<ILoggingEvent> appender = new AppenderBase<>() {
        @Override
        protected void append(ILoggingEvent event) {
            if (event.getThrowableProxy() instanceof ThrowableProxy proxy
                    && proxy.getThrowable() instanceof AssertionError error
                    && !String.valueOf(error.getMessage()).startsWith(EXPECTED)) {
                failed.add(error);
            }
        }
    };

    @Override
    public void beforeEach(ExtensionContext context) {
        appender.start();
        logger.addAppender(appender);
    }

    @Override
    public void afterEach(ExtensionContext context) {
        logger.detachAppender(appender);
        AssertionError first = failed.peek();
        failed.clear();
        if (first != null) {
            throw first;
        }
    }
}
