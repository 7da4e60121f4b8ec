// SPDX-License-Identifier: Apache-2.0
package dev.forebay.registry;

import dev.forebay.engine.Connector;
import dev.forebay.engine.Pool;
import dev.forebay.engine.PoolListener;
import dev.forebay.engine.TokenBucket;
import dev.forebay.spi.PasswordSupplier;
import java.util.function.LongConsumer;
import org.jspecify.annotations.Nullable;

/**
 * The way the connections of one server are opened, probed and counted: with JDBC, over a protocol, with a model in a
 * simulation. Connects fail with errors that have a SQLSTATE where the server gave one; the registry decides by it
 * whether to retry.
 *
 * <p>Implementations are thread-safe. Their methods may be called under a lock of the registry, so they must neither
 * block nor call back into it.
 *
 * @param <T> the type of the pooled values
 */
public interface Wiring<T> {

    /** Vendor code of an {@link java.sql.SQLException} in 08001 that no retry mends, since a part such as a driver is missing. */
    int PART_MISSING = -46_001;

    /**
     * Returns the connector of {@code mapping}'s user, which opens, checks and closes.
     *
     * @param password the user's password, null if there is none
     * @param queries takes the nanoseconds of each statement that ran, if statements are counted
     */
    Connector<T> users(
            ServerDefinition server, UserMapping mapping, @Nullable PasswordSupplier password, LongConsumer queries);

    /** As {@link #users}, for probes, whose check is the server's health check. */
    Connector<T> probes(ServerDefinition server, UserMapping mapping, @Nullable PasswordSupplier password);

    /** Returns a listener of one user's pool: of its opens, of those that fail, and of connections held too long. */
    default PoolListener listener(Pool<T> pool) {
        return PoolListener.NONE;
    }

    /** The limit on connects to {@code server}; asked for types whose servers refuse connects that come too fast. */
    ConnectRate connectRate(ServerDefinition server);

    /** The number of statements that ran on {@code connection}, if they are counted. */
    long queries(T connection);

    /** Whether something ran on {@code connection} that has not been committed or rolled back. */
    boolean isInTransaction(T connection);

    /** The traffic of the connections to {@code server}; null where it is not counted. */
    default @Nullable Traffic traffic(ServerDefinition server) {
        return null;
    }

    /** Ends it: the server is gone with its last connection. */
    void end();

    /** Whether {@code error} means that time ran out: the answer may still be on the way to the connection. */
    static boolean isTimeout(Throwable error) {
        return Errors.isTimeout(error);
    }

    /**
     * A limit on connects.
     *
     * @param endpoint the name under which all pools of this process share it
     * @param bucket the rate and the burst
     */
    record ConnectRate(String endpoint, TokenBucket bucket) {}

    /** The bytes that went to a server and came from it. */
    record Traffic(long sent, long received) {}
}
