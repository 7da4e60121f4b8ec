// SPDX-License-Identifier: Apache-2.0
package dev.forebay.tx;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class FencedTest {

    private static final String SWAP = "UPDATE shards SET range_id = ?, owner = ? WHERE shard_id = ? AND range_id = ?";
    private static final String READ = "SELECT range_id FROM shards WHERE shard_id = ?";

    private final OneAccount world = new OneAccount();
    private final Transactions tx = world.tx;

    @BeforeEach
    void threeShards() {
        world.database
                .table("shards", "shard_id", "range_id", "owner")
                .row("shards", 7, 42, "a")
                .row("shards", 8, 50, "a")
                .row("shards", 9, 60, "b");
    }

    @AfterEach
    void everyConnectionWasGivenBackAsItWas() {
        assertEquals(List.of(), world.database.complaints());
    }

    @Test
    void theRowThatHasTheTokenIsUpdated() throws SQLException {
        tx.run("renew", c -> Fenced.on(c).update(SWAP, 43, "me", 7).expecting(42));
        assertEquals(43, range(7));
        assertEquals(50, range(8));
    }

    @Test
    void aTokenThatHasMovedOnIsAConditionFailureThatIsNotTriedAgain() {
        AtomicInteger runs = new AtomicInteger();
        ConditionFailedException e = assertThrows(
                ConditionFailedException.class,
                () -> tx.run("renew", c -> {
                    runs.incrementAndGet();
                    OneAccount.add(c, 5);
                    Fenced.on(c)
                            .entity("shard 7")
                            .update(SWAP, 43, "me", 7)
                            .orReading(READ, 7)
                            .expecting(41);
                }));
        assertEquals("shard 7", e.entity());
        assertEquals(41, e.expected());
        assertEquals(42L, ((Number) e.actual()).longValue());
        assertEquals("condition failed: shard 7 should have had 41 but had 42", e.getMessage());
        assertEquals(1, runs.get());
        assertEquals(42, range(7));
        assertEquals(100, world.committed(), "the whole transaction is rolled back");
        assertTrue(world.heard.contains("failed condition_failed "), world.heard::toString);
    }

    @Test
    void aConditionFailureIsOneWhateverItIsWrappedInAndWhateverElseIsWrong() {
        SQLException conflict = OneAccount.conflict();
        conflict.initCause(new ConditionFailedException("shard 7", 1, null));
        assertEquals(ErrorMeaning.CONDITION_FAILED, ErrorMeaning.of(new IllegalStateException(conflict)));
        AtomicInteger runs = new AtomicInteger();
        assertThrows(
                SQLException.class,
                () -> tx.run("renew", c -> {
                    runs.incrementAndGet();
                    throw conflict;
                }));
        assertEquals(1, runs.get());
    }

    @Test
    void withoutANameTheTableIsNamed() {
        ConditionFailedException e = assertThrows(
                ConditionFailedException.class,
                () -> tx.run(
                        "renew", c -> Fenced.on(c).update(SWAP, 43, "me", 7).expecting(1)));
        assertEquals("shards", e.entity());
        assertNull(e.actual());
    }

    @Test
    void severalTokensAreComparedTogether() throws SQLException {
        String sql = "UPDATE shards SET range_id = ? WHERE shard_id = ? AND range_id = ? AND owner = ?";
        tx.run("renew", c -> Fenced.on(c).update(sql, 43, 7).expecting(42, "a"));
        ConditionFailedException e = assertThrows(
                ConditionFailedException.class,
                () -> tx.run("renew", c -> Fenced.on(c).update(sql, 44, 7).expecting(43, "b")));
        assertEquals(List.of(43, "b"), e.expected());
        assertEquals(43, range(7));
    }

    @Test
    void aFenceThatMatchesSeveralRowsIsAFaultAndRollsBackEvenIfTheBodySwallowsIt() {
        String wide = "UPDATE shards SET range_id = ? WHERE owner = ?";
        IllegalStateException e = assertThrows(
                IllegalStateException.class,
                () -> tx.run("renew", c -> Fenced.on(c).update(wide, 99).expecting("a")));
        assertTrue(e.getMessage().startsWith("bug: a fence matched 2 rows"), e.getMessage());
        assertThrows(
                SQLException.class,
                () -> tx.run(
                        "renew",
                        c -> assertThrows(
                                IllegalStateException.class,
                                () -> Fenced.on(c).update(wide, 99).expecting("a"))));
        assertEquals(42, range(7));
        assertEquals(50, range(8));
    }

    @Test
    void aBatchIsAllOrNothing() throws SQLException {
        tx.run(
                "renew",
                c -> Fenced.on(c)
                        .batch(SWAP)
                        .add(43, "me", 7)
                        .expecting(42)
                        .add(51, "me", 8)
                        .expecting(50)
                        .execute());
        assertEquals(43, range(7));
        assertEquals(51, range(8));
        ConditionFailedException e = assertThrows(
                ConditionFailedException.class,
                () -> tx.run(
                        "renew",
                        c -> Fenced.on(c)
                                .batch(SWAP)
                                .add(44, "me", 7)
                                .expecting(43)
                                .add(52, "me", 8)
                                .expecting(50)
                                .add(61, "me", 9)
                                .expecting(60)
                                .execute()));
        assertEquals("shards (row 2)", e.entity());
        assertEquals(50, e.expected());
        assertEquals(43, range(7));
        assertEquals(60, range(9));
    }

    @Test
    void aBatchThatFailedInPartIsNotCommittedEvenIfTheBodySwallowsIt() {
        SQLException e = assertThrows(
                SQLException.class,
                () -> tx.run(
                        "renew",
                        c -> assertThrows(
                                ConditionFailedException.class,
                                () -> Fenced.on(c)
                                        .batch(SWAP)
                                        .add(43, "me", 7)
                                        .expecting(42)
                                        .add(51, "me", 8)
                                        .expecting(49)
                                        .execute())));
        assertEquals(ErrorMeaning.CONDITION_FAILED, ErrorMeaning.of(e));
        assertEquals(42, range(7));
    }

    @Test
    void aRowOfABatchThatMatchesSeveralIsAFault() {
        String wide = "UPDATE shards SET range_id = ? WHERE owner = ?";
        assertThrows(
                IllegalStateException.class,
                () -> tx.run(
                        "renew",
                        c -> Fenced.on(c).batch(wide).add(99).expecting("a").execute()));
        assertEquals(42, range(7));
    }

    @Test
    void aRowOfABatchWithoutATokenIsRefused() {
        assertThrows(
                IllegalArgumentException.class,
                () -> tx.run("renew", c -> {
                    Fenced.Batch batch = Fenced.on(c).batch(SWAP);
                    batch.add(43, "me", 7);
                    batch.execute();
                }));
        assertEquals(42, range(7));
    }

    @Test
    void aConditionFailureThatCannotBeExplainedIsStillOne() {
        ConditionFailedException e = assertThrows(
                ConditionFailedException.class,
                () -> tx.run(
                        "renew",
                        c -> Fenced.on(c)
                                .update(SWAP, 43, "me", 7)
                                .orReading("SELECT nothing FROM nowhere WHERE id = ?", 7)
                                .expecting(41)));
        assertNull(e.actual());
        assertEquals(1, e.getSuppressed().length);
    }

    @Test
    void anEmptyBatchDoesNothing() throws SQLException {
        tx.run("renew", c -> Fenced.on(c).batch(SWAP).execute());
    }

    @Test
    void theCurrentTokenIsReadAndThenSwapped() throws SQLException {
        List<Object> read =
                tx.call("renew", c -> Fenced.on(c).update(SWAP, 43, "me", 7).expectingCurrent(READ, 7));
        assertEquals(42L, ((Number) read.get(0)).longValue());
        assertEquals(43, range(7));
    }

    @Test
    void aRowThatIsNotThereHasNoCurrentToken() {
        ConditionFailedException e = assertThrows(
                ConditionFailedException.class,
                () -> tx.run(
                        "renew", c -> Fenced.on(c).update(SWAP, 43, "me", 1).expectingCurrent(READ, 1)));
        assertNull(e.expected());
        assertEquals("condition failed: shards is not there", e.getMessage());
    }

    @Test
    void aFenceNeedsATransactionAndAToken() throws SQLException {
        try (Connection connection = world.database.dataSource(1).getConnection()) {
            assertThrows(IllegalStateException.class, () -> Fenced.on(connection));
        }
        tx.run("renew", c -> {
            assertThrows(
                    IllegalArgumentException.class,
                    () -> Fenced.on(c).update(SWAP, 43, "me", 7).expecting());
            assertThrows(
                    IllegalArgumentException.class,
                    () -> Fenced.on(c).update(SWAP, 43, "me", 7).expecting((Object) null));
        });
    }

    private long range(int shard) {
        return world.database.number("shards", shard, "range_id");
    }
}
