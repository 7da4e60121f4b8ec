// SPDX-License-Identifier: Apache-2.0
/** The rules of Aurora DSQL for connections, as a model in a time of one's own: rate, burst, cap, lifetime, faults. */
@NullMarked
package dev.forebay.model;

import org.jspecify.annotations.NullMarked;
