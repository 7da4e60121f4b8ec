// SPDX-License-Identifier: Apache-2.0
/** Transactions that conflict, and the cost of one that does not. */
@NullMarked
package dev.forebay.bench.occ;

import org.jspecify.annotations.NullMarked;
