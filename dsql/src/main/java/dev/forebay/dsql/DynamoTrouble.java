// SPDX-License-Identifier: Apache-2.0
package dev.forebay.dsql;

import dev.forebay.fleet.StoreException;
import dev.forebay.fleet.StoreException.Trouble;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import software.amazon.awssdk.awscore.exception.AwsServiceException;
import software.amazon.awssdk.core.exception.SdkClientException;
import software.amazon.awssdk.services.dynamodb.model.CancellationReason;

/** The meaning of an error of DynamoDB, with its remedy. */
final class DynamoTrouble {

    private static final Set<String> THROTTLES = Set.of(
            "ProvisionedThroughputExceeded",
            "ProvisionedThroughputExceededException",
            "ThrottlingError",
            "ThrottlingException",
            "Throttling",
            "RequestLimitExceeded",
            "RequestLimitExceededException");

    private static final Set<String> DENIALS = Set.of(
            "AccessDenied",
            "AccessDeniedException",
            "UnrecognizedClientException",
            "InvalidClientTokenId",
            "ExpiredToken",
            "ExpiredTokenException",
            "IncompleteSignature",
            "IncompleteSignatureException",
            "InvalidSignatureException",
            "SignatureDoesNotMatch",
            "MissingAuthenticationToken",
            "MissingAuthenticationTokenException",
            "NotAuthorized",
            "OptInRequired");

    private DynamoTrouble() {}

    /** Returns the meaning of {@code error} of a call about {@code table}. */
    static StoreException of(String table, RuntimeException error) {
        Trouble trouble;
        String what;
        if (error instanceof AwsServiceException answered) {
            String code = codeOf(answered);
            trouble = troubleOf(code, answered.statusCode(), answered.isThrottlingException());
            what = code;
        } else {
            trouble = hasNoCredentials(error) ? Trouble.DENIED : Trouble.OUT_OF_REACH;
            what = error.getClass().getSimpleName();
        }
        return new StoreException(
                trouble,
                "DynamoDB table " + table + ": " + what + ": " + error.getMessage() + "; " + remedy(trouble, what),
                error);
    }

    /** Returns the meaning of a transaction that was cancelled for neither a condition nor a conflict. */
    static StoreException of(String table, AwsServiceException error, List<CancellationReason> reasons) {
        Set<String> codes = new TreeSet<>();
        reasons.forEach(reason -> codes.add(String.valueOf(reason.code())));
        codes.remove("None");
        Trouble trouble = Trouble.OUT_OF_REACH;
        for (String code : codes) {
            Trouble one = troubleOf(code, error.statusCode(), false);
            trouble = one == Trouble.OUT_OF_REACH ? trouble : one;
        }
        String what = String.join(", ", codes);
        return new StoreException(
                trouble,
                "DynamoDB table " + table + ": a transaction was cancelled: " + what + "; " + remedy(trouble, what),
                error);
    }

    private static String codeOf(AwsServiceException error) {
        String code =
                error.awsErrorDetails() == null ? null : error.awsErrorDetails().errorCode();
        return code == null ? error.getClass().getSimpleName() : code;
    }

    private static Trouble troubleOf(String code, int status, boolean throttled) {
        if (throttled || THROTTLES.contains(code)) {
            return Trouble.THROTTLED;
        }
        if (code.equals("ResourceNotFoundException") || isMisfit(code)) {
            return Trouble.NO_TABLE;
        }
        return DENIALS.contains(code) || status == 401 || status == 403 ? Trouble.DENIED : Trouble.OUT_OF_REACH;
    }

    /** Returns whether the table has another shape: our requests are valid. */
    private static boolean isMisfit(String code) {
        return code.equals("ValidationException") || code.equals("ValidationError");
    }

    /** Returns whether there are no credentials, for which the SDK has no class. */
    private static boolean hasNoCredentials(RuntimeException error) {
        return error instanceof SdkClientException
                && String.valueOf(error.getMessage()).contains("credentials");
    }

    private static String remedy(Trouble trouble, String code) {
        return switch (trouble) {
            case THROTTLED -> "give the table on-demand billing or more capacity";
            case NO_TABLE ->
                isMisfit(code)
                        ? "the partition key must be the string pk, without a sort key"
                        : "create it with ./forebay tables create, and look at the region";
            case DENIED ->
                "look at the AWS credentials and the clock; ./forebay tables policy prints the permissions that are needed";
            case OUT_OF_REACH -> "look at the network and at DynamoDB's health";
        };
    }
}
