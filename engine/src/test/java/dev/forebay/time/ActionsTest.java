// SPDX-License-Identifier: Apache-2.0
package dev.forebay.time;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.AppenderBase;
import dev.forebay.testkit.CapturedLog;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.ReentrantLock;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.slf4j.LoggerFactory;

/** The one rule for what is decided under a lock and done outside of it. */
class ActionsTest {

    @RegisterExtension
    private final CapturedLog logged = new CapturedLog(Actions.class);

    private final ReentrantLock lock = new ReentrantLock();
    private final List<String> done = new ArrayList<>();

    private static Runnable throwing(Throwable thrown) {
        return () -> ActionsTest.<RuntimeException>sneak(thrown);
    }

    @SuppressWarnings("unchecked")
    private static <T extends Throwable> void sneak(Throwable thrown) throws T {
        throw (T) thrown;
    }

    @Test
    void everyActionRunsWhateverTheOthersThrow() {
        Actions.decide(lock, actions -> {
            actions.add(throwing(new AssertionError("thrown by a test")));
            actions.add(() -> done.add("after an Error"));
            actions.add(throwing(new java.io.IOException("thrown by a test, though nothing declares it")));
            actions.tell(throwing(new StackOverflowError()));
            actions.tell(() -> done.add("told"));
            actions.add(() -> done.add("after an exception"));
        });
        assertEquals(List.of("after an Error", "after an exception", "told"), done);
        assertEquals(3, logged.events().size());
    }

    @Test
    void deedsComeBeforeNews() {
        Actions.decide(lock, actions -> {
            actions.tell(() -> done.add("told"));
            actions.add(() -> done.add("done"));
        });
        assertEquals(List.of("done", "told"), done);
    }

    @Test
    void actionsRunAfterTheLockIsReleased() {
        Actions.decide(lock, actions -> actions.add(() -> assertFalse(lock.isHeldByCurrentThread())));
        assertEquals(List.of(), logged.messages());
    }

    @Test
    void aDecisionThatThrowsHasDoneWhatItDecidedBefore() {
        assertThrows(
                IllegalStateException.class,
                () -> Actions.decide(lock, actions -> {
                    actions.add(() -> done.add("done"));
                    throw new IllegalStateException("thrown by a test");
                }));
        assertEquals(List.of("done"), done);
        assertFalse(lock.isLocked());
    }

    @Test
    void aLogThatThrowsKeepsNothingFromBeingDone() {
        Logger logger = (Logger) LoggerFactory.getLogger(Actions.class);
        AppenderBase<ILoggingEvent> full = new AppenderBase<>() {
            @Override
            protected void append(ILoggingEvent event) {
                throw new OutOfMemoryError("thrown by a test");
            }
        };
        full.start();
        logger.addAppender(full);
        try {
            Actions.decide(lock, actions -> {
                actions.add(throwing(new IllegalStateException("thrown by a test")));
                actions.add(() -> done.add("done"));
            });
        } finally {
            logger.detachAppender(full);
        }
        assertEquals(List.of("done"), done);
    }
}
