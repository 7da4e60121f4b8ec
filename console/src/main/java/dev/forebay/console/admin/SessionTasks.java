// SPDX-License-Identifier: Apache-2.0
package dev.forebay.console.admin;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import dev.forebay.console.admin.Answer.Column;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The statements of one session, from either protocol: transactions and settings are its own, questions go to the views,
 * the rest to the {@link Administration}. To be used by one thread at a time, but for {@link #cancel}.
 *
 * <p>A transaction is only a state here. Administration takes effect at once, and a ROLLBACK takes nothing back.
 */
final class SessionTasks implements AutoCloseable {

    private static final Set<String> ENDS = Set.of("commit", "end", "rollback", "abort");

    private final String user;
    private final Administration administration;
    private final ViewReader reader;
    private final SessionSettings settings;
    private final Shows shows;
    private final Consumer<String> notices;
    private final Runnable deallocateAll;
    private final Object lock = new Object();
    private State state = State.IDLE;
    private boolean performed;

    /** The thread that a cancel interrupts, if no question is in progress. */
    @GuardedBy("lock")
    private @Nullable Thread busy;

    /** The question that a cancel cancels. */
    @GuardedBy("lock")
    private ViewReader.@Nullable Prepared asked;

    @GuardedBy("lock")
    private boolean cancelled;

    /** The state of a transaction. */
    enum State {
        IDLE('I'),
        OPEN('T'),
        FAILED('E');

        final char letter;

        State(char letter) {
            this.letter = letter;
        }
    }

    SessionTasks(
            String user,
            Administration administration,
            ViewReader reader,
            SessionSettings settings,
            Shows shows,
            Consumer<String> notices,
            Runnable deallocateAll) {
        this.user = user;
        this.administration = administration;
        this.reader = reader;
        this.settings = settings;
        this.shows = shows;
        this.notices = notices;
        this.deallocateAll = deallocateAll;
    }

    State state() {
        return state;
    }

    /** Notes that a statement has failed. */
    void failed() {
        if (state == State.OPEN) {
            state = State.FAILED;
        }
    }

    /** A statement that is understood. */
    interface Task extends AutoCloseable {

        /** The columns of its rows; none if it gives none. */
        List<Column> columns();

        /** Its parameters, by PostgreSQL's numbers for their types. */
        default List<Integer> parameters() throws SQLException {
            return List.of();
        }

        Answer run(List<@Nullable Object> values) throws SQLException;

        @Override
        default void close() throws SQLException {}
    }

    /** Parses one statement. */
    Task prepare(SqlText statement) throws SQLException {
        List<SqlToken> tokens = statement.tokens();
        String first =
                tokens.get(0).kind() == SqlToken.Kind.WORD ? tokens.get(0).name() : "";
        boolean ends = ENDS.contains(first);
        if (state == State.FAILED && !ends) {
            throw new AdminException(
                    "25P02", "current transaction is aborted, commands ignored until end of transaction block");
        }
        return switch (first) {
            case "begin", "start" -> done(this::begin);
            case "commit", "end" -> done(this::commit);
            case "rollback", "abort" -> done(() -> rollback(tokens));
            case "savepoint", "release" -> done(() -> savepoint(first));
            case "set" -> done(() -> set(statement.whole(), tokens));
            case "reset" -> done(() -> reset(tokens));
            case "discard" -> done(() -> discard(tokens));
            case "deallocate" -> done(() -> Answer.done("DEALLOCATE"));
            case "close" -> done(() -> Answer.done("CLOSE CURSOR"));
            case "unlisten" -> done(() -> Answer.done("UNLISTEN"));
            case "show" -> show(tokens);
            case "call" -> new Call(statement);
            case "create", "alter", "drop", "pause", "resume", "reconnect" -> administer(statement);
            default -> new Asking(statement);
        };
    }

    // ---- forwarding

    private Task administer(SqlText text) throws SQLException {
        AdminStatement statement = parse(text);
        if (statement instanceof AdminStatement.Query) {
            return new Asking(text); // which reports the error
        }
        return new Task() {
            @Override
            public List<Column> columns() {
                return administration.columns(statement);
            }

            @Override
            public Answer run(List<@Nullable Object> values) throws SQLException {
                return perform(statement);
            }
        };
    }

    private static AdminStatement parse(SqlText statement) throws AdminException {
        try {
            return AdminSql.parse(statement);
        } catch (AdminSyntaxException e) {
            throw AdminException.of(e);
        }
    }

    private Answer perform(AdminStatement statement) throws SQLException {
        performed |= state == State.OPEN;
        if (!mayWait(statement)) {
            return administration.perform(statement, user);
        }
        start(null);
        try {
            return administration.perform(statement, user);
        } catch (SQLException e) {
            throw wasCancelled() ? cancelledBy(e) : e;
        } finally {
            stop();
        }
    }

    /**
     * Returns whether a cancel may end it. A definition is short, and is never interrupted: that would close the file in
     * the middle of a change, and leave its content unknown.
     */
    private static boolean mayWait(AdminStatement statement) {
        return statement instanceof AdminStatement.Call || statement instanceof AdminStatement.Control;
    }

    /** A procedure, whose arguments may be parameters. */
    private final class Call implements Task {
        private final SqlText text;
        private final List<SqlToken> tokens;
        private final int parameters;

        Call(SqlText text) throws AdminException {
            this.text = text;
            this.tokens = text.tokens();
            int most = 0;
            for (int i = 0; i + 1 < tokens.size(); i++) {
                if (isParameter(i)) {
                    most = Math.max(most, number(tokens.get(i + 1)));
                }
            }
            this.parameters = most;
            with(Collections.nCopies(most, ""));
        }

        private boolean isParameter(int at) {
            return tokens.get(at).isSign("$") && tokens.get(at + 1).kind() == SqlToken.Kind.NUMBER;
        }

        private static int number(SqlToken token) throws AdminException {
            if (!token.text().matches("[1-9][0-9]{0,2}")) {
                throw new AdminException("42P02", "there is no parameter $" + token.text(), token.position());
            }
            return Integer.parseInt(token.text());
        }

        /** The statement with values in the place of its parameters. */
        private AdminStatement with(List<? extends @Nullable Object> values) throws AdminException {
            List<SqlToken> filled = new ArrayList<>();
            for (int i = 0; i < tokens.size(); i++) {
                SqlToken token = tokens.get(i);
                if (isParameter(i)) {
                    SqlToken number = tokens.get(++i);
                    Object value = values.get(number(number) - 1);
                    if (value == null) {
                        throw new AdminException("22004", "an argument is null", token.position());
                    }
                    token = new SqlToken(SqlToken.Kind.STRING, value.toString(), token.start(), number.end());
                }
                filled.add(token);
            }
            return parse(new SqlText(text.whole(), filled));
        }

        @Override
        public List<Column> columns() {
            try {
                return administration.columns(with(Collections.nCopies(parameters, "")));
            } catch (AdminException e) {
                throw new IllegalStateException("bug: it was parsed before", e);
            }
        }

        @Override
        public List<Integer> parameters() {
            return Collections.nCopies(parameters, Answer.Type.TEXT.oid);
        }

        @Override
        public Answer run(List<@Nullable Object> values) throws SQLException {
            if (values.size() < parameters) {
                throw new AdminException(
                        "08P01", "bind supplies " + values.size() + " parameters, but " + parameters + " are required");
            }
            return perform(with(values));
        }
    }

    /** A question to the views. */
    private final class Asking implements Task {
        private final ViewReader.Prepared prepared;
        private final int at;

        Asking(SqlText text) throws SQLException {
            this.at = text.start();
            try {
                this.prepared = reader.prepare(text.text());
            } catch (AdminException e) {
                throw e.within(at);
            }
        }

        @Override
        public List<Column> columns() {
            return prepared.columns();
        }

        @Override
        public List<Integer> parameters() throws SQLException {
            return prepared.parameters();
        }

        @Override
        public Answer run(List<@Nullable Object> values) throws SQLException {
            start(prepared);
            try {
                return prepared.run(values);
            } catch (AdminException e) {
                throw e.within(at);
            } finally {
                stop();
            }
        }

        @Override
        public void close() throws SQLException {
            prepared.close();
        }
    }

    // ---- cancelling

    private void start(ViewReader.@Nullable Prepared prepared) {
        synchronized (lock) {
            busy = Thread.currentThread();
            asked = prepared;
            cancelled = false;
        }
    }

    private void stop() {
        synchronized (lock) {
            busy = null;
            asked = null;
        }
        Thread.interrupted(); // clears a cancel that came too late
    }

    private boolean wasCancelled() {
        synchronized (lock) {
            return cancelled;
        }
    }

    private static AdminException cancelledBy(SQLException e) {
        return new AdminException("57014", "canceling statement due to user request", 0, e);
    }

    /** Cancels the statement in progress, if there is one; may be called by any thread. */
    void cancel() throws SQLException {
        synchronized (lock) {
            if (asked != null) {
                asked.cancel();
            } else if (busy != null) {
                cancelled = true;
                busy.interrupt();
            }
        }
    }

    // ---- transactions

    private Answer begin() {
        if (state == State.OPEN) {
            notices.accept("there is already a transaction in progress");
        }
        state = State.OPEN;
        return Answer.done("BEGIN");
    }

    private Answer commit() {
        boolean failed = state == State.FAILED;
        if (state == State.IDLE) {
            notices.accept("there is no transaction in progress");
        }
        state = State.IDLE;
        performed = false;
        return Answer.done(failed ? "ROLLBACK" : "COMMIT");
    }

    private Answer rollback(List<SqlToken> tokens) throws AdminException {
        boolean toSavepoint = tokens.stream().anyMatch(token -> token.is("to"));
        if (performed) {
            notices.accept("what was administered has taken effect and is not rolled back");
        } else if (state == State.IDLE && !toSavepoint) {
            notices.accept("there is no transaction in progress");
        }
        if (toSavepoint) {
            return savepoint("rollback");
        }
        state = State.IDLE;
        performed = false;
        return Answer.done("ROLLBACK");
    }

    private Answer savepoint(String verb) throws AdminException {
        if (state == State.IDLE) {
            throw new AdminException(
                    "25P01", verb.toUpperCase(Locale.ROOT) + " can only be used in transaction blocks");
        }
        state = State.OPEN;
        return Answer.done(verb.toUpperCase(Locale.ROOT));
    }

    // ---- settings

    private Task show(List<SqlToken> tokens) throws AdminException {
        List<String> words = new ArrayList<>();
        for (SqlToken token : tokens.subList(1, tokens.size() - 1)) {
            if (token.isName()) {
                words.add(token.name());
            } else if (!token.isSign(".")) {
                throw new AdminException("42601", "syntax error at or near \"" + token.text() + "\"", token.position());
            }
        }
        if (words.isEmpty()) {
            throw new AdminException(
                    "42601",
                    "SHOW needs to know what; try SHOW HELP",
                    tokens.get(1).position());
        }
        return new Task() {
            @Override
            public List<Column> columns() {
                return shows.columns(words);
            }

            @Override
            public Answer run(List<@Nullable Object> values) throws SQLException {
                return shows.show(words);
            }
        };
    }

    private Answer set(String sql, List<SqlToken> tokens) throws AdminException {
        int at = 1;
        if (tokens.get(at).is("session") || tokens.get(at).is("local")) {
            at++;
        }
        SqlToken name = tokens.get(at);
        if (name.is("characteristics") || name.is("transaction")) {
            return Answer.done("SET");
        }
        if (name.is("time") && tokens.get(at + 1).is("zone")) {
            setTo("TimeZone", sql, tokens, at + 2);
            return Answer.done("SET");
        }
        if (name.is("names")) {
            setTo("client_encoding", sql, tokens, at + 1);
            return Answer.done("SET");
        }
        StringBuilder full = new StringBuilder(name.text());
        at++;
        while (tokens.get(at).isSign(".") && at + 1 < tokens.size()) {
            full.append('.').append(tokens.get(at + 1).text());
            at += 2;
        }
        if (!name.isName() || (!tokens.get(at).isSign("=") && !tokens.get(at).is("to"))) {
            throw new AdminException(
                    "42601", "SET needs a name and a value", tokens.get(at).position());
        }
        setTo(full.toString(), sql, tokens, at + 1);
        return Answer.done("SET");
    }

    private void setTo(String name, String sql, List<SqlToken> tokens, int at) throws AdminException {
        SqlToken first = tokens.get(Math.min(at, tokens.size() - 1));
        if (first.kind() == SqlToken.Kind.END) {
            throw new AdminException("42601", "SET needs a value", first.position());
        }
        if (first.is("default")) {
            settings.reset(name);
            return;
        }
        boolean single = tokens.size() == at + 2;
        SqlToken last = tokens.get(tokens.size() - 2);
        settings.set(
                name,
                single ? first.text() : sql.substring(first.start(), last.end()).replace("'", ""));
    }

    private Answer reset(List<SqlToken> tokens) throws AdminException {
        if (tokens.get(1).is("all")) {
            settings.resetAll();
        } else if (tokens.get(1).isName()) {
            settings.reset(tokens.get(1).text());
        } else {
            throw new AdminException(
                    "42601", "RESET needs a name", tokens.get(1).position());
        }
        return Answer.done("RESET");
    }

    private Answer discard(List<SqlToken> tokens) throws AdminException {
        if (tokens.get(1).is("all")) {
            if (state != State.IDLE) {
                throw new AdminException("25001", "DISCARD ALL cannot run inside a transaction block");
            }
            settings.resetAll();
            deallocateAll.run();
            return Answer.done("DISCARD ALL");
        }
        return Answer.done("DISCARD");
    }

    private interface Step {
        Answer run() throws SQLException;
    }

    private static Task done(Step step) {
        return new Task() {
            @Override
            public List<Column> columns() {
                return List.of();
            }

            @Override
            public Answer run(List<@Nullable Object> values) throws SQLException {
                return step.run();
            }
        };
    }

    @Override
    public void close() throws SQLException {
        reader.close();
    }
}
