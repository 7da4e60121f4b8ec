// SPDX-License-Identifier: Apache-2.0
package dev.forebay.tx;

import dev.forebay.testkit.Faults;
import dev.forebay.testkit.SimDatabase;
import dev.forebay.testkit.Turns;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.SQLTransientException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/** Transactions on a simulated DSQL with one account of 100, in virtual time, on one thread. */
final class OneAccount {

    final Turns turns = new Turns(7);
    final SimDatabase database = new SimDatabase(turns, SimDatabase.Mode.DSQL)
            .table("accounts", "id", "balance")
            .row("accounts", 1, 100);
    final List<String> heard = new ArrayList<>();
    final List<Duration> waits = new ArrayList<>();
    final Transactions tx = transactions(database.dataSource(2));

    Transactions transactions(javax.sql.DataSource source) {
        return Transactions.builder(source)
                .policy(TxRetryPolicy.PATIENT)
                .listener(new Hearing())
                .time(turns.time())
                .random(new Random(7))
                .pause((at, cancellation) -> {
                    waits.add(Duration.ofNanos(at - turns.time().nanos()));
                    turns.pauseUntil(at);
                })
                .build();
    }

    static SQLException conflict() {
        return new SQLTransientException("change conflicts with another transaction (OC000)", "40001");
    }

    void strike(Faults.Kind... kinds) {
        database.faults(Faults.of(1, kinds));
    }

    void calm() {
        database.faults(Faults.NONE);
    }

    static void add(Connection connection, int amount) throws SQLException {
        try (PreparedStatement update =
                connection.prepareStatement("UPDATE accounts SET balance = balance + ? WHERE id = ?")) {
            update.setInt(1, amount);
            update.setInt(2, 1);
            update.executeUpdate();
        }
    }

    static long balance(Connection connection) throws SQLException {
        try (PreparedStatement query = connection.prepareStatement("SELECT balance FROM accounts WHERE id = ?")) {
            query.setInt(1, 1);
            try (ResultSet result = query.executeQuery()) {
                result.next();
                return result.getLong(1);
            }
        }
    }

    long committed() {
        return database.number("accounts", 1, "balance");
    }

    private final class Hearing implements TxListener {
        @Override
        public void began(String operation) {
            heard.add("began " + operation);
        }

        @Override
        public void attemptFailed(String operation, ErrorMeaning failure, String sqlState, Throwable error) {
            heard.add("failed " + failure.label() + " " + sqlState);
        }

        @Override
        public void retrying(String operation, String sqlState, int attempt, long delayNanos) {
            heard.add("retrying " + attempt);
        }

        @Override
        public void ended(String operation, Outcome outcome, int attempts, long nanos) {
            heard.add("ended " + outcome + " " + attempts);
        }
    }
}
