// SPDX-License-Identifier: Apache-2.0
package dev.forebay.jdbc;

import java.io.EOFException;
import java.io.IOException;
import java.net.ConnectException;
import java.net.NoRouteToHostException;
import java.net.SocketTimeoutException;
import java.net.URLDecoder;
import java.net.UnknownHostException;
import java.nio.charset.StandardCharsets;
import java.sql.SQLException;
import java.sql.SQLInvalidAuthorizationSpecException;
import java.sql.SQLTimeoutException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.Properties;
import java.util.concurrent.TimeoutException;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.net.ssl.SSLException;
import org.jspecify.annotations.Nullable;

/** Strings that must not reach a log or an exception's message. Immutable. */
final class Secrets {

    static final Secrets NONE = new Secrets(List.of());

    private static final String REDACTED = "***"; // no character that is special in a replacement
    private static final int DEEPEST = 64;
    private static final Pattern IN_URL =
            Pattern.compile("(?i)[?&;][\\w.-]*(?:password|passwd|passphrase|pwd|secret|token)[\\w.-]*=([^&;]+)"
                    + "|[(,]\\s*[\\w.-]*(?:password|passwd|passphrase|pwd|secret|token)[\\w.-]*\\s*=\\s*([^,)]+)"
                    + "|//[^/@:]*:([^/]+)@|:oracle:\\w+:[^/@]*/([^@]+)@");

    private static final Pattern SECRET_NAME = Pattern.compile("(?i)password|passwd|passphrase|pwd|secret|token");

    /** The shortest secret that is struck out: a shorter word stands in errors by chance, and striking it out would reveal it. */
    private static final int SHORTEST = 4;

    private final List<String> secrets;
    private final List<Pattern> patterns;

    private Secrets(List<String> secrets) {
        this.secrets = secrets;
        this.patterns = secrets.stream()
                .filter(secret -> secret.length() >= SHORTEST)
                .sorted(Comparator.comparingInt(secret -> -secret.length()))
                .map(Secrets::wholeWord)
                .toList();
    }

    /** Matches a secret that is not a part of a longer word. */
    private static Pattern wholeWord(String secret) {
        String before = Character.isLetterOrDigit(secret.codePointAt(0)) ? "(?<![\\p{L}\\p{N}])" : "";
        String after = Character.isLetterOrDigit(secret.codePointBefore(secret.length())) ? "(?![\\p{L}\\p{N}])" : "";
        return Pattern.compile(before + Pattern.quote(secret) + after);
    }

    /** Returns the passwords in {@code url}. */
    static Secrets in(String url) {
        Secrets found = NONE;
        Matcher matcher = IN_URL.matcher(url);
        while (matcher.find()) {
            for (int i = 1; i <= matcher.groupCount(); i++) {
                found = found.and(matcher.group(i)).and(decoded(matcher.group(i)));
            }
        }
        return found;
    }

    /** Returns a value of a URL as drivers read it; null if it is the same, or no such value. */
    private static @Nullable String decoded(@Nullable String value) {
        try {
            String plain = value == null ? null : URLDecoder.decode(value, StandardCharsets.UTF_8);
            return Objects.equals(plain, value) ? null : plain;
        } catch (IllegalArgumentException e) { // a percent sign that stands for itself
            return null;
        }
    }

    Secrets and(@Nullable String secret) {
        if (secret == null || secret.isEmpty()) {
            return this;
        }
        List<String> more = new ArrayList<>(secrets);
        more.add(secret);
        return new Secrets(List.copyOf(more));
    }

    /** Returns the URL without its user and its parameters, among which a driver may have secrets of its own. */
    static String redactUrl(String url) {
        return url.replaceFirst("[?;].*", "")
                .replaceFirst("//.*\\(.*", "//(…)") // MySQL's keys and values
                .replaceFirst("//[^/]*@", "//")
                .replaceFirst("(?i)(:oracle:\\w+:)[^@]*@", "$1@");
    }

    /** Adds every property that by its name holds a secret. */
    Secrets andIn(Properties properties) {
        Secrets all = this;
        for (String name : properties.stringPropertyNames()) {
            if (SECRET_NAME.matcher(name).find()) {
                all = all.and(properties.getProperty(name));
            }
        }
        return all;
    }

    /** Returns the error as it is, or its copy without the secrets if any of its messages holds one. */
    SQLException scrub(Exception error) {
        if (holdsSecret(error)) {
            Throwable clean = clean(error, 0);
            return clean instanceof SQLException e ? e : new SQLException(clean.getMessage(), "08001", clean);
        }
        return error instanceof SQLException e ? e : new SQLException("the driver failed: " + error, "08001", error);
    }

    /** Returns the same kind of error with the same causes, without the secrets: its meaning must not depend on its text. */
    private Throwable clean(Throwable error, int depth) {
        String message = error.getMessage() == null ? null : redact(error.getMessage());
        Throwable clean = sameKind(error, message);
        clean.setStackTrace(error.getStackTrace());
        if (depth < DEEPEST && error.getCause() != null && error.getCause() != error) {
            clean.initCause(clean(error.getCause(), depth + 1));
        }
        if (depth < DEEPEST
                && clean instanceof SQLException one
                && error instanceof SQLException e
                && e.getNextException() != null
                && clean(e.getNextException(), depth + 1) instanceof SQLException next) {
            one.setNextException(next);
        }
        return clean;
    }

    private static Throwable sameKind(Throwable error, @Nullable String message) {
        if (error instanceof SQLException e) {
            String state = e.getSQLState();
            int code = e.getErrorCode();
            return e instanceof SQLTimeoutException
                    ? new SQLTimeoutException(message, state, code)
                    : e instanceof SQLInvalidAuthorizationSpecException
                            ? new SQLInvalidAuthorizationSpecException(message, state, code)
                            : new SQLException(message, state, code);
        }
        if (error instanceof IOException) {
            return sameKindOfIo(error, message);
        }
        return error instanceof TimeoutException ? new TimeoutException(message) : new IllegalStateException(message);
    }

    private static IOException sameKindOfIo(Throwable error, @Nullable String message) {
        if (error instanceof SSLException) {
            return new SSLException(message);
        }
        if (error instanceof SocketTimeoutException) {
            return new SocketTimeoutException(message);
        }
        if (error instanceof UnknownHostException) {
            return new UnknownHostException(message);
        }
        if (error instanceof NoRouteToHostException) {
            return new NoRouteToHostException(message);
        }
        if (error instanceof ConnectException) {
            return new ConnectException(message);
        }
        return error instanceof EOFException ? new EOFException(message) : new IOException(message);
    }

    private boolean holdsSecret(Throwable error) {
        List<Throwable> chain = new ArrayList<>(List.of(error));
        for (int i = 0; i < Math.min(chain.size(), DEEPEST); i++) {
            Throwable one = chain.get(i);
            if (!redact(one.toString()).equals(one.toString())) {
                return true;
            }
            chain.addAll(List.of(one.getSuppressed()));
            if (one.getCause() != null) {
                chain.add(one.getCause());
            }
            if (one instanceof SQLException e && e.getNextException() != null) {
                chain.add(e.getNextException());
            }
        }
        return chain.size() > DEEPEST && !secrets.isEmpty(); // a cause that cannot be inspected is not passed on
    }

    private String redact(String text) {
        String clean = text;
        for (Pattern secret : patterns) {
            clean = secret.matcher(clean).replaceAll(REDACTED);
        }
        return clean;
    }

    @Override
    public String toString() {
        return REDACTED;
    }
}
