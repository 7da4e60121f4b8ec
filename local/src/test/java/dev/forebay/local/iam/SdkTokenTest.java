// SPDX-License-Identifier: Apache-2.0
package dev.forebay.local.iam;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.time.ZoneOffset;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import software.amazon.awssdk.auth.credentials.AwsBasicCredentials;
import software.amazon.awssdk.auth.credentials.AwsCredentials;
import software.amazon.awssdk.auth.credentials.AwsSessionCredentials;
import software.amazon.awssdk.auth.credentials.StaticCredentialsProvider;
import software.amazon.awssdk.regions.Region;
import software.amazon.awssdk.services.dsql.DefaultDsqlUtilities;
import software.amazon.awssdk.services.dsql.DsqlUtilities;
import software.amazon.awssdk.services.dsql.model.GenerateAuthTokenRequest;

/** Our tokens beside those of the AWS SDK, whose word is the law here. */
class SdkTokenTest {

    private static final Instant NOW = Instant.parse("2026-09-15T12:34:56Z");
    private static final String REGION = "eu-west-1";
    private static final String ENDPOINT = "abcdefghijklmnopqrstuvwxyz.dsql.eu-west-1.on.aws";
    private static final AccessKey KEY = AccessKey.of("AKIDEXAMPLE", "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY");
    private static final AccessKey ROLE_KEY =
            new AccessKey("ASIAEXAMPLE", "secret/of+a=role", "IQoJb3JpZ2luX2VjEJ//////////wEaCWV1+==/ü~x y&z");

    @Test
    void aTokenOfTheSdkIsAccepted() {
        for (AccessKey key : List.of(KEY, ROLE_KEY)) {
            TokenCheck check = new TokenCheck(TokenRules.of(key, REGION, ENDPOINT), InstantSource.fixed(NOW));
            for (String host : List.of(ENDPOINT, "localhost", "127.0.0.1")) {
                Verdict admin = check.verify("admin", sdkToken(key, host, "admin", Duration.ofMinutes(15), NOW));
                assertTrue(admin.accepted(), () -> host + ": " + admin);
                Verdict role = check.verify("alice", sdkToken(key, host, "alice", Duration.ofDays(7), NOW));
                assertTrue(role.accepted(), () -> host + ": " + role);
            }
        }
    }

    @Test
    void whatATokenOfTheSdkSaysIsUnderstood() {
        TokenCheck check = new TokenCheck(TokenRules.of(KEY, REGION, ENDPOINT), InstantSource.fixed(NOW));
        Verdict verdict = check.verify("admin", sdkToken(KEY, ENDPOINT, "admin", Duration.ofMinutes(15), NOW));
        assertEquals(new Verdict.Accepted("AKIDEXAMPLE", NOW, NOW.plusSeconds(900)), verdict);
    }

    @ParameterizedTest
    @ValueSource(strings = {"admin", "alice"})
    void ourTokenIsThatOfTheSdkToTheByte(String user) {
        Random random = new Random(20260915);
        for (int round = 0; round < 200; round++) {
            AccessKey key = randomKey(random);
            String host = random.nextBoolean() ? ENDPOINT : "localhost";
            Duration duration = Duration.ofSeconds(1 + random.nextInt(604_800));
            Instant now = NOW.plusMillis(random.nextLong(-1_000_000_000_000L, 1_000_000_000_000L));
            String ours = new TokenMaker(host, REGION, key).token(user, duration, now);
            assertEquals(sdkToken(key, host, user, duration, now), ours, "round " + round);
        }
    }

    @Test
    void aTokenOfTheSdkWithItsOwnClockIsAccepted() {
        TokenCheck check = new TokenCheck(TokenRules.of(KEY, REGION, ENDPOINT), InstantSource.system());
        String token = DsqlUtilities.builder()
                .region(Region.of(REGION))
                .credentialsProvider(StaticCredentialsProvider.create(credentials(KEY)))
                .build()
                .generateDbConnectAdminAuthToken(request(ENDPOINT, Duration.ofMinutes(15)));
        assertTrue(check.verify("admin", token).accepted());
    }

    private static AccessKey randomKey(Random random) {
        String secret = text(random, 1 + random.nextInt(60));
        return random.nextBoolean()
                ? AccessKey.of("AKID" + random.nextInt(1_000_000), secret)
                : new AccessKey("ASIA" + random.nextInt(1_000_000), secret, text(random, 1 + random.nextInt(900)));
    }

    /** Any printable character of ASCII but a blank at an end, which the SDK cuts off. */
    private static String text(Random random, int length) {
        return random.ints(length, '!', 127)
                .collect(StringBuilder::new, StringBuilder::appendCodePoint, StringBuilder::append)
                .toString();
    }

    private static String sdkToken(AccessKey key, String host, String user, Duration duration, Instant now) {
        DefaultDsqlUtilities.DefaultBuilder builder = (DefaultDsqlUtilities.DefaultBuilder) DsqlUtilities.builder()
                .region(Region.of(REGION))
                .credentialsProvider(StaticCredentialsProvider.create(credentials(key)));
        DsqlUtilities utilities = new DefaultDsqlUtilities(builder, Clock.fixed(now, ZoneOffset.UTC));
        GenerateAuthTokenRequest request = request(host, duration);
        return user.equals("admin")
                ? utilities.generateDbConnectAdminAuthToken(request)
                : utilities.generateDbConnectAuthToken(request);
    }

    private static GenerateAuthTokenRequest request(String host, Duration duration) {
        return GenerateAuthTokenRequest.builder()
                .hostname(host)
                .expiresIn(duration)
                .build();
    }

    private static AwsCredentials credentials(AccessKey key) {
        return key.sessionToken().isEmpty()
                ? AwsBasicCredentials.create(key.id(), key.secret())
                : AwsSessionCredentials.create(key.id(), key.secret(), key.sessionToken());
    }
}
