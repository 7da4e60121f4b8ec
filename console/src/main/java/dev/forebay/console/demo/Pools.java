// SPDX-License-Identifier: Apache-2.0
package dev.forebay.console.demo;

import java.util.List;
import javax.sql.DataSource;

/** The pools of the four services, of one make. Thread-safe. */
interface Pools extends AutoCloseable {

    /** What they are called. */
    String name();

    /** One for each service. */
    List<DataSource> sources();

    /** How many connections they believe to have. */
    int open();

    /** Whether a checkout of that service, from 0, would find a connection at once. */
    boolean hasReady(int service);

    @Override
    void close();
}
