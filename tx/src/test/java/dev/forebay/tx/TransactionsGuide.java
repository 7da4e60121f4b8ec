// SPDX-License-Identifier: Apache-2.0
package dev.forebay.tx;

import jakarta.persistence.Entity;
import jakarta.persistence.Id;
import jakarta.persistence.Table;
import jakarta.persistence.Version;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import javax.sql.DataSource;
import org.hibernate.SessionFactory;
import org.jooq.DSLContext;
import org.jooq.Field;
import org.jooq.Record;
import org.jooq.SQLDialect;
import org.jooq.impl.DSL;
import org.jooq.impl.SQLDataType;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.SingleConnectionDataSource;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.transaction.support.TransactionTemplate;

/** The code of docs/transactions.md, as it stands there. */
final class TransactionsGuide {

    // What jOOQ would generate.
    private static final org.jooq.Table<Record> ACCOUNTS = DSL.table(DSL.name("accounts"));
    private static final Field<Integer> ID = DSL.field(DSL.name("id"), SQLDataType.INTEGER);
    private static final Field<Long> BALANCE = DSL.field(DSL.name("balance"), SQLDataType.BIGINT);

    /** Whom {@link #transfer} has told. */
    final List<Integer> notified = new ArrayList<>();

    // spotless:off
    long transfer(DataSource dataSource, int from, int to, long amount) throws SQLException {
        Transactions tx = Transactions.of(dataSource);           // a ForebayDataSource has its own: dataSource.transactions()

        tx.run("transfer", c -> {
            withdraw(c, from, amount);
            deposit(c, to, amount);
            c.afterCommit(() -> notifyOwner(to));
        });
        long balance = tx.call("balance", c -> read(c, to));
        return balance;
    }

    void renewShard(Transactions tx, String me) throws SQLException {
        tx.run("renew shard", c -> Fenced.on(c)
                .entity("shard 7")
                .update("UPDATE shards SET range_id = ?, owner = ? WHERE shard_id = ? AND range_id = ?", 43, me, 7)
                .expecting(42));
    }

    void renewShards(Transactions tx, String sql, String me) throws SQLException {
        tx.run("renew shards", c -> {
            Fenced.on(c).batch(sql)
                    .add(43, me, 7).expecting(42)
                    .add(51, me, 8).expecting(50)
                    .execute();
        });
    }

    void jdbcTemplateInABody(Transactions tx, int id, long amount) throws SQLException {
        tx.run("deposit", c -> {
            JdbcTemplate jdbc = new JdbcTemplate(new SingleConnectionDataSource(c, true));
            Long balance = jdbc.queryForObject("SELECT balance FROM accounts WHERE id = ?", Long.class, id);
            jdbc.update("UPDATE accounts SET balance = ? WHERE id = ?", balance + amount, id);
        });
    }

    void aroundATransactionTemplate(Transactions tx, DataSource dataSource, int id, long amount)
            throws SQLException {
        TransactionTemplate spring = new TransactionTemplate(new JdbcTransactionManager(dataSource));
        JdbcTemplate jdbc = new JdbcTemplate(dataSource);
        tx.retry("deposit", () -> spring.execute(status -> {
            Long balance = jdbc.queryForObject("SELECT balance FROM accounts WHERE id = ?", Long.class, id);
            return jdbc.update("UPDATE accounts SET balance = ? WHERE id = ?", balance + amount, id);
        }));
    }

    void jooqInABody(Transactions tx, int id, long amount) throws SQLException {
        tx.run("deposit", c -> {
            DSLContext jooq = DSL.using(c, SQLDialect.POSTGRES);
            long balance = jooq.select(BALANCE).from(ACCOUNTS).where(ID.eq(id)).fetchSingle(BALANCE);
            jooq.update(ACCOUNTS).set(BALANCE, balance + amount).where(ID.eq(id)).execute();
        });
    }

    void aroundATransactionOfJooq(Transactions tx, DataSource dataSource, int id, long amount)
            throws SQLException {
        DSLContext jooq = DSL.using(dataSource, SQLDialect.POSTGRES);
        tx.retry("deposit", () -> jooq.transactionResult(own -> {
            long balance = own.dsl().select(BALANCE).from(ACCOUNTS).where(ID.eq(id)).fetchSingle(BALANCE);
            return own.dsl().update(ACCOUNTS).set(BALANCE, balance + amount).where(ID.eq(id)).execute();
        }));
    }

    void aroundATransactionOfHibernate(Transactions tx, SessionFactory sessions, int id, long amount)
            throws SQLException {
        tx.retry("deposit", () -> sessions.fromTransaction(session -> {
            Account account = session.find(Account.class, id);
            account.balance += amount;
            return account;
        }));
    }
    // spotless:on

    private static void withdraw(Connection c, int id, long amount) throws SQLException {
        deposit(c, id, -amount);
    }

    private static void deposit(Connection c, int id, long amount) throws SQLException {
        try (PreparedStatement update = c.prepareStatement("UPDATE accounts SET balance = balance + ? WHERE id = ?")) {
            update.setLong(1, amount);
            update.setInt(2, id);
            update.executeUpdate();
        }
    }

    private static long read(Connection c, int id) throws SQLException {
        try (PreparedStatement select = c.prepareStatement("SELECT balance FROM accounts WHERE id = ?")) {
            select.setInt(1, id);
            try (ResultSet row = select.executeQuery()) {
                row.next();
                return row.getLong(1);
            }
        }
    }

    private void notifyOwner(int id) {
        notified.add(id);
    }

    /** An account as Hibernate knows it. */
    @Entity
    @Table(name = "accounts")
    static class Account {
        @Id
        int id;

        long balance;

        @Version
        long version;
    }
}
