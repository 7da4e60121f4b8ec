// SPDX-License-Identifier: Apache-2.0
package dev.forebay.testkit;

import dev.forebay.testkit.Faults.Kind;
import dev.forebay.testkit.Faults.Point;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;

/** A plain pool of sessions with a {@link SimDatabase}; it watches in which state they come back. */
final class SimPool extends PlainDataSource {

    private static final long PATIENCE_NANOS = Duration.ofSeconds(30).toNanos();

    private final SimDatabase database;
    private final Deque<SimSession> free = new ArrayDeque<>();
    private final List<SimSession> handedOut = new ArrayList<>();
    private int sessions;

    SimPool(SimDatabase database, int size) {
        this.database = database;
        for (int i = 0; i < size; i++) {
            free.add(new SimSession(database, this, "session " + ++sessions));
        }
    }

    List<SimSession> handedOut() {
        return handedOut;
    }

    @Override
    public Connection getConnection() throws SQLException {
        database.travel();
        Kind fault = database.draw(Point.CONNECT);
        if (fault != null) {
            throw database.answer(Point.CONNECT, fault);
        }
        Turns turns = database.turns();
        try {
            if (!turns.await(
                    "waits for a connection",
                    () -> !free.isEmpty(),
                    turns.time().nanos() + PATIENCE_NANOS)) {
                throw database.answer(Point.CONNECT, "08001", "no connection was free in time", null);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            SQLException interrupted =
                    database.answer(Point.CONNECT, "08001", "interrupted while waiting for a connection", null);
            interrupted.initCause(e);
            throw interrupted;
        }
        SimSession session = free.remove();
        handedOut.add(session);
        return session.handOut();
    }

    /** Takes a session back; a dead one is replaced. */
    void takeBack(SimSession session) {
        handedOut.remove(session);
        free.add(session.isDead() ? new SimSession(database, this, "session " + ++sessions) : session);
    }
}
