// SPDX-License-Identifier: Apache-2.0
package dev.forebay;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import dev.forebay.testkit.Postgres;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.SQLTransientConnectionException;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The data source beneath a real HikariCP. */
class UnderAnotherPoolIT {

    private static ForebayDataSource reservoir(int target, int outer) throws SQLException {
        return ForebayDataSource.builder()
                .dataSource(Postgres.shared().dataSource())
                .config(ForebayConfig.builder()
                        .mode(ForebayConfig.Mode.RESERVOIR)
                        .targetReady(target)
                        .underAnotherPool(true)
                        .outerPoolSize(outer)
                        .build())
                .build();
    }

    @Test
    void hikariServesFromTheReservoirAndKeepsItsLevel() throws SQLException {
        try (ForebayDataSource reservoir = reservoir(4, 3);
                HikariDataSource hikari = hikari(reservoir, 3)) {
            List<Connection> held = new ArrayList<>();
            for (int i = 0; i < 3; i++) {
                held.add(hikari.getConnection());
            }
            for (Connection connection : held) {
                assertTrue(connection.isValid(5));
                connection.close();
            }
            assertTrue(reservoir.stats().leased() >= 3);
            assertTrue(reservoir.stats().open() <= 7);
        }
    }

    /** HikariCP tells its data source its own timeout; the brief wait is what makes it try again instead. */
    @Test
    void theWaitStaysBriefWhateverThePoolAboveSets() throws SQLException {
        try (ForebayDataSource reservoir = reservoir(1, 0)) {
            reservoir.setLoginTimeout(600);
            Connection only = reservoir.getConnection();
            SQLException error = assertThrows(SQLTransientConnectionException.class, reservoir::getConnection);
            assertTrue(error.getMessage().startsWith("no connection within 0.1 s"), error.getMessage());
            assertEquals("08001", error.getSQLState());
            only.close();
        }
    }

    @Test
    void closingClosesWhatIsIdleAlthoughOneIsBorrowed() throws SQLException {
        ForebayDataSource reservoir = reservoir(4, 0);
        Connection borrowed = reservoir.getConnection();
        reservoir.close();
        assertEquals(1, reservoir.stats().open());
        assertEquals(0, reservoir.stats().ready() + reservoir.stats().closing());
        borrowed.close();
    }

    private static HikariDataSource hikari(ForebayDataSource below, int size) {
        HikariConfig config = new HikariConfig();
        config.setDataSource(below);
        config.setMaximumPoolSize(size);
        return new HikariDataSource(config);
    }
}
