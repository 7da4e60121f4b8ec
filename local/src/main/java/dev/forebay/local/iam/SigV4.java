// SPDX-License-Identifier: Apache-2.0
package dev.forebay.local.iam;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.util.HexFormat;
import java.util.Map;
import java.util.SortedMap;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;
import org.jspecify.annotations.Nullable;

/** Version 4 of AWS's signatures, as far as a presigned GET of {@code https://HOST/} needs it. Stateless. */
final class SigV4 {

    static final String ALGORITHM = "AWS4-HMAC-SHA256";
    static final String SERVICE = "dsql";
    static final String TERMINATOR = "aws4_request";

    static final String P_ACTION = "Action";
    static final String P_ALGORITHM = "X-Amz-Algorithm";
    static final String P_CREDENTIAL = "X-Amz-Credential";
    static final String P_DATE = "X-Amz-Date";
    static final String P_EXPIRES = "X-Amz-Expires";
    static final String P_SECURITY_TOKEN = "X-Amz-Security-Token";
    static final String P_SIGNATURE = "X-Amz-Signature";
    static final String P_SIGNED_HEADERS = "X-Amz-SignedHeaders";

    private static final String HMAC = "HmacSHA256";
    private static final String EMPTY_BODY_SHA256 = hex(sha256(""));

    private SigV4() {}

    /**
     * The signature of a request.
     *
     * @param parameters the query's parameters, without the signature
     * @param date the time of signing, {@code yyyyMMdd'T'HHmmss'Z'}
     * @param scope date, region, service and terminator
     */
    static String signature(
            String host, SortedMap<String, String> parameters, String date, Scope scope, String secret) {
        String request =
                String.join("\n", "GET", "/", query(parameters), "host:" + host, "", "host", EMPTY_BODY_SHA256);
        String toSign = String.join("\n", ALGORITHM, date, scope.text(), hex(sha256(request)));
        byte[] key = hmac(("AWS4" + secret).getBytes(StandardCharsets.UTF_8), scope.day);
        key = hmac(key, scope.region);
        key = hmac(key, scope.service);
        key = hmac(key, scope.terminator);
        return hex(hmac(key, toSign));
    }

    /** The query of {@code parameters}, in their order. */
    static String query(SortedMap<String, String> parameters) {
        StringBuilder query = new StringBuilder();
        for (Map.Entry<String, String> parameter : parameters.entrySet()) {
            query.append(query.isEmpty() ? "" : "&")
                    .append(encode(parameter.getKey()))
                    .append('=')
                    .append(encode(parameter.getValue()));
        }
        return query.toString();
    }

    /** The text with all but letters, digits and {@code -_.~} as percent signs with two capital digits. */
    static String encode(String text) {
        StringBuilder encoded = new StringBuilder(text.length() + 16);
        for (byte b : text.getBytes(StandardCharsets.UTF_8)) {
            if (isPlain(b)) {
                encoded.append((char) b);
            } else {
                encoded.append('%').append(HexFormat.of().withUpperCase().toHexDigits(b));
            }
        }
        return encoded.toString();
    }

    /** The text that {@link #encode} turns into {@code encoded}, null if there is none: there is one way to write each. */
    static @Nullable String decode(String encoded) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream(encoded.length());
        for (int at = 0; at < encoded.length(); at++) {
            char c = encoded.charAt(at);
            if (c != '%') {
                bytes.write(c);
            } else if (at + 2 < encoded.length()
                    && HexFormat.isHexDigit(encoded.charAt(at + 1))
                    && HexFormat.isHexDigit(encoded.charAt(at + 2))) {
                bytes.write(HexFormat.fromHexDigits(encoded, at + 1, at + 3));
                at += 2;
            } else {
                return null;
            }
        }
        String text = bytes.toString(StandardCharsets.UTF_8);
        return encode(text).equals(encoded) ? text : null;
    }

    private static boolean isPlain(byte b) {
        return (b >= 'A' && b <= 'Z')
                || (b >= 'a' && b <= 'z')
                || (b >= '0' && b <= '9')
                || b == '-'
                || b == '_'
                || b == '.'
                || b == '~';
    }

    private static byte[] hmac(byte[] key, String text) {
        try {
            Mac mac = Mac.getInstance(HMAC);
            mac.init(new SecretKeySpec(key, HMAC));
            return mac.doFinal(text.getBytes(StandardCharsets.UTF_8));
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("bug: every Java has " + HMAC, e);
        }
    }

    private static byte[] sha256(String text) {
        try {
            return MessageDigest.getInstance("SHA-256").digest(text.getBytes(StandardCharsets.UTF_8));
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("bug: every Java has SHA-256", e);
        }
    }

    private static String hex(byte[] bytes) {
        return HexFormat.of().formatHex(bytes);
    }

    /** The scope of a signature: a day, a region and a service. */
    record Scope(String day, String region, String service, String terminator) {

        String text() {
            return day + "/" + region + "/" + service + "/" + terminator;
        }
    }
}
