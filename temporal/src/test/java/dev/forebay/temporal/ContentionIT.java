// SPDX-License-Identifier: Apache-2.0
package dev.forebay.temporal;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.forebay.ForebayConfig;
import dev.forebay.ForebayDataSource;
import dev.forebay.local.LocalDsql;
import dev.forebay.tx.ConditionFailedException;
import dev.forebay.tx.SnowflakeIds;
import dev.forebay.tx.Transactions;
import dev.forebay.tx.TxRetryPolicy;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.sql.SQLException;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Collectors;
import java.util.stream.LongStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Many owners of one thing: on DSQL, whether or not two who read a row FOR UPDATE conflict there, and on PostgreSQL. */
@ParameterizedClass(name = "{0}")
@EnumSource
@Timeout(value = 180, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
final class ContentionIT {

    enum Where {
        DSQL,
        DSQL_WHERE_LOCKERS_DO_NOT_CONFLICT,
        POSTGRES
    }

    private static final int OWNERS = 8;
    private static final int CONTENDERS = 16;
    private static final int ROUNDS = 5;
    private static final Blob DATA = Blob.proto3(new byte[] {1});
    private static final Map<Where, Place> places = new HashMap<>();

    @Parameter
    Where where;

    private Temporal temporal;

    /** A server with the schema in it. */
    private record Place(LocalDsql server, ForebayDataSource dataSource, String schema) {

        static Place make(Where where) throws IOException, SQLException {
            LocalDsql.Builder builder = LocalDsql.builder();
            if (where == Where.DSQL_WHERE_LOCKERS_DO_NOT_CONFLICT) {
                builder.lockersDoNotConflict();
            }
            LocalDsql server = builder.start();
            String schema = "contention";
            OnBothDatabases.behind(server, "CREATE SCHEMA " + schema + " AUTHORIZATION admin");
            OnBothDatabases.On on = where == Where.POSTGRES ? OnBothDatabases.On.POSTGRES : OnBothDatabases.On.DSQL;
            ForebayDataSource dataSource = ForebayDataSource.builder()
                    .config(ForebayConfig.builder()
                            .mode(ForebayConfig.Mode.ON_DEMAND)
                            .serviceName(schema)
                            .maxOpen(OWNERS * 2)
                            .connectionTimeout(Duration.ofSeconds(30))
                            .build())
                    .dataSource(OnBothDatabases.unpooled(server, on, schema))
                    .build();
            Schema.on(Transactions.of(dataSource)).install((number, steps, what) -> {});
            return new Place(server, dataSource, schema);
        }
    }

    @BeforeEach
    void begin() throws IOException, SQLException {
        Place place = places.get(where);
        if (place == null) {
            place = Place.make(where);
            places.put(where, place);
        }
        OnBothDatabases.behind(place.server(), OnBothDatabases.emptied(place.schema()));
        temporal = Temporal.on(
                Transactions.builder(place.dataSource())
                        .policy(TxRetryPolicy.BRIEF.withMaxRetries(300))
                        .build(),
                SnowflakeIds.forNode(1));
    }

    @AfterAll
    static void stop() throws IOException {
        for (Place place : places.values()) {
            place.dataSource().close();
            place.server().close();
        }
        places.clear();
    }

    // ---- what is owned

    /** Something that an owner holds by a range id, and writes into. */
    private interface Owned {

        void create() throws SQLException;

        long rangeId() throws SQLException;

        void takeOver(long expected) throws SQLException;

        /** Writes {@code id} as the owner with {@code rangeId}. */
        void write(long rangeId, long id) throws SQLException;

        /** Which ids were written, and with which range id. */
        Map<Long, Long> written() throws SQLException;
    }

    enum Kind {
        SHARD,
        TASK_QUEUE,
        FAIR_TASK_QUEUE
    }

    private Owned owned(Kind kind) {
        return switch (kind) {
            case SHARD -> new OwnedShard();
            case TASK_QUEUE -> new OwnedQueue(TaskQueues.Version.V1);
            case FAIR_TASK_QUEUE -> new OwnedQueue(TaskQueues.Version.V2);
        };
    }

    private final class OwnedShard implements Owned {

        private static final int SHARD = 7;

        @Override
        public void create() throws SQLException {
            temporal.shards().insert(new Shards.Shard(SHARD, 1, DATA));
        }

        @Override
        public long rangeId() throws SQLException {
            return temporal.shards().select(SHARD).orElseThrow().rangeId();
        }

        @Override
        public void takeOver(long expected) throws SQLException {
            temporal.shards().update(new Shards.Shard(SHARD, expected + 1, DATA), expected);
        }

        @Override
        public void write(long rangeId, long id) throws SQLException {
            HistoryTasks.Task task = new HistoryTasks.Task(HistoryTasks.Key.of(id), number(rangeId));
            temporal.historyTasks().insert(SHARD, rangeId, HistoryTasks.Category.TRANSFER, List.of(task));
        }

        @Override
        public Map<Long, Long> written() throws SQLException {
            return temporal
                    .historyTasks()
                    .select(
                            SHARD,
                            HistoryTasks.Category.TRANSFER,
                            HistoryTasks.Key.of(0),
                            HistoryTasks.Key.of(Long.MAX_VALUE),
                            10_000,
                            null)
                    .rows()
                    .stream()
                    .collect(Collectors.toMap(task -> task.key().taskId(), task -> number(task.data())));
        }
    }

    private final class OwnedQueue implements Owned {

        private static final TaskQueues.Id ID = TaskQueues.Id.of(new UUID(1, 2), "orders", 1);

        private final TaskQueues queues;
        private final Tasks tasks;

        OwnedQueue(TaskQueues.Version version) {
            this.queues = temporal.taskQueues(version);
            this.tasks = temporal.tasks(version);
        }

        @Override
        public void create() throws SQLException {
            queues.insert(new TaskQueues.Queue(ID, 1, DATA));
        }

        @Override
        public long rangeId() throws SQLException {
            return queues.select(ID).orElseThrow().rangeId();
        }

        @Override
        public void takeOver(long expected) throws SQLException {
            queues.update(new TaskQueues.Queue(ID, expected + 1, DATA), expected);
        }

        @Override
        public void write(long rangeId, long id) throws SQLException {
            tasks.insert(ID, rangeId, List.of(new Tasks.Task(Tasks.Level.of(id), number(rangeId))));
        }

        @Override
        public Map<Long, Long> written() throws SQLException {
            return tasks.select(ID, Tasks.Level.FIRST, Tasks.Level.LAST, 10_000, null).rows().stream()
                    .collect(Collectors.toMap(task -> task.level().id(), task -> number(task.data())));
        }
    }

    private static Blob number(long number) {
        return Blob.proto3(ByteBuffer.allocate(Long.BYTES).putLong(number).array());
    }

    private static long number(Blob blob) {
        return ByteBuffer.wrap(blob.data()).getLong();
    }

    // ---- tests

    @ParameterizedTest
    @EnumSource
    void ofAllWhoTakeOverWithOneTokenExactlyOneWins(Kind kind) throws Exception {
        Owned owned = owned(kind);
        owned.create();
        for (long token = 1; token <= ROUNDS; token++) {
            long expected = token;
            Contenders.Outcome<Integer> outcome = Contenders.run(OWNERS, owner -> {
                owned.takeOver(expected);
                return owner;
            });
            assertEquals(1, outcome.won().size(), "winners of token " + token);
            assertEquals(OWNERS - 1, outcome.lost(), "losers of token " + token);
            assertEquals(token + 1, owned.rangeId());
        }
    }

    /**
     * A new owner looks at once what was written before its time. If that is still all at the end, no deposed owner has
     * committed anything.
     */
    @ParameterizedTest
    @EnumSource
    void aDeposedOwnerCommitsNothing(Kind kind) throws Exception {
        Owned owned = owned(kind);
        owned.create();
        AtomicLong ids = new AtomicLong();
        Map<Long, Map<Long, Long>> seenByNewOwner = new ConcurrentHashMap<>();
        Map<Long, Long> acknowledged = new ConcurrentHashMap<>();
        Contenders.run(OWNERS, owner -> {
            for (int term = 0; term < ROUNDS; term++) {
                long rangeId = takeOver(owned);
                seenByNewOwner.put(rangeId, before(rangeId, owned.written()));
                while (isWritten(owned, rangeId, ids.incrementAndGet(), acknowledged)) {
                    if (acknowledged.size() > 400) {
                        return owner;
                    }
                }
            }
            return owner;
        });
        Map<Long, Long> atTheEnd = owned.written();
        assertEquals(new TreeMap<>(acknowledged), new TreeMap<>(atTheEnd), "what was acknowledged is what is there");
        assertFalse(atTheEnd.isEmpty());
        assertTrue(seenByNewOwner.size() > 1, "there was only one owner");
        seenByNewOwner.forEach((rangeId, seen) -> assertEquals(
                new TreeMap<>(seen),
                new TreeMap<>(before(rangeId, atTheEnd)),
                "written by others after owner " + rangeId + " had taken over"));
    }

    private static long takeOver(Owned owned) throws SQLException {
        while (true) {
            long expected = owned.rangeId();
            try {
                owned.takeOver(expected);
                return expected + 1;
            } catch (ConditionFailedException | ShardOwnershipLostException e) {
                // another was faster: the next one has another token
            }
        }
    }

    private static boolean isWritten(Owned owned, long rangeId, long id, Map<Long, Long> acknowledged)
            throws SQLException {
        try {
            owned.write(rangeId, id);
            acknowledged.put(id, rangeId);
            return true;
        } catch (ConditionFailedException | ShardOwnershipLostException e) {
            return false;
        }
    }

    private static Map<Long, Long> before(long rangeId, Map<Long, Long> written) {
        return written.entrySet().stream()
                .filter(task -> task.getValue() < rangeId)
                .collect(Collectors.toMap(Map.Entry::getKey, Map.Entry::getValue));
    }

    /** With the policy of the page's example. */
    @Test
    void everyLoserOfAnUpdateLearnsThatItsConditionFailed() throws Exception {
        Temporal brief = Temporal.on(
                Transactions.builder(places.get(where).dataSource())
                        .policy(TxRetryPolicy.BRIEF)
                        .build(),
                SnowflakeIds.forNode(1));
        brief.shards().insert(new Shards.Shard(Sample.SHARD, Sample.RANGE, DATA));
        brief.workflows().create(Sample.RANGE, CurrentRun.brandNew(), Sample.snapshot(Sample.run(1), 4, 1));
        for (int version = 1; version <= 4; version++) {
            Executions.Fence read = Executions.Fence.dbRecordVersion(version);
            Executions.Execution changed = Sample.execution(Sample.run(1), 4 + version, version + 1);
            long tasks = 100L * version;
            Contenders.Outcome<Integer> outcome = Contenders.run(CONTENDERS, i -> {
                Workflows.Mutation mutation = Sample.mutation(changed, Sample.running(Sample.run(1)), tasks + i);
                brief.workflows().update(Sample.RANGE, CurrentRun.update(), read, mutation, null);
                return i;
            });
            assertEquals(1, outcome.won().size());
            assertEquals(CONTENDERS - 1, outcome.lost());
        }
    }

    @Test
    void noSenderToABusyQueueGivesUp() throws Exception {
        Temporal brief = Temporal.on(
                Transactions.builder(places.get(where).dataSource())
                        .policy(TxRetryPolicy.BRIEF)
                        .build(),
                SnowflakeIds.forNode(1));
        Contenders.run(CONTENDERS, i -> {
            for (int message = 0; message < 6; message++) {
                brief.queueV1().enqueue(3, DATA);
            }
            return i;
        });
        assertEquals(
                LongStream.range(0, CONTENDERS * 6).boxed().toList(),
                ids(brief.queueV1().select(3, -1, 1_000, 1_000, null)));
    }

    @Test
    void idsInAQueueStayContiguousUnderConcurrentSenders() throws Exception {
        QueueV2.Name name = new QueueV2.Name(1, "orders");
        temporal.queueV2().insert(name, DATA);
        Contenders.run(OWNERS, sender -> {
            for (int i = 0; i < ROUNDS; i++) {
                temporal.queueV1().enqueue(3, DATA);
                temporal.queueV2().enqueue(name, 0, DATA);
            }
            return sender;
        });
        List<Long> expected = LongStream.range(0, OWNERS * ROUNDS).boxed().toList();
        assertEquals(expected, ids(temporal.queueV1().select(3, -1, 1_000, 1_000, null)));
        assertEquals(expected, ids(temporal.queueV2().select(name, 0, 0, 1_000, null)));
    }

    private static List<Long> ids(Page<QueueV1.Message> page) {
        return page.rows().stream().map(QueueV1.Message::id).toList();
    }
}
