// SPDX-License-Identifier: Apache-2.0
package dev.forebay.dsql;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import dev.forebay.ForebayConfig;
import dev.forebay.ForebayDataSource;
import dev.forebay.tx.Transactions;
import java.sql.SQLException;
import java.time.Duration;
import java.util.UUID;
import javax.sql.DataSource;
import org.flywaydb.core.Flyway;
import org.jooq.DSLContext;
import org.jooq.Field;
import org.jooq.Record;
import org.jooq.SQLDialect;
import org.jooq.Table;
import org.jooq.conf.Settings;
import org.jooq.impl.DSL;
import org.jooq.impl.SQLDataType;

/** The code of docs/recipes.md, as it stands there. */
final class Recipes {

    // What jOOQ would generate.
    private static final Table<Record> ACCOUNTS = DSL.table(DSL.name("accounts"));
    private static final Field<UUID> ID = DSL.field(DSL.name("id"), SQLDataType.UUID);
    private static final Field<Long> BALANCE = DSL.field(DSL.name("balance"), SQLDataType.BIGINT);

    private Recipes() {}

    // spotless:off
    static ForebayDataSource reservoir(ForebayConfig environment, AuroraDsqlDoor door) throws SQLException {
        ForebayConfig config = environment.toBuilder()
                .mode(ForebayConfig.Mode.RESERVOIR)
                .targetReady(5)                           // ready for HikariCP, beside what it holds
                .underAnotherPool(true)
                .outerPoolSize(20)                        // HikariCP's maximumPoolSize
                .build();                                 // so at most 25 are open, and a few replacements
        return door.open(config);
    }

    static HikariDataSource hikari(ForebayDataSource reservoir) {
        HikariConfig above = new HikariConfig();
        above.setDataSource(reservoir);
        above.setMaximumPoolSize(20);
        above.setMaxLifetime(Duration.ofMinutes(9).toMillis());   // below base-lifetime less half the jitter and the guard window
        above.setKeepaliveTime(0);                                // the reservoir has checked it
        return new HikariDataSource(above);
    }

    static void deposit(DataSource dataSource, Transactions tx, UUID id, long amount) throws SQLException {
        DSLContext jooq = DSL.using(dataSource, SQLDialect.POSTGRES, new Settings().withRenderSchema(false));
        tx.retry("deposit", () -> jooq.transactionResult(own -> {
            long balance = own.dsl().select(BALANCE).from(ACCOUNTS).where(ID.eq(id)).fetchSingle(BALANCE);
            return own.dsl().update(ACCOUNTS).set(BALANCE, balance + amount).where(ID.eq(id)).execute();
        }));
    }

    static void depositInside(Transactions tx, UUID id, long amount) throws SQLException {
        tx.run("deposit", c -> {
            DSLContext jooq = DSL.using(c, SQLDialect.POSTGRES);
            long balance = jooq.select(BALANCE).from(ACCOUNTS).where(ID.eq(id)).fetchSingle(BALANCE);
            jooq.update(ACCOUNTS).set(BALANCE, balance + amount).where(ID.eq(id)).execute();
        });
    }

    static int migrate(DataSource dataSource, String migrations) {
        return Flyway.configure()
                .dataSource(dataSource)
                .locations(migrations)                    // "classpath:db/migration"
                .load()
                .migrate()
                .migrationsExecuted;
    }
    // spotless:on

    /** How the example gets to the server of the test instead of to a cluster. */
    interface AuroraDsqlDoor {
        ForebayDataSource open(ForebayConfig config) throws SQLException;
    }
}
