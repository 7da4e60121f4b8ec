// SPDX-License-Identifier: Apache-2.0
package dev.forebay.console.admin;

import dev.forebay.wire.Conversation;
import dev.forebay.wire.PgSession;
import dev.forebay.wire.ProtocolException;
import dev.forebay.wire.Reply;
import dev.forebay.wire.Request;
import dev.forebay.wire.Scram;
import io.netty.buffer.ByteBuf;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** One client of the administrator's port: lets it in and begins a {@link Dialogue}. Used on the client's event loop. */
final class AdminSession implements PgSession {

    private static final Set<String> OWN_PARAMETERS = Set.of("user", "database", "options");

    private final AdminPort port;
    private final Conversation client;
    private final String user;
    private final SessionSettings settings;
    private @Nullable Scram login;
    private boolean challenged;
    private @Nullable Dialogue dialogue;

    AdminSession(AdminPort port, Conversation client) {
        this.port = port;
        this.client = client;
        this.user = client.startup().getOrDefault("user", "");
        this.settings = new SessionSettings(user);
    }

    int processId() {
        return client.processId();
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
        client.tell(out -> Reply.saslMechanisms(out, List.of(Scram.MECHANISM)));
        client.flush();
    }

    private void logIn(Scram exchange, ByteBuf payload) {
        if (!challenged) {
            Request.SaslInitial initial = Request.saslInitial(payload);
            if (!initial.mechanism().equals(Scram.MECHANISM)) {
                throw new ProtocolException("client selected an invalid SASL authentication mechanism");
            }
            String challenge = exchange.first(initial.data());
            challenged = true;
            client.tell(out -> Reply.saslContinue(out, challenge));
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
    }

    /** Lets the client in with {@code proof}, or refuses it without one. */
    private void answer(@Nullable String proof) {
        if (client.isClosed()) {
            return;
        }
        if (proof == null) {
            refuse(new AdminException("28P01", "password authentication failed for user \"" + user + "\""));
            return;
        }
        client.tell(out -> Reply.saslFinal(out, proof));
        welcome();
    }

    private void welcome() {
        try {
            checkStartUp();
        } catch (AdminException e) {
            refuse(e);
            return;
        }
        if (!port.admits(this)) {
            refuse(AdminPort.tooMany());
            return;
        }
        port.audit().said(user, address(), "login", "00000", Duration.ZERO);
        client.tell(out -> {
            Reply.authenticationOk(out);
            settings.all().forEach((name, value) -> {
                if (SessionSettings.REPORTED.contains(name)) {
                    Reply.parameterStatus(out, name, value);
                }
            });
            Reply.backendKeyData(out, client.processId(), client.secretKey());
        });
        dialogue = new Dialogue(this, port, client, settings);
        client.admit(dialogue);
        dialogue.sync();
        client.next();
    }

    private void checkStartUp() throws AdminException {
        Map<String, String> startup = client.startup();
        String database = startup.getOrDefault("database", user);
        if (!database.equals(AdminPort.DATABASE)) {
            throw new AdminException(
                    "3D000",
                    "database \"" + database + "\" does not exist; there is only \"" + AdminPort.DATABASE + "\"");
        }
        for (Map.Entry<String, String> parameter : startup.entrySet()) {
            if (parameter.getKey().equals("replication")
                    && !Set.of("false", "off", "no", "0").contains(parameter.getValue())) {
                throw new AdminException("0A000", "there is nothing to replicate");
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
                throw new AdminException("42601", "invalid command-line argument for server process: " + option);
            }
            settings.set(option.substring(2, equals).replace('-', '_'), option.substring(equals + 1));
        }
        settings.asStarted();
    }

    private void refuse(AdminException refusal) {
        String message = String.valueOf(refusal.getMessage());
        client.refuse(out -> Reply.error(out, Reply.Severity.FATAL, refusal.getSQLState(), message, ""));
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
        }
    }

    // ---- the end

    @Override
    public void cancel(Runnable decided) {
        if (dialogue != null) {
            dialogue.cancel();
        }
        decided.run();
    }

    @Override
    public void closed() {
        port.closed(this);
        cancel(() -> {});
    }
}
