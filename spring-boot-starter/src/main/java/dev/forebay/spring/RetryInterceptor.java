// SPDX-License-Identifier: Apache-2.0
package dev.forebay.spring;

import dev.forebay.engine.internal.GoDuration;
import dev.forebay.tx.ErrorMeaning;
import dev.forebay.tx.GivenUpException;
import dev.forebay.tx.OutcomeUnknownException;
import dev.forebay.tx.Transactions;
import dev.forebay.tx.TxRetryPolicy;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import org.aopalliance.intercept.MethodInterceptor;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.ProxyMethodInvocation;
import org.springframework.aop.support.AopUtils;
import org.springframework.core.annotation.AnnotatedElementUtils;
import org.springframework.dao.ConcurrencyFailureException;
import org.springframework.transaction.TransactionTimedOutException;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/**
 * Retries a method after a conflict, as {@link RetryOnConflict} says. Thread-safe.
 *
 * <p>The meaning of an error, the retries, the waits and the metrics are those of {@link Transactions#retry}. This adds
 * whether the transaction was committed before the error came, or was about to be.
 */
final class RetryInterceptor implements MethodInterceptor {

    private static final int LONGEST_NAME = 100;

    private final Supplier<Transactions> transactions;
    private final UnaryOperator<String> placeholders;
    private final Map<Key, Plan> plans = new ConcurrentHashMap<>();

    /** A method of a {@code target}, which may be behind a proxy of its own that has other interfaces. */
    private record Key(Method method, Class<?> target, Class<?> shell) {}

    private record Plan(String name, Transactions transactions) {}

    /**
     * @param transactions asked for when the first method is called, so that no advisor needs a data source
     * @param placeholders fills in what the text of an annotation leaves to the settings
     */
    RetryInterceptor(Supplier<Transactions> transactions, UnaryOperator<String> placeholders) {
        this.transactions = transactions;
        this.placeholders = placeholders;
    }

    @Override
    public @Nullable Object invoke(MethodInvocation invocation) throws Throwable {
        if (TransactionSynchronizationManager.isActualTransactionActive()) {
            return invocation.proceed();
        }
        Object target = invocation.getThis();
        Method method = invocation.getMethod();
        Key key = target == null
                ? new Key(method, method.getDeclaringClass(), method.getDeclaringClass())
                : new Key(method, AopUtils.getTargetClass(target), target.getClass());
        Plan plan = plans.computeIfAbsent(key, this::plan);
        Commits outer = Commits.current();
        Commits commits = outer != null ? outer : Commits.begin();
        try {
            return plan.transactions
                    .retry(plan.name, () -> attempt(plan.name, invocation, commits))
                    .orElse(null);
        } catch (Settled e) {
            throw e.error;
        } catch (GivenUpException e) {
            throw givenUp(e);
        } catch (OutcomeUnknownException e) {
            throw new UnknownOutcomeException(plan.name, e);
        } finally {
            if (outer == null) {
                Commits.end();
            }
        }
    }

    private static Optional<Object> attempt(String name, MethodInvocation invocation, Commits commits)
            throws Exception {
        int before = commits.done();
        commits.beginAttempt();
        try {
            return Optional.ofNullable(
                    ((ProxyMethodInvocation) invocation).invocableClone().proceed());
        } catch (Exception e) {
            if (commits.done() > before) {
                if (ErrorMeaning.of(e) == ErrorMeaning.CONFLICT) {
                    e.addSuppressed(new IllegalStateException(
                            "transaction " + name + " is not tried again, because it has been committed"));
                }
                throw new Settled(e);
            }
            if (commits.hasFailed() && isUnknown(e)) {
                throw new UnknownOutcomeException(name, e);
            }
            throw e;
        } catch (Error e) {
            throw e;
        } catch (Throwable e) {
            throw new IllegalStateException("a method threw what is neither an exception nor an error", e);
        }
    }

    /** Returns whether a COMMIT failed with an unknown outcome; a framework's error before the COMMIT has no SQLSTATE. */
    private static boolean isUnknown(Exception error) {
        return ErrorMeaning.ofCommit(error) == ErrorMeaning.OUTCOME_UNKNOWN
                && (!ErrorMeaning.stateOf(error).isEmpty() || ErrorMeaning.of(error) == ErrorMeaning.CONNECTION_LOST);
    }

    private static RuntimeException givenUp(GivenUpException error) {
        if (error.reason() == GivenUpException.Reason.DEADLINE) {
            TransactionTimedOutException timedOut =
                    new TransactionTimedOutException(String.valueOf(error.getMessage()));
            timedOut.initCause(error);
            return timedOut;
        }
        return new ConcurrencyFailureException(String.valueOf(error.getMessage()), error);
    }

    // ---- what the annotation says

    private Plan plan(Key key) {
        Method method = AopUtils.getMostSpecificMethod(key.method, key.target);
        RetryOnConflict said = annotation(method, key.target);
        if (said == null) { // a repository of Spring Data is said to be one thing by its interface, and is another
            said = annotation(AopUtils.getMostSpecificMethod(key.method, key.shell), key.shell);
        }
        if (said == null) {
            throw new IllegalStateException("bug: " + method + " is not to be tried again");
        }
        Transactions configured = transactions.get();
        if (said.brief() || said.maxRetries() >= 0) {
            TxRetryPolicy policy = said.brief() ? TxRetryPolicy.BRIEF : configured.policy();
            configured = configured.policy(said.maxRetries() < 0 ? policy : policy.withMaxRetries(said.maxRetries()));
        }
        String within = placeholders.apply(said.within());
        if (!within.isBlank()) {
            configured = configured.within(duration(within, method));
        }
        if (said.idempotent()) {
            configured = configured.idempotent();
        }
        return new Plan(said.name().isEmpty() ? nameOf(method, key) : said.name(), configured);
    }

    private static @Nullable RetryOnConflict annotation(Method method, Class<?> type) {
        RetryOnConflict said = AnnotatedElementUtils.findMergedAnnotation(method, RetryOnConflict.class);
        return said != null ? said : AnnotatedElementUtils.findMergedAnnotation(type, RetryOnConflict.class);
    }

    private static Duration duration(String text, Method method) {
        try {
            return GoDuration.parse(text.strip());
        } catch (IllegalArgumentException e) {
            throw new IllegalStateException(
                    "@RetryOnConflict(within = \"" + text + "\") on " + method + ": " + e.getMessage()
                            + "; valid is a duration such as 2s or 500ms",
                    e);
        }
    }

    private static String nameOf(Method method, Key key) {
        Class<?> known = Proxy.isProxyClass(key.shell) ? key.shell.getInterfaces()[0] : key.target;
        String name = known.getSimpleName() + "." + method.getName();
        return name.length() <= LONGEST_NAME ? name : name.substring(name.length() - LONGEST_NAME);
    }

    /** An error that is never retried, whatever it means. */
    private static final class Settled extends RuntimeException implements ErrorMeaning.Meant {

        private static final long serialVersionUID = 1;

        private final Exception error;

        Settled(Exception error) {
            super(error.getMessage(), error, false, false);
            this.error = error;
        }

        @Override
        public ErrorMeaning meaning() {
            return ErrorMeaning.OTHER;
        }
    }
}
