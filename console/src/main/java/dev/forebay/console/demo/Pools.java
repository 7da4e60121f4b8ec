// SPDX-License-Identifier: Apache-2.0
package dev.forebay.console.demo;

import dev.forebay.console.web.Source;
import java.util.List;
import javax.sql.DataSource;

/** The pools of the services, of one make. Thread-safe. */
interface Pools {

    /** Their name. */
    String name();

    /** One for each service. */
    List<DataSource> sources();

    /** The number of connections they believe to have. */
    int open();

    /** Puts their own limit on connects in force, if they have one; until then they open as many as they want. */
    default void limit() {}

    /** Returns whether a checkout of that service, from 0, would find a connection at once. */
    boolean hasReady(int service);

    /** The pool of that service, from 0, for the page. */
    Source.PoolNow now(int service, double p99Millis);

    /** The settings of the pool of that name, for the page; none if it is not one of these. */
    List<Source.Setting> settings(String pool);

    /** The pools to close at the end; each may wait for a while. */
    List<AutoCloseable> closing();
}
