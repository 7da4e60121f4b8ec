// SPDX-License-Identifier: Apache-2.0
package dev.forebay.console.admin;

import dev.forebay.console.admin.Answer.Column;
import dev.forebay.tx.internal.Causes;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.ResultSetMetaData;
import java.sql.SQLException;
import java.sql.SQLTimeoutException;
import java.sql.Types;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** One session's questions to the views. To be used by one thread at a time, but for {@link Prepared#cancel}. */
final class ViewReader implements AutoCloseable {

    private static final Duration LONGEST = Duration.ofSeconds(30);
    private static final int MOST_ROWS = 1_000_000;
    private static final Pattern QUOTED = Pattern.compile("\"([^\"]*)\"");

    private final SystemViews views;
    private final String user;
    private final int processId;
    private final Instant started;
    private final SessionSettings settings;
    private @Nullable Connection connection;

    ViewReader(SystemViews views, String user, int processId, Instant started, SessionSettings settings) {
        this.views = views;
        this.user = user;
        this.processId = processId;
        this.started = started;
        this.settings = settings;
    }

    /** Prepares a question, and finds its columns. */
    Prepared prepare(String sql) throws SQLException {
        try {
            return prepare(ViewSql.of(sql));
        } catch (StackOverflowError e) {
            throw new AdminException("54001", "the statement is nested too deeply", 0, e);
        }
    }

    private Prepared prepare(ViewSql question) throws SQLException {
        try (Question.Asked asked = question(timeout()).ask()) {
            PreparedStatement statement = connection().prepareStatement(question.sql());
            try {
                return new Prepared(question, statement, columns(statement.getMetaData()));
            } catch (SQLException e) {
                statement.close();
                throw e;
            }
        } catch (SQLException e) {
            throw refusal(question, e);
        }
    }

    private Question question(Duration timeout) {
        return new Question(views.registry(), user, processId, started, settings, timeout);
    }

    private Duration timeout() {
        Duration asks = settings.statementTimeout();
        return asks.isZero() || asks.compareTo(LONGEST) > 0 ? LONGEST : asks;
    }

    private Connection connection() throws SQLException {
        Connection known = connection;
        if (known == null) {
            known = views.open();
            connection = known;
        }
        return known;
    }

    @Override
    public void close() throws SQLException {
        if (connection != null) {
            connection.close();
        }
    }

    // ---- types

    private static List<Column> columns(@Nullable ResultSetMetaData about) throws SQLException {
        if (about == null) {
            throw new AdminException("0A000", "only questions may be asked here");
        }
        if (about.getColumnCount() == 0) { // as of H2's DUAL
            throw new AdminException("0A000", "an answer without columns is not offered here");
        }
        List<Column> columns = new ArrayList<>();
        for (int i = 1; i <= about.getColumnCount(); i++) {
            String label = about.getColumnLabel(i);
            boolean ours = label.startsWith(ViewSql.OURS);
            columns.add(
                    new Column(ours ? label.substring(ViewSql.OURS.length()) : label, type(about.getColumnType(i))));
        }
        return columns;
    }

    private static Answer.Type type(int jdbcType) {
        return switch (jdbcType) {
            case Types.BOOLEAN, Types.BIT -> Answer.Type.BOOL;
            case Types.TINYINT, Types.SMALLINT, Types.INTEGER -> Answer.Type.INT4;
            case Types.BIGINT -> Answer.Type.INT8;
            case Types.REAL, Types.FLOAT, Types.DOUBLE, Types.NUMERIC, Types.DECIMAL -> Answer.Type.FLOAT8;
            case Types.TIMESTAMP, Types.TIMESTAMP_WITH_TIMEZONE -> Answer.Type.TIMESTAMPTZ;
            default -> Answer.Type.TEXT;
        };
    }

    private static @Nullable Object value(ResultSet rows, int index, Answer.Type type) throws SQLException {
        Object value = switch (type) {
            case BOOL -> rows.getBoolean(index);
            case INT4 -> rows.getInt(index);
            case INT8 -> rows.getLong(index);
            case FLOAT8 -> rows.getDouble(index);
            case TIMESTAMPTZ -> instant(rows, index);
            case TEXT -> text(rows, index);
        };
        return rows.wasNull() ? null : value;
    }

    private static @Nullable Instant instant(ResultSet rows, int index) throws SQLException {
        if (rows.getMetaData().getColumnType(index) == Types.TIMESTAMP) {
            LocalDateTime local = rows.getObject(index, LocalDateTime.class);
            return local == null ? null : local.toInstant(ZoneOffset.UTC);
        }
        OffsetDateTime at = rows.getObject(index, OffsetDateTime.class);
        return at == null ? null : at.toInstant();
    }

    /** Returns an array as PostgreSQL writes it, any other value as H2 does. */
    private static @Nullable String text(ResultSet rows, int index) throws SQLException {
        java.sql.Array array = rows.getMetaData().getColumnType(index) == Types.ARRAY ? rows.getArray(index) : null;
        if (array == null) {
            return rows.getString(index);
        }
        List<String> items = new ArrayList<>();
        for (Object item : (Object[]) array.getArray()) {
            String text = String.valueOf(item);
            items.add(
                    item == null || text.matches("[A-Za-z0-9_.-]+")
                            ? text.equals("null") ? "NULL" : text
                            : "\"" + text.replace("\\", "\\\\").replace("\"", "\\\"") + "\"");
        }
        return "{" + String.join(",", items) + "}";
    }

    // ---- errors

    private static AdminException refusal(ViewSql question, SQLException e) {
        for (Throwable one : Causes.of(e)) {
            if (one instanceof AdminException refusal) { // its own, or one of a function of ours
                return refusal;
            }
        }
        String message = String.valueOf(e.getMessage());
        int text = message.indexOf("; SQL statement:");
        String said = text < 0 ? message : message.substring(0, text);
        Matcher quoted = QUOTED.matcher(said);
        String name = quoted.find() ? quoted.group(1) : "";
        String last = name.substring(name.lastIndexOf('.') + 1);
        return switch (e.getErrorCode()) {
            case 42000, 42001 -> syntax(question, said, e);
            case 42102, 42103, 42104 ->
                new AdminException("42P01", "relation \"" + name + "\" does not exist", question.position(last), e);
            case 42122 ->
                new AdminException("42703", "column \"" + name + "\" does not exist", question.position(last), e);
            case 90079 ->
                new AdminException("3F000", "schema \"" + name + "\" does not exist", question.position(last), e);
            case 90059 ->
                new AdminException(
                        "42702", "column reference \"" + name + "\" is ambiguous", question.position(last), e);
            case 90022, 90087 -> new AdminException("42883", said, question.position(last), e);
            case 90016 -> new AdminException("42803", said, question.position(last), e);
            case 90040, 90096 -> new AdminException("42501", "permission denied: " + said, 0, e);
            case 50004 -> new AdminException("42704", said, question.position(last), e);
            case 50100 -> new AdminException("0A000", said, 0, e);
            case 57014 -> new AdminException("57014", "canceling statement due to user request", 0, e);
            case 90108 -> new AdminException("53200", "out of memory", 0, e);
            case 90012 -> new AdminException("42P02", said, 0, e);
            case 22018 -> new AdminException("22P02", said, 0, e);
            default -> {
                String state = String.valueOf(e.getSQLState());
                yield new AdminException(
                        state.startsWith("22") || state.startsWith("21") ? state : "42601", said, 0, e);
            }
        };
    }

    private static AdminException syntax(ViewSql question, String said, SQLException e) {
        String opening = "Syntax error in SQL statement \"";
        int mark = said.indexOf("[*]");
        int position = mark < 0 || !said.startsWith(opening) ? 0 : question.position(mark - opening.length());
        String found = question.tokens().stream()
                .filter(token -> token.position() == position)
                .map(token -> token.kind() == SqlToken.Kind.STRING ? "a value" : "\"" + token.text() + "\"")
                .findFirst()
                .orElse("the end");
        return new AdminException("42601", "syntax error at or near " + found, position, e);
    }

    /** A question that was understood. */
    final class Prepared implements AutoCloseable {
        private final ViewSql question;
        private final PreparedStatement statement;
        private final List<Column> columns;
        private volatile @Nullable Question current;

        private Prepared(ViewSql question, PreparedStatement statement, List<Column> columns) {
            this.question = question;
            this.statement = statement;
            this.columns = columns;
        }

        List<Column> columns() {
            return columns;
        }

        /** Returns the type of each parameter, by PostgreSQL's number; text if it could be anything. */
        List<Integer> parameters() throws SQLException {
            var about = statement.getParameterMetaData();
            List<Integer> types = new ArrayList<>();
            for (int i = 1; i <= about.getParameterCount(); i++) {
                types.add(type(about.getParameterType(i)).oid);
            }
            return types;
        }

        Answer run(List<@Nullable Object> values) throws SQLException {
            Duration timeout = timeout();
            Question running = question(timeout);
            current = running;
            try (Question.Asked asked = running.ask();
                    SystemViews.Running watched = views.watch(statement)) {
                statement.setQueryTimeout((int) Math.max(1, (timeout.toMillis() + 999) / 1000));
                statement.setMaxRows(MOST_ROWS);
                int wanted = statement.getParameterMetaData().getParameterCount();
                if (values.size() != wanted) {
                    throw new AdminException(
                            "08P01", "bind supplies " + values.size() + " parameters, but " + wanted + " are required");
                }
                for (int i = 0; i < values.size(); i++) {
                    bind(i + 1, values.get(i));
                }
                return read(watched);
            } catch (SQLTimeoutException e) {
                throw new AdminException("57014", "canceling statement due to statement timeout", 0, e);
            } catch (SQLException e) {
                throw refusal(question, e);
            }
        }

        private void bind(int index, @Nullable Object value) throws SQLException {
            statement.setObject(index, value instanceof Instant at ? at.atOffset(ZoneOffset.UTC) : value);
        }

        private Answer read(SystemViews.Running running) throws SQLException {
            long deadline = System.nanoTime() + statement.getQueryTimeout() * 1_000_000_000L;
            try (ResultSet rows = statement.executeQuery()) {
                List<List<@Nullable Object>> all = new ArrayList<>();
                while (rows.next()) {
                    @Nullable Object[] row = new Object[columns.size()];
                    for (int i = 0; i < row.length; i++) {
                        row[i] = value(rows, i + 1, columns.get(i).type());
                    }
                    all.add(Collections.unmodifiableList(Arrays.asList(row)));
                    if (running.tookTooMuch()) {
                        throw tooMuch();
                    }
                }
                return new Answer(columns, all, "SELECT " + all.size());
            } catch (SQLException e) {
                if (running.tookTooMuch()) {
                    throw tooMuch();
                }
                if (e.getErrorCode() == 57014 && System.nanoTime() - deadline >= 0) {
                    throw new AdminException("57014", "canceling statement due to statement timeout", 0, e);
                }
                throw e;
            }
        }

        private AdminException tooMuch() {
            return new AdminException("53200", "the statement needs too much memory: ask for fewer rows");
        }

        /** Ends a run; may be called by any thread. */
        void cancel() throws SQLException {
            Question running = current;
            if (running != null) {
                running.cancel();
            }
            statement.cancel();
        }

        @Override
        public void close() throws SQLException {
            statement.close();
        }
    }
}
