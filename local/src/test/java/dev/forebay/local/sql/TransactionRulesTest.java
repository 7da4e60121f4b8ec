// SPDX-License-Identifier: Apache-2.0
package dev.forebay.local.sql;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.forebay.local.sql.TransactionRules.State;
import java.time.Duration;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class TransactionRulesTest {

    private static final Statement DDL = Script.of("CREATE TABLE t (a int)").get(0);
    private static final Statement INSERT =
            Script.of("INSERT INTO t VALUES (1)").get(0);
    private static final Statement SELECT = Script.of("SELECT 1").get(0);
    private static final Statement COMMIT = Script.of("COMMIT").get(0);
    private static final Statement ROLLBACK = Script.of("ROLLBACK").get(0);

    private final TransactionRules rules = new TransactionRules(Limits.DEFAULT);

    @Test
    void goesFromIdleToOpenToFailedAndBack() {
        assertEquals(State.IDLE, rules.state());
        rules.begin(0);
        assertEquals(State.OPEN, rules.state());
        rules.fail();
        assertEquals(State.FAILED, rules.state());
        rules.begin(0);
        rules.beginImplicit(0);
        assertEquals(State.FAILED, rules.state());
        rules.end();
        assertEquals(State.IDLE, rules.state());
        rules.fail();
        assertEquals(State.IDLE, rules.state());
    }

    @Test
    void endsAnImplicitTransactionWithItsError() {
        rules.beginImplicit(0);
        assertEquals(State.IMPLICIT, rules.state());
        rules.fail();
        assertEquals(State.IDLE, rules.state());
    }

    @Test
    void makesAnImplicitTransactionExplicitWithAllItHolds() {
        rules.beginImplicit(0);
        rules.after(DDL, 0, 0);
        rules.begin(0);
        assertEquals(State.OPEN, rules.state());
        assertEquals("ddl and dml are not supported in the same transaction", before(INSERT));
    }

    @Test
    void knowsNothingButItsFailureOnceFailed() {
        rules.begin(0);
        rules.after(DDL, 0, 0);
        rules.fail();
        String aborted = "current transaction is aborted, commands ignored until end of transaction block";
        for (Statement statement : new Statement[] {SELECT, INSERT, DDL}) {
            assertEquals(aborted, before(statement));
        }
        assertEquals("", before(COMMIT));
        assertEquals("", before(ROLLBACK));
        assertEquals(Optional.empty(), rules.atCommit(Duration.ofHours(1).toNanos()));
    }

    @Test
    void takesOneChangeOfTheCatalogAndNothingBesides() {
        rules.begin(0);
        assertEquals("", before(DDL));
        rules.after(DDL, 0, 0);
        assertEquals("multiple ddl statements not supported in a transaction", before(DDL));
        assertEquals("ddl and dml are not supported in the same transaction", before(INSERT));
        assertEquals("", before(SELECT));
        rules.end();
        assertEquals("", before(DDL));
        rules.begin(0);
        rules.after(INSERT, 1, 1);
        assertEquals("ddl and dml are not supported in the same transaction", before(DDL));
        rules.fail();
        rules.end();
        assertEquals("", before(DDL));
    }

    @Test
    void countsModifiedRowsOverTheTransaction() {
        rules.begin(0);
        assertEquals(Optional.empty(), rules.after(INSERT, 2_999, 1));
        assertEquals(Optional.empty(), rules.after(SELECT, 5_000, 1));
        assertEquals(Optional.empty(), rules.after(INSERT, 1, 1));
        Optional<SqlRefusal> limit = rules.after(INSERT, 1, 1);
        assertEquals(Optional.of(SqlRefusal.of("54000", "transaction row limit exceeded")), limit);
        rules.end();
        rules.begin(0);
        assertEquals(Optional.empty(), rules.after(INSERT, 3_000, 1));
    }

    @Test
    void countsTheRowsOfAStatementOnItsOwn() {
        assertEquals(Optional.empty(), rules.after(INSERT, 3_000, 1));
        assertEquals(Optional.empty(), rules.after(INSERT, 3_000, 1));
        assertEquals("54000", rules.after(INSERT, 3_001, 1).orElseThrow().sqlState());
    }

    @Test
    void saysAtCommitThatTooMuchWasWritten() {
        rules.begin(0);
        assertEquals(Optional.empty(), rules.after(INSERT, 1, 10 << 20));
        assertEquals(Optional.empty(), rules.after(SELECT, 1, 10 << 20));
        assertEquals(Optional.empty(), rules.atCommit(0));
        assertEquals(Optional.empty(), rules.after(INSERT, 1, 1));
        assertEquals("", before(INSERT));
        Optional<SqlRefusal> limit = rules.atCommit(0);
        assertEquals(Optional.of(SqlRefusal.of("54000", "transaction size limit 10mb exceeded")), limit);
    }

    @Test
    void ages() {
        long age = Duration.ofMinutes(5).toNanos();
        rules.begin(100);
        assertEquals(Optional.empty(), rules.before(SELECT, 100 + age));
        SqlRefusal old = SqlRefusal.of("54000", "transaction age limit of 300s exceeded");
        assertEquals(Optional.of(old), rules.before(SELECT, 101 + age));
        assertEquals(Optional.of(old), rules.atCommit(101 + age));
        assertEquals(Optional.empty(), rules.before(ROLLBACK, 101 + age));
        rules.end();
        assertEquals(Optional.empty(), rules.before(SELECT, 101 + age));
    }

    @Test
    void takesOtherLimits() {
        TransactionRules small = new TransactionRules(new Limits(1, 1 << 20, Duration.ofSeconds(2)));
        small.begin(0);
        assertEquals("54000", small.after(INSERT, 2, 2 << 20).orElseThrow().sqlState());
        assertEquals(
                "transaction size limit 1mb exceeded",
                small.atCommit(0).orElseThrow().message());
        assertEquals(
                "transaction age limit of 2s exceeded",
                small.before(SELECT, 2_000_000_001L).orElseThrow().message());
    }

    private String before(Statement statement) {
        return rules.before(statement, 0).map(SqlRefusal::message).orElse("");
    }
}
