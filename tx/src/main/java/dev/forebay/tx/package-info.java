// SPDX-License-Identifier: Apache-2.0
/** Transactions that survive optimistic concurrency: retry, fences, ids that need no sequence. */
@NullMarked
package dev.forebay.tx;

import org.jspecify.annotations.NullMarked;
