// SPDX-License-Identifier: Apache-2.0
/**
 * Temporal's persistence on Aurora DSQL: its 37 tables, and stores that change them under Temporal's own fences. It
 * knows transactions, and neither a pool nor a cloud. Begin at {@link dev.forebay.temporal.Temporal}, whose stores nest
 * the records they read and write; {@code Table} declares the tables.
 */
@NullMarked
package dev.forebay.temporal;

import org.jspecify.annotations.NullMarked;
