// SPDX-License-Identifier: Apache-2.0
/** A DSQL on this machine: the protocol in front, the rules between, a PostgreSQL behind. */
@NullMarked
package dev.forebay.local;

import org.jspecify.annotations.NullMarked;
