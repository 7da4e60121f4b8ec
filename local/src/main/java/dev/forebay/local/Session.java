// SPDX-License-Identifier: Apache-2.0
package dev.forebay.local;

import dev.forebay.local.iam.Verdict;
import dev.forebay.local.sql.Profile;
import dev.forebay.local.sql.Statement;
import dev.forebay.local.sql.TransactionRules;
import dev.forebay.model.ClusterSession;
import dev.forebay.model.CommitFault;
import dev.forebay.model.Connect;
import dev.forebay.wire.Conversation;
import dev.forebay.wire.Conversation.Message;
import dev.forebay.wire.PgSession;
import dev.forebay.wire.ProtocolException;
import dev.forebay.wire.Reply;
import dev.forebay.wire.Request;
import io.netty.buffer.ByteBuf;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * One client of a local DSQL: who it is, what it asks, and what it is told. Used on the client's event loop.
 *
 * <p>Its messages are done one at a time ({@link Conversation}), except that a pipeline that only reads goes to PostgreSQL as a whole.
 * PostgreSQL is connected to when it is first needed, so a session that asks nothing costs next to nothing.
 *
 * <h2>What a cancel ends</h2>
 *
 * PostgreSQL does one message after the other, and a cancel ends the one that it is at. Here a statement may not have come to PostgreSQL
 * yet: a fault delays it, or a message before it is being done. An exchange is a Query, or all messages up to a Sync. Therefore:
 *
 * <ol>
 *   <li>A cancel is for the exchange that is being done, and for what the client had sent of it. What comes later, or belongs to the next
 *       exchange, is spared.
 *   <li>A statement of that exchange that has begun is cancelled in PostgreSQL ({@link Backend}), until it has been answered.
 *   <li>One that has not begun never does: it is answered with 57014 when its turn comes ({@link #isCancelled}). PostgreSQL is not asked,
 *       which could be done with it before the cancel arrives.
 *   <li>A BEGIN, COMMIT or ROLLBACK is not cancelled.
 * </ol>
 */
final class Session implements PgSession {

    /** The settings that a client is told, unless it has set them. */
    private static final Map<String, String> SETTINGS = Map.ofEntries(
            Map.entry("application_name", ""),
            Map.entry("server_encoding", "UTF8"),
            Map.entry("client_encoding", "UTF8"),
            Map.entry("DateStyle", "ISO, MDY"),
            Map.entry("IntervalStyle", "postgres"),
            Map.entry("TimeZone", "UTC"),
            Map.entry("integer_datetimes", "on"),
            Map.entry("standard_conforming_strings", "on"),
            Map.entry("is_superuser", "off"),
            Map.entry("default_transaction_read_only", "off"),
            Map.entry("in_hot_standby", "off"));

    private final LocalDsql server;
    private final Conversation client;
    private final StartUpSettings settings;
    private final DsqlTransactions work;
    private final Extended extended;
    private int syncsWaiting;

    /** The number of waiting statements that are cancelled: the first ones, all of them in the current exchange. */
    private int cancelledWaiting;

    /** Whether the statement that is being done was cancelled before it began. */
    private boolean cancelled;

    /** Whether the message that ends the current exchange is being done: what waits belongs to the next. */
    private boolean ending;

    /** Whether a statement is being done, and not only prepared. */
    private boolean executing;

    private @Nullable ClusterSession counted;
    private @Nullable Backend backend;
    private boolean authenticating;
    private boolean copying;
    private long copiedBytes;

    /** The error for a client that sent something else amid the data of a COPY. */
    private @Nullable Failure amid;

    /** Its time was over when its last transaction ended: it is closed once the client has its answer. */
    private boolean over;

    Session(LocalDsql server, Conversation client) {
        this.server = server;
        this.client = client;
        this.settings = StartUpSettings.of(client.startup(), server.profile());
        this.work = new DsqlTransactions(this, server.catalog(), new TransactionRules(server.transactionLimits()));
        this.extended = new Extended(this, work);
    }

    // ---- who it is

    /** Asks for the password, unless the client is not wanted at all. */
    void open() {
        if (server.requiresServerName() && client.serverName() == null) {
            refuse(new Failure("08006", "unable to accept connection, sni was not received"));
            return;
        }
        client.tell(Reply::cleartextPassword);
        client.flush();
    }

    private void authenticate(ByteBuf payload) {
        Verdict verdict = server.verify(user(), Request.password(payload), settings.clusterId());
        if (verdict instanceof Verdict.Denied denied) {
            deny(denied);
            return;
        }
        if (settings.refusal() != null) {
            refuse(settings.refusal());
            return;
        }
        authenticating = true;
        server.roles().admit(this, user(), this::connect);
    }

    private String user() {
        return client.startup().getOrDefault("user", "");
    }

    /** Turns it away for who it says it is. */
    void deny(Verdict.Denied denied) {
        if (!client.isClosed()) {
            server.metrics().denied(denied.reason());
            refuse(new Failure(denied.sqlState(), denied.message(), denied.hint()));
        }
    }

    /** Lets it in, if the cluster takes one more. */
    private void connect() {
        if (client.isClosed()) {
            return;
        }
        Connect connect = server.cluster().connect(now());
        if (connect instanceof Connect.Admitted admitted) {
            counted = admitted.session();
            server.opened(this, admitted.session());
        }
        later(connect.delayNanos(), () -> {
            if (connect instanceof Connect.Refused refused) {
                refuse(new Failure(refused.reason().sqlState(), refused.reason().message()));
            } else {
                welcome();
            }
        });
    }

    private void welcome() {
        client.admit(extended);
        client.tell(out -> {
            Reply.authenticationOk(out);
            Reply.parameterStatus(out, "server_version", server.version());
            Reply.parameterStatus(out, "session_authorization", user());
            SETTINGS.forEach((name, value) -> Reply.parameterStatus(out, name, settings.reported(name, value)));
            Reply.backendKeyData(out, client.processId(), client.secretKey());
        });
        ready();
    }

    private void refuse(Failure failure) {
        client.refuse(failure::writeFatal);
    }

    // ---- what it asks

    @Override
    public void message(byte type, ByteBuf payload) {
        if (type != 'p' || authenticating) {
            throw new ProtocolException("expected a password");
        }
        authenticate(payload);
    }

    /** A message has come. */
    void arrived(char type) {
        syncsWaiting += type == 'S' ? 1 : 0;
        copy();
    }

    /** Passes on what the client sends for a COPY; it may have come before PostgreSQL asked for it. */
    private void copy() {
        while (copying && !client.isClosed() && client.nextType() != 0) {
            Message message = take();
            char type = (char) message.type();
            copying = type == 'd' || type == 'H' || type == 'S'; // of which the last two mean nothing meanwhile
            if (type == 'd' || type == 'c' || type == 'f') {
                copiedBytes += message.bytes().length;
                ByteBuf out = buffer();
                Reply.raw(out, message.type(), message.payload());
                backend().pass(out);
            } else if (!copying) {
                amid = new Failure(
                        "08P01",
                        String.format("unexpected message type 0x%02X during COPY from stdin", message.type()));
                backend().pass(Request.copyFail(buffer(), amid.message()));
            }
            if (!copying) { // else PostgreSQL keeps its answer to itself until a Sync
                ByteBuf flush = buffer();
                Request.writeFlush(flush);
                backend().pass(flush);
            }
        }
        holdWhileFull();
    }

    /** Reads the client no further while PostgreSQL takes no more. */
    private void holdWhileFull() {
        client.hold(backend != null && !backend.isWritable());
    }

    /** The last message is done; on to the next. */
    void next() {
        executing = false;
        cancelled = false;
        if (backend != null) {
            backend.forgetCancel();
        }
        client.next();
    }

    /** A message waits: does it now, or after the delay of a fault. */
    void turn() {
        long delay = server.cluster().faults().statementDelayNanos(now());
        later(client.nextType() == 'S' ? 0 : delay, () -> client.guard(this::start));
    }

    private void start() {
        boolean alone = syncsWaiting == 0 || cancelledWaiting > 0 || client.nextType() == 'Q';
        if (alone || !extended.passOn(client, this::take)) {
            client.handle(take());
        }
    }

    private Message take() {
        Message message = client.take();
        syncsWaiting -= message.type() == 'S' ? 1 : 0;
        if (message.isStatement()) {
            executing = true;
            cancelled = cancelledWaiting > 0;
            cancelledWaiting -= cancelled ? 1 : 0;
        }
        ending |= message.endsExchange() && !copying; // a Sync means nothing amid a COPY
        return message;
    }

    // ---- what it is told

    ByteBuf buffer() {
        return client.allocator().buffer();
    }

    void tell(@Nullable ByteBuf message) {
        if (message != null) {
            client.tell(out -> out.writeBytes(message));
            message.release();
        }
    }

    /** A message of PostgreSQL's goes on to the client. */
    void pass(byte type, ByteBuf payload) {
        client.tell(out -> Reply.raw(out, type, payload));
    }

    /** Sends an error at once, as PostgreSQL does: a client may wait for it before it sends its Sync. */
    void tell(Failure failure) {
        Failure told = amid != null ? amid : failure;
        server.metrics().failed(told.sqlState());
        amid = null;
        copying = false;
        client.error(told::write);
    }

    /** Skips what comes before the next Sync. */
    void skip() {
        client.skip();
    }

    /** All that was asked is answered: says so, and goes on with what has come meanwhile. */
    void ready() {
        ending = false;
        cancelledWaiting = 0;
        client.ready(work.status());
        if (over) {
            expire();
        }
        if (work.state() == TransactionRules.State.IDLE) {
            extended.forgetPortals();
        }
        copying = false;
        next();
    }

    /** PostgreSQL waits for data of a COPY. */
    void copying() {
        copying = true;
        copiedBytes = 0;
        client.flush();
        copy();
    }

    /** The bytes that the client has sent for the last COPY. */
    long copiedBytes() {
        return copiedBytes;
    }

    @Override
    public void writable(boolean writable) {
        if (backend != null) {
            backend.autoRead(writable);
        }
    }

    // ---- what is behind it

    Backend backend() {
        Backend known = backend;
        if (known == null) {
            known = server.connect(client, settings, this::pass, this::lost);
            known.whenWritable(this::holdWhileFull);
            backend = known;
        }
        return known;
    }

    /** Puts a query of ours to PostgreSQL past all rules; {@code then} is given the first value of the answer. */
    void askBehind(String sql, Consumer<@Nullable String> then) {
        server.ask(client, sql, then, this::lost);
    }

    /** PostgreSQL is gone, or never came. */
    private void lost(@Nullable Failure failure) {
        refuse(failure != null ? failure : new Failure("57P01", "terminating connection due to administrator command"));
    }

    Profile profile() {
        return server.profile();
    }

    long now() {
        return server.now();
    }

    /** The statement for PostgreSQL in place of {@code statement}. */
    String sql(Statement statement) {
        return statement.locks() && !server.lockersConflict() ? statement.sharing() : statement.rewritten();
    }

    @Nullable
    Failure commitFault() {
        CommitFault fault = server.cluster().faults().commitFault().orElse(null);
        return fault == null ? null : new Failure(fault.sqlState(), fault.message(), "", fault.applied());
    }

    void inTransaction(boolean begun) {
        if (counted != null) {
            counted.inTransaction(begun, now());
            over = !begun && counted.isOver(now());
        }
    }

    void committed(@Nullable Failure failure) {
        server.metrics().committed(failure == null ? "" : failure.sqlState());
    }

    Jobs jobs() {
        return server.jobs();
    }

    private void later(long delayNanos, Runnable then) {
        if (delayNanos <= 0) {
            then.run();
            return;
        }
        client.eventLoop()
                .schedule(
                        () -> {
                            if (!client.isClosed()) {
                                then.run();
                            }
                        },
                        delayNanos,
                        TimeUnit.NANOSECONDS);
    }

    /** Cancels the statement that is being done, if any is. A statement that the client sends later is not meant. */
    @Override
    public void cancel(Runnable decided) {
        if (client.isBusy() && !client.isClosed()) {
            cancelledWaiting = ending ? 0 : statementsOfThisExchange();
            if (backend != null) {
                backend.cancel(executing);
            }
        }
        decided.run();
    }

    /** The number of statements that wait and belong in the exchange that is being done. */
    private int statementsOfThisExchange() {
        int statements = 0;
        for (Message message : client.waiting()) {
            statements += message.isStatement() ? 1 : 0;
            if (message.endsExchange()) {
                break;
            }
        }
        return statements;
    }

    /** Whether the statement that is being done was cancelled before it began, and must not begin. */
    boolean isCancelled(Statement statement) {
        return cancelled && !statement.isTransactionControl();
    }

    /** Closes it without a word, from any thread. */
    void expire() {
        client.eventLoop().execute(client::closeAbruptly);
    }

    @Override
    public void closed() {
        server.closed(this);
        if (counted != null) {
            counted.ended();
        }
        if (backend != null) {
            backend.close();
        }
    }
}
