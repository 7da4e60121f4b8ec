// SPDX-License-Identifier: Apache-2.0
package dev.forebay.local.iam;

import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.ZoneOffset;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** A token taken apart, its signature not yet checked. Immutable; prints nothing of it. */
final class PresignedRequest {

    private static final int LONGEST = 64 * 1024;

    final String host;
    final String action;
    final String accessKeyId;
    final SigV4.Scope scope;
    final String date;
    final Instant issuedAt;
    final Duration length;
    final String sessionToken;
    final String signature;
    private final SortedMap<String, String> signed;

    private PresignedRequest(String host, SortedMap<String, String> query) throws Malformed {
        this.host = host;
        signed = new TreeMap<>(query);
        signature = take(signed, SigV4.P_SIGNATURE);
        action = need(query, SigV4.P_ACTION);
        if (!need(query, SigV4.P_ALGORITHM).equals(SigV4.ALGORITHM)) {
            throw new Malformed(SigV4.P_ALGORITHM + " must be " + SigV4.ALGORITHM);
        }
        if (!need(query, SigV4.P_SIGNED_HEADERS).equals("host")) {
            throw new Malformed("host must be the one signed header");
        }
        String[] credential = need(query, SigV4.P_CREDENTIAL).split("/", -1);
        if (credential.length != 5 || !credential[4].equals(SigV4.TERMINATOR)) {
            throw new Malformed("Credential must be a key id, date, region, service and " + SigV4.TERMINATOR);
        }
        accessKeyId = credential[0];
        scope = new SigV4.Scope(credential[1], credential[2], credential[3], credential[4]);
        date = need(query, SigV4.P_DATE);
        issuedAt = instant(date);
        if (!date.startsWith(scope.day() + "T")) {
            throw new Malformed("Date in Credential scope does not match YYYYMMDD from ISO-8601 version of date");
        }
        length = length(need(query, SigV4.P_EXPIRES));
        sessionToken = query.getOrDefault(SigV4.P_SECURITY_TOKEN, "");
    }

    /**
     * Takes {@code token} apart.
     *
     * @throws Malformed if it is none, without a word of it in the message
     */
    static PresignedRequest parse(String token) throws Malformed {
        int question = token.indexOf('?');
        if (question < 1 || token.length() > LONGEST) {
            throw new Malformed("the password is not a presigned request");
        }
        int hostEnd = token.charAt(question - 1) == '/' ? question - 1 : question;
        String host = token.substring(0, hostEnd);
        if (host.isEmpty() || host.indexOf('/') >= 0) {
            throw new Malformed("the password is not a presigned request");
        }
        SortedMap<String, String> query = new TreeMap<>();
        for (String parameter : token.substring(question + 1).split("&", -1)) {
            int equals = parameter.indexOf('=');
            String name = equals < 0 ? null : SigV4.decode(parameter.substring(0, equals));
            String value = equals < 0 ? null : SigV4.decode(parameter.substring(equals + 1));
            if (name == null || value == null || query.put(name, value) != null) {
                throw new Malformed("the query of the presigned request is not well formed");
            }
        }
        return new PresignedRequest(host, query);
    }

    /** The signature that {@code secret} makes. */
    String expectedSignature(String secret) {
        return SigV4.signature(host, signed, date, scope, secret);
    }

    Instant expiresAt() {
        return issuedAt.plus(length);
    }

    private static String need(SortedMap<String, String> query, String name) throws Malformed {
        return present(query.get(name), name);
    }

    private static String take(SortedMap<String, String> query, String name) throws Malformed {
        return present(query.remove(name), name);
    }

    private static String present(@Nullable String value, String name) throws Malformed {
        if (value == null || value.isEmpty()) {
            throw new Malformed("the presigned request is missing " + name);
        }
        return value;
    }

    private static Instant instant(String date) throws Malformed {
        try {
            return LocalDateTime.parse(date, TokenMaker.DATE).toInstant(ZoneOffset.UTC);
        } catch (DateTimeException e) {
            throw new Malformed("X-Amz-Date must be in the ISO8601 Long Format \"yyyyMMdd'T'HHmmss'Z'\"", e);
        }
    }

    private static Duration length(String seconds) throws Malformed {
        if (!seconds.matches("[1-9][0-9]{0,5}") || Integer.parseInt(seconds) > TokenMaker.LONGEST.toSeconds()) {
            throw new Malformed("X-Amz-Expires must be a number of seconds, at least 1 and at most 604800");
        }
        return Duration.ofSeconds(Integer.parseInt(seconds));
    }

    @Override
    public String toString() {
        return "PresignedRequest";
    }

    /** A text is not a token; the message quotes nothing of it. */
    static final class Malformed extends Exception {

        Malformed(String message) {
            super(message);
        }

        Malformed(String message, Throwable cause) {
            super(message, cause);
        }
    }
}
