// SPDX-License-Identifier: Apache-2.0
package dev.forebay.local.iam;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.forebay.local.iam.Verdict.Denial;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class TokenCheckTest {

    private static final Instant NOW = Instant.parse("2026-09-15T12:00:00Z");
    private static final Duration QUARTER = Duration.ofMinutes(15);
    private static final String REGION = "us-east-1";
    private static final String ENDPOINT = "endpoint.example";
    private static final AccessKey KEY = AccessKey.of("AKIDEXAMPLE", "a-secret");
    private static final AccessKey ROLE_KEY = new AccessKey("ASIAEXAMPLE", "another-secret", "a+session/token==");
    private static final String CHARACTERS =
            "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_.~%&=/?+ \u0000\u00e9\u20ac";

    private final TokenMaker maker = new TokenMaker(ENDPOINT, REGION, KEY);

    private static TokenCheck checkAt(Instant now) {
        return new TokenCheck(TokenRules.of(KEY, REGION, ENDPOINT), InstantSource.fixed(now));
    }

    private static Verdict.Denied denied(Denial reason, Verdict verdict) {
        Verdict.Denied denied = assertInstanceOf(Verdict.Denied.class, verdict);
        assertEquals(reason, denied.reason());
        assertEquals("unable to accept connection, access denied", denied.message());
        return denied;
    }

    @Test
    void aTokenIsGoodFromItsSecondToItsLast() {
        String token = maker.token("admin", QUARTER, NOW);
        for (Instant now : List.of(NOW, NOW.plusSeconds(1), NOW.plus(QUARTER))) {
            assertTrue(checkAt(now).verify("admin", token).accepted(), now::toString);
        }
        denied(Denial.EXPIRED, checkAt(NOW.plus(QUARTER).plusNanos(1)).verify("admin", token));
    }

    @Test
    void anExpiredTokenIsToldTheTimes() {
        String token = maker.token("admin", QUARTER, NOW);
        Verdict.Denied denied =
                denied(Denial.EXPIRED, checkAt(NOW.plusSeconds(1_800)).verify("admin", token));
        assertEquals(
                "Signature expired: 20260915T120000Z is now earlier than 20260915T121500Z (20260915T123000Z - 15 min.)",
                denied.hint());
        assertEquals("08006", denied.sqlState());

        String odd = maker.token("admin", Duration.ofSeconds(90), NOW);
        assertEquals(
                "Signature expired: 20260915T120000Z is now earlier than 20260915T120030Z (20260915T120200Z - 90 sec.)",
                denied(Denial.EXPIRED, checkAt(NOW.plusSeconds(120)).verify("admin", odd))
                        .hint());
    }

    @Test
    void aTokenOfTheFutureIsRefusedBeyondTheSkew() {
        String token = maker.token("admin", QUARTER, NOW);
        assertTrue(checkAt(NOW.minusSeconds(300)).verify("admin", token).accepted());
        assertEquals(
                "Signature not yet current: 20260915T120000Z is still later than 20260915T115959Z"
                        + " (20260915T115459Z + 5 min.)",
                denied(Denial.NOT_YET_VALID, checkAt(NOW.minusSeconds(301)).verify("admin", token))
                        .hint());
    }

    @Test
    void theKindOfTokenMustBeThatOfTheUser() {
        String forRoles = maker.token(TokenAction.DB_CONNECT, QUARTER, NOW);
        String forAdmin = maker.token(TokenAction.DB_CONNECT_ADMIN, QUARTER, NOW);
        assertEquals(
                "Wrong user to action mapping. user: admin, action: DbConnect",
                denied(Denial.WRONG_ACTION, checkAt(NOW).verify("admin", forRoles))
                        .hint());
        assertEquals(
                "Wrong user to action mapping. user: alice, action: DbConnectAdmin",
                denied(Denial.WRONG_ACTION, checkAt(NOW).verify("alice", forAdmin))
                        .hint());
        assertTrue(checkAt(NOW).verify("alice", forRoles).accepted());
        denied(Denial.WRONG_ACTION, checkAt(NOW).verify("Admin", forAdmin));
    }

    @Test
    void aTokenIsForOneHostRegionAndService() {
        denied(Denial.WRONG_HOST, verdictOf(new TokenMaker("other.example", REGION, KEY)));
        denied(Denial.WRONG_HOST, verdictOf(new TokenMaker("sub." + ENDPOINT, REGION, KEY)));
        denied(Denial.WRONG_REGION, verdictOf(new TokenMaker(ENDPOINT, "eu-west-1", KEY)));
        for (String host : List.of("localhost", "127.0.0.1", "Endpoint.Example")) {
            assertTrue(verdictOf(new TokenMaker(host, REGION, KEY)).accepted(), host);
        }
        String other = maker.token("admin", QUARTER, NOW).replace("%2Fdsql%2F", "%2Frds-db%2F");
        denied(Denial.WRONG_SERVICE, checkAt(NOW).verify("admin", other));
    }

    @Test
    void theHostOfANamedClusterIsGoodForThatClusterOnly() {
        String id = "abcdefghijklmnopqrstuvwxyz";
        String token = new TokenMaker(id + ".dsql.us-east-1.on.aws", REGION, KEY).token("admin", QUARTER, NOW);
        assertTrue(checkAt(NOW).verify("admin", token, id).accepted());
        denied(Denial.WRONG_HOST, checkAt(NOW).verify("admin", token));
        denied(Denial.WRONG_HOST, checkAt(NOW).verify("admin", token, "zyxwvutsrqponmlkjihgfedcba"));
        String nested = new TokenMaker("evil.example.dsql.us-east-1.on.aws", REGION, KEY).token("admin", QUARTER, NOW);
        denied(Denial.WRONG_HOST, checkAt(NOW).verify("admin", nested, "evil.example"));
    }

    @Test
    void aKeyIsKnownByItsIdAndSignsWithItsSecret() {
        denied(Denial.UNKNOWN_KEY, verdictOf(new TokenMaker(ENDPOINT, REGION, AccessKey.of("AKIDOTHER", "a-secret"))));
        denied(
                Denial.WRONG_SIGNATURE,
                verdictOf(new TokenMaker(ENDPOINT, REGION, AccessKey.of("AKIDEXAMPLE", "b-secret"))));
    }

    @Test
    void theSessionTokenMustBeThatOfTheKey() {
        TokenRules rules =
                new TokenRules(List.of(KEY, ROLE_KEY), REGION, Set.of(ENDPOINT), TokenRules.DEFAULT_CLOCK_SKEW);
        TokenCheck check = new TokenCheck(rules, InstantSource.fixed(NOW));
        assertTrue(verdictOf(check, ROLE_KEY).accepted());
        assertTrue(verdictOf(check, KEY).accepted());
        denied(Denial.UNKNOWN_KEY, verdictOf(check, new AccessKey("ASIAEXAMPLE", "another-secret", "")));
        denied(Denial.UNKNOWN_KEY, verdictOf(check, new AccessKey("ASIAEXAMPLE", "another-secret", "other")));
        denied(Denial.UNKNOWN_KEY, verdictOf(check, new AccessKey("AKIDEXAMPLE", "a-secret", "other")));
    }

    @Test
    void tokensMadeBeforeAMomentCanBeDeclaredExpired() {
        TokenCheck check = checkAt(NOW.plusSeconds(10));
        String before = maker.token("admin", QUARTER, NOW);
        String after = maker.token("admin", QUARTER, NOW.plusSeconds(6));
        check.expireIssuedBefore(NOW.plusMillis(5_500));
        assertEquals(
                "Signature expired: 20260915T120000Z is now earlier than 20260915T120005Z",
                denied(Denial.EXPIRED, check.verify("admin", before)).hint());
        denied(Denial.EXPIRED, check.verify("admin", maker.token("admin", QUARTER, NOW.plusSeconds(5))));
        assertTrue(check.verify("admin", after).accepted());
        check.expireIssuedBefore(Instant.MIN);
        assertTrue(check.verify("admin", before).accepted());
    }

    /** Every position, every character of a set that has all that a token may hold and more. */
    @Test
    void aTokenWithAnyCharacterAlteredIsRefused() {
        TokenRules rules = new TokenRules(List.of(ROLE_KEY), REGION, Set.of(ENDPOINT), TokenRules.DEFAULT_CLOCK_SKEW);
        TokenCheck check = new TokenCheck(rules, InstantSource.fixed(NOW));
        String token = new TokenMaker(ENDPOINT, REGION, ROLE_KEY).token("admin", QUARTER, NOW);
        assertTrue(check.verify("admin", token).accepted());
        for (int at = 0; at < token.length(); at++) {
            for (int which = 0; which < CHARACTERS.length(); which++) {
                char other = CHARACTERS.charAt(which);
                if (other != token.charAt(at)) {
                    String altered = token.substring(0, at) + other + token.substring(at + 1);
                    assertFalse(check.verify("admin", altered).accepted(), () -> "accepted: " + altered);
                }
            }
        }
    }

    /** Cuts, insertions, swaps and repeats, reproducible by seed; the order of the parameters alone is free. */
    @Test
    void aTokenMangledAtRandomIsRefusedWithoutACrashOrAQuote() {
        Random random = new Random(4);
        String token = maker.token("admin", QUARTER, NOW);
        for (int round = 0; round < 20_000; round++) {
            String mangled = mangled(token, random);
            if (isTheSameRequest(token, mangled)) {
                continue;
            }
            Verdict.Denied denied = assertInstanceOf(
                    Verdict.Denied.class, checkAt(NOW).verify("admin", mangled), () -> "accepted: " + mangled);
            assertFalse(denied.toString().contains(token.substring(token.length() - 20)), denied::toString);
        }
    }

    private static String mangled(String token, Random random) {
        int from = random.nextInt(token.length());
        int to = from + random.nextInt(token.length() - from) + 1;
        return switch (random.nextInt(4)) {
            case 0 -> token.substring(0, from) + token.substring(to);
            case 1 -> token.substring(0, to) + token.substring(from);
            case 2 ->
                token.substring(0, from)
                        + CHARACTERS.charAt(random.nextInt(CHARACTERS.length()))
                        + token.substring(from);
            default ->
                new StringBuilder(token)
                        .replace(
                                from,
                                to,
                                new StringBuilder(token.substring(from, to))
                                        .reverse()
                                        .toString())
                        .toString();
        };
    }

    private static boolean isTheSameRequest(String token, String mangled) {
        return mangled.equals(token) || mangled.equals(token.replace("/?", "?"));
    }

    @Test
    void theOrderOfTheParametersIsFree() {
        Random random = new Random(17);
        String token = maker.token("admin", QUARTER, NOW);
        List<String> parameters =
                new ArrayList<>(List.of(token.substring(token.indexOf('?') + 1).split("&")));
        for (int round = 0; round < 20; round++) {
            Collections.shuffle(parameters, random);
            assertTrue(checkAt(NOW)
                    .verify("admin", ENDPOINT + "/?" + String.join("&", parameters))
                    .accepted());
            assertTrue(checkAt(NOW)
                    .verify("admin", ENDPOINT + "?" + String.join("&", parameters))
                    .accepted());
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "?",
                "/?",
                "secret",
                "endpoint.example/?",
                "endpoint.example/?Action=DbConnectAdmin",
                "endpoint.example/?&&&",
                "endpoint.example/?=",
                "endpoint.example/?%",
                "endpoint.example/?a=%4",
                "endpoint.example/?a=%ff",
                "https://endpoint.example/?Action=DbConnectAdmin"
            })
    void whatIsNoTokenIsRefused(String text) {
        denied(Denial.GARBAGE, checkAt(NOW).verify("admin", text));
        denied(Denial.GARBAGE, checkAt(NOW).verify("admin", text + "x".repeat(70_000)));
    }

    @Test
    void aTokenThatSaysMoreThanAWeekIsRefused() {
        String week = maker.token("admin", Duration.ofDays(7), NOW);
        assertTrue(checkAt(NOW).verify("admin", week).accepted());
        for (String seconds : List.of("604801", "0", "-1", "9999999999", "0900", "", "x")) {
            denied(
                    Denial.GARBAGE,
                    checkAt(NOW).verify("admin", week.replace("X-Amz-Expires=604800", "X-Amz-Expires=" + seconds)));
        }
        assertThrows(
                IllegalArgumentException.class,
                () -> maker.token("admin", Duration.ofDays(7).plusSeconds(1), NOW));
        assertThrows(IllegalArgumentException.class, () -> maker.token("admin", Duration.ofMillis(999), NOW));
    }

    @Test
    void aDayThatIsNotThatOfTheDateIsRefused() {
        String token = maker.token("admin", QUARTER, NOW);
        denied(Denial.GARBAGE, checkAt(NOW).verify("admin", token.replace("%2F20260915%2F", "%2F20260914%2F")));
        String noSuchDay = token.replace("20260915", "20260231");
        denied(Denial.GARBAGE, checkAt(NOW).verify("admin", noSuchDay));
    }

    @Test
    void nothingPrintsASecret() {
        String printed = ROLE_KEY + " " + new TokenMaker(ENDPOINT, REGION, ROLE_KEY) + " "
                + TokenRules.of(ROLE_KEY, REGION, ENDPOINT) + " " + checkAt(NOW);
        assertFalse(printed.contains("another-secret"), printed);
        assertFalse(printed.contains("a+session/token=="), printed);
    }

    @Test
    void twoKeysWithOneIdAreAnError() {
        List<AccessKey> keys = List.of(KEY, AccessKey.of(KEY.id(), "b-secret"));
        Set<String> hosts = Set.of(ENDPOINT);
        assertThrows(IllegalArgumentException.class, () -> new TokenRules(keys, REGION, hosts, Duration.ZERO));
    }

    private static Verdict verdictOf(TokenMaker maker) {
        return checkAt(NOW).verify("admin", maker.token("admin", QUARTER, NOW));
    }

    private static Verdict verdictOf(TokenCheck check, AccessKey key) {
        return check.verify("admin", new TokenMaker(ENDPOINT, REGION, key).token("admin", QUARTER, NOW));
    }
}
