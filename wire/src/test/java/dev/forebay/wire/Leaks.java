// SPDX-License-Identifier: Apache-2.0
package dev.forebay.wire;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import io.netty.buffer.ByteBufAllocator;
import io.netty.util.ResourceLeakDetector;
import java.util.List;
import org.slf4j.LoggerFactory;

/** Watches every buffer of Netty's, and reports those that were dropped unreleased, and the bugs that were logged. */
public final class Leaks implements AutoCloseable {

    private static final int ROUNDS = 5;

    private final ResourceLeakDetector.Level before = ResourceLeakDetector.getLevel();
    private final Logger logger = (Logger) LoggerFactory.getLogger(ResourceLeakDetector.class);
    private final ListAppender<ILoggingEvent> reports = new ListAppender<>();

    private final Logger ours = (Logger) LoggerFactory.getLogger("dev.forebay");
    private final ListAppender<ILoggingEvent> events = new ListAppender<>();

    public Leaks() {
        events.start();
        ours.addAppender(events);
        ResourceLeakDetector.setLevel(ResourceLeakDetector.Level.PARANOID);
        reports.start();
        logger.addAppender(reports);
    }

    /** The leaks since the beginning; a report comes when a buffer is allocated after a collection. */
    public List<String> found() {
        for (int round = 0; round < ROUNDS; round++) {
            System.gc();
            System.runFinalization();
            ByteBufAllocator.DEFAULT.directBuffer(1).release();
            ByteBufAllocator.DEFAULT.heapBuffer(1).release();
        }
        return List.copyOf(reports.list).stream()
                .map(ILoggingEvent::getFormattedMessage)
                .toList();
    }

    /** The bugs that our own code has logged. */
    public List<String> bugs() {
        return List.copyOf(events.list).stream()
                .filter(event -> event.getLevel().isGreaterOrEqual(Level.ERROR))
                .map(event -> event.getFormattedMessage() + ": "
                        + (event.getThrowableProxy() == null
                                ? ""
                                : event.getThrowableProxy().getMessage()))
                .toList();
    }

    @Override
    public void close() {
        ours.detachAppender(events);
        logger.detachAppender(reports);
        ResourceLeakDetector.setLevel(before);
    }
}
