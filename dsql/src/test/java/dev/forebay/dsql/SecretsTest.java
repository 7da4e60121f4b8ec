// SPDX-License-Identifier: Apache-2.0
package dev.forebay.dsql;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.classic.spi.ThrowableProxyUtil;
import ch.qos.logback.core.read.ListAppender;
import dev.forebay.time.VirtualTime;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;
import software.amazon.awssdk.auth.credentials.AwsSessionCredentials;
import software.amazon.awssdk.core.exception.SdkClientException;
import software.amazon.awssdk.regions.Region;

/** No token and no secret key shows itself, whatever is printed. */
class SecretsTest {

    private static final String SECRET = "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY";
    private static final String SESSION = "IQoJb3JpZ2luX2VjEJexample";
    private static final AwsSessionCredentials KEY = AwsSessionCredentials.create("ASIAEXAMPLE", SECRET, SESSION);
    private static final Logger ROOT = (Logger) LoggerFactory.getLogger(org.slf4j.Logger.ROOT_LOGGER_NAME);

    /** Below INFO the SDK prints what it signs and the signed URI, which is the token: docs/operating.md warns of that. */
    private static final Logger SDK = (Logger) LoggerFactory.getLogger("software.amazon.awssdk");

    private final ListAppender<ILoggingEvent> logged = new ListAppender<>();
    private final VirtualTime time = new VirtualTime();
    private final InstantSource clock = () -> Instant.now().plusNanos(time.nanos());

    @BeforeEach
    void listenToEverything() {
        logged.start();
        ROOT.addAppender(logged);
        ROOT.setLevel(Level.TRACE);
        SDK.setLevel(Level.INFO);
        ROOT.getAppender("console").stop();
    }

    @AfterEach
    void listenNoMore() {
        ROOT.detachAppender(logged);
        ROOT.setLevel(Level.WARN);
        SDK.setLevel(null);
        ROOT.getAppender("console").start();
    }

    private static DsqlTokens tokens() {
        return new DsqlTokens(
                "id.dsql.eu-west-1.on.aws",
                Region.EU_WEST_1,
                "admin",
                Duration.ofMinutes(15),
                () -> KEY,
                InstantSource.system());
    }

    private static String printed(Throwable error) {
        StringWriter text = new StringWriter();
        error.printStackTrace(new PrintWriter(text));
        return text.toString();
    }

    private String everythingLogged() {
        StringBuilder text = new StringBuilder();
        for (ILoggingEvent event : List.copyOf(logged.list)) {
            text.append(event.getFormattedMessage()).append('\n');
            if (event.getThrowableProxy() != null) {
                text.append(ThrowableProxyUtil.asString(event.getThrowableProxy()));
            }
        }
        return text.toString();
    }

    private static void assertHidden(String text, String... secrets) {
        for (String secret : secrets) {
            assertTrue(!text.contains(secret), () -> "a secret shows: " + text);
        }
    }

    @Test
    void aTokenAndItsCacheDoNotShowIt() throws Exception {
        DsqlTokens tokens = tokens();
        Token token = tokens.token();
        String signature = token.value().replaceFirst(".*X-Amz-Signature=", "");
        assertEquals(64, signature.length());
        TokenCache cache = new TokenCache(() -> token, Runnable::run, time, clock, new Random(1));
        cache.password();
        String shown = token + " " + tokens + " " + cache;
        assertHidden(shown + everythingLogged(), token.value(), signature, SECRET, SESSION);
    }

    @Test
    void aFailureOfTheSdkThatHoldsASecretIsToldByItsKindOnly() {
        for (Exception loose : List.of(
                SdkClientException.create("cannot sign with " + SECRET),
                new IllegalStateException("harmless", new IllegalStateException("session " + SESSION)))) {
            TokenException error = TokenException.of("the token could not be signed", loose, List.of(SECRET, SESSION));
            assertHidden(printed(error), SECRET, SESSION);
            assertTrue(error.getMessage().contains(loose.getClass().getName()));
        }
        SuppressedHolder.check();
    }

    private static final class SuppressedHolder {
        static void check() {
            Exception outer = new IllegalStateException("harmless");
            outer.addSuppressed(new IllegalStateException(SECRET));
            assertHidden(printed(TokenException.of("signing", outer, List.of(SECRET))), SECRET);
        }
    }

    @Test
    void whatIsHarmlessIsToldInFull() {
        Exception harmless = new IllegalStateException("the profile \"production\" does not exist");
        TokenException error = TokenException.of("signing", harmless, List.of(SECRET));
        assertTrue(printed(error).contains("the profile \"production\" does not exist"));
        assertEquals(harmless, error.getCause());
    }

    @Test
    void anOldTokenDoesNotShowInTheTroubleThatFollowsIt() throws Exception {
        Token first = new Token("the-first-token", clock.instant().plus(Duration.ofMinutes(15)));
        boolean[] broken = {false};
        TokenCache cache = new TokenCache(
                () -> {
                    if (broken[0]) {
                        throw SdkClientException.create("Unable to load credentials");
                    }
                    return first;
                },
                Runnable::run,
                time,
                clock,
                new Random(1));
        cache.password();
        broken[0] = true;
        time.advance(Duration.ofMinutes(15));
        TokenException error = assertThrows(TokenException.class, cache::password);
        assertHidden(printed(error) + everythingLogged() + cache, "the-first-token");
        assertTrue(everythingLogged().contains("Token provider failed"));
    }
}
