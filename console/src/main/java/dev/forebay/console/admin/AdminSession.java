// SPDX-License-Identifier: Apache-2.0
package dev.forebay.console.admin;

import dev.forebay.wire.PgClient;
import dev.forebay.wire.PgSession;
import dev.forebay.wire.ProtocolException;
import dev.forebay.wire.Reply;
import dev.forebay.wire.Request;
import dev.forebay.wire.Scram;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One client of the administrator's port: lets it in, and carries messages between the loop on which the network is served
 * and the thread that does the session's work, of which there is at most one.
 */
final class AdminSession implements PgSession {

    private static final Logger log = LoggerFactory.getLogger(AdminSession.class);

    /** So many bytes may wait before the client is read no further. */
    private static final int MOST_WAITING = 1 << 20;

    /** So many pieces of an answer may be on their way to the loop. */
    private static final int MOST_PIECES = 4;

    private static final Set<String> OWN_PARAMETERS = Set.of("user", "database", "options");

    private final AdminPort port;
    private final PgClient client;
    private final int processId;
    private final int secretKey;
    private final String user;
    private final SessionSettings settings;
    private final Object lock = new Object();

    // On the loop.
    private @Nullable Scram login;
    private boolean challenged;
    private @Nullable Dialogue dialogue;

    // Guarded by the lock.
    private final Deque<Message> inbox = new ArrayDeque<>();
    private int waiting;
    private boolean working;
    private boolean closed;
    private boolean ended;
    private boolean writable = true;
    private int pieces;

    /** A message of the client. */
    @SuppressWarnings("ArrayRecordComponent") // never compared
    record Message(char type, byte[] payload) {}

    AdminSession(AdminPort port, PgClient client, int processId, int secretKey) {
        this.port = port;
        this.client = client;
        this.processId = processId;
        this.secretKey = secretKey;
        this.user = client.startup().getOrDefault("user", "");
        this.settings = new SessionSettings(user);
    }

    int processId() {
        return processId;
    }

    int secretKey() {
        return secretKey;
    }

    String user() {
        return user;
    }

    String address() {
        SocketAddress address = client.remoteAddress();
        return address instanceof InetSocketAddress inet && inet.getAddress() != null
                ? inet.getAddress().getHostAddress()
                : String.valueOf(address);
    }

    // ---- letting it in

    void open() {
        login = port.login(user);
        ByteBuf out = client.allocator().buffer();
        Reply.saslMechanisms(out, List.of(Scram.MECHANISM));
        client.write(out);
        client.flush();
    }

    private void logIn(Scram exchange, ByteBuf payload) {
        ByteBuf out = client.allocator().buffer();
        try {
            if (!challenged) {
                Request.SaslInitial initial = Request.saslInitial(payload);
                if (!initial.mechanism().equals(Scram.MECHANISM)) {
                    throw new ProtocolException("client selected an invalid SASL authentication mechanism");
                }
                Reply.saslContinue(out, exchange.first(initial.data()));
                challenged = true;
                client.write(out.retain());
                client.flush();
                return;
            }
            String proof = exchange.last(Request.saslResponse(payload));
            login = null;
            Duration delay = port.pace().delay(proof != null);
            if (proof == null) {
                port.audit().said(user, address(), "login", "28P01", Duration.ZERO);
            }
            if (delay.isZero()) {
                answer(proof);
            } else {
                var unused = client.eventLoop().schedule(() -> answer(proof), delay.toNanos(), TimeUnit.NANOSECONDS);
            }
        } finally {
            out.release();
        }
    }

    /** Lets the client in with {@code proof}, or refuses it without one. */
    private void answer(@Nullable String proof) {
        if (isClosed()) {
            return;
        }
        if (proof == null) {
            refuse(new Refusal("28P01", "password authentication failed for user \"" + user + "\""));
            return;
        }
        ByteBuf out = client.allocator().buffer();
        Reply.saslFinal(out, proof);
        client.write(out);
        welcome();
    }

    private void welcome() {
        try {
            checkStartUp();
        } catch (Refusal e) {
            refuse(e);
            return;
        }
        if (!port.admits(this)) {
            refuse(AdminPort.tooMany());
            return;
        }
        client.admitted();
        port.audit().said(user, address(), "login", "00000", Duration.ZERO);
        ByteBuf out = client.allocator().buffer();
        Reply.authenticationOk(out);
        settings.all().forEach((name, value) -> {
            if (SessionSettings.REPORTED.contains(name)) {
                Reply.parameterStatus(out, name, value);
            }
        });
        Reply.backendKeyData(out, processId, secretKey);
        Reply.readyForQuery(out, 'I');
        client.write(out);
        client.flush();
        dialogue = new Dialogue(this, port, settings);
    }

    private void checkStartUp() throws Refusal {
        Map<String, String> startup = client.startup();
        String database = startup.getOrDefault("database", user);
        if (!database.equals(AdminPort.DATABASE)) {
            throw new Refusal(
                    "3D000",
                    "database \"" + database + "\" does not exist; there is only \"" + AdminPort.DATABASE + "\"");
        }
        for (Map.Entry<String, String> parameter : startup.entrySet()) {
            if (parameter.getKey().equals("replication")
                    && !Set.of("false", "off", "no", "0").contains(parameter.getValue())) {
                throw new Refusal("0A000", "there is nothing to replicate");
            }
            if (!OWN_PARAMETERS.contains(parameter.getKey())
                    && !parameter.getKey().equals("replication")
                    && !parameter.getKey().startsWith("_pq_.")) {
                settings.set(parameter.getKey(), parameter.getValue());
            }
        }
        String options = startup.getOrDefault("options", "")
                .replace("-c ", "--")
                .replace("-c", "--")
                .strip();
        for (String option : options.isEmpty() ? new String[0] : options.split("\\s+")) {
            int equals = option.indexOf('=');
            if (!option.startsWith("--") || equals < 0) {
                throw new Refusal("42601", "invalid command-line argument for server process: " + option);
            }
            settings.set(option.substring(2, equals).replace('-', '_'), option.substring(equals + 1));
        }
        settings.asStarted();
    }

    /** Ends the session with an error; on the loop. */
    void refuse(Refusal refusal) {
        login = null;
        synchronized (lock) {
            closed = true;
            lock.notifyAll();
        }
        ByteBuf out = client.allocator().buffer();
        Reply.error(out, Reply.Severity.FATAL, refusal.getSQLState(), String.valueOf(refusal.getMessage()), "");
        client.write(out);
        client.closeAfterFlush();
    }

    // ---- from the client

    @Override
    public void message(byte type, ByteBuf payload) {
        Scram exchange = login;
        if (exchange != null) {
            if (type != 'p') {
                throw new ProtocolException("expected a password");
            }
            logIn(exchange, payload);
            return;
        }
        if (dialogue == null) {
            return; // refused
        }
        if ("QPBDECHSXFdcf".indexOf(type) < 0) {
            throw new ProtocolException("a message that is not known: " + (type & 0xff));
        }
        if (type == 'X') {
            client.closeAfterFlush();
            return;
        }
        synchronized (lock) {
            inbox.add(new Message((char) type, ByteBufUtil.getBytes(payload)));
            waiting += payload.readableBytes() + 16;
            if (waiting > MOST_WAITING) {
                client.autoRead(false);
            }
        }
    }

    @Override
    public void caughtUp() {
        Dialogue told = dialogue;
        if (told == null) {
            return;
        }
        synchronized (lock) {
            if (working || closed || inbox.isEmpty()) {
                return;
            }
            working = true;
        }
        try {
            port.run(() -> work(told));
        } catch (RejectedExecutionException e) {
            log.debug("closing, and nothing new is begun", e);
            client.closeAbruptly();
        }
    }

    /** Everything that has come, in its order; on a thread of the port's. */
    private void work(Dialogue told) {
        for (Message message = next(); message != null; message = next()) {
            try {
                told.message(message);
            } catch (ProtocolException e) {
                log.debug("a client breaks the protocol", e);
                fatal(new Refusal("08P01", String.valueOf(e.getMessage()), 0, e));
            } catch (RuntimeException | Error e) {
                log.error("bug: a session failed", e);
                fatal(new Refusal("XX000", "internal error", 0, e));
            }
        }
    }

    private void fatal(Refusal refusal) {
        client.eventLoop().execute(() -> refuse(refusal));
        synchronized (lock) {
            closed = true;
        }
    }

    /** The next message; null if the thread may go. */
    private @Nullable Message next() {
        boolean end;
        synchronized (lock) {
            Message message = closed ? null : inbox.poll();
            if (message != null) {
                boolean wasFull = waiting > MOST_WAITING;
                waiting -= message.payload.length + 16;
                if (wasFull && waiting <= MOST_WAITING) {
                    client.eventLoop().execute(() -> client.autoRead(true));
                }
                return message;
            }
            working = false;
            end = closed;
        }
        if (end) {
            closeDialogue();
        }
        return null;
    }

    // ---- to the client; from the thread that works

    /** Sends {@code out}, and waits while the client takes no more. */
    void send(ByteBuf out) {
        synchronized (lock) {
            if (closed) {
                out.release();
                return;
            }
            pieces++;
        }
        client.eventLoop().execute(() -> {
            client.write(out);
            client.flush();
            synchronized (lock) {
                pieces--;
                writable = client.isWritable();
                lock.notifyAll();
            }
        });
        boolean interrupted = false;
        synchronized (lock) {
            while (!closed && (pieces > MOST_PIECES || !writable)) {
                try {
                    lock.wait();
                } catch (InterruptedException e) {
                    interrupted = true;
                    if (port.isClosing()) {
                        closed = true;
                    }
                }
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    ByteBuf buffer() {
        return client.allocator().buffer();
    }

    /** Whether there is still somebody to answer. */
    boolean isClosed() {
        synchronized (lock) {
            return closed;
        }
    }

    @Override
    public void writable(boolean now) {
        synchronized (lock) {
            writable = now;
            lock.notifyAll();
        }
    }

    // ---- the end

    void cancel() {
        Dialogue told = dialogue;
        if (told != null) {
            told.cancel();
        }
    }

    @Override
    public void closed() {
        port.closed(this);
        boolean idle;
        synchronized (lock) {
            closed = true;
            inbox.clear();
            lock.notifyAll();
            idle = !working;
        }
        cancel();
        if (idle) {
            closeDialogue();
        }
    }

    /** Once, by whoever finds that nobody works any more. */
    private void closeDialogue() {
        Dialogue told = dialogue;
        synchronized (lock) {
            if (ended || told == null) {
                return;
            }
            ended = true;
        }
        try {
            told.close();
        } catch (SQLException e) {
            log.debug("the session's views could not be closed", e);
        }
    }
}
