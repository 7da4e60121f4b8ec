// SPDX-License-Identifier: Apache-2.0
package dev.forebay.dsql;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.forebay.fleet.FleetStore;
import dev.forebay.fleet.FleetStore.Written;
import dev.forebay.fleet.Item;
import dev.forebay.fleet.StoreException;
import dev.forebay.fleet.StoreException.Trouble;
import dev.forebay.fleet.Write;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import software.amazon.awssdk.awscore.exception.AwsErrorDetails;
import software.amazon.awssdk.core.exception.ApiCallTimeoutException;
import software.amazon.awssdk.core.exception.SdkClientException;
import software.amazon.awssdk.services.dynamodb.DynamoDbClient;
import software.amazon.awssdk.services.dynamodb.model.AttributeValue;
import software.amazon.awssdk.services.dynamodb.model.BatchGetItemRequest;
import software.amazon.awssdk.services.dynamodb.model.BatchGetItemResponse;
import software.amazon.awssdk.services.dynamodb.model.CancellationReason;
import software.amazon.awssdk.services.dynamodb.model.DynamoDbException;
import software.amazon.awssdk.services.dynamodb.model.InternalServerErrorException;
import software.amazon.awssdk.services.dynamodb.model.KeysAndAttributes;
import software.amazon.awssdk.services.dynamodb.model.ProvisionedThroughputExceededException;
import software.amazon.awssdk.services.dynamodb.model.ReplicatedWriteConflictException;
import software.amazon.awssdk.services.dynamodb.model.RequestLimitExceededException;
import software.amazon.awssdk.services.dynamodb.model.ResourceNotFoundException;
import software.amazon.awssdk.services.dynamodb.model.TransactWriteItemsRequest;
import software.amazon.awssdk.services.dynamodb.model.TransactWriteItemsResponse;
import software.amazon.awssdk.services.dynamodb.model.TransactionCanceledException;
import software.amazon.awssdk.services.dynamodb.model.TransactionConflictException;
import software.amazon.awssdk.services.dynamodb.model.TransactionInProgressException;
import software.amazon.awssdk.services.dynamodb.model.UpdateItemRequest;
import software.amazon.awssdk.services.dynamodb.model.UpdateItemResponse;

/** What each error of DynamoDB is taken for, those included that DynamoDB Local never makes. */
class DynamoTroubleTest {

    private static final Write LEASE = Write.to("lease").ifEqual("version", 1).set("version", 2);
    private static final Write COUNTER =
            Write.to("counter").ifAbsentOrAtMost("active", 9).add("active", 1);

    /** A client that fails, or answers what it was told to. */
    private static final class FailingClient implements DynamoDbClient {
        private final RuntimeException error;
        private final Deque<BatchGetItemResponse> batches = new ArrayDeque<>();
        private int calls;

        FailingClient(RuntimeException error) {
            this.error = error;
        }

        @Override
        public UpdateItemResponse updateItem(UpdateItemRequest request) {
            calls++;
            throw error;
        }

        @Override
        public TransactWriteItemsResponse transactWriteItems(TransactWriteItemsRequest request) {
            calls++;
            throw error;
        }

        @Override
        public BatchGetItemResponse batchGetItem(BatchGetItemRequest request) {
            calls++;
            return batches.size() > 1 ? batches.poll() : batches.peek();
        }

        @Override
        public String serviceName() {
            return "dynamodb";
        }

        @Override
        public void close() {}
    }

    private static FleetStore failing(RuntimeException error) {
        return new DynamoStore(new FailingClient(error), "fleet", Runnable::run);
    }

    private static StoreException trouble(FleetStore store, Write... writes) {
        ExecutionException error = assertThrows(ExecutionException.class, () -> StoreContract.write(store, writes));
        return (StoreException) error.getCause();
    }

    private static TransactionCanceledException cancelled(CancellationReason... reasons) {
        return TransactionCanceledException.builder()
                .message("Transaction cancelled, please refer cancellation reasons for specific reasons")
                .cancellationReasons(reasons)
                .build();
    }

    private static CancellationReason reason(String code) {
        return CancellationReason.builder().code(code).build();
    }

    private static RuntimeException answer(String code, int status) {
        return DynamoDbException.builder()
                .message("no")
                .statusCode(status)
                .awsErrorDetails(AwsErrorDetails.builder().errorCode(code).build())
                .build();
    }

    private record Case(String name, RuntimeException error, Trouble trouble) {
        @Override
        public String toString() {
            return name;
        }
    }

    static Stream<Case> cases() {
        return Stream.of(
                new Case(
                        "throughput",
                        ProvisionedThroughputExceededException.builder()
                                .message("slow down")
                                .build(),
                        Trouble.THROTTLED),
                new Case(
                        "account limit",
                        RequestLimitExceededException.builder()
                                .message("slow down")
                                .build(),
                        Trouble.THROTTLED),
                new Case("throttling by code", answer("ThrottlingException", 400), Trouble.THROTTLED),
                new Case(
                        "cancelled by throttling",
                        cancelled(reason("None"), reason("ThrottlingError")),
                        Trouble.THROTTLED),
                new Case(
                        "cancelled by throughput",
                        cancelled(reason("ProvisionedThroughputExceeded"), reason("None")),
                        Trouble.THROTTLED),
                new Case("access denied", answer("AccessDeniedException", 400), Trouble.DENIED),
                new Case("unknown key", answer("UnrecognizedClientException", 400), Trouble.DENIED),
                new Case("expired token", answer("ExpiredTokenException", 400), Trouble.DENIED),
                new Case("wrong signature", answer("InvalidSignatureException", 400), Trouble.DENIED),
                new Case("forbidden by a proxy", answer("Forbidden", 403), Trouble.DENIED),
                new Case(
                        "no credentials",
                        SdkClientException.create("Unable to load credentials from any of the providers in the chain"),
                        Trouble.DENIED),
                new Case(
                        "no table",
                        ResourceNotFoundException.builder()
                                .message("Requested resource not found")
                                .awsErrorDetails(AwsErrorDetails.builder()
                                        .errorCode("ResourceNotFoundException")
                                        .build())
                                .build(),
                        Trouble.NO_TABLE),
                new Case("other shape", answer("ValidationException", 400), Trouble.NO_TABLE),
                new Case(
                        "server error",
                        InternalServerErrorException.builder()
                                .statusCode(500)
                                .message("sorry")
                                .build(),
                        Trouble.OUT_OF_REACH),
                new Case("unavailable", answer("ServiceUnavailable", 503), Trouble.OUT_OF_REACH),
                new Case("time-out", ApiCallTimeoutException.create(5_000), Trouble.OUT_OF_REACH),
                new Case(
                        "input/output",
                        SdkClientException.create("Unable to execute HTTP request"),
                        Trouble.OUT_OF_REACH),
                new Case("cancelled for nothing known", cancelled(reason("Unheard of")), Trouble.OUT_OF_REACH),
                new Case("a bug somewhere", new IllegalStateException("oops"), Trouble.OUT_OF_REACH));
    }

    @ParameterizedTest
    @MethodSource("cases")
    void anErrorIsTakenForWhatItIsAndNamesTheTable(Case one) {
        for (Write[] writes : List.of(new Write[] {LEASE}, new Write[] {LEASE, COUNTER})) {
            StoreException error = trouble(failing(one.error), writes);
            if (!(one.error instanceof TransactionCanceledException) || writes.length > 1) {
                assertEquals(one.trouble, error.trouble(), error.getMessage());
            }
            assertTrue(error.getMessage().startsWith("DynamoDB table fleet: "), error.getMessage());
            assertTrue(error.getMessage().contains("; "), "no remedy: " + error.getMessage());
        }
    }

    /** Under contention most failures are conflicts: taken for the limit, they would lock everyone out. */
    @Test
    void aConflictIsNoCondition() throws Exception {
        for (String code : List.of("TransactionConflict", "ReplicatedWriteConflict")) {
            assertEquals(
                    Written.CONFLICT,
                    StoreContract.write(failing(cancelled(reason("None"), reason(code))), LEASE, COUNTER));
        }
        for (RuntimeException error : List.of(
                TransactionConflictException.builder().build(),
                ReplicatedWriteConflictException.builder().build())) {
            assertEquals(Written.CONFLICT, StoreContract.write(failing(error), COUNTER));
        }
    }

    /** Taken for a conflict, its owner would count on slots that are about to be given away. */
    @Test
    void aTransactionThatIsStillInProgressLeavesDoubt() {
        FleetStore store = failing(TransactionInProgressException.builder().build());
        assertEquals(Trouble.OUT_OF_REACH, trouble(store, LEASE, COUNTER).trouble());
    }

    @Test
    void aConditionThatFailedIsToldWithWhatWasFoundEvenBesideAConflict() throws Exception {
        CancellationReason full = CancellationReason.builder()
                .code("ConditionalCheckFailed")
                .item(Map.of("pk", AttributeValue.fromS("counter"), "active", AttributeValue.fromN("10")))
                .build();
        assertEquals(
                Written.conditionFailed(Map.of("counter", new Item(Map.of("active", 10L)))),
                StoreContract.write(failing(cancelled(reason("TransactionConflict"), full)), LEASE, COUNTER));
        assertEquals(
                Written.conditionFailed(Map.of("lease", Item.NONE)),
                StoreContract.write(
                        failing(cancelled(reason("ConditionalCheckFailed"), reason("TransactionConflict"))),
                        LEASE,
                        COUNTER));
    }

    @Test
    void whatABatchLeftUnreadIsReadAgainButNotForEver() throws Exception {
        FailingClient client = new FailingClient(new IllegalStateException());
        Map<String, AttributeValue> item = Map.of("pk", AttributeValue.fromS("a"), "n", AttributeValue.fromN("1"));
        KeysAndAttributes left = KeysAndAttributes.builder()
                .keys(List.of(Map.of("pk", AttributeValue.fromS("a"))))
                .build();
        BatchGetItemResponse unread = BatchGetItemResponse.builder()
                .unprocessedKeys(Map.of("fleet", left))
                .build();
        client.batches.add(unread);
        client.batches.add(BatchGetItemResponse.builder()
                .responses(Map.of("fleet", List.of(item)))
                .build());
        DynamoStore store = new DynamoStore(client, "fleet", Runnable::run);
        assertEquals(Map.of("a", new Item(Map.of("n", 1L))), StoreContract.read(store, List.of("a", "b")));
        assertEquals(2, client.calls);
        client.batches.clear();
        client.batches.add(unread);
        ExecutionException error =
                assertThrows(ExecutionException.class, () -> StoreContract.read(store, List.of("a", "b")));
        assertEquals(Trouble.THROTTLED, ((StoreException) error.getCause()).trouble());
    }

    @Test
    void anExecutorThatIsFullMakesTheStoreOutOfReach() {
        Executor full = task -> {
            throw new RejectedExecutionException("full");
        };
        DynamoStore store = new DynamoStore(new FailingClient(new IllegalStateException()), "fleet", full);
        assertEquals(Trouble.OUT_OF_REACH, trouble(store, LEASE).trouble());
    }
}
