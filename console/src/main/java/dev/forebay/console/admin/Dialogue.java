// SPDX-License-Identifier: Apache-2.0
package dev.forebay.console.admin;

import dev.forebay.console.admin.Answer.Column;
import dev.forebay.wire.Conversation;
import dev.forebay.wire.ProtocolException;
import dev.forebay.wire.Reply;
import dev.forebay.wire.Request;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The answers to a client that was let in, in the simple and the extended protocol. Each is made on a thread of the port's; only one at a
 * time, but for {@link #cancel}.
 */
final class Dialogue implements Conversation.Handler {

    private static final Logger log = LoggerFactory.getLogger(Dialogue.class);

    private static final int MOST_STATEMENTS = 500;
    private static final int MOST_PORTALS = 50;

    private final AdminSession session;
    private final AdminPort port;
    private final SessionSettings settings;
    private final SessionTasks work;
    private final Map<String, Prepared> statements = new HashMap<>();
    private final Map<String, Portal> portals = new HashMap<>();
    private final Map<String, String> reported = new HashMap<>();
    private final Conversation conversation;

    /**
     * A statement that a client has prepared.
     *
     * @param task null if there is nothing to do
     * @param types of its parameters
     */
    private record Prepared(SqlText sql, SessionTasks.@Nullable Task task, List<Integer> types) {}

    /** A statement with its values, and how far its answer was read. */
    private static final class Portal {
        private final Prepared prepared;
        private final List<@Nullable Object> values;
        private final List<Boolean> binary;
        private @Nullable Answer answer;
        private int read;

        Portal(Prepared prepared, List<@Nullable Object> values, List<Boolean> binary) {
            this.prepared = prepared;
            this.values = values;
            this.binary = binary;
        }

        /** Returns whether the column is sent in binary. */
        boolean isBinary(int column) {
            return !binary.isEmpty() && binary.get(binary.size() == 1 ? 0 : column);
        }
    }

    Dialogue(AdminSession session, AdminPort port, Conversation conversation, SessionSettings settings) {
        this.session = session;
        this.port = port;
        this.conversation = conversation;
        this.settings = settings;
        ViewReader reader = new ViewReader(port.views(), session.user(), session.processId(), port.started(), settings);
        Shows shows = new Shows(port.views().registry(), settings);
        this.work = new SessionTasks(
                session.user(), port.administration(), reader, settings, shows, this::notice, this::deallocateAll);
        settings.all().forEach((name, value) -> {
            if (SessionSettings.REPORTED.contains(name)) {
                reported.put(name, value);
            }
        });
    }

    @Override
    public void turn() {
        conversation.handOver(port::run);
    }

    @Override
    public void functionCall() {
        tell(new AdminException("0A000", "function calls are not offered"));
        ready();
    }

    // ---- the simple protocol

    @Override
    public void query(String sql) {
        try {
            List<SqlText> all = read(sql).statements();
            if (all.isEmpty()) {
                conversation.tell(Reply::emptyQuery);
            }
            for (SqlText statement : all) {
                if (conversation.isClosed()) {
                    return;
                }
                simple(statement);
            }
        } catch (SQLException e) {
            fail(e);
        }
        ready();
    }

    private void simple(SqlText statement) throws SQLException {
        long start = System.nanoTime();
        String outcome = "XX000";
        try (SessionTasks.Task task = work.prepare(statement)) {
            Answer answer = task.run(List.of());
            outcome = "00000";
            Portal portal = new Portal(new Prepared(statement, task, List.of()), List.of(), List.of());
            portal.answer = answer;
            if (!answer.columns().isEmpty()) {
                describe(answer.columns(), portal);
            }
            rows(portal, answer, 0, true);
        } catch (SQLException e) {
            outcome = state(e);
            throw e;
        } finally {
            audit(statement, outcome, System.nanoTime() - start);
        }
    }

    /** Cuts {@code sql} into tokens. */
    private SqlText read(String sql) throws AdminException {
        try {
            return SqlText.of(sql);
        } catch (AdminSyntaxException e) {
            audit(AuditText.unread(sql), AdminSyntaxException.SQL_STATE, 0);
            throw AdminException.of(e);
        }
    }

    // ---- the extended protocol

    @Override
    public void parse(Request.Parse parse) throws SQLException {
        if (!parse.name().isEmpty() && statements.containsKey(parse.name())) {
            throw new AdminException("42P05", "prepared statement \"" + parse.name() + "\" already exists");
        }
        if (statements.size() >= MOST_STATEMENTS) {
            throw new AdminException("53000", "too many prepared statements: close some");
        }
        SqlText text = read(parse.sql());
        List<SqlText> all = text.statements();
        SessionTasks.Task task = null;
        try {
            if (all.size() > 1) {
                throw new AdminException("42601", "cannot insert multiple commands into a prepared statement");
            }
            if (!all.isEmpty()) {
                text = all.get(0);
                task = work.prepare(text);
            }
        } catch (SQLException e) {
            audit(text, state(e), 0);
            throw e;
        }
        forget(parse.name());
        statements.put(parse.name(), new Prepared(text, task, types(parse.types(), task)));
        conversation.tell(Reply::parseComplete);
    }

    /** Returns the parameters' types: the client's, otherwise the inferred ones. */
    private static List<Integer> types(byte[] given, SessionTasks.@Nullable Task task) throws SQLException {
        ByteBuf in = Unpooled.wrappedBuffer(given);
        int count = in.readUnsignedShort();
        List<Integer> types = new ArrayList<>(task == null ? List.of() : task.parameters());
        for (int i = 0; i < count; i++) {
            int oid = in.readInt();
            if (i >= types.size()) {
                types.add(oid == 0 ? Answer.Type.TEXT.oid : oid);
            } else if (oid != 0) {
                types.set(i, oid);
            }
        }
        return types;
    }

    @Override
    public void bind(Request.Bind bind) throws SQLException {
        Prepared prepared = statement(bind.statement());
        if (!bind.portal().isEmpty() && portals.containsKey(bind.portal())) {
            throw new AdminException("42P03", "cursor \"" + bind.portal() + "\" already exists");
        }
        if (portals.size() >= MOST_PORTALS) {
            throw new AdminException("53000", "too many portals: close some");
        }
        ByteBuf in = bind.values();
        try {
            List<Boolean> formats = formats(in);
            int count = in.readUnsignedShort();
            if (count != prepared.types.size()) {
                throw new AdminException(
                        "08P01",
                        "bind message supplies " + count + " parameters, but the statement requires "
                                + prepared.types.size());
            }
            List<@Nullable Object> values = new ArrayList<>();
            for (int i = 0; i < count; i++) {
                boolean binary = !formats.isEmpty() && formats.get(formats.size() == 1 ? 0 : i);
                values.add(Values.decode(value(in), prepared.types.get(i), binary));
            }
            List<Boolean> results = formats(in);
            int columns = prepared.task == null ? 0 : prepared.task.columns().size();
            if (in.isReadable() || (results.size() > 1 && results.size() != columns)) {
                throw new ProtocolException("a Bind that does not fit");
            }
            portals.put(bind.portal(), new Portal(prepared, values, results));
        } catch (IndexOutOfBoundsException e) {
            log.debug("a Bind ends early", e);
            throw new ProtocolException("a Bind that ends early");
        }
        conversation.tell(Reply::bindComplete);
    }

    private static List<Boolean> formats(ByteBuf in) {
        int count = in.readUnsignedShort();
        List<Boolean> formats = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            short format = in.readShort();
            if (format != 0 && format != 1) {
                throw new ProtocolException("unsupported format code: " + format);
            }
            formats.add(format == 1);
        }
        return formats;
    }

    private static byte @Nullable [] value(ByteBuf in) {
        int length = in.readInt();
        if (length < -1 || length > in.readableBytes()) {
            throw new ProtocolException("a value that does not fit");
        }
        if (length == -1) {
            return null;
        }
        byte[] bytes = new byte[length];
        in.readBytes(bytes);
        return bytes;
    }

    @Override
    public void describe(Request.Named named) throws SQLException {
        Portal portal = named.portal() ? portal(named.name()) : null;
        Prepared prepared = portal != null ? portal.prepared : statement(named.name());
        if (portal == null) {
            conversation.tell(out -> Reply.parameterDescription(out, prepared.types));
        }
        List<Column> columns = prepared.task == null ? List.of() : prepared.task.columns();
        if (columns.isEmpty()) {
            conversation.tell(Reply::noData);
        } else {
            describe(columns, portal);
        }
    }

    private void describe(List<Column> columns, @Nullable Portal portal) {
        List<Reply.Field> fields = new ArrayList<>();
        for (int i = 0; i < columns.size(); i++) {
            Column column = columns.get(i);
            fields.add(new Reply.Field(
                    column.name(), column.type().oid, column.type().size, portal != null && portal.isBinary(i)));
        }
        conversation.tell(out -> Reply.fieldDescription(out, fields));
    }

    @Override
    public void execute(Request.Execute execute) throws SQLException {
        Portal portal = portal(execute.portal());
        SessionTasks.Task task = portal.prepared.task;
        if (task == null) {
            conversation.tell(Reply::emptyQuery);
            return;
        }
        Answer answer = portal.answer;
        if (answer == null) {
            answer = run(portal, task);
            portal.answer = answer;
        }
        rows(portal, answer, execute.maxRows(), !task.columns().isEmpty());
    }

    private Answer run(Portal portal, SessionTasks.Task task) throws SQLException {
        long start = System.nanoTime();
        String outcome = "XX000";
        try {
            if (work.state() == SessionTasks.State.FAILED) {
                work.prepare(portal.prepared.sql).close(); // throws, unless it ends the transaction
            }
            Answer answer = task.run(portal.values);
            outcome = "00000";
            return answer;
        } catch (SQLException e) {
            outcome = state(e);
            throw e;
        } finally {
            audit(portal.prepared.sql, outcome, System.nanoTime() - start);
        }
    }

    /** Sends the next rows, at most {@code most} unless that is 0; none if the client was sent no columns. */
    private void rows(Portal portal, Answer answer, int most, boolean shown) {
        int size = shown ? answer.rows().size() : 0;
        int end = most <= 0 ? size : Math.min(size, portal.read + most);
        List<byte @Nullable []> row = new ArrayList<>();
        for (; portal.read < end; portal.read++) {
            if (conversation.isClosed()) {
                return;
            }
            row.clear();
            List<@Nullable Object> values = answer.rows().get(portal.read);
            for (int i = 0; i < values.size(); i++) {
                row.add(Values.encode(
                        values.get(i), answer.columns().get(i).type(), portal.isBinary(i), settings.zone()));
            }
            conversation.tell(out -> Reply.binaryRow(out, row));
        }
        if (portal.read < size) {
            conversation.tell(Reply::portalSuspended);
        } else {
            report();
            conversation.tell(out -> Reply.commandComplete(out, answer.tag()));
        }
    }

    @Override
    public void close(Request.Named named) {
        if (named.portal()) {
            portals.remove(named.name());
        } else {
            forget(named.name());
        }
        conversation.tell(Reply::closeComplete);
    }

    @Override
    public void sync() {
        ready();
    }

    private Prepared statement(String name) throws AdminException {
        Prepared prepared = statements.get(name);
        if (prepared == null) {
            throw new AdminException("26000", "prepared statement \"" + name + "\" does not exist");
        }
        return prepared;
    }

    private Portal portal(String name) throws AdminException {
        Portal portal = portals.get(name);
        if (portal == null) {
            throw new AdminException("34000", "portal \"" + name + "\" does not exist");
        }
        return portal;
    }

    private void forget(String name) {
        Prepared prepared = statements.remove(name);
        if (prepared != null) {
            portals.values().removeIf(portal -> portal.prepared.equals(prepared));
            closeTask(prepared.task);
        }
    }

    private static void closeTask(SessionTasks.@Nullable Task task) {
        try {
            if (task != null) {
                task.close();
            }
        } catch (SQLException e) {
            log.debug("a statement could not be closed", e);
        }
    }

    private void deallocateAll() {
        portals.clear();
        for (Iterator<Prepared> each = statements.values().iterator(); each.hasNext(); ) {
            closeTask(each.next().task);
            each.remove();
        }
    }

    // ---- messages to the client

    private void ready() {
        if (work.state() == SessionTasks.State.IDLE) {
            portals.clear();
        }
        conversation.ready(work.state().letter);
    }

    private void notice(String text) {
        conversation.tell(out -> Reply.notice(out, "01000", text));
    }

    /** Reports changed settings to the client. */
    private void report() {
        for (Map.Entry<String, String> known : reported.entrySet()) {
            String value = settings.all().get(known.getKey());
            if (value != null && !value.equals(known.getValue())) {
                known.setValue(value);
                conversation.tell(out -> Reply.parameterStatus(out, known.getKey(), value));
            }
        }
    }

    @Override
    public void fail(SQLException e) {
        work.failed();
        tell(e);
    }

    private void tell(SQLException e) {
        Map<Character, String> place = position(e) > 0 ? Map.of('P', Integer.toString(position(e))) : Map.of();
        String message = String.valueOf(e.getMessage());
        conversation.tell(out -> Reply.error(out, Reply.Severity.ERROR, state(e), message, "", place));
    }

    private static int position(SQLException e) {
        return e instanceof AdminException refusal ? refusal.position() : 0;
    }

    private static String state(SQLException e) {
        String state = e.getSQLState();
        return state != null && state.length() == 5 ? state : "XX000";
    }

    private void audit(SqlText sql, String sqlState, long nanos) {
        audit(AuditText.of(sql), sqlState, nanos);
    }

    private void audit(String shown, String sqlState, long nanos) {
        port.audit().said(session.user(), session.address(), shown, sqlState, Duration.ofNanos(nanos));
    }

    void cancel() {
        try {
            work.cancel();
        } catch (SQLException e) {
            log.debug("a statement could not be cancelled", e);
        }
    }

    @Override
    public void ended() {
        deallocateAll();
        try {
            work.close();
        } catch (SQLException e) {
            log.debug("the session's views could not be closed", e);
        }
    }
}
