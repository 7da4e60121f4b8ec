// SPDX-License-Identifier: Apache-2.0
package dev.forebay.registry;

import dev.forebay.engine.Connector;
import dev.forebay.jdbc.SessionConfig.QueryListener;
import org.jspecify.annotations.Nullable;

/**
 * How the pools of one server connect: with JDBC in production, with a model in a simulation. Thread-safe.
 *
 * @param <T> what is pooled
 */
interface Wiring<T> {

    /** Opens, checks and closes connections of {@code mapping}'s user; {@code queries} hears what runs on them. */
    Connector<T> users(ServerDefinition server, UserMapping mapping, QueryListener queries);

    /** The same for probes, whose check is the server's health check. */
    Connector<T> probes(ServerDefinition server, UserMapping mapping);

    /** How many statements ran on {@code connection}, if they are counted. */
    long queries(T connection);

    /** Whether something ran on {@code connection} that has not been committed or rolled back. */
    boolean isInTransaction(T connection);

    /** The traffic of its connections; null where it is not counted. */
    default @Nullable Traffic traffic() {
        return null;
    }

    /** The server is gone with its last connection. */
    void end();
}
