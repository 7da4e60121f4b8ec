// SPDX-License-Identifier: Apache-2.0
/** Transactions that conflict, and what a transaction costs that does not. */
@NullMarked
package dev.forebay.bench.occ;

import org.jspecify.annotations.NullMarked;
