// SPDX-License-Identifier: Apache-2.0
package dev.forebay.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import dev.forebay.ForebayConfig;
import dev.forebay.ForebayDataSource;
import dev.forebay.tx.GivenUpException;
import dev.forebay.tx.Transactions;
import dev.forebay.tx.TxListener;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.function.Consumer;
import javax.sql.DataSource;
import org.aopalliance.intercept.MethodInterceptor;
import org.h2.jdbcx.JdbcDataSource;
import org.junit.jupiter.api.Test;
import org.springframework.aop.framework.ProxyFactory;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.Ordered;
import org.springframework.dao.ConcurrencyFailureException;
import org.springframework.dao.DataAccessException;
import org.springframework.dao.DataIntegrityViolationException;
import org.springframework.jdbc.UncategorizedSQLException;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.transaction.TransactionTimedOutException;
import org.springframework.transaction.annotation.EnableTransactionManagement;
import org.springframework.transaction.annotation.Propagation;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/** What a method is tried again for, and what it is not, with Spring's own transactions on a real database. */
class RetryOnConflictTest {

    @Test
    void aConflictAtAStatementIsTriedAgainInANewTransaction() {
        run(bank -> {
            bank.trouble.statements.add(conflict());
            bank.trouble.statements.add(conflict());
            bank.service.add(5);
            assertThat(bank.balance()).isEqualTo(5);
            assertThat(bank.service.attempts()).containsExactly("in transaction", "in transaction", "in transaction");
            assertThat(bank.heard.retries).isEqualTo(2);
            assertThat(bank.heard.names).containsExactly("Service.add");
        });
    }

    @Test
    void aConflictAtCommitIsTriedAgain() {
        run(bank -> {
            bank.trouble.commits.add(Optional.of(conflict()));
            bank.service.add(5);
            assertThat(bank.balance()).isEqualTo(5);
            assertThat(bank.service.attempts()).hasSize(2);
        });
    }

    @Test
    void theAnnotationOfAClassIsMeantForItsMethods() {
        run(bank -> {
            bank.trouble.commits.add(Optional.of(conflict()));
            bank.classLevel.add(5);
            assertThat(bank.balance()).isEqualTo(5);
            assertThat(bank.heard.names).containsExactly("the class");
        });
    }

    @Test
    void insideATransactionItIsTheOutermostThatIsTriedAgain() {
        run(bank -> {
            bank.trouble.statements.add(conflict());
            bank.service.addTwice(5);
            assertThat(bank.balance()).isEqualTo(10);
            assertThat(bank.heard.names).containsExactly("Service.addTwice");
            assertThat(bank.service.attempts()).hasSize(3);
        });
    }

    @Test
    void insideATransactionThatNobodyRetriesTheConflictIsThrown() {
        run(bank -> {
            bank.trouble.statements.add(conflict());
            assertThatThrownBy(() -> bank.outer.plain(5)).isInstanceOf(ConcurrencyFailureException.class);
            assertThat(bank.balance()).isZero();
            assertThat(bank.service.attempts()).hasSize(1);
        });
    }

    @Test
    void itIsGivenUpAfterAsManyRetriesAsAreAllowed() {
        run(bank -> {
            for (int i = 0; i < 10; i++) {
                bank.trouble.commits.add(Optional.of(conflict()));
            }
            assertThatThrownBy(() -> bank.service.addTriedTwice(5))
                    .isInstanceOf(ConcurrencyFailureException.class)
                    .hasCauseInstanceOf(GivenUpException.class)
                    .hasMessageContaining("3 attempts");
            assertThat(bank.service.attempts()).hasSize(3);
        });
    }

    @Test
    void itIsGivenUpWhenItsTimeIsOver() {
        run(bank -> {
            for (int i = 0; i < 10; i++) {
                bank.trouble.commits.add(Optional.of(conflict()));
            }
            assertThatThrownBy(() -> bank.service.addBriefly(5))
                    .isInstanceOf(TransactionTimedOutException.class)
                    .hasCauseInstanceOf(GivenUpException.class);
        });
    }

    @Test
    void whatTheDatabaseDoesNotSupportFailsAtOnce() {
        run(bank -> {
            bank.trouble.statements.add(new SQLException("unsupported", "0A000"));
            assertThatThrownBy(() -> bank.service.add(5)).hasRootCauseMessage("unsupported");
            assertThat(bank.service.attempts()).hasSize(1);
        });
    }

    @Test
    void anErrorOfTheApplicationIsThrownAsItIs() {
        run(bank -> {
            IllegalStateException error = new IllegalStateException("no");
            assertThat(catchThrowable(() -> bank.service.fail(error))).isSameAs(error);
            assertThat(bank.service.attempts()).hasSize(1);
        });
    }

    @Test
    void aRefusalAtCommitIsThrownAsItIs() {
        run(bank -> {
            bank.trouble.commits.add(Optional.of(new SQLException("duplicate", "23505")));
            assertThatThrownBy(() -> bank.service.add(5)).isInstanceOf(DataIntegrityViolationException.class);
            assertThat(bank.service.attempts()).hasSize(1);
        });
    }

    @Test
    void anUnknownOutcomeIsToldAndNotTriedAgain() {
        for (String state : List.of("08006", "XX000")) {
            run(bank -> {
                bank.trouble.commits.add(Optional.of(new SQLException("no answer", state)));
                assertThatThrownBy(() -> bank.service.add(5)).isInstanceOf(UnknownOutcomeException.class);
                assertThat(bank.service.attempts()).hasSize(1);
            });
        }
    }

    @Test
    void anUnknownOutcomeIsTriedAgainIfThatDoesNoHarm() {
        run(bank -> {
            bank.trouble.commits.add(Optional.of(new SQLException("no answer", "XX000")));
            bank.service.set(5);
            assertThat(bank.balance()).isEqualTo(5);
            assertThat(bank.service.attempts()).hasSize(2);
        });
    }

    @Test
    void aConflictAfterTheCommitIsNotTriedAgain() {
        run(bank -> {
            Throwable thrown = catchThrowable(() -> bank.service.addAndThen(5, () -> {
                throw new IllegalStateException("after", conflict());
            }));
            assertThat(thrown).hasMessage("after");
            assertThat(thrown.getSuppressed()[0]).hasMessageContaining("has been committed");
            assertThat(bank.balance()).isEqualTo(5);
            assertThat(bank.service.attempts()).hasSize(1);
        });
    }

    @Test
    void theSecondTransactionOfAMethodIsNotReasonToRepeatTheFirst() {
        run(bank -> {
            bank.trouble.commits.add(Optional.empty());
            bank.trouble.commits.add(Optional.of(conflict()));
            assertThatThrownBy(() -> bank.outer.two(5)).isInstanceOf(ConcurrencyFailureException.class);
            assertThat(bank.balance()).isEqualTo(5);
        });
    }

    @Test
    void aTransactionOfItsOwnInsideDoesNotKeepTheOuterFromBeingTriedAgain() {
        run(bank -> {
            bank.trouble.commits.add(Optional.empty());
            bank.trouble.commits.add(Optional.of(conflict()));
            bank.service.addWithNote(5);
            assertThat(bank.balance()).isEqualTo(7);
        });
    }

    @Test
    void aSavepointThatIsReleasedIsNoCommit() {
        run(bank -> {
            bank.trouble.commits.add(Optional.of(conflict()));
            bank.service.addWithSavepoint(5);
            assertThat(bank.balance()).isEqualTo(6);
        });
    }

    @Test
    void aCommitBelowAMethodThatTakesPartInATransactionIfThereIsOneIsNotRepeated() {
        run(bank -> {
            bank.trouble.commits.add(Optional.empty());
            bank.trouble.commits.add(Optional.of(conflict()));
            assertThatThrownBy(() -> bank.outer.twoIfAny(5)).isInstanceOf(ConcurrencyFailureException.class);
            assertThat(bank.balance()).isEqualTo(5);
        });
    }

    @Test
    void theAnnotationOfAnInterfaceWhoseBeanIsAProxyCountsAsWell() {
        application().withUserConfiguration(Repositories.class).run(context -> {
            Bank bank = new Bank(context::getBean);
            bank.trouble.statements.add(conflict());
            context.getBean(Accounts.class).add(5);
            bank.trouble.statements.add(conflict());
            context.getBean(Savings.class).add(2);
            assertThat(bank.balance()).isEqualTo(7);
            assertThat(bank.heard.names).containsExactly("Accounts.add", "Savings.add");
        });
    }

    @Test
    void nothingIsLeftOnTheThread() {
        run(bank -> {
            bank.trouble.commits.add(Optional.of(conflict()));
            bank.service.add(5);
            assertThat(Commits.current()).isNull();
        });
    }

    @Test
    void theTransactionsOfThePoolAreABean() {
        application().run(context -> {
            context.getBean(Transactions.class).run("bean", c -> {
                try (var statement = c.createStatement()) {
                    statement.execute("UPDATE account SET balance = balance + 3");
                }
            });
            assertThat(new Bank(context::getBean).balance()).isEqualTo(3);
        });
    }

    @Test
    void anOrderThatPutsTheRetryInsideTheTransactionIsRefused() {
        application().withUserConfiguration(OutsideIn.class).run(context -> {
            assertThat(context).hasFailed();
            assertThat(Starting.failure(context.getStartupFailure()).description())
                    .contains("@Transactional", "inside");
        });
    }

    // ---- a bank

    private static void run(Consumer<Bank> test) {
        application().run(context -> test.accept(new Bank(context::getBean)));
    }

    private static ApplicationContextRunner application() {
        return Starting.onDemand()
                .withUserConfiguration(Application.class)
                .withPropertyValues("dsql.retry.base-delay=1ms", "orders.patience=50ms");
    }

    private static SQLException conflict() {
        return new SQLException("change conflicts with another transaction (OC000)", "40001");
    }

    private interface Beans {
        <T> T get(Class<T> type);
    }

    private static final class Bank {
        final Trouble trouble;
        final Service service;
        final ClassLevel classLevel;
        final Outer outer;
        final Heard heard;
        private final JdbcTemplate jdbc;

        Bank(Beans beans) {
            this.trouble = beans.get(Trouble.class);
            this.service = beans.get(Service.class);
            this.classLevel = beans.get(ClassLevel.class);
            this.outer = beans.get(Outer.class);
            this.heard = beans.get(Heard.class);
            this.jdbc = beans.get(JdbcTemplate.class);
        }

        int balance() {
            return jdbc.queryForObject("SELECT balance FROM account", Integer.class);
        }
    }

    /** What goes wrong next. */
    static class Trouble {
        final Deque<SQLException> statements = new ArrayDeque<>();
        final Deque<Optional<SQLException>> commits = new ArrayDeque<>();

        /** A data source whose COMMIT fails on demand, after a rollback. */
        DataSource around(DataSource real) {
            return proxy(
                    DataSource.class,
                    real,
                    (name, result) -> name.equals("getConnection")
                            ? proxy(Connection.class, (Connection) result, (method, value) -> value)
                            : result);
        }

        private interface Then {
            Object result(String method, Object value);
        }

        private <T> T proxy(Class<T> type, T real, Then then) {
            return type.cast(Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] {type}, (p, method, args) -> {
                if (method.getName().equals("commit") && !commits.isEmpty()) {
                    Optional<SQLException> next = commits.remove();
                    if (next.isPresent()) {
                        ((Connection) real).rollback();
                        throw next.get();
                    }
                }
                try {
                    return then.result(method.getName(), method.invoke(real, args));
                } catch (InvocationTargetException e) {
                    throw e.getCause();
                }
            }));
        }
    }

    static class Heard implements TxListener {
        final List<String> names = new ArrayList<>();
        int retries;

        @Override
        public void began(String operation) {
            names.add(operation);
        }

        @Override
        public void retrying(String operation, String sqlState, int attempt, long delayNanos) {
            retries++;
        }
    }

    static class Service {
        private final List<String> attempts = new ArrayList<>();
        private final JdbcTemplate jdbc;
        private final Trouble trouble;
        private final Notes notes;

        Service(JdbcTemplate jdbc, Trouble trouble, Notes notes) {
            this.jdbc = jdbc;
            this.trouble = trouble;
            this.notes = notes;
        }

        public List<String> attempts() {
            return attempts;
        }

        @RetryOnConflict
        @Transactional
        public void add(int amount) {
            attempts.add(TransactionSynchronizationManager.isActualTransactionActive() ? "in transaction" : "in none");
            jdbc.update("UPDATE account SET balance = balance + ?", amount);
            SQLException next = trouble.statements.poll();
            if (next != null) {
                DataAccessException known = jdbc.getExceptionTranslator().translate("add", null, next);
                throw known != null ? known : new UncategorizedSQLException("add", null, next);
            }
        }

        @RetryOnConflict
        @Transactional
        public void addTwice(int amount) {
            add(amount);
            add(amount);
        }

        @RetryOnConflict(maxRetries = 2, brief = true)
        @Transactional
        public void addTriedTwice(int amount) {
            add(amount);
        }

        @RetryOnConflict(within = "${orders.patience}", maxRetries = 100)
        @Transactional
        public void addBriefly(int amount) {
            add(amount);
        }

        @RetryOnConflict(idempotent = true)
        @Transactional
        public void set(int amount) {
            attempts.add("set");
            jdbc.update("UPDATE account SET balance = ?", amount);
        }

        @RetryOnConflict
        @Transactional
        public void fail(RuntimeException error) {
            attempts.add("fail");
            throw error;
        }

        @RetryOnConflict
        @Transactional
        public void addAndThen(int amount, Runnable action) {
            add(amount);
            TransactionSynchronizationManager.registerSynchronization(new TransactionSynchronization() {
                @Override
                public void afterCommit() {
                    action.run();
                }
            });
        }

        @RetryOnConflict
        @Transactional
        public void addWithSavepoint(int amount) {
            notes.noteAtSavepoint();
            jdbc.update("UPDATE account SET balance = balance + ?", amount);
        }

        @RetryOnConflict
        @Transactional
        public void addWithNote(int amount) {
            notes.note();
            jdbc.update("UPDATE account SET balance = balance + ?", amount);
        }
    }

    interface Repository {
        void add(int amount);
    }

    @RetryOnConflict
    interface Accounts extends Repository {}

    interface Savings extends Repository {
        @Override
        @RetryOnConflict
        void add(int amount);
    }

    /** Proxies as Spring Data makes them: the target knows nothing of the application's interface. */
    @Configuration(proxyBeanMethods = false)
    static class Repositories {

        @Bean
        Accounts accounts(JdbcTemplate jdbc, Trouble trouble) {
            return repository(Accounts.class, jdbc, trouble);
        }

        @Bean
        Savings savings(JdbcTemplate jdbc, Trouble trouble) {
            return repository(Savings.class, jdbc, trouble);
        }

        private static <T> T repository(Class<T> type, JdbcTemplate jdbc, Trouble trouble) {
            ProxyFactory proxies = new ProxyFactory();
            proxies.setTarget(new GenericRepository(jdbc, trouble));
            proxies.setInterfaces(type);
            proxies.addAdvice((MethodInterceptor) call -> {
                ((GenericRepository) call.getThis()).add((Integer) call.getArguments()[0]);
                return null;
            });
            return type.cast(proxies.getProxy());
        }
    }

    private record GenericRepository(JdbcTemplate jdbc, Trouble trouble) implements Repository {
        @Override
        public void add(int amount) {
            SQLException next = trouble.statements.poll();
            if (next != null) {
                throw new UncategorizedSQLException("add", null, next);
            }
            jdbc.update("UPDATE account SET balance = balance + ?", amount);
        }
    }

    /** Counts in a transaction of its own. */
    static class Notes {
        private final JdbcTemplate jdbc;

        Notes(JdbcTemplate jdbc) {
            this.jdbc = jdbc;
        }

        @Transactional(propagation = Propagation.REQUIRES_NEW)
        public void note() {
            jdbc.update("UPDATE account SET balance = balance + 1");
        }

        @Transactional(propagation = Propagation.NESTED)
        public void noteAtSavepoint() {
            jdbc.update("UPDATE account SET balance = balance + 1");
        }
    }

    @RetryOnConflict(name = "the class")
    static class ClassLevel {
        private final JdbcTemplate jdbc;

        ClassLevel(JdbcTemplate jdbc) {
            this.jdbc = jdbc;
        }

        @Transactional
        public void add(int amount) {
            jdbc.update("UPDATE account SET balance = balance + ?", amount);
        }
    }

    static class Outer {
        private final Service service;
        private final Notes notes;

        Outer(Service service, Notes notes) {
            this.service = service;
            this.notes = notes;
        }

        @Transactional
        public void plain(int amount) {
            service.add(amount);
        }

        @RetryOnConflict
        @Transactional(propagation = Propagation.SUPPORTS)
        public void twoIfAny(int amount) {
            service.add(amount);
            notes.note();
        }

        @RetryOnConflict
        public void two(int amount) {
            service.add(amount);
            notes.note();
        }
    }

    @Configuration(proxyBeanMethods = false)
    @EnableTransactionManagement(order = Ordered.HIGHEST_PRECEDENCE)
    static class OutsideIn {}

    @Configuration(proxyBeanMethods = false)
    static class Application {

        @Bean
        Trouble trouble() {
            return new Trouble();
        }

        @Bean
        Heard heard() {
            return new Heard();
        }

        @Bean(destroyMethod = "close")
        ForebayDataSource dataSource(Trouble trouble, Heard heard) throws SQLException {
            JdbcDataSource real = new JdbcDataSource();
            real.setURL("jdbc:h2:mem:" + UUID.randomUUID() + ";DB_CLOSE_DELAY=-1");
            try (Connection c = real.getConnection()) {
                c.createStatement().execute("CREATE TABLE account (balance INT); INSERT INTO account VALUES (0)");
            }
            return ForebayDataSource.builder()
                    .config(ForebayConfig.builder()
                            .mode(ForebayConfig.Mode.ON_DEMAND)
                            .retryBaseDelay(Duration.ofMillis(1))
                            .build())
                    .dataSource(trouble.around(real))
                    .txListener(heard)
                    .build();
        }

        @Bean
        Service service(JdbcTemplate jdbc, Trouble trouble, Notes notes) {
            return new Service(jdbc, trouble, notes);
        }

        @Bean
        ClassLevel classLevel(JdbcTemplate jdbc) {
            return new ClassLevel(jdbc);
        }

        @Bean
        Outer outer(Service service, Notes notes) {
            return new Outer(service, notes);
        }

        @Bean
        Notes notes(JdbcTemplate jdbc) {
            return new Notes(jdbc);
        }
    }
}
