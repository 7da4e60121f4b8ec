// SPDX-License-Identifier: Apache-2.0
/**
 * The rules of Aurora DSQL for connections, as a model: rate, burst, cap, lifetime, faults. It knows a time that is
 * given to it, and neither network nor threads, so that the local DSQL enforces the same rules that the simulator
 * plays. Begin at {@link dev.forebay.model.Cluster}.
 */
@NullMarked
package dev.forebay.model;

import org.jspecify.annotations.NullMarked;
