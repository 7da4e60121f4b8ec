// SPDX-License-Identifier: Apache-2.0
/** The rules of Aurora DSQL for statements, dated: what is refused, with which words, and what a statement is. */
@NullMarked
package dev.forebay.local.sql;

import org.jspecify.annotations.NullMarked;
