// SPDX-License-Identifier: Apache-2.0
package dev.forebay.temporal;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.forebay.tx.ConditionFailedException;
import dev.forebay.tx.SnowflakeIds;
import dev.forebay.tx.Transactions;
import dev.forebay.tx.TxRetryPolicy;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

final class QueuesIT extends OnBothDatabases {

    private static final int TYPE = 3;
    private static final QueueV2.Name NAME = new QueueV2.Name(2, "orders");
    private static final Blob DATA = Blob.proto3(new byte[] {1});
    private static final Blob OTHER = Blob.proto3(new byte[] {2});

    // ---- with numbers

    @Test
    void messagesGetIdsFromZeroWithoutGapsInEachQueue() throws SQLException {
        QueueV1 queue = temporal.queueV1();
        assertEquals(Optional.empty(), queue.lastMessageId(TYPE));
        for (long i = 0; i < 5; i++) {
            assertEquals(i, queue.enqueue(TYPE, DATA));
        }
        assertEquals(0, queue.enqueue(QueueV1.deadLetters(TYPE), OTHER));
        assertEquals(Optional.of(4L), queue.lastMessageId(TYPE));
        assertEquals(Optional.of(new QueueV1.Message(0, OTHER)), queue.select(-3, 0));
        assertEquals(Optional.empty(), queue.select(TYPE, 5));
    }

    @Test
    void aRangeIsReadPageByPageAfterAnIdUpToAnother() throws SQLException {
        QueueV1 queue = temporal.queueV1();
        queue.insert(TYPE, messages(0, 9));
        assertEquals(messages(0, 9), Pages.all(page -> queue.select(TYPE, -1, Long.MAX_VALUE, 3, page)));
        assertEquals(messages(3, 5), queue.select(TYPE, 2, 5, 10, null).rows());
        assertThrows(SQLException.class, () -> queue.insert(TYPE, messages(9, 11)));
        assertEquals(Optional.of(9L), queue.lastMessageId(TYPE));
    }

    @Test
    void messagesAreDeletedOneByOneAndInRangesLargerThanATransaction() throws SQLException {
        QueueV1 queue = temporal.queueV1();
        queue.insert(TYPE, messages(0, 2_499));
        queue.insert(TYPE, messages(2_500, 4_999));
        assertTrue(queue.delete(TYPE, 7));
        assertFalse(queue.delete(TYPE, 7));
        assertEquals(4_989, queue.deleteRange(TYPE, 7, 4_996));
        assertEquals(
                List.of(0L, 1L, 2L, 3L, 4L, 5L, 6L, 4_997L, 4_998L, 4_999L),
                queue.select(TYPE, -1, Long.MAX_VALUE, 100, null).rows().stream()
                        .map(QueueV1.Message::id)
                        .toList());
        assertEquals(5_000, queue.enqueue(TYPE, DATA));
    }

    @Test
    void howFarAQueueWasReadIsFencedByItsVersion() throws SQLException {
        QueueV1 queue = temporal.queueV1();
        assertEquals(Optional.empty(), queue.selectMetadata(TYPE));
        assertThrows(NotFoundException.class, () -> queue.updateMetadata(TYPE, DATA, 0));
        queue.insertMetadata(TYPE, DATA);
        assertThrows(SQLException.class, () -> queue.insertMetadata(TYPE, OTHER));
        queue.updateMetadata(TYPE, OTHER, 0);
        assertThrows(ConditionFailedException.class, () -> queue.updateMetadata(TYPE, DATA, 0));
        assertEquals(Optional.of(new QueueV1.Metadata(OTHER, 1)), queue.selectMetadata(TYPE));
        assertEquals(Optional.of(new QueueV1.Metadata(OTHER, 1)), queue.lockMetadata(TYPE));
    }

    @Test
    void idsStayContiguousUnderConcurrentSenders() throws Exception {
        Transactions patient = Transactions.builder(dataSource)
                .policy(TxRetryPolicy.BRIEF.withMaxRetries(200))
                .build();
        Temporal many = Temporal.on(patient, SnowflakeIds.forNode(2));
        many.queueV2().insert(NAME, DATA);
        List<Long> sent = new ArrayList<>();
        List<Long> named = new ArrayList<>();
        Contenders.Outcome<List<List<Long>>> outcome = Contenders.run(8, sender -> {
            List<Long> mine = new ArrayList<>();
            List<Long> mineNamed = new ArrayList<>();
            for (int i = 0; i < 10; i++) {
                mine.add(many.queueV1().enqueue(TYPE, DATA));
                mineNamed.add(many.queueV2().enqueue(NAME, 0, DATA));
            }
            return List.of(mine, mineNamed);
        });
        for (List<List<Long>> one : outcome.won()) {
            sent.addAll(one.get(0));
            named.addAll(one.get(1));
        }
        List<Long> expected = LongStream.range(0, 80).boxed().toList();
        assertEquals(expected, sent.stream().sorted().toList());
        assertEquals(expected, named.stream().sorted().toList());
        assertEquals(
                expected,
                temporal.queueV1().select(TYPE, -1, 1_000, 1_000, null).rows().stream()
                        .map(QueueV1.Message::id)
                        .toList());
    }

    // ---- with names

    @Test
    void aQueueHasANameAndMetadataThatIsChangedUnderALock() throws SQLException {
        QueueV2 queues = temporal.queueV2();
        queues.insert(NAME, DATA);
        assertThrows(SQLException.class, () -> queues.insert(NAME, OTHER));
        assertEquals(Optional.of(DATA), queues.selectMetadata(NAME));
        queues.updateMetadata(NAME, before -> {
            assertEquals(DATA, before);
            return OTHER;
        });
        assertEquals(Optional.of(OTHER), queues.lockMetadata(NAME));
        QueueV2.Name none = new QueueV2.Name(2, "none");
        assertEquals(Optional.empty(), queues.selectMetadata(none));
        assertThrows(NotFoundException.class, () -> queues.updateMetadata(none, before -> before));
        assertThrows(NotFoundException.class, () -> queues.enqueue(none, 0, DATA));
        assertThrows(NotFoundException.class, () -> queues.deleteUpTo(none, 0, 1, (blob, first) -> blob));
    }

    @Test
    void noChangeOfMetadataIsLostAmongMany() throws Exception {
        Transactions patient = Transactions.builder(dataSource)
                .policy(TxRetryPolicy.BRIEF.withMaxRetries(200))
                .build();
        QueueV2 queues = Temporal.on(patient, SnowflakeIds.forNode(2)).queueV2();
        queues.insert(NAME, Blob.proto3(new byte[] {0}));
        Contenders.run(8, i -> {
            queues.updateMetadata(NAME, before -> Blob.proto3(new byte[] {(byte) (before.data()[0] + 1)}));
            return i;
        });
        assertEquals(Optional.of(Blob.proto3(new byte[] {8})), queues.selectMetadata(NAME));
    }

    @Test
    void theNamesOfATypeAreListedPageByPage() throws SQLException {
        QueueV2 queues = temporal.queueV2();
        for (int i = 0; i < 7; i++) {
            queues.insert(new QueueV2.Name(2, "queue " + i), DATA);
        }
        queues.insert(new QueueV2.Name(1, "another"), DATA);
        assertEquals(
                List.of("queue 0", "queue 1", "queue 2", "queue 3", "queue 4", "queue 5", "queue 6"),
                Pages.all(page -> queues.list(2, 3, page)));
    }

    @Test
    void partitionsHaveTheirOwnMessages() throws SQLException {
        QueueV2 queues = temporal.queueV2();
        queues.insert(NAME, DATA);
        queues.insert(NAME, 1, messages(0, 6));
        assertEquals(0, queues.enqueue(NAME, 0, OTHER));
        assertEquals(7, queues.enqueue(NAME, 1, DATA));
        assertEquals(
                messages(2, 6),
                Pages.all(page -> queues.select(NAME, 1, 2, 3, page)).subList(0, 5));
        assertEquals(
                List.of(new QueueV1.Message(0, OTHER)),
                queues.select(NAME, 0, 0, 10, null).rows());
        assertEquals(Optional.empty(), queues.lastMessageId(NAME, 2));
    }

    @Test
    void aPageThatEndsWithTheHighestIdThereIsIsTheLast() throws SQLException {
        QueueV2 queues = temporal.queueV2();
        queues.insert(NAME, DATA);
        List<QueueV1.Message> messages = messages(Long.MAX_VALUE - 1, Long.MAX_VALUE);
        queues.insert(NAME, 0, messages);
        Page<QueueV1.Message> full = queues.select(NAME, 0, 0, 2, null);
        assertEquals(messages, full.rows());
        assertEquals(
                List.of(),
                queues.select(NAME, 0, 0, 2, full.next().orElseThrow()).rows());
    }

    /** Were the last message deleted, the next would get an id that was given before. */
    @Test
    void deletingAllKeepsTheLastMessageSoThatIdsDoNotGoBack() throws SQLException {
        QueueV2 queues = temporal.queueV2();
        queues.insert(NAME, DATA);
        assertEquals(Optional.empty(), queues.deleteUpTo(NAME, 0, 10, QueuesIT::firstId));
        queues.insert(NAME, 0, messages(0, 9));
        assertEquals(Optional.of(4L), queues.deleteUpTo(NAME, 0, 3, QueuesIT::firstId));
        assertEquals(messages(4, 9), queues.select(NAME, 0, 0, 100, null).rows());
        assertEquals(Optional.of(10L), queues.deleteUpTo(NAME, 0, 99, QueuesIT::firstId));
        assertEquals(Optional.of(firstId(DATA, 10)), queues.selectMetadata(NAME));
        assertEquals(messages(9, 9), queues.select(NAME, 0, 0, 100, null).rows());
        assertEquals(10, queues.enqueue(NAME, 0, DATA));
    }

    @Test
    void moreMessagesThanATransactionMayChangeAreDeleted() throws SQLException {
        QueueV2 queues = temporal.queueV2();
        queues.insert(NAME, DATA);
        queues.insert(NAME, 0, messages(0, 2_499));
        queues.insert(NAME, 0, messages(2_500, 4_999));
        assertEquals(Optional.of(5_000L), queues.deleteUpTo(NAME, 0, 5_000, QueuesIT::firstId));
        assertEquals(
                messages(4_999, 4_999), queues.select(NAME, 0, 0, 100, null).rows());
    }

    private static Blob firstId(Blob metadata, long first) {
        return Blob.proto3(new byte[] {metadata.data()[0], (byte) first});
    }

    private static List<QueueV1.Message> messages(long first, long last) {
        return LongStream.rangeClosed(first, last)
                .mapToObj(id -> new QueueV1.Message(id, Blob.proto3(new byte[] {(byte) id})))
                .toList();
    }
}
