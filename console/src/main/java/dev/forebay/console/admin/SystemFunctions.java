// SPDX-License-Identifier: Apache-2.0
package dev.forebay.console.admin;

import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Types;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.util.Arrays;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.h2.tools.SimpleResultSet;
import org.jspecify.annotations.Nullable;

/**
 * The functions of PostgreSQL's catalogue that clients call, and those behind the views. Public only because H2 calls it;
 * of no use to others. Stateless: it answers for the statement that its thread is running.
 */
@SuppressWarnings("unused") // by H2
public final class SystemFunctions {

    /** The functions that clients may call, by the names they know. */
    static final Set<String> NAMES = Arrays.stream(SystemFunctions.class.getMethods())
            .filter(method -> Modifier.isStatic(method.getModifiers()))
            .map(Method::getName)
            .filter(name -> !name.equals("settings"))
            .collect(Collectors.toUnmodifiableSet());

    private static final int LONGEST_SERIES = 10_000;
    private static final int LONGEST_TEXT = 1 << 20;

    private static final Map<Long, String> TYPES = Map.ofEntries(
            Map.entry(16L, "boolean"),
            Map.entry(18L, "\"char\""),
            Map.entry(19L, "name"),
            Map.entry(20L, "bigint"),
            Map.entry(21L, "smallint"),
            Map.entry(23L, "integer"),
            Map.entry(25L, "text"),
            Map.entry(26L, "oid"),
            Map.entry(700L, "real"),
            Map.entry(701L, "double precision"),
            Map.entry(1043L, "character varying"),
            Map.entry(1082L, "date"),
            Map.entry(1114L, "timestamp without time zone"),
            Map.entry(1184L, "timestamp with time zone"),
            Map.entry(1700L, "numeric"),
            Map.entry(2249L, "record"));

    private SystemFunctions() {}

    // ---- behind a view; this cannot be called, only the view can

    /** The settings of the session. */
    public static ResultSet settings(Connection connection) throws SQLException {
        SimpleResultSet result = new SimpleResultSet();
        result.setAutoClose(false);
        result.addColumn("name", Types.VARCHAR, 0, 0);
        result.addColumn("setting", Types.VARCHAR, 0, 0);
        Question question = Question.current();
        if (question != null && !isOnlyForColumns(connection)) {
            question.settings().all().forEach(result::addRow);
        }
        return result;
    }

    /** The same, by the name that pgAdmin knows. */
    public static ResultSet pg_show_all_settings(Connection connection) throws SQLException {
        return settings(connection);
    }

    private static boolean isOnlyForColumns(Connection connection) throws SQLException {
        return "jdbc:columnlist:connection".equals(connection.getMetaData().getURL());
    }

    // ---- user and server

    public static String version() {
        return "PostgreSQL " + SessionSettings.SERVER_VERSION + " (Forebay's administration)";
    }

    public static String current_user() {
        return question().user();
    }

    public static String session_user() {
        return question().user();
    }

    public static String current_role() {
        return question().user();
    }

    public static String system_user() {
        return question().user();
    }

    public static String user() {
        return question().user();
    }

    public static String current_database() {
        return AdminPort.DATABASE;
    }

    public static String current_catalog() {
        return AdminPort.DATABASE;
    }

    public static String current_schema() {
        return "sys";
    }

    public static String[] current_schemas(@Nullable Boolean all) {
        return Boolean.TRUE.equals(all) ? new String[] {"pg_catalog", "sys"} : new String[] {"sys"};
    }

    public static @Nullable String current_setting(@Nullable String name) throws SQLException {
        return name == null ? null : question().settings().get(name);
    }

    public static @Nullable String current_setting(@Nullable String name, @Nullable Boolean missingIsNull)
            throws SQLException {
        if (name != null
                && Boolean.TRUE.equals(missingIsNull)
                && !question().settings().isKnown(name)) {
            return null;
        }
        return current_setting(name);
    }

    public static @Nullable String set_config(@Nullable String name, @Nullable String value, @Nullable Boolean local)
            throws SQLException {
        return name == null || value == null ? null : question().settings().set(name, value);
    }

    public static int pg_backend_pid() {
        return question().processId();
    }

    public static boolean pg_is_in_recovery() {
        return false;
    }

    public static boolean pg_is_wal_replay_paused() {
        return false;
    }

    public static OffsetDateTime pg_postmaster_start_time() {
        return OffsetDateTime.ofInstant(question().started(), ZoneOffset.UTC);
    }

    public static OffsetDateTime pg_conf_load_time() {
        return pg_postmaster_start_time();
    }

    public static @Nullable String inet_server_addr() {
        return null;
    }

    public static @Nullable Integer inet_server_port() {
        return null;
    }

    public static @Nullable String inet_client_addr() {
        return null;
    }

    public static long txid_current() {
        return 1;
    }

    private static Question question() {
        Question question = Question.current();
        if (question == null) {
            throw new IllegalStateException("bug: called outside a statement");
        }
        return question;
    }

    // ---- the catalogue

    public static @Nullable String format_type(@Nullable Long oid, @Nullable Integer modifier) {
        return oid == null ? null : TYPES.getOrDefault(oid, "???");
    }

    public static @Nullable String pg_get_userbyid(@Nullable Long oid) {
        return oid == null ? null : question().user();
    }

    public static @Nullable String pg_get_expr(@Nullable String expression, @Nullable Long relation) {
        return null;
    }

    public static @Nullable String pg_get_expr(
            @Nullable String expression, @Nullable Long relation, @Nullable Boolean pretty) {
        return null;
    }

    public static @Nullable String pg_get_viewdef(@Nullable Long oid) {
        return null;
    }

    public static @Nullable String pg_get_viewdef(@Nullable Long oid, @Nullable Boolean pretty) {
        return null;
    }

    public static @Nullable String pg_get_ruledef(@Nullable Long oid) {
        return null;
    }

    public static @Nullable String pg_get_ruledef(@Nullable Long oid, @Nullable Boolean pretty) {
        return null;
    }

    public static @Nullable String pg_get_indexdef(@Nullable Long oid) {
        return null;
    }

    public static @Nullable String pg_get_indexdef(
            @Nullable Long oid, @Nullable Integer column, @Nullable Boolean pretty) {
        return null;
    }

    public static @Nullable String pg_get_constraintdef(@Nullable Long oid) {
        return null;
    }

    public static @Nullable String pg_get_constraintdef(@Nullable Long oid, @Nullable Boolean pretty) {
        return null;
    }

    public static @Nullable String pg_get_partkeydef(@Nullable Long oid) {
        return null;
    }

    public static @Nullable String pg_get_function_result(@Nullable Long oid) {
        return null;
    }

    public static @Nullable String pg_get_function_arguments(@Nullable Long oid) {
        return null;
    }

    public static @Nullable String pg_get_function_identity_arguments(@Nullable Long oid) {
        return null;
    }

    public static @Nullable String obj_description(@Nullable Long oid) {
        return null;
    }

    public static @Nullable String obj_description(@Nullable Long oid, @Nullable String catalogue) {
        return null;
    }

    public static @Nullable String col_description(@Nullable Long relation, @Nullable Integer column) {
        return null;
    }

    public static @Nullable String shobj_description(@Nullable Long oid, @Nullable String catalogue) {
        return null;
    }

    public static boolean pg_table_is_visible(@Nullable Long oid) {
        return true;
    }

    public static boolean pg_type_is_visible(@Nullable Long oid) {
        return true;
    }

    public static boolean pg_function_is_visible(@Nullable Long oid) {
        return true;
    }

    public static boolean pg_relation_is_publishable(@Nullable Long oid) {
        return false;
    }

    public static boolean has_schema_privilege(@Nullable String schema, @Nullable String privilege) {
        return reads(privilege);
    }

    public static boolean has_schema_privilege(
            @Nullable String user, @Nullable String schema, @Nullable String privilege) {
        return reads(privilege);
    }

    public static boolean has_table_privilege(@Nullable String table, @Nullable String privilege) {
        return reads(privilege);
    }

    public static boolean has_table_privilege(
            @Nullable String user, @Nullable String table, @Nullable String privilege) {
        return reads(privilege);
    }

    public static boolean has_database_privilege(@Nullable String database, @Nullable String privilege) {
        return reads(privilege);
    }

    public static boolean has_database_privilege(
            @Nullable String user, @Nullable String database, @Nullable String privilege) {
        return reads(privilege);
    }

    public static boolean has_server_privilege(@Nullable String server, @Nullable String privilege) {
        return reads(privilege);
    }

    private static boolean reads(@Nullable String privilege) {
        return privilege != null
                && Set.of("select", "usage", "connect")
                        .contains(privilege.toLowerCase(Locale.ROOT).strip());
    }

    public static boolean pg_has_role(@Nullable String role, @Nullable String privilege) {
        return true;
    }

    public static boolean pg_has_role(@Nullable String user, @Nullable String role, @Nullable String privilege) {
        return true;
    }

    public static @Nullable String pg_encoding_to_char(@Nullable Integer encoding) {
        return encoding == null ? null : "UTF8";
    }

    public static long pg_database_size(@Nullable String database) {
        return 0;
    }

    public static long pg_relation_size(@Nullable String relation) {
        return 0;
    }

    public static long pg_table_size(@Nullable String relation) {
        return 0;
    }

    public static long pg_total_relation_size(@Nullable String relation) {
        return 0;
    }

    public static @Nullable String pg_size_pretty(@Nullable Long bytes) {
        return bytes == null ? null : bytes + " bytes";
    }

    public static @Nullable String quote_ident(@Nullable String name) {
        if (name == null || name.matches("[a-z_][a-z0-9_$]*")) {
            return name;
        }
        return "\"" + name.replace("\"", "\"\"") + "\"";
    }

    public static @Nullable String quote_literal(@Nullable String text) {
        return text == null ? null : "'" + text.replace("'", "''") + "'";
    }

    /** Replaces with a bound on the result: H2's own makes texts of any length from two short ones. */
    public static @Nullable String replace(@Nullable String text, @Nullable String part, @Nullable String by)
            throws SQLException {
        if (text == null || part == null || by == null) {
            return null;
        }
        if (part.isEmpty()) {
            return text;
        }
        long times = ((long) text.length() - text.replace(part, "").length()) / part.length();
        if (text.length() + times * by.length() > LONGEST_TEXT) {
            throw new AdminException("54000", "the text becomes too long");
        }
        return text.replace(part, by);
    }

    /** Matches LIKE and {@code ~}: {@link PatternSql} calls it in their place. */
    public static @Nullable Boolean pattern_matches(
            @Nullable String text, @Nullable String pattern, @Nullable String operator, @Nullable String escape)
            throws SQLException {
        if (text == null || pattern == null || operator == null || escape == null) {
            return null;
        }
        return question().patterns().matches(text, pattern, operator, escape);
    }

    /** Returns a few numbers in a row. */
    public static ResultSet generate_series(@Nullable Long from, @Nullable Long to) throws SQLException {
        SimpleResultSet result = new SimpleResultSet();
        result.setAutoClose(false);
        result.addColumn("generate_series", Types.BIGINT, 0, 0);
        if (from != null && to != null) {
            if (to - from > LONGEST_SERIES) {
                throw new AdminException("54000", "the series becomes too long");
            }
            for (long number = from; number <= to; number++) {
                result.addRow(number);
            }
        }
        return result;
    }

    public static @Nullable Integer array_upper(String @Nullable [] array, @Nullable Integer dimension) {
        return array == null || array.length == 0 ? null : array.length;
    }

    public static @Nullable Integer array_length(String @Nullable [] array, @Nullable Integer dimension) {
        return array_upper(array, dimension);
    }

    public static @Nullable Integer array_lower(String @Nullable [] array, @Nullable Integer dimension) {
        return array == null || array.length == 0 ? null : 1;
    }

    public static @Nullable Integer strpos(@Nullable String text, @Nullable String part) {
        return text == null || part == null ? null : text.indexOf(part) + 1;
    }

    /** Returns the number that the catalogue has for this name, 0 if it has none; not for clients. */
    static long oid(String name) {
        String plain = name.substring(name.lastIndexOf('.') + 1).replace("\"", "");
        for (View view : View.values()) {
            if (view.label().equals(plain)) {
                return oid(view);
            }
        }
        return switch (plain) {
            case "pg_class" -> 1259;
            case "pg_type" -> 1247;
            case "pg_namespace" -> 2615;
            case "pg_proc" -> 1255;
            case "pg_database" -> 1262;
            case "pg_constraint" -> 2606;
            case "array_in" -> 750;
            case "array_recv" -> 2400;
            default -> 0;
        };
    }

    static long oid(View view) {
        return 16400L + Arrays.asList(View.values()).indexOf(view);
    }
}
