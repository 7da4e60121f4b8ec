// SPDX-License-Identifier: Apache-2.0
package dev.forebay.spring;

import dev.forebay.tx.Transactions;
import org.springframework.aop.Pointcut;
import org.springframework.aop.support.ComposablePointcut;
import org.springframework.aop.support.DefaultPointcutAdvisor;
import org.springframework.aop.support.annotation.AnnotationMatchingPointcut;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Role;
import org.springframework.core.Ordered;
import org.springframework.core.env.Environment;
import org.springframework.transaction.interceptor.BeanFactoryTransactionAttributeSourceAdvisor;

/** Puts {@link RetryOnConflict} around transactions. */
@AutoConfiguration(after = ForebayPoolAutoConfiguration.class)
@ConditionalOnBean(Transactions.class)
public class ForebayRetryAutoConfiguration {

    /** Ahead of {@code @Transactional}, which is last unless told otherwise, and so outside of it. */
    static final int ORDER = Ordered.LOWEST_PRECEDENCE - 1000;

    @Bean
    @Role(BeanDefinition.ROLE_INFRASTRUCTURE)
    static Commits.Watch forebayCommitWatch() {
        return new Commits.Watch();
    }

    @Bean
    @Role(BeanDefinition.ROLE_INFRASTRUCTURE)
    static DefaultPointcutAdvisor forebayRetryAdvisor(
            ObjectProvider<Transactions> transactions, Environment environment) {
        DefaultPointcutAdvisor advisor = new DefaultPointcutAdvisor(
                new ComposablePointcut(new AnnotationMatchingPointcut(RetryOnConflict.class, true))
                        .union((Pointcut) new AnnotationMatchingPointcut(null, RetryOnConflict.class, true)),
                new RetryInterceptor(transactions::getObject, environment::resolveRequiredPlaceholders));
        advisor.setOrder(ORDER);
        return advisor;
    }

    @Bean
    static SmartInitializingSingleton forebayRetryOrder(
            ObjectProvider<BeanFactoryTransactionAttributeSourceAdvisor> transactional) {
        return () -> transactional.stream().forEach(ForebayRetryAutoConfiguration::requireOutside);
    }

    /** Refuses a retry inside the transaction, which would run in one that has ended. */
    private static void requireOutside(BeanFactoryTransactionAttributeSourceAdvisor transactional) {
        if (transactional.getOrder() <= ORDER) {
            throw new StartFailure(
                    "@Transactional has the order " + transactional.getOrder() + ", so that @RetryOnConflict (order "
                            + ORDER + ") would be inside of it and could not begin a transaction again.",
                    "Give @EnableTransactionManagement an order above " + ORDER + ", or none.",
                    null);
        }
    }
}
