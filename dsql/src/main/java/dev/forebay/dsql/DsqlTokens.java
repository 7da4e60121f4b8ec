// SPDX-License-Identifier: Apache-2.0
package dev.forebay.dsql;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.time.temporal.ChronoUnit;
import java.util.List;
import software.amazon.awssdk.auth.credentials.AwsCredentials;
import software.amazon.awssdk.auth.credentials.AwsCredentialsProvider;
import software.amazon.awssdk.auth.credentials.AwsSessionCredentials;
import software.amazon.awssdk.auth.credentials.StaticCredentialsProvider;
import software.amazon.awssdk.regions.Region;
import software.amazon.awssdk.services.dsql.DsqlUtilities;
import software.amazon.awssdk.services.dsql.model.GenerateAuthTokenRequest;

/**
 * IAM tokens for one user of one Aurora DSQL cluster, signed on this machine by the AWS SDK. Immutable and thread-safe.
 *
 * <p>The user {@code admin} gets a token to {@code DbConnectAdmin}, any other role one to {@code DbConnect}. The server
 * refuses a token when the credentials that signed it have ended, so a token does not outlive them.
 */
public final class DsqlTokens implements TokenProvider {

    /** The user whose tokens are of their own kind. */
    public static final String ADMIN = "admin";

    private static final Duration LONGEST = Duration.ofDays(7);

    private final String hostname;
    private final Region region;
    private final String user;
    private final Duration duration;
    private final AwsCredentialsProvider credentials;
    private final InstantSource clock;

    /**
     * Tokens that are valid for {@code duration}, or as long as the credentials if that is shorter.
     *
     * @param hostname the endpoint that they are signed for
     */
    public DsqlTokens(
            String hostname,
            Region region,
            String user,
            Duration duration,
            AwsCredentialsProvider credentials,
            InstantSource clock) {
        if (duration.compareTo(Duration.ofSeconds(1)) < 0 || duration.compareTo(LONGEST) > 0) {
            throw new IllegalArgumentException("a token lasts from a second to seven days: " + duration);
        }
        this.hostname = hostname;
        this.region = region;
        this.user = user;
        this.duration = duration;
        this.credentials = credentials;
        this.clock = clock;
    }

    @Override
    public Token token() throws TokenException {
        AwsCredentials identity = identity();
        Instant now = clock.instant().truncatedTo(ChronoUnit.SECONDS); // a signature knows no fractions
        Instant end = now.plus(duration);
        Instant credentialsEnd = identity.expirationTime().orElse(end);
        String value;
        try {
            value = sign(identity);
        } catch (RuntimeException e) {
            throw TokenException.of("the token for " + this + " could not be signed", e, secrets(identity));
        }
        return new Token(value, credentialsEnd.isBefore(end) ? credentialsEnd : end);
    }

    /** Reads the credentials once for each token, so that the end is that of the credentials that sign. */
    private AwsCredentials identity() throws TokenException {
        try {
            return credentials.resolveCredentials();
        } catch (RuntimeException e) {
            throw new TokenException("there are no AWS credentials to sign a token with: " + e.getMessage(), e);
        }
    }

    private String sign(AwsCredentials identity) {
        DsqlUtilities utilities = DsqlUtilities.builder()
                .region(region)
                .credentialsProvider(StaticCredentialsProvider.create(identity))
                .build();
        GenerateAuthTokenRequest request = GenerateAuthTokenRequest.builder()
                .hostname(hostname)
                .expiresIn(duration)
                .build();
        return user.equals(ADMIN)
                ? utilities.generateDbConnectAdminAuthToken(request)
                : utilities.generateDbConnectAuthToken(request);
    }

    private static List<String> secrets(AwsCredentials identity) {
        return identity instanceof AwsSessionCredentials session
                ? List.of(session.secretAccessKey(), session.sessionToken())
                : List.of(identity.secretAccessKey());
    }

    /** Names the user and the host. */
    @Override
    public String toString() {
        return user + " at " + hostname + " in " + region;
    }
}
