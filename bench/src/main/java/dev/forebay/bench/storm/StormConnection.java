// SPDX-License-Identifier: Apache-2.0
package dev.forebay.bench.storm;

import dev.forebay.bench.driver.StubConnection;
import java.lang.reflect.Proxy;
import java.sql.SQLException;
import java.sql.Statement;

/**
 * A connection that the server may end. As with a real driver, the client's side finds out when it is used or validated.
 */
final class StormConnection extends StubConnection {

    final int id;
    private final StormServer server;
    private final long endsAtNanos;
    private volatile boolean killed;
    private volatile boolean closed;

    StormConnection(StormServer server, int id, long endsAtNanos) {
        this.server = server;
        this.id = id;
        this.endsAtNanos = endsAtNanos;
    }

    boolean isAlive() {
        return !killed && !closed && System.nanoTime() - endsAtNanos < 0;
    }

    void kill() {
        killed = true;
    }

    /** Returns a statement whose execution fails if the connection is dead. */
    @Override
    public Statement createStatement() {
        return (Statement) Proxy.newProxyInstance(
                Statement.class.getClassLoader(), new Class<?>[] {Statement.class}, (proxy, method, arguments) -> {
                    if (method.getName().equals("execute")) {
                        roundTrip();
                    }
                    Class<?> type = method.getReturnType();
                    return type == boolean.class ? (Object) false : type == int.class ? (Object) 0 : null;
                });
    }

    private void roundTrip() throws DeadConnectionException {
        if (!isAlive()) {
            close();
            throw new DeadConnectionException(id);
        }
    }

    @Override
    public boolean isValid(int timeoutSeconds) {
        return isAlive();
    }

    @Override
    public boolean isClosed() {
        return closed;
    }

    @Override
    public void close() {
        closed = true;
        server.closed(this);
    }

    /** Thrown to a client that uses a connection that has ended. */
    static final class DeadConnectionException extends SQLException {
        private static final long serialVersionUID = 1;

        final int id;

        DeadConnectionException(int id) {
            super("connection " + id + " was closed by the server", "08006");
            this.id = id;
        }
    }
}
