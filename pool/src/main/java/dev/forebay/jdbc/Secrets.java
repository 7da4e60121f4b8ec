// SPDX-License-Identifier: Apache-2.0
package dev.forebay.jdbc;

import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Properties;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Strings that must not reach a log or an exception's message. Immutable. */
final class Secrets {

    static final Secrets NONE = new Secrets(List.of());

    private static final String REDACTED = "***";
    private static final int DEEPEST = 64;
    private static final Pattern IN_URL =
            Pattern.compile("(?i)[?&;](?:\\w*password|pwd)=([^&;]+)|//[^/@:]*:([^/]+)@|:oracle:\\w+:[^/@]*/([^@]+)@");

    private static final Pattern SECRET_NAME = Pattern.compile("(?i)password|pwd|secret|token");

    private final List<String> secrets;

    private Secrets(List<String> secrets) {
        this.secrets = secrets;
    }

    /** The passwords that stand in {@code url}. */
    static Secrets in(String url) {
        Secrets found = NONE;
        Matcher matcher = IN_URL.matcher(url);
        while (matcher.find()) {
            found = found.and(matcher.group(1)).and(matcher.group(2)).and(matcher.group(3));
        }
        return found;
    }

    Secrets and(@Nullable String secret) {
        if (secret == null || secret.isEmpty()) {
            return this;
        }
        List<String> more = new ArrayList<>(secrets);
        more.add(secret);
        return new Secrets(List.copyOf(more));
    }

    /** The URL without its user and its parameters, among which a driver may have secrets of its own. */
    static String redactUrl(String url) {
        return url.replaceFirst("[?;].*", "")
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

    /** The error as it is, or one that says the same without the secrets if any of its messages holds one. */
    SQLException scrub(Exception error) {
        if (holdsSecret(error)) {
            SQLException known = error instanceof SQLException e ? e : new SQLException();
            SQLException clean = new SQLException(
                    redact(String.valueOf(error.getMessage())), known.getSQLState(), known.getErrorCode());
            clean.setStackTrace(error.getStackTrace());
            return clean;
        }
        return error instanceof SQLException e ? e : new SQLException("the driver failed: " + error, "08001", error);
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
        return chain.size() > DEEPEST && !secrets.isEmpty(); // what cannot be looked through is not passed on
    }

    private String redact(String text) {
        String clean = text;
        for (String secret : secrets) {
            clean = clean.replace(secret, REDACTED);
        }
        return clean;
    }

    @Override
    public String toString() {
        return REDACTED;
    }
}
