// SPDX-License-Identifier: Apache-2.0
/**
 * Transactions that are retried after a conflict, fences, and ids that need no sequence, over any {@link
 * javax.sql.DataSource}. It knows JDBC and the engine's time, and no pool. Begin at {@link
 * dev.forebay.tx.Transactions}; what an error means for a transaction is decided in {@link
 * dev.forebay.tx.ErrorMeaning}.
 */
@NullMarked
package dev.forebay.tx;

import org.jspecify.annotations.NullMarked;
