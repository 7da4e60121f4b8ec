// SPDX-License-Identifier: Apache-2.0
package dev.forebay.local.iam;

import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.time.format.ResolverStyle;
import java.util.List;
import java.util.Locale;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * Makes IAM tokens for one endpoint and one key: a presigned request without its scheme, used as the password.
 * Immutable.
 */
public final class TokenMaker {

    /** The longest that a token may last. */
    public static final Duration LONGEST = Duration.ofDays(7);

    static final DateTimeFormatter DATE = DateTimeFormatter.ofPattern("uuuuMMdd'T'HHmmss'Z'", Locale.ROOT)
            .withZone(ZoneOffset.UTC)
            .withResolverStyle(ResolverStyle.STRICT);

    /** The order in which the AWS SDK for Java writes them; the signature is of the sorted ones. */
    private static final List<String> WRITTEN = List.of(
            SigV4.P_ACTION,
            SigV4.P_SECURITY_TOKEN,
            SigV4.P_ALGORITHM,
            SigV4.P_DATE,
            SigV4.P_SIGNED_HEADERS,
            SigV4.P_EXPIRES,
            SigV4.P_CREDENTIAL,
            SigV4.P_SIGNATURE);

    private final String host;
    private final String region;
    private final AccessKey key;

    /**
     * A maker of tokens.
     *
     * @param host the endpoint, without a port
     * @param region the region, as in {@code us-east-1}
     * @param key the key that signs
     */
    public TokenMaker(String host, String region, AccessKey key) {
        if (!host.matches("[A-Za-z0-9.-]+")) {
            throw new IllegalArgumentException("a token is for a host name without a port: " + host);
        }
        this.host = host;
        this.region = region;
        this.key = key;
    }

    /**
     * A token for {@code user}, good from {@code now}, to the second, for {@code duration}: of the kind for
     * administrators if the user is {@code admin}, of the other kind otherwise.
     */
    public String token(String user, Duration duration, Instant now) {
        return token(TokenAction.of(user), duration, now);
    }

    String token(TokenAction action, Duration duration, Instant now) {
        if (duration.compareTo(Duration.ofSeconds(1)) < 0 || duration.compareTo(LONGEST) > 0) {
            throw new IllegalArgumentException("a token lasts between a second and seven days: " + duration);
        }
        String date = DATE.format(now);
        SigV4.Scope scope = new SigV4.Scope(date.substring(0, 8), region, SigV4.SERVICE, SigV4.TERMINATOR);
        SortedMap<String, String> parameters = new TreeMap<>();
        parameters.put(SigV4.P_ACTION, action.text());
        parameters.put(SigV4.P_ALGORITHM, SigV4.ALGORITHM);
        parameters.put(SigV4.P_CREDENTIAL, key.id() + "/" + scope.text());
        parameters.put(SigV4.P_DATE, date);
        parameters.put(SigV4.P_EXPIRES, Long.toString(duration.toSeconds()));
        parameters.put(SigV4.P_SIGNED_HEADERS, "host");
        if (!key.sessionToken().isEmpty()) {
            parameters.put(SigV4.P_SECURITY_TOKEN, key.sessionToken());
        }
        String signature = SigV4.signature(host, parameters, date, scope, key.secret());
        parameters.put(SigV4.P_SIGNATURE, signature);
        StringBuilder token = new StringBuilder(host).append("/?");
        for (String name : WRITTEN) {
            String value = parameters.get(name);
            if (value != null) {
                token.append(token.charAt(token.length() - 1) == '?' ? "" : "&")
                        .append(name)
                        .append('=')
                        .append(SigV4.encode(value));
            }
        }
        return token.toString();
    }

    @Override
    public String toString() {
        return "TokenMaker[" + host + ", " + region + ", " + key + "]";
    }
}
