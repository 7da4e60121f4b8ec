// SPDX-License-Identifier: Apache-2.0
package dev.forebay.time;

import com.google.errorprone.annotations.MustBeClosed;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.locks.Lock;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The work that follows from a decision: decided under a lock, done after the lock is released. Used by one thread.
 *
 * <h2>Two kinds</h2>
 *
 * Deeds change something: a waiter's turn, an answer, a connect, a close. News only reach listeners. Deeds come first,
 * so that a listener that is slow or hangs delays nothing that was decided.
 *
 * <h2>One rule</h2>
 *
 * Each action runs, whatever the others throw: an exception, an {@link Error}, or what the decision itself threw after
 * it had added some. What an action throws is logged, and goes no further; if logging throws as well, that is dropped.
 * For the state was changed under the lock already: an action that is not done is a borrower that waits for a turn that
 * has come, or a slot that is never given back.
 */
public final class Actions implements AutoCloseable {

    private static final Logger log = LoggerFactory.getLogger(Actions.class);

    private final List<Runnable> deeds = new ArrayList<>();
    private final List<Runnable> news = new ArrayList<>(0);

    /**
     * The actions of a decision that is about to be made. Taken outside of all locks, so that closing does them outside
     * too:
     *
     * <pre>{@code
     * try (Actions actions = new Actions()) {
     *     lock.lock();
     *     try {
     *         actions.add(decided());
     *     } finally {
     *         lock.unlock();
     *     }
     * }
     * }</pre>
     */
    @MustBeClosed
    public Actions() {}

    /** Runs the actions: deeds, then news. */
    @Override
    public void close() {
        runAll(deeds);
        runAll(news);
    }

    /** A decision made under a lock. */
    @FunctionalInterface
    public interface Decision {

        /** Changes the state and adds the consequences to {@code actions}. */
        void decide(long now, Actions actions);
    }

    /**
     * Decides under {@code lock}, releases it, and runs the actions. A caller with several locks decides here under the
     * outermost, and hands {@code actions} on: then they are done under none.
     */
    public static void decide(Lock lock, Consumer<Actions> decision) {
        try (Actions actions = new Actions()) {
            lock.lock();
            try {
                decision.accept(actions);
            } finally {
                lock.unlock();
            }
        }
    }

    /** Adds a deed. */
    public void add(Runnable deed) {
        deeds.add(deed);
    }

    /** Adds deeds. */
    public void addAll(Collection<? extends Runnable> more) {
        deeds.addAll(more);
    }

    /** Adds news for a listener. */
    public void tell(Runnable event) {
        news.add(event);
    }

    /** Runs {@code action} by the rule for actions: what it throws is logged and goes no further. */
    public static void run(Runnable action) {
        try {
            action.run();
        } catch (Throwable e) {
            threw(e);
        }
    }

    /** Runs each of {@code actions} by the rule for actions. */
    public static void runAll(Iterable<? extends Runnable> actions) {
        actions.forEach(Actions::run);
    }

    /** Calls {@code event} with each of {@code listeners} by the rule for actions. */
    public static <L> void tellEach(L[] listeners, Consumer<L> event) {
        for (L listener : listeners) {
            try {
                event.accept(listener);
            } catch (Throwable e) {
                threw(e);
            }
        }
    }

    /** Reports what an action threw, by the rule for actions: nothing comes of it, not even if the log throws. */
    public static void threw(Throwable thrown) {
        try {
            log.error("A listener, a connector or an admission threw; everything else goes on", thrown);
        } catch (Throwable ignored) { // there is nowhere left to report it
        }
    }
}
