// SPDX-License-Identifier: Apache-2.0
package dev.forebay.dsql;

import dev.forebay.fleet.FleetStore;
import dev.forebay.fleet.FleetStore.Written;
import dev.forebay.fleet.Item;
import dev.forebay.fleet.StoreException;
import dev.forebay.fleet.StoreException.Trouble;
import dev.forebay.fleet.Write;
import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import org.jspecify.annotations.Nullable;
import software.amazon.awssdk.auth.credentials.AwsCredentialsProvider;
import software.amazon.awssdk.awscore.retry.AwsRetryStrategy;
import software.amazon.awssdk.http.urlconnection.UrlConnectionHttpClient;
import software.amazon.awssdk.regions.Region;
import software.amazon.awssdk.services.dynamodb.DynamoDbClient;
import software.amazon.awssdk.services.dynamodb.DynamoDbClientBuilder;
import software.amazon.awssdk.services.dynamodb.model.AttributeValue;
import software.amazon.awssdk.services.dynamodb.model.BatchGetItemResponse;
import software.amazon.awssdk.services.dynamodb.model.CancellationReason;
import software.amazon.awssdk.services.dynamodb.model.ConditionalCheckFailedException;
import software.amazon.awssdk.services.dynamodb.model.KeysAndAttributes;
import software.amazon.awssdk.services.dynamodb.model.ReplicatedWriteConflictException;
import software.amazon.awssdk.services.dynamodb.model.ReturnValuesOnConditionCheckFailure;
import software.amazon.awssdk.services.dynamodb.model.TransactWriteItem;
import software.amazon.awssdk.services.dynamodb.model.TransactionCanceledException;
import software.amazon.awssdk.services.dynamodb.model.TransactionConflictException;

/**
 * The fleet's store in a DynamoDB table whose partition key is {@code pk}, a string. Thread-safe.
 *
 * <p>One write is a conditional update, several are a transaction; reads are consistent. Nothing is retried here,
 * except what a batch left unread: the caller decides that, and a client that retried would hide how long a store has
 * been in trouble.
 */
public final class DynamoStore implements FleetStore {

    /** The most time for a call. */
    public static final Duration TIMEOUT = FleetStore.TIMEOUT;

    static final String KEY = "pk";

    private static final int MOST_KEYS = 100;
    private static final int MOST_ROUNDS = 8;
    private static final ReturnValuesOnConditionCheckFailure FOUND = ReturnValuesOnConditionCheckFailure.ALL_OLD;

    private final DynamoDbClient client;
    private final String table;
    private final Executor executor;

    /**
     * A store in {@code table}.
     *
     * @param client one that does not retry, such as {@link #client} makes; the caller closes it
     * @param executor the threads that calls block; it should bound how many are in progress
     */
    public DynamoStore(DynamoDbClient client, String table, Executor executor) {
        this.client = client;
        this.table = table;
        this.executor = executor;
    }

    /** Returns a client that gives up after {@link #TIMEOUT} and tries everything once; at {@code endpoint}, if one is given. */
    public static DynamoDbClient client(Region region, AwsCredentialsProvider credentials, @Nullable URI endpoint) {
        DynamoDbClientBuilder builder = DynamoDbClient.builder()
                .region(region)
                .credentialsProvider(credentials)
                .httpClientBuilder(UrlConnectionHttpClient.builder()
                        .connectionTimeout(TIMEOUT.dividedBy(2))
                        .socketTimeout(TIMEOUT.dividedBy(2)))
                .overrideConfiguration(override -> override.apiCallTimeout(TIMEOUT)
                        .apiCallAttemptTimeout(TIMEOUT)
                        .retryStrategy(AwsRetryStrategy.doNotRetry()));
        return endpoint == null
                ? builder.build()
                : builder.endpointOverride(endpoint).build();
    }

    @Override
    public void read(Collection<String> keys, Reply<Map<String, Item>> reply) {
        List<String> distinct = List.copyOf(new LinkedHashSet<>(keys));
        run(reply, () -> distinct.size() == 1 ? readOne(distinct.get(0)) : readAll(distinct));
    }

    @Override
    public void write(List<Write> writes, Reply<Written> reply) {
        List<Write> all = List.copyOf(writes);
        run(reply, () -> all.size() == 1 ? writeOne(all.get(0)) : writeTogether(all));
    }

    private interface Call<R> {
        R call() throws StoreException;
    }

    private <R> void run(Reply<R> reply, Call<R> call) {
        try {
            executor.execute(() -> answer(reply, call));
        } catch (RejectedExecutionException e) {
            reply.failed(new StoreException(
                    Trouble.OUT_OF_REACH, "DynamoDB table " + table + ": too many calls are under way", e));
        }
    }

    private <R> void answer(Reply<R> reply, Call<R> call) {
        R result;
        try {
            result = call.call();
        } catch (StoreException e) {
            reply.failed(e);
            return;
        } catch (RuntimeException e) {
            reply.failed(DynamoTrouble.of(table, e));
            return;
        }
        reply.answered(result);
    }

    @Override
    public String toString() {
        return "DynamoDB table " + table;
    }

    // ---- reading

    private Map<String, Item> readOne(String key) {
        Map<String, Item> found = new HashMap<>();
        Map<String, AttributeValue> item = client.getItem(
                        request -> request.tableName(table).key(keyOf(key)).consistentRead(true))
                .item();
        take(item, found);
        return found;
    }

    private Map<String, Item> readAll(List<String> keys) throws StoreException {
        Map<String, Item> found = new HashMap<>();
        for (int from = 0; from < keys.size(); from += MOST_KEYS) {
            readBatch(keys.subList(from, Math.min(keys.size(), from + MOST_KEYS)), found);
        }
        return found;
    }

    /** Reads until nothing is left: one answer holds no more than 16 MB, and a busy table leaves some unread. */
    private void readBatch(List<String> keys, Map<String, Item> found) throws StoreException {
        KeysAndAttributes unread = KeysAndAttributes.builder()
                .keys(keys.stream().map(DynamoStore::keyOf).toList())
                .consistentRead(true)
                .build();
        for (int round = 0; round < MOST_ROUNDS; round++) {
            Map<String, KeysAndAttributes> asked = Map.of(table, unread);
            BatchGetItemResponse response = client.batchGetItem(request -> request.requestItems(asked));
            response.responses().getOrDefault(table, List.of()).forEach(item -> take(item, found));
            KeysAndAttributes left = response.unprocessedKeys().get(table);
            if (left == null || left.keys().isEmpty()) {
                return;
            }
            unread = left;
        }
        throw new StoreException(
                Trouble.THROTTLED,
                "DynamoDB table " + table + ": items were left unread " + MOST_ROUNDS + " times",
                null);
    }

    private static void take(Map<String, AttributeValue> attributes, Map<String, Item> found) {
        Item item = DynamoExpressions.item(attributes);
        AttributeValue key = attributes.get(KEY);
        if (key != null && item.exists()) {
            found.put(key.s(), item);
        }
    }

    private static Map<String, AttributeValue> keyOf(String key) {
        return Map.of(KEY, AttributeValue.fromS(key));
    }

    // ---- writing

    private Written writeOne(Write write) {
        DynamoExpressions expressions = new DynamoExpressions(write);
        try {
            if (write.delete()) {
                client.deleteItem(request -> request.tableName(table)
                        .key(keyOf(write.key()))
                        .conditionExpression(expressions.condition())
                        .expressionAttributeNames(expressions.names())
                        .expressionAttributeValues(expressions.values())
                        .returnValuesOnConditionCheckFailure(FOUND));
            } else {
                client.updateItem(request -> request.tableName(table)
                        .key(keyOf(write.key()))
                        .updateExpression(expressions.update())
                        .conditionExpression(expressions.condition())
                        .expressionAttributeNames(expressions.names())
                        .expressionAttributeValues(expressions.values())
                        .returnValuesOnConditionCheckFailure(FOUND));
            }
            return Written.DONE;
        } catch (ConditionalCheckFailedException e) {
            return Written.conditionFailed(Map.of(write.key(), DynamoExpressions.item(e.item())));
        } catch (TransactionConflictException | ReplicatedWriteConflictException e) {
            return Written.CONFLICT;
        }
    }

    private Written writeTogether(List<Write> writes) throws StoreException {
        List<TransactWriteItem> items = new ArrayList<>();
        writes.forEach(write -> items.add(transactional(write)));
        try {
            client.transactWriteItems(request -> request.transactItems(items));
            return Written.DONE;
        } catch (TransactionCanceledException e) {
            return cancelled(writes, e);
        } catch (TransactionConflictException | ReplicatedWriteConflictException e) {
            return Written.CONFLICT;
        } // one that is still in progress may yet take effect, so that is no answer
    }

    private TransactWriteItem transactional(Write write) {
        DynamoExpressions expressions = new DynamoExpressions(write);
        TransactWriteItem.Builder item = TransactWriteItem.builder();
        if (write.delete()) {
            item.delete(request -> request.tableName(table)
                    .key(keyOf(write.key()))
                    .conditionExpression(expressions.condition())
                    .expressionAttributeNames(expressions.names())
                    .expressionAttributeValues(expressions.values())
                    .returnValuesOnConditionCheckFailure(FOUND));
        } else {
            item.update(request -> request.tableName(table)
                    .key(keyOf(write.key()))
                    .updateExpression(expressions.update())
                    .conditionExpression(expressions.condition())
                    .expressionAttributeNames(expressions.names())
                    .expressionAttributeValues(expressions.values())
                    .returnValuesOnConditionCheckFailure(FOUND));
        }
        return item.build();
    }

    /**
     * Reads the reasons, one for each write. A condition that failed is certain whatever the other writes met, so it
     * comes first; a conflict among them only means that their items could not be looked at.
     */
    private Written cancelled(List<Write> writes, TransactionCanceledException error) throws StoreException {
        Map<String, Item> failed = new HashMap<>();
        boolean conflict = false;
        List<CancellationReason> reasons = error.cancellationReasons();
        for (int i = 0; i < Math.min(writes.size(), reasons.size()); i++) {
            CancellationReason reason = reasons.get(i);
            switch (String.valueOf(reason.code())) {
                case "ConditionalCheckFailed" -> failed.put(writes.get(i).key(), DynamoExpressions.item(reason.item()));
                case "TransactionConflict", "ReplicatedWriteConflict" -> conflict = true;
                default -> {}
            }
        }
        if (!failed.isEmpty()) {
            return Written.conditionFailed(failed);
        }
        if (conflict) {
            return Written.CONFLICT;
        }
        throw DynamoTrouble.of(table, error, reasons);
    }
}
