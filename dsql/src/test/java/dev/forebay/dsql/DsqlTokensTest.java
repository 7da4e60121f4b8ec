// SPDX-License-Identifier: Apache-2.0
package dev.forebay.dsql;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.forebay.local.iam.AccessKey;
import dev.forebay.local.iam.TokenCheck;
import dev.forebay.local.iam.TokenRules;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import software.amazon.awssdk.auth.credentials.AwsBasicCredentials;
import software.amazon.awssdk.auth.credentials.AwsCredentials;
import software.amazon.awssdk.auth.credentials.AwsCredentialsProvider;
import software.amazon.awssdk.auth.credentials.AwsSessionCredentials;
import software.amazon.awssdk.core.exception.SdkClientException;
import software.amazon.awssdk.regions.Region;

class DsqlTokensTest {

    private static final String HOST = "abcdefghijklmnopqrstuvwxyz.dsql.eu-west-1.on.aws";
    private static final Region REGION = Region.EU_WEST_1;
    private static final String SECRET = "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY";
    private static final AwsCredentials KEY = AwsBasicCredentials.create("AKIDEXAMPLE", SECRET);
    private static final InstantSource CLOCK = InstantSource.system();
    private static final Duration QUARTER = Duration.ofMinutes(15);

    private static DsqlTokens tokens(String user, Duration duration, AwsCredentialsProvider credentials) {
        return new DsqlTokens(HOST, REGION, user, duration, credentials, CLOCK);
    }

    @Test
    void eachUserGetsTheKindOfTokenThatTheServerAsksFor() throws Exception {
        TokenCheck check = new TokenCheck(TokenRules.of(AccessKey.of("AKIDEXAMPLE", SECRET), REGION.id(), HOST), CLOCK);
        String admin = tokens("admin", QUARTER, () -> KEY).token().value();
        String role = tokens("alice", QUARTER, () -> KEY).token().value();
        assertTrue(check.verify("admin", admin).accepted());
        assertTrue(check.verify("alice", role).accepted());
        assertTrue(!check.verify("alice", admin).accepted());
        assertTrue(!check.verify("admin", role).accepted());
    }

    @Test
    void aTokenEndsAfterItsDuration() throws Exception {
        Instant before = CLOCK.instant();
        Token token = tokens("admin", Duration.ofDays(7), () -> KEY).token();
        assertTrue(token.value().contains("X-Amz-Expires=604800"));
        assertTrue(!token.expiresAt().isAfter(CLOCK.instant().plus(Duration.ofDays(7))));
        assertTrue(token.expiresAt().isAfter(before.plus(Duration.ofDays(7)).minusSeconds(2)));
    }

    @Test
    void aTokenDoesNotOutliveTheCredentialsThatSignedIt() throws Exception {
        Instant end = CLOCK.instant().plus(Duration.ofMinutes(5));
        AwsCredentials role = AwsSessionCredentials.builder()
                .accessKeyId("ASIAEXAMPLE")
                .secretAccessKey(SECRET)
                .sessionToken("session/token")
                .expirationTime(end)
                .build();
        assertEquals(end, tokens("admin", QUARTER, () -> role).token().expiresAt());
        Token shorter = tokens("admin", Duration.ofMinutes(2), () -> role).token();
        assertTrue(shorter.expiresAt().isBefore(end));
    }

    @Test
    void theCredentialsAreAskedOnceForEachToken() throws Exception {
        AtomicInteger asked = new AtomicInteger();
        tokens("admin", QUARTER, () -> {
                    asked.incrementAndGet();
                    return KEY;
                })
                .token();
        assertEquals(1, asked.get());
    }

    @Test
    void missingCredentialsAreSaidInPlainWords() {
        DsqlTokens none = tokens("admin", QUARTER, () -> {
            throw SdkClientException.create("Unable to load credentials from any of the providers in the chain");
        });
        TokenException error = assertThrows(TokenException.class, none::token);
        assertTrue(error.getMessage().startsWith("there are no AWS credentials to sign a token with"));
    }

    @Test
    void aDurationThatTheServerWouldRefuseIsRefusedHere() {
        assertThrows(
                IllegalArgumentException.class,
                () -> tokens("admin", Duration.ofDays(7).plusSeconds(1), () -> KEY));
        assertThrows(IllegalArgumentException.class, () -> tokens("admin", Duration.ZERO, () -> KEY));
    }
}
