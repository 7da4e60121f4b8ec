// SPDX-License-Identifier: Apache-2.0
package dev.forebay.spring;

import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.transaction.ConfigurableTransactionManager;
import org.springframework.transaction.TransactionExecution;
import org.springframework.transaction.TransactionExecutionListener;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/**
 * The outcome of a thread's COMMITs while it is inside a method that may be retried. Used by that thread only.
 *
 * <p>An error that comes out of a transaction does not tell whether it was committed: an action after the commit may
 * have thrown it, or a COMMIT that was not answered. Only transactions without another one around them count; a
 * transaction of its own inside another ({@code REQUIRES_NEW}) is meant to stay whatever the other's outcome, and
 * reading does no harm.
 */
final class Commits {

    private static final Object KEY = Commits.class;

    private int done;
    private boolean isUnderWay;
    private @Nullable TransactionExecution outermost; // null between transactions

    private Commits() {}

    /** Begins to record the COMMITs of this thread. */
    static Commits begin() {
        Commits commits = new Commits();
        TransactionSynchronizationManager.bindResource(KEY, commits);
        return commits;
    }

    /** Returns those of this thread, null if it has not begun. */
    static @Nullable Commits current() {
        return (Commits) TransactionSynchronizationManager.getResource(KEY);
    }

    static void end() {
        TransactionSynchronizationManager.unbindResource(KEY);
    }

    /** Returns the number of transactions committed. */
    int done() {
        return done;
    }

    /** Forgets a COMMIT that failed, and a transaction whose end was not reported. */
    void beginAttempt() {
        isUnderWay = false;
        outermost = null;
    }

    /** Returns whether the last COMMIT was sent and did not succeed. */
    boolean hasFailed() {
        return isUnderWay;
    }

    /** Reports to {@link Commits} what happens to a transaction. Thread-safe. */
    static final class Listener implements TransactionExecutionListener {

        @Override
        public void afterBegin(TransactionExecution transaction, @Nullable Throwable failure) {
            Commits commits = current();
            if (commits != null && failure == null && commits.outermost == null) {
                commits.outermost = transaction;
            }
        }

        @Override
        public void beforeCommit(TransactionExecution transaction) {
            Commits commits = current();
            if (commits != null && commits.outermost == transaction && !transaction.isReadOnly()) {
                commits.isUnderWay = true;
            }
        }

        /** Also called when a savepoint is released, with another transaction than the one that began. */
        @Override
        public void afterCommit(TransactionExecution transaction, @Nullable Throwable failure) {
            Commits commits = current();
            if (commits != null && commits.outermost == transaction) {
                commits.outermost = null;
                if (failure == null && !transaction.isReadOnly()) {
                    commits.isUnderWay = false;
                    commits.done++;
                }
            }
        }

        @Override
        public void afterRollback(TransactionExecution transaction, @Nullable Throwable failure) {
            Commits commits = current();
            if (commits != null && commits.outermost == transaction) {
                commits.outermost = null;
            }
        }
    }

    /** Makes every transaction manager report. Thread-safe. */
    static final class Watch implements BeanPostProcessor {

        private final Listener listener = new Listener();

        @Override
        public Object postProcessAfterInitialization(Object bean, String beanName) {
            if (bean instanceof ConfigurableTransactionManager manager) {
                manager.addListener(listener);
            }
            return bean;
        }
    }
}
