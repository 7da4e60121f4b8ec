// SPDX-License-Identifier: Apache-2.0
package dev.forebay.testkit;

import dev.forebay.engine.Connector;
import dev.forebay.engine.DiscardReason;
import dev.forebay.engine.OpenFailure;
import dev.forebay.time.VirtualTime;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.function.Supplier;

/** A server in virtual time that takes, checks and closes connections as it is told; the pool's other side. */
public final class SimServer implements Connector<SimServer.Session> {

    private final VirtualTime time;
    private final Deque<Behaviour> script = new ArrayDeque<>();
    private final List<Session> sessions = new ArrayList<>();
    private final List<Opening<Session>> hung = new ArrayList<>();
    private final List<Long> connectsAt = new ArrayList<>();
    private Supplier<Duration> connectLatency = () -> Duration.ofMillis(20);
    private Supplier<Duration> closeLatency = () -> Duration.ofMillis(1);
    private Supplier<Duration> checkLatency = () -> Duration.ofMillis(1);
    private Supplier<Behaviour> behaviour = () -> Behaviour.ACCEPT;
    private int open;
    private int mostOpen;
    private int connecting;
    private int mostConnecting;
    private int checks;
    private int checking;
    private int mostChecking;

    public SimServer(VirtualTime time) {
        this.time = time;
    }

    /** What happens to a connect. */
    public enum Behaviour {
        ACCEPT,
        REFUSE,
        THROTTLE,
        NO_TOKEN,
        HANG
    }

    /** One connection as the server sees it. */
    public static final class Session {
        private final int id;
        private final long acceptedAt;
        private boolean alive = true;
        private boolean closed;

        Session(int id, long acceptedAt) {
            this.id = id;
            this.acceptedAt = acceptedAt;
        }

        public int id() {
            return id;
        }

        public boolean isAlive() {
            return alive && !closed;
        }

        public boolean isClosed() {
            return closed;
        }

        public long ageNanos(long now) {
            return now - acceptedAt;
        }

        /** The server ends it without a word. */
        public void kill() {
            alive = false;
        }

        @Override
        public String toString() {
            return "session " + id;
        }
    }

    public SimServer connectLatency(Supplier<Duration> latency) {
        connectLatency = latency;
        return this;
    }

    public SimServer connectLatency(Duration latency) {
        return connectLatency(() -> latency);
    }

    public SimServer closeLatency(Supplier<Duration> latency) {
        closeLatency = latency;
        return this;
    }

    public SimServer checkLatency(Supplier<Duration> latency) {
        checkLatency = latency;
        return this;
    }

    /** How connects end from now on, unless {@link #next} says otherwise. */
    public SimServer behave(Supplier<Behaviour> behaviour) {
        this.behaviour = behaviour;
        return this;
    }

    public SimServer behave(Behaviour always) {
        return behave(() -> always);
    }

    /** How the next connects end. */
    public SimServer next(Behaviour... behaviours) {
        script.addAll(List.of(behaviours));
        return this;
    }

    @Override
    public void open(Opening<Session> opening) {
        connectsAt.add(time.nanos());
        connecting++;
        mostConnecting = Math.max(mostConnecting, connecting);
        Behaviour what = script.isEmpty() ? behaviour.get() : script.remove();
        if (what == Behaviour.HANG) {
            hung.add(opening);
            return;
        }
        later(connectLatency.get(), () -> end(opening, what));
    }

    /** Ends every connect that hangs, as {@code what}. */
    public void endHung(Behaviour what) {
        List<Opening<Session>> ending = new ArrayList<>(hung);
        hung.clear();
        ending.forEach(opening -> end(opening, what));
    }

    private void end(Opening<Session> opening, Behaviour what) {
        connecting--;
        switch (what) {
            case ACCEPT -> {
                Session session = new Session(sessions.size(), time.nanos());
                sessions.add(session);
                open++;
                mostOpen = Math.max(mostOpen, open);
                opening.opened(session);
            }
            case REFUSE ->
                opening.failed(new OpenFailure(OpenFailure.Cause.CONNECT, new IOException("connection refused")));
            case THROTTLE ->
                opening.failed(new OpenFailure(OpenFailure.Cause.RATE_LIMIT, new IOException("rate exceeded")));
            case NO_TOKEN ->
                opening.failed(new OpenFailure(OpenFailure.Cause.TOKEN_PROVIDER, new IOException("no credentials")));
            case HANG -> throw new IllegalArgumentException("a hung connect cannot end by hanging");
        }
    }

    @Override
    public void check(Session value, Checking answer) {
        checks++;
        checking++;
        mostChecking = Math.max(mostChecking, checking);
        later(checkLatency.get(), () -> {
            checking--;
            answer.checked(value.isAlive());
        });
    }

    @Override
    public void close(Session value, DiscardReason reason, Runnable closed) {
        if (value.closed) {
            throw new AssertionError(value + " is closed twice");
        }
        value.closed = true;
        later(closeLatency.get(), () -> {
            open--;
            closed.run();
        });
    }

    private void later(Duration latency, Runnable action) {
        if (latency.isZero()) {
            action.run();
        } else {
            time.schedule(time.nanos() + latency.toNanos(), action);
        }
    }

    /** Kills the first {@code count} living sessions. */
    public void kill(int count) {
        sessions.stream().filter(Session::isAlive).limit(count).forEach(Session::kill);
    }

    public List<Session> sessions() {
        return sessions;
    }

    /** When each connect was tried. */
    public List<Long> connectsAt() {
        return connectsAt;
    }

    public int open() {
        return open;
    }

    public int mostOpen() {
        return mostOpen;
    }

    public int connecting() {
        return connecting;
    }

    public int mostConnecting() {
        return mostConnecting;
    }

    public int checks() {
        return checks;
    }

    public int mostChecking() {
        return mostChecking;
    }
}
