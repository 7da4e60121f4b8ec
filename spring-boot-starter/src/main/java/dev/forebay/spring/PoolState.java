// SPDX-License-Identifier: Apache-2.0
package dev.forebay.spring;

import dev.forebay.ForebayConfig;
import dev.forebay.ForebayDataSource;
import java.util.Locale;

/** The present state of a pool. */
enum PoolState {
    /** There are connections, or they are opened on demand. */
    SERVING,
    /** There is none yet, and nothing has gone wrong. */
    FILLING,
    /** There is none, and the last attempt to open one failed. */
    EMPTY,
    /** It hands out nothing until it is resumed. */
    SUSPENDED,
    /** It is closed. */
    CLOSED;

    static PoolState of(ForebayDataSource dataSource) {
        if (dataSource.isClosed()) {
            return CLOSED;
        }
        if (dataSource.isSuspended()) {
            return SUSPENDED;
        }
        if (dataSource.stats().open() > 0) {
            return SERVING;
        }
        if (dataSource.lastFailure() != null) {
            return EMPTY;
        }
        return dataSource.config().mode() == ForebayConfig.Mode.ON_DEMAND ? SERVING : FILLING;
    }

    String word() {
        return name().toLowerCase(Locale.ROOT);
    }
}
