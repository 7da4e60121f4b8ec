// SPDX-License-Identifier: Apache-2.0
package dev.forebay.local.iam;

import dev.forebay.local.iam.Verdict.Denial;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Locale;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Says whether a token lets a user in, as IAM and Aurora DSQL together do. Thread-safe; never shows a token.
 */
public final class TokenCheck {

    private static final Pattern CLUSTER_ID = Pattern.compile("[a-z0-9]{1,63}");

    private final TokenRules rules;
    private final InstantSource clock;
    private volatile Instant expiredBefore = Instant.MIN;

    /** A check of {@code rules} at the time that {@code clock} tells. */
    public TokenCheck(TokenRules rules, InstantSource clock) {
        this.rules = rules;
        this.clock = clock;
    }

    /** Whether {@code token} lets {@code user} in at the endpoint. */
    public Verdict verify(String user, String token) {
        return verify(user, token, "");
    }

    /**
     * Whether {@code token} lets {@code user} in.
     *
     * @param clusterId the cluster that the client named ({@code amzn-cluster-id}), whose own host name is good as well;
     *     empty if it named none
     */
    public Verdict verify(String user, String token, String clusterId) {
        PresignedRequest request;
        try {
            request = PresignedRequest.parse(token);
        } catch (PresignedRequest.Malformed e) {
            return denied(Denial.GARBAGE, String.valueOf(e.getMessage()));
        }
        Verdict denied = checkScope(request, clusterId);
        if (denied == null) {
            denied = checkSignature(request);
        }
        if (denied == null) {
            denied = checkTime(request, clock.instant());
        }
        if (denied == null) {
            denied = checkUser(request, user);
        }
        return denied != null
                ? denied
                : new Verdict.Accepted(request.accessKeyId, request.issuedAt, request.expiresAt());
    }

    private @Nullable Verdict checkScope(PresignedRequest request, String clusterId) {
        if (!isOurs(request.host.toLowerCase(Locale.ROOT), clusterId)) {
            return denied(Denial.WRONG_HOST, "The presigned request is not for the host of this cluster.");
        }
        if (!request.scope.service().equals(SigV4.SERVICE)) {
            return denied(
                    Denial.WRONG_SERVICE, "Credential should be scoped to correct service: '" + SigV4.SERVICE + "'.");
        }
        if (!request.scope.region().equals(rules.region())) {
            return denied(
                    Denial.WRONG_REGION,
                    "Credential should be scoped to a valid region, not the one given. Expected: " + rules.region());
        }
        return null;
    }

    private boolean isOurs(String host, String clusterId) {
        return rules.hosts().contains(host)
                || (CLUSTER_ID.matcher(clusterId).matches()
                        && host.equals(clusterId + ".dsql." + rules.region() + ".on.aws"));
    }

    private @Nullable Verdict checkSignature(PresignedRequest request) {
        AccessKey key = rules.keys().stream()
                .filter(candidate -> candidate.id().equals(request.accessKeyId))
                .findFirst()
                .orElse(null);
        if (key == null || !sameInConstantTime(key.sessionToken(), request.sessionToken)) {
            return denied(Denial.UNKNOWN_KEY, "The security token included in the request is invalid.");
        }
        if (!sameInConstantTime(request.expectedSignature(key.secret()), request.signature)) {
            return denied(
                    Denial.WRONG_SIGNATURE,
                    "The request signature we calculated does not match the signature you provided."
                            + " Check your AWS Secret Access Key and signing method.");
        }
        return null;
    }

    private @Nullable Verdict checkTime(PresignedRequest request, Instant now) {
        if (request.issuedAt.isAfter(now.plus(rules.clockSkew()))) {
            return denied(
                    Denial.NOT_YET_VALID,
                    "Signature not yet current: " + request.date + " is still later than "
                            + TokenMaker.DATE.format(now.plus(rules.clockSkew())) + " (" + TokenMaker.DATE.format(now)
                            + " + " + inWords(rules.clockSkew()) + ")");
        }
        Instant oldest = now.minus(request.length);
        if (request.issuedAt.isBefore(oldest)) {
            return denied(
                    Denial.EXPIRED,
                    expiredAsOf(request, oldest) + " (" + TokenMaker.DATE.format(now) + " - " + inWords(request.length)
                            + ")");
        }
        Instant declared = expiredBefore;
        if (request.issuedAt.isBefore(declared)) {
            return denied(Denial.EXPIRED, expiredAsOf(request, declared));
        }
        return null;
    }

    private static String expiredAsOf(PresignedRequest request, Instant oldest) {
        return "Signature expired: " + request.date + " is now earlier than " + TokenMaker.DATE.format(oldest);
    }

    private @Nullable Verdict checkUser(PresignedRequest request, String user) {
        if (!request.action.equals(TokenAction.of(user).text())) {
            return denied(
                    Denial.WRONG_ACTION, "Wrong user to action mapping. user: " + user + ", action: " + request.action);
        }
        return null;
    }

    private static Verdict denied(Denial reason, String hint) {
        return new Verdict.Denied(reason, hint);
    }

    private static boolean sameInConstantTime(String expected, String given) {
        return MessageDigest.isEqual(expected.getBytes(StandardCharsets.UTF_8), given.getBytes(StandardCharsets.UTF_8));
    }

    private static String inWords(Duration length) {
        return length.toSecondsPart() == 0 ? length.toMinutes() + " min." : length.toSeconds() + " sec.";
    }

    /**
     * Refuses every token signed before {@code moment}, as if it had expired. Tokens tell the second of their signing
     * only: one signed in the very second of {@code moment} is refused too.
     */
    public void expireIssuedBefore(Instant moment) {
        expiredBefore = moment;
    }

    @Override
    public String toString() {
        return "TokenCheck[" + rules.region() + ", " + rules.hosts() + "]";
    }
}
