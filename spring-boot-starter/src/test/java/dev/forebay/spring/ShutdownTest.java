// SPDX-License-Identifier: Apache-2.0
package dev.forebay.spring;

import static org.assertj.core.api.Assertions.assertThat;

import dev.forebay.ForebayDataSource;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.DisposableBean;
import org.springframework.boot.web.server.context.WebServerApplicationContext;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.SmartLifecycle;

/** What becomes of connections when the application ends. */
class ShutdownTest {

    @Test
    void aConnectionUnderWayIsWaitedForAndThePoolIsClosedThen() {
        Later later = new Later();
        Starting.onDemand().withBean(Later.class, () -> later).run(started -> {
            ForebayDataSource dataSource = started.getBean(ForebayDataSource.class);
            Connection held = dataSource.getConnection();
            CompletableFuture<Void> closing = CompletableFuture.runAsync(close(started));
            assertThat(later.stopped.await(300, TimeUnit.MILLISECONDS))
                    .as("what stops later stops before the connection is back")
                    .isFalse();
            assertThat(held.isValid(1)).isTrue();
            held.close();
            closing.get(10, TimeUnit.SECONDS);
            assertThat(later.stopped.getCount()).isZero();
            assertThat(dataSource.isClosed()).isTrue();
        });
    }

    @Test
    void itIsNotWaitedForLongerThanAPhaseMayTake() {
        Starting.onDemand()
                .withPropertyValues("spring.lifecycle.timeout-per-shutdown-phase=400ms")
                .run(started -> {
                    ForebayDataSource dataSource = started.getBean(ForebayDataSource.class);
                    Connection held = dataSource.getConnection();
                    close(started).run();
                    assertThat(dataSource.isClosed()).isTrue();
                    assertThat(dataSource.stats().borrowed()).isEqualTo(1);
                    held.close();
                    assertThat(dataSource.stats().borrowed()).isZero();
                });
    }

    @Test
    void aBeanMayStillWriteWhileItIsDestroyed() {
        List<String> said = new ArrayList<>();
        Starting.onDemand()
                .withBean("last", Last.class, () -> new Last(said))
                .withInitializer(context -> context.addBeanFactoryPostProcessor(
                        factory -> factory.getBeanDefinition("last").setDependsOn("dataSource")))
                .run(started -> {
                    started.getBean(Last.class).dataSource = started.getBean(DataSource.class);
                    close(started).run();
                    assertThat(said).containsExactly("written");
                });
    }

    @Test
    void theWebServerHasEndedBefore() {
        assertThat(Drain.PHASE).isLessThan(WebServerApplicationContext.START_STOP_LIFECYCLE_PHASE);
    }

    @Test
    void aContextThatIsPausedGoesOnWithTheSamePool() {
        Starting.onDemand().run(started -> {
            ConfigurableApplicationContext context = started.getSourceApplicationContext();
            context.stop();
            context.start();
            try (Connection connection = started.getBean(DataSource.class).getConnection()) {
                assertThat(connection.isValid(1)).isTrue();
            }
        });
    }

    private static Runnable close(org.springframework.boot.test.context.assertj.AssertableApplicationContext started) {
        return started.getSourceApplicationContext()::close;
    }

    /** Stops after the pool has waited. */
    static final class Later implements SmartLifecycle {
        private final CountDownLatch stopped = new CountDownLatch(1);

        @Override
        public void start() {}

        @Override
        public void stop() {
            stopped.countDown();
        }

        @Override
        public boolean isRunning() {
            return stopped.getCount() > 0;
        }

        @Override
        public int getPhase() {
            return Integer.MIN_VALUE;
        }
    }

    static final class Last implements DisposableBean {
        private final List<String> said;
        private DataSource dataSource;

        Last(List<String> said) {
            this.said = said;
        }

        @Override
        public void destroy() throws SQLException {
            try (Connection connection = dataSource.getConnection()) {
                connection.createStatement().execute("CREATE TABLE last (id INT)");
                said.add("written");
            }
        }
    }
}
