// SPDX-License-Identifier: Apache-2.0
package dev.forebay.spring;

import java.util.HashMap;
import java.util.Map;
import java.util.UUID;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.aop.AopAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.DataSourceTransactionManagerAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.JdbcTemplateAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.transaction.autoconfigure.TransactionAutoConfiguration;
import org.springframework.boot.transaction.autoconfigure.TransactionManagerCustomizationAutoConfiguration;
import org.springframework.core.env.StandardEnvironment;
import org.springframework.core.env.SystemEnvironmentPropertySource;

/** Applications for tests, with the starter and what Spring Boot has beside it. */
final class Starting {

    private Starting() {}

    /** One that has no settings and knows no variables of the environment. */
    static ApplicationContextRunner bare() {
        return withVariables(
                new ApplicationContextRunner()
                        .withConfiguration(AutoConfigurations.of(
                                ForebayDataSourceAutoConfiguration.class,
                                ForebayPoolAutoConfiguration.class,
                                ForebayRetryAutoConfiguration.class,
                                DataSourceAutoConfiguration.class,
                                DataSourceTransactionManagerAutoConfiguration.class,
                                JdbcTemplateAutoConfiguration.class,
                                TransactionAutoConfiguration.class,
                                TransactionManagerCustomizationAutoConfiguration.class,
                                AopAutoConfiguration.class)),
                Map.of());
    }

    /** One on a database in memory of its own, whose connections are opened when someone asks. */
    static ApplicationContextRunner onDemand() {
        return bare().withPropertyValues(
                        "spring.datasource.url=jdbc:h2:mem:" + UUID.randomUUID() + ";DB_CLOSE_DELAY=-1",
                        "forebay.mode=on-demand",
                        "forebay.max-open=5");
    }

    static ApplicationContextRunner withVariables(ApplicationContextRunner runner, Map<String, String> variables) {
        String name = StandardEnvironment.SYSTEM_ENVIRONMENT_PROPERTY_SOURCE_NAME;
        return runner.withInitializer(context -> context.getEnvironment()
                .getPropertySources()
                .replace(name, new SystemEnvironmentPropertySource(name, new HashMap<>(variables))));
    }

    /** The failure below what a context threw. */
    static StartFailure failure(Throwable thrown) {
        Throwable one = thrown;
        while (one != null && !(one instanceof StartFailure)) {
            one = one.getCause();
        }
        if (one == null) {
            throw new AssertionError("no readable failure", thrown);
        }
        return (StartFailure) one;
    }
}
