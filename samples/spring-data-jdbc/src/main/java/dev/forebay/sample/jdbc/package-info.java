// SPDX-License-Identifier: Apache-2.0
/**
 * Accounts with Spring Data JDBC on Aurora DSQL. It knows Forebay through the starter and {@code forebay-dsql}, as any
 * application would. Begin at {@link dev.forebay.sample.jdbc.TransferService}, whose transactions are retried.
 */
@NullMarked
package dev.forebay.sample.jdbc;

import org.jspecify.annotations.NullMarked;
