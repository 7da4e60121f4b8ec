// SPDX-License-Identifier: Apache-2.0
package dev.forebay.tx;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.forebay.testkit.Postgres;
import jakarta.persistence.OptimisticLockException;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import javax.sql.DataSource;
import org.hibernate.SessionFactory;
import org.hibernate.cfg.JdbcSettings;
import org.hibernate.jpa.HibernatePersistenceConfiguration;
import org.jooq.SQLDialect;
import org.jooq.impl.DSL;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.postgresql.ds.PGSimpleDataSource;

/** The guide's code with JdbcTemplate, jOOQ and Hibernate, on a server whose transactions conflict. */
class TransactionsGuideIT {

    private static final Postgres SERVER = Postgres.shared();
    private static final TransactionsGuide GUIDE = new TransactionsGuide();
    private static final int ID = 7;
    private static final DataSource REPEATABLE_READ = repeatableRead();

    /** A deposit that would be lost if the guide's were not tried again. */
    private static final String RIVAL =
            "UPDATE guide.accounts SET balance = balance + 1000, version = version + 1 WHERE id = " + ID;

    private static SessionFactory sessions;

    private static final Interposed INTERPOSED = new Interposed();
    private static final DataSource DATA_SOURCE = INTERPOSED.before(REPEATABLE_READ);

    private final List<String> retried = new ArrayList<>();
    private final List<TxListener.Outcome> outcomes = new ArrayList<>();
    private final Transactions tx = Transactions.builder(DATA_SOURCE)
            .policy(TxRetryPolicy.BRIEF)
            .listener(new TxListener() {
                @Override
                public void retrying(String operation, String sqlState, int attempt, long delayNanos) {
                    retried.add(sqlState);
                }

                @Override
                public void ended(String operation, Outcome outcome, int attempts, long nanos) {
                    outcomes.add(outcome);
                }
            })
            .build();

    /** The guide's ways to deposit. */
    enum Way {
        JDBC_TEMPLATE_IN_A_BODY,
        AROUND_A_TRANSACTION_TEMPLATE,
        JOOQ_IN_A_BODY,
        AROUND_A_TRANSACTION_OF_JOOQ,
        AROUND_A_TRANSACTION_OF_HIBERNATE;

        void deposit(Transactions tx, long amount) throws SQLException {
            switch (this) {
                case JDBC_TEMPLATE_IN_A_BODY -> GUIDE.jdbcTemplateInABody(tx, ID, amount);
                case AROUND_A_TRANSACTION_TEMPLATE -> GUIDE.aroundATransactionTemplate(tx, DATA_SOURCE, ID, amount);
                case JOOQ_IN_A_BODY -> GUIDE.jooqInABody(tx, ID, amount);
                case AROUND_A_TRANSACTION_OF_JOOQ -> GUIDE.aroundATransactionOfJooq(tx, DATA_SOURCE, ID, amount);
                case AROUND_A_TRANSACTION_OF_HIBERNATE -> GUIDE.aroundATransactionOfHibernate(tx, sessions, ID, amount);
            }
        }
    }

    @BeforeAll
    static void openAccounts() throws SQLException {
        SERVER.ask("DROP SCHEMA IF EXISTS guide CASCADE");
        SERVER.ask("CREATE SCHEMA guide");
        SERVER.ask(
                "CREATE TABLE guide.accounts (id int PRIMARY KEY, balance bigint NOT NULL, version bigint NOT NULL)");
        SERVER.ask("CREATE TABLE guide.shards (shard_id int PRIMARY KEY, range_id bigint NOT NULL, owner text)");
        SERVER.ask("CREATE SEQUENCE guide.commits");
        SERVER.ask("CREATE FUNCTION guide.refuse_first() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN"
                + " IF nextval('guide.commits') = 1 THEN RAISE EXCEPTION 'change conflicts with another transaction"
                + " (OC000)' USING ERRCODE = '40001'; END IF; RETURN NULL; END $$");
        sessions = new HibernatePersistenceConfiguration("guide")
                .managedClass(TransactionsGuide.Account.class)
                .property(JdbcSettings.JAKARTA_NON_JTA_DATASOURCE, DATA_SOURCE)
                .createEntityManagerFactory();
    }

    @AfterAll
    static void closeAccounts() throws SQLException {
        sessions.close();
        SERVER.ask("DROP SCHEMA guide CASCADE");
    }

    @BeforeEach
    void openAnAccount() throws SQLException {
        INTERPOSED.onUpdate = null;
        SERVER.ask("DROP TRIGGER IF EXISTS at_commit ON guide.accounts");
        SERVER.ask("DELETE FROM guide.accounts");
        SERVER.ask("INSERT INTO guide.accounts VALUES (" + ID + ", 100, 0), (8, 100, 0)");
        SERVER.ask("DELETE FROM guide.shards");
        SERVER.ask("INSERT INTO guide.shards VALUES (7, 42, 'other'), (8, 50, 'other')");
    }

    @ParameterizedTest
    @EnumSource
    void aDepositAloneNeedsOneAttempt(Way way) throws SQLException {
        way.deposit(tx, 10);
        assertEquals("110", balance());
        assertEquals(List.of(), retried);
        assertEquals(List.of(TxListener.Outcome.COMMITTED), outcomes);
    }

    @ParameterizedTest
    @EnumSource
    void aConflictAtTheStatementIsTriedAgainAndLosesNothing(Way way) throws SQLException {
        INTERPOSED.onUpdate = RIVAL;
        way.deposit(tx, 10);
        assertEquals("1110", balance());
        assertEquals(List.of("40001"), retried);
        assertEquals(List.of(TxListener.Outcome.COMMITTED), outcomes);
    }

    /** As Aurora DSQL does it, which tells of conflicts only then. */
    @ParameterizedTest
    @EnumSource
    void aConflictAtCommitIsTriedAgain(Way way) throws SQLException {
        refuseTheFirstCommit();
        way.deposit(tx, 10);
        assertEquals("110", balance());
        assertEquals(List.of("40001"), retried);
    }

    /** The control: the conflict is the database's own, and only the retry overcomes it. */
    @ParameterizedTest
    @EnumSource
    void withoutRetriesTheConflictIsTheEnd(Way way) throws SQLException {
        INTERPOSED.onUpdate = RIVAL;
        Transactions once = tx.policy(TxRetryPolicy.BRIEF.withMaxRetries(0));
        GivenUpException given = assertThrows(GivenUpException.class, () -> way.deposit(once, 10));
        assertEquals(
                ErrorMeaning.CONFLICT, ErrorMeaning.of(given.attempts().get(0).cause()));
        assertEquals("1100", balance(), "the rival's deposit only");
    }

    @ParameterizedTest
    @EnumSource
    void anotherErrorIsNotTriedAgain(Way way) throws SQLException {
        SERVER.ask("ALTER TABLE guide.accounts ADD CONSTRAINT poor CHECK (balance < 1000)");
        try {
            Exception error = assertThrows(Exception.class, () -> way.deposit(tx, 5_000));
            assertEquals("23514", ErrorMeaning.stateOf(error));
        } finally {
            SERVER.ask("ALTER TABLE guide.accounts DROP CONSTRAINT poor");
        }
        assertEquals("100", balance());
        assertEquals(List.of(), retried);
        assertEquals(List.of(TxListener.Outcome.FAILED), outcomes);
    }

    /** It would fail every time: what is out of date is the object, which was read in an earlier transaction. */
    @Test
    void anOptimisticLockFailureOfHibernateIsNotTriedAgain() throws SQLException {
        TransactionsGuide.Account stale =
                sessions.fromTransaction(session -> session.find(TransactionsGuide.Account.class, ID));
        SERVER.ask(RIVAL);
        stale.balance += 10;
        Exception error = assertThrows(
                Exception.class,
                () -> tx.retry("deposit", () -> sessions.fromTransaction(session -> session.merge(stale))));
        assertInstanceOf(OptimisticLockException.class, error);
        assertEquals("1100", balance());
        assertEquals(List.of(), retried);
        assertEquals(List.of(TxListener.Outcome.FAILED), outcomes);
    }

    /** Shows that the guide's code uses none: Aurora DSQL refuses them. */
    @Test
    void aNestedTransactionOfJooqIsASavepoint() {
        Exception error = assertThrows(
                Exception.class,
                () -> DSL.using(DATA_SOURCE, SQLDialect.POSTGRES)
                        .transaction(own -> own.dsl().transaction(nested -> {})));
        assertEquals("0A000", ErrorMeaning.stateOf(error));
    }

    @Test
    void aTransferTellsTheOwnerOnceAlthoughItRanTwice() throws SQLException {
        refuseTheFirstCommit();
        TransactionsGuide guide = new TransactionsGuide();
        assertEquals(130, guide.transfer(DATA_SOURCE, ID, 8, 30));
        assertEquals("70", balance());
        assertEquals(List.of(8), guide.notified);
        assertTrue(Integer.parseInt(SERVER.ask("SELECT last_value FROM guide.commits")) > 2, "it ran once only");
    }

    @Test
    void aShardIsRenewedByItsTokenAndOnlyOnce() throws SQLException {
        GUIDE.renewShard(tx, "me");
        assertEquals("43 me", SERVER.ask("SELECT range_id || ' ' || owner FROM guide.shards WHERE shard_id = 7"));
        ConditionFailedException lost = assertThrows(ConditionFailedException.class, () -> GUIDE.renewShard(tx, "you"));
        assertEquals("shard 7", lost.entity());
        assertEquals(List.of(), retried);
    }

    @Test
    void shardsAreRenewedAllOrNone() throws SQLException {
        String sql = "UPDATE shards SET range_id = ?, owner = ? WHERE shard_id = ? AND range_id = ?";
        GUIDE.renewShards(tx, sql, "me");
        assertEquals("2", SERVER.ask("SELECT count(*) FROM guide.shards WHERE owner = 'me'"));
        SERVER.ask("UPDATE guide.shards SET range_id = 42 WHERE shard_id = 7");
        assertThrows(ConditionFailedException.class, () -> GUIDE.renewShards(tx, sql, "you"));
        assertEquals("0", SERVER.ask("SELECT count(*) FROM guide.shards WHERE owner = 'you'"));
    }

    /** By a constraint that is checked at COMMIT. */
    private static void refuseTheFirstCommit() throws SQLException {
        SERVER.ask("ALTER SEQUENCE guide.commits RESTART");
        SERVER.ask("CREATE CONSTRAINT TRIGGER at_commit AFTER UPDATE ON guide.accounts DEFERRABLE INITIALLY DEFERRED"
                + " FOR EACH ROW EXECUTE FUNCTION guide.refuse_first()");
    }

    private static String balance() throws SQLException {
        assertTrue(INTERPOSED.onUpdate == null, "the rival never came");
        return SERVER.ask("SELECT balance FROM guide.accounts WHERE id = " + ID);
    }

    private static DataSource repeatableRead() {
        PGSimpleDataSource source = new PGSimpleDataSource();
        source.setUrl(SERVER.url());
        source.setCurrentSchema("guide");
        source.setOptions("-c default_transaction_isolation=repeatable\\ read");
        return source;
    }

    /**
     * Stands between the framework and the driver: lets the rival in between the first read and the first write, and
     * refuses savepoints as Aurora DSQL does.
     */
    private static final class Interposed {
        private String onUpdate;

        DataSource before(DataSource source) {
            return proxy(DataSource.class, (method, given) -> {
                Object answer = forward(source, method, given);
                return answer instanceof Connection connection ? before(connection) : answer;
            });
        }

        private Connection before(Connection connection) {
            return proxy(Connection.class, (method, given) -> {
                if (method.getName().equals("setSavepoint")) {
                    throw new SQLException("unsupported statement: Savepoint", "0A000");
                }
                if (method.getName().equals("prepareStatement") && isUpdate((String) given[0]) && onUpdate != null) {
                    String sql = onUpdate;
                    onUpdate = null;
                    SERVER.ask(sql);
                }
                return forward(connection, method, given);
            });
        }

        private static boolean isUpdate(String sql) {
            return sql.toLowerCase(Locale.ROOT).startsWith("update");
        }

        private static <T> T proxy(Class<T> type, Call call) {
            InvocationHandler handler = (self, method, given) -> call.made(method, given);
            return type.cast(Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] {type}, handler));
        }

        private static Object forward(Object target, Method method, Object[] given) throws Throwable {
            try {
                return method.invoke(target, given);
            } catch (InvocationTargetException e) {
                throw e.getCause();
            }
        }

        private interface Call {
            Object made(Method method, Object[] given) throws Throwable;
        }
    }
}
