// SPDX-License-Identifier: Apache-2.0
package dev.forebay.bench.pools;

import javax.sql.DataSource;

/** A pool that has been opened for a benchmark. */
public interface PoolUnderTest extends AutoCloseable {

    DataSource dataSource();

    /** Notes that all connections are open: from now on the terms' limit on connects holds. */
    default void filled() {}

    @Override
    void close();
}
