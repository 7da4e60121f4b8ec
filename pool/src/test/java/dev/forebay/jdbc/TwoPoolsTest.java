// SPDX-License-Identifier: Apache-2.0
package dev.forebay.jdbc;

import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.forebay.ForebayConfig;
import dev.forebay.ForebayDataSource;
import dev.forebay.time.SystemTime;
import dev.forebay.time.Time;
import java.sql.SQLException;
import java.sql.SQLTransientConnectionException;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Two pools of one process on one endpoint, with real threads. */
@Timeout(120)
class TwoPoolsTest {

    private static final int BURST = 20;

    private final FakeDatabase database = new FakeDatabase();
    private final Time time = SystemTime.shared();
    private final long began = time.nanos();

    private ForebayConfig.Builder config() {
        return ForebayConfig.builder()
                .mode(ForebayConfig.Mode.ON_DEMAND)
                .connectionTimeout(Duration.ofMillis(200))
                .connectionRateLimit(1)
                .connectionBurstLimit(BURST);
    }

    private ForebayDataSource pool(ForebayConfig.Builder config) throws SQLException {
        return ForebayDataSource.builder()
                .config(config.build())
                .dataSource(database)
                .build();
    }

    /** Borrows up to {@code most} connections and keeps them; how many there were. */
    private static int borrow(ForebayDataSource pool, int most) throws SQLException {
        for (int i = 0; i < most; i++) {
            try {
                pool.getConnection();
            } catch (SQLTransientConnectionException e) {
                return i;
            }
        }
        return most;
    }

    private void assertLimited(int opened) {
        assertTrue(opened <= limit(), () -> opened + " are more than " + limit());
    }

    /** The most that one limit has allowed until now. */
    private double limit() {
        return BURST + (time.nanos() - began) / 1e9;
    }

    @Test
    void theyOpenNoMoreTogetherThanOneMay() throws Exception {
        try (ForebayDataSource first = pool(config());
                ForebayDataSource second = pool(config())) {
            int opened = borrow(first, BURST) + borrow(second, BURST);
            assertTrue(opened >= BURST);
            assertLimited(opened);
        }
    }

    @Test
    void onePoolAfterAnotherHasNoSecondBurst() throws Exception {
        int opened = 0;
        for (int i = 0; i < 3; i++) {
            try (ForebayDataSource pool = pool(config())) {
                opened += borrow(pool, BURST);
            }
        }
        assertLimited(opened);
    }

    /** A machine that is busy may refuse one or the other: what is still missing is asked for again. */
    @Test
    void aPoolMayHaveALimitOfItsOwn() throws Exception {
        try (ForebayDataSource first = pool(config());
                ForebayDataSource second = pool(config().connectionRateShared(false))) {
            int ofFirst = 0;
            int ofSecond = 0;
            while (ofFirst + ofSecond < 2 * BURST) {
                ofFirst += borrow(first, BURST - ofFirst);
                ofSecond += borrow(second, BURST - ofSecond);
            }
            assertTrue(2 * BURST > limit(), () -> "one limit would have allowed " + limit());
        }
    }

    @Test
    void dataSourcesOfOneNamedEndpointShareItsLimit() throws Exception {
        ForebayDataSource.Builder first = ForebayDataSource.builder()
                .config(config().build())
                .dataSource(new FakeDatabase())
                .endpoint("Two-Pools:5432");
        ForebayDataSource.Builder second = ForebayDataSource.builder()
                .config(config().build())
                .dataSource(new FakeDatabase())
                .endpoint("two-pools:5432");
        try (ForebayDataSource one = first.build();
                ForebayDataSource two = second.build()) {
            assertLimited(borrow(one, BURST) + borrow(two, BURST));
        }
    }
}
