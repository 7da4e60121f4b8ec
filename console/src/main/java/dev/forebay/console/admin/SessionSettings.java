// SPDX-License-Identifier: Apache-2.0
package dev.forebay.console.admin;

import java.time.DateTimeException;
import java.time.Duration;
import java.time.ZoneId;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The settings of one session, as PostgreSQL calls them. Not thread-safe. */
final class SessionSettings {

    /** The version that clients see: their questions to the catalogue depend on it. */
    static final String SERVER_VERSION = "14.0";

    /** The settings that are reported to a client at its login and at each change. */
    static final Set<String> REPORTED = Set.of(
            "server_version",
            "server_encoding",
            "client_encoding",
            "application_name",
            "default_transaction_read_only",
            "in_hot_standby",
            "is_superuser",
            "session_authorization",
            "DateStyle",
            "IntervalStyle",
            "TimeZone",
            "integer_datetimes",
            "standard_conforming_strings");

    private static final Set<String> FIXED = Set.of(
            "server_version",
            "server_version_num",
            "server_encoding",
            "integer_datetimes",
            "is_superuser",
            "in_hot_standby",
            "max_identifier_length",
            "max_index_keys",
            "block_size",
            "lc_collate",
            "lc_ctype",
            "ssl");

    private static final Pattern TIME = Pattern.compile("(\\d{1,9})\\s*(ms|s|min|h)?");

    private final Map<String, String> values = new TreeMap<>(String.CASE_INSENSITIVE_ORDER);
    private final Map<String, String> atStart = new TreeMap<>(String.CASE_INSENSITIVE_ORDER);

    SessionSettings(String user) {
        Map<String, String> known = new LinkedHashMap<>();
        known.put("server_version", SERVER_VERSION);
        known.put("server_version_num", "140000");
        known.put("server_encoding", "UTF8");
        known.put("client_encoding", "UTF8");
        known.put("application_name", "");
        known.put("is_superuser", "off");
        known.put("session_authorization", user);
        known.put("DateStyle", "ISO, MDY");
        known.put("IntervalStyle", "postgres");
        known.put("TimeZone", "UTC");
        known.put("integer_datetimes", "on");
        known.put("in_hot_standby", "off");
        known.put("standard_conforming_strings", "on");
        known.put("default_transaction_read_only", "off");
        known.put("default_transaction_isolation", "read committed");
        known.put("default_transaction_deferrable", "off");
        known.put("transaction_isolation", "read committed");
        known.put("transaction_read_only", "off");
        known.put("transaction_deferrable", "off");
        known.put("search_path", "sys");
        known.put("extra_float_digits", "1");
        known.put("bytea_output", "hex");
        known.put("statement_timeout", "0");
        known.put("lock_timeout", "0");
        known.put("idle_in_transaction_session_timeout", "0");
        known.put("client_min_messages", "notice");
        known.put("row_security", "on");
        known.put("role", "none");
        known.put("escape_string_warning", "on");
        known.put("synchronous_commit", "on");
        known.put("max_identifier_length", "63");
        known.put("max_index_keys", "32");
        known.put("block_size", "8192");
        known.put("lc_collate", "C");
        known.put("lc_ctype", "C");
        known.put("lc_messages", "C");
        known.put("lc_monetary", "C");
        known.put("lc_numeric", "C");
        known.put("lc_time", "C");
        known.put("ssl", "off");
        known.put("geqo", "on");
        known.put("jit", "off");
        values.putAll(known);
        atStart.putAll(known);
    }

    Map<String, String> all() {
        return values;
    }

    boolean isKnown(String name) {
        return values.containsKey(name);
    }

    String get(String name) throws AdminException {
        String value = values.get(name);
        if (value == null) {
            throw unknown(name);
        }
        return value;
    }

    /** Sets it, and returns its new value. */
    String set(String name, String value) throws AdminException {
        String lower = name.toLowerCase(Locale.ROOT);
        if (!values.containsKey(name) && name.indexOf('.') < 0) {
            throw unknown(name);
        }
        if (FIXED.contains(lower)) {
            throw new AdminException("55P02", "parameter \"" + lower + "\" cannot be changed");
        }
        String checked = checked(lower, value);
        values.put(name, checked);
        return checked;
    }

    private static String checked(String name, String value) throws AdminException {
        switch (name) {
            case "client_encoding" -> {
                String encoding = value.replaceAll("[-_]", "").toUpperCase(Locale.ROOT);
                if (!Set.of("UTF8", "UNICODE").contains(encoding)) {
                    throw invalid(name, value);
                }
                return "UTF8";
            }
            case "datestyle" -> {
                if (!value.toUpperCase(Locale.ROOT).startsWith("ISO")) {
                    throw invalid(name, value);
                }
                return value.indexOf(',') < 0 ? "ISO, MDY" : value;
            }
            case "timezone" -> {
                if (!value.equalsIgnoreCase("default")) {
                    zone(value);
                }
                return value;
            }
            case "standard_conforming_strings" -> {
                if (!value.equalsIgnoreCase("on") && !value.equalsIgnoreCase("true")) {
                    throw invalid(name, value);
                }
                return "on";
            }
            case "statement_timeout" -> {
                duration(value);
                return value;
            }
            default -> {
                return value;
            }
        }
    }

    void reset(String name) throws AdminException {
        String value = atStart.get(name);
        if (value != null) {
            values.put(name, value);
        } else if (values.remove(name) == null) {
            throw unknown(name);
        }
    }

    void resetAll() {
        values.clear();
        values.putAll(atStart);
    }

    /** Makes the current values those that RESET restores. */
    void asStarted() {
        atStart.clear();
        atStart.putAll(values);
    }

    ZoneId zone() {
        try {
            return zone(values.getOrDefault("TimeZone", "UTC"));
        } catch (AdminException e) {
            throw new IllegalStateException("bug: it was checked when it was set", e);
        }
    }

    private static ZoneId zone(String name) throws AdminException {
        try {
            return ZoneId.of(name, ZoneId.SHORT_IDS);
        } catch (DateTimeException e) {
            throw new AdminException("22023", "invalid value for parameter \"TimeZone\": \"" + name + "\"", 0, e);
        }
    }

    /** The longest time of a statement; zero for the port's own limit. */
    Duration statementTimeout() {
        try {
            return duration(values.getOrDefault("statement_timeout", "0"));
        } catch (AdminException e) {
            throw new IllegalStateException("bug: it was checked when it was set", e);
        }
    }

    private static Duration duration(String value) throws AdminException {
        Matcher matcher = TIME.matcher(value.strip());
        if (!matcher.matches()) {
            throw invalid("statement_timeout", value);
        }
        long number = Long.parseLong(matcher.group(1));
        String unit = matcher.group(2) == null ? "ms" : matcher.group(2);
        return switch (unit) {
            case "s" -> Duration.ofSeconds(number);
            case "min" -> Duration.ofMinutes(number);
            case "h" -> Duration.ofHours(number);
            default -> Duration.ofMillis(number);
        };
    }

    private static AdminException unknown(String name) {
        return new AdminException("42704", "unrecognized configuration parameter \"" + name + "\"");
    }

    private static AdminException invalid(String name, String value) {
        return new AdminException("22023", "invalid value for parameter \"" + name + "\": \"" + value + "\"");
    }
}
