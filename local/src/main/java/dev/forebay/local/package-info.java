// SPDX-License-Identifier: Apache-2.0
/**
 * An Aurora DSQL on this machine: the protocol in front, the rules between, a PostgreSQL behind. It knows the model,
 * the wire and an embedded PostgreSQL, and no pool. Begin at {@link dev.forebay.local.LocalDsql}; what a statement
 * may do is decided in {@code dev.forebay.local.sql}.
 */
@NullMarked
package dev.forebay.local;

import org.jspecify.annotations.NullMarked;
