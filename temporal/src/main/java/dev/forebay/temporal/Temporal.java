// SPDX-License-Identifier: Apache-2.0
package dev.forebay.temporal;

import dev.forebay.tx.Transactions;
import java.sql.SQLException;
import org.jspecify.annotations.Nullable;

/**
 * The stores of a Temporal database on Aurora DSQL, or on PostgreSQL with the same schema. Thread-safe.
 *
 * <pre>{@code
 * Temporal temporal = Temporal.on(Transactions.of(dataSource));
 * long owned = temporal.shards().writeLock(7);
 * }</pre>
 *
 * <p>Each method of a store is a transaction with the name of the operation, which is tried again after a conflict. Within {@link
 * #run} they are parts of one transaction.
 */
public final class Temporal {

    private final Transactions transactions;
    private final Shards shards;

    private Temporal(Transactions transactions) {
        this.transactions = transactions;
        Database database = new Database(transactions);
        this.shards = new Shards(database);
    }

    /** The stores of the database that {@code transactions} run on. */
    public static Temporal on(Transactions transactions) {
        return new Temporal(transactions);
    }

    /** Runs what {@code body} does with the stores of this object, on this thread, as one transaction. */
    public void run(String name, Body body) throws SQLException {
        transactions.run(name, c -> body.run());
    }

    /** Runs what {@code body} does with the stores of this object, on this thread, as one transaction, and returns what it returned. */
    public <T extends @Nullable Object> T call(String name, ValueBody<T> body) throws SQLException {
        return transactions.<T, SQLException>call(name, c -> body.call());
    }

    public Shards shards() {
        return shards;
    }

    /** What is done in one transaction; it may run several times. */
    @FunctionalInterface
    public interface Body {
        void run() throws SQLException;
    }

    /** What is done in one transaction and returns something; it may run several times. */
    @FunctionalInterface
    public interface ValueBody<T extends @Nullable Object> {
        T call() throws SQLException;
    }
}
