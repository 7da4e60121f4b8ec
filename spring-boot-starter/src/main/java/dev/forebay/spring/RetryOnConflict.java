// SPDX-License-Identifier: Apache-2.0
package dev.forebay.spring;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Inherited;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Retries a method when the transaction that it makes has lost against another (SQLSTATE 40001, at a statement or at
 * COMMIT), around {@code @Transactional} on the same method.
 *
 * <pre>{@code
 * @RetryOnConflict
 * @Transactional
 * public void transfer(UUID from, UUID to, long amount) { ... }
 * }</pre>
 *
 * <p>Each attempt is a transaction of its own, so the method has no effects but those on the database; effects that
 * must happen once belong in an event listener or a synchronization after the commit. Nothing but a conflict is
 * retried, and nothing that may have been committed. Inside a transaction in progress it does nothing: a conflict has
 * ended that one, and its owner has to retry.
 *
 * <p>On a class it applies to every public method.
 */
@Target({ElementType.METHOD, ElementType.TYPE})
@Retention(RetentionPolicy.RUNTIME)
@Inherited
@Documented
public @interface RetryOnConflict {

    /** The name of the transaction in messages and metrics; without it, the class and the method. */
    String name() default "";

    /** The most retries; less than 0 for {@code dsql.retry.max-retries}. */
    int maxRetries() default -1;

    /** The most time for all attempts together, such as {@code 2s} or {@code ${orders.patience}}; empty for no limit. */
    String within() default "";

    /**
     * Whether to wait briefly between attempts, as {@link dev.forebay.tx.TxRetryPolicy#BRIEF} does, rather than as
     * {@code dsql.retry.*} says.
     */
    boolean brief() default false;

    /** Whether it may be applied twice, so that it is also retried when it is unknown whether it was committed. */
    boolean idempotent() default false;
}
