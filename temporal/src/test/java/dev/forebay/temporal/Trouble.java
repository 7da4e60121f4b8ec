// SPDX-License-Identifier: Apache-2.0
package dev.forebay.temporal;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.random.RandomGenerator;

/** Something that goes wrong at a statement, on the way to the server or back. */
enum Trouble {
    /** Another won; the statement tells. */
    OC000("40001", "change conflicts with another transaction (OC000)"),
    /** The schema changed. */
    OC001("40001", "schema has been updated by another transaction (OC001)"),
    /** The service stumbles; the connection stays usable. */
    XX000("XX000", "server unavailable"),
    /** The network is cut. */
    CUT("08006", "the connection was cut");

    private final String sqlState;
    private final String message;

    Trouble(String sqlState, String message) {
        this.sqlState = sqlState;
        this.message = message;
    }

    boolean isConflict() {
        return sqlState.equals("40001");
    }

    void strike(Connection connection) throws SQLException {
        if (this == CUT) {
            connection.abort(Runnable::run);
        }
        throw new SQLException(message, sqlState);
    }

    static Trouble any(RandomGenerator random, Trouble... of) {
        return of[random.nextInt(of.length)];
    }
}
