// SPDX-License-Identifier: Apache-2.0
package dev.forebay.spring;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Inherited;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Runs a method again when the transaction that it makes has lost against another (SQLSTATE 40001, at a statement or at
 * COMMIT), around {@code @Transactional} on the same method.
 *
 * <pre>{@code
 * @RetryOnConflict
 * @Transactional
 * public void transfer(UUID from, UUID to, long amount) { ... }
 * }</pre>
 *
 * <p>Each attempt is a transaction of its own, so the method has no effects but those on the database; what must happen once
 * belongs into an event listener or a synchronization after the commit. Nothing but a conflict is tried again, and nothing
 * that may have been committed. Inside a transaction that is under way already it does nothing: a conflict has ended that one,
 * and whoever began it has to begin again.
 *
 * <p>On a class it is meant for every public method of it.
 */
@Target({ElementType.METHOD, ElementType.TYPE})
@Retention(RetentionPolicy.RUNTIME)
@Inherited
@Documented
public @interface RetryOnConflict {

    /** Names the transaction in messages and metrics; without it, the class and the method do. */
    String name() default "";

    /** How often it is tried again at most; less than 0 for what {@code dsql.retry.max-retries} says. */
    int maxRetries() default -1;

    /** How long all attempts may take together, such as {@code 2s} or {@code ${orders.patience}}; empty for as long as it takes. */
    String within() default "";

    /**
     * Whether to wait briefly between attempts, as {@link dev.forebay.tx.TxRetryPolicy#BRIEF} does, rather than as
     * {@code dsql.retry.*} says: for short transactions on Aurora DSQL.
     */
    boolean brief() default false;

    /** Whether it may be applied twice, so that it is also tried again when nobody knows whether it was committed. */
    boolean idempotent() default false;
}
