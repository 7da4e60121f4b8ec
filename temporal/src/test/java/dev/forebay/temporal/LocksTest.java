// SPDX-License-Identifier: Apache-2.0
package dev.forebay.temporal;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The rule itself: it finds what breaks it. */
final class LocksTest {

    @Test
    void aLockByTheWholeKeyOfOneTableIsOne() {
        assertTrue(Locks.check("SELECT range_id FROM shards WHERE shard_id = $1 FOR UPDATE"));
        assertFalse(Locks.check("SELECT range_id FROM shards WHERE shard_id = $1"));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "SELECT range_id FROM shards WHERE shard_id = $1 FOR SHARE",
                "SELECT range_id FROM shards WHERE shard_id = $1 FOR KEY SHARE",
                "SELECT range_id FROM shards WHERE shard_id = $1 FOR NO KEY UPDATE",
                "SELECT range_id FROM shards WHERE shard_id = $1 LOCK IN SHARE MODE",
                "SELECT message_id FROM queue WHERE queue_type = $1 FOR UPDATE",
                "SELECT message_id FROM queue WHERE message_id = (SELECT MAX(message_id) FROM queue WHERE queue_type = $1) FOR UPDATE",
                "SELECT range_id FROM shards WHERE shard_id > $1 FOR UPDATE",
                "SELECT a.run_id FROM current_executions a JOIN executions b ON a.run_id = b.run_id WHERE shard_id = $1 FOR UPDATE"
            })
    void anythingElseIsNot(String statement) {
        assertThrows(AssertionError.class, () -> Locks.check(statement));
    }
}
