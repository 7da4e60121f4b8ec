// SPDX-License-Identifier: Apache-2.0
/**
 * A pool of anything that is scarce to open, kept full ahead of demand under limits. It knows time, which is given to
 * it, and neither JDBC nor threads nor a metrics library. Begin at {@link dev.forebay.engine.Pool}; how many to open
 * is said by {@link dev.forebay.engine.Supply}, whether one may be opened now by {@link
 * dev.forebay.engine.Admission}.
 */
@NullMarked
package dev.forebay.engine;

import org.jspecify.annotations.NullMarked;
