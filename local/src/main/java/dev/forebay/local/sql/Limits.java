// SPDX-License-Identifier: Apache-2.0
package dev.forebay.local.sql;

import java.time.Duration;

/**
 * The limits of a transaction. Immutable.
 *
 * @param rows the rows that a transaction may modify
 * @param bytes the data that a transaction may write
 * @param age the longest time that a transaction may last
 */
public record Limits(long rows, long bytes, Duration age) {

    /** The limits of Aurora DSQL: 3,000 rows, 10 MiB, five minutes. */
    public static final Limits DEFAULT = new Limits(3_000, 10 << 20, Duration.ofMinutes(5));

    public Limits {
        if (rows < 0 || bytes < 0 || age.isNegative()) {
            throw new IllegalArgumentException("limits must not be below 0: " + rows + ", " + bytes + ", " + age);
        }
    }
}
