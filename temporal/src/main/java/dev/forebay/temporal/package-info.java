// SPDX-License-Identifier: Apache-2.0
/** Temporal's persistence on Aurora DSQL: its 37 tables, and stores that change them under Temporal's own fences. */
@NullMarked
package dev.forebay.temporal;

import org.jspecify.annotations.NullMarked;
