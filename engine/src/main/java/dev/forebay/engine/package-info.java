// SPDX-License-Identifier: Apache-2.0
/**
 * A pool of anything that is scarce to open, kept full ahead of demand under limits. It knows time, which is given to
 * it, and neither JDBC nor threads nor a metrics library. Begin at {@link dev.forebay.engine.Pool}; {@link
 * dev.forebay.engine.Supply} decides the number to open, {@link dev.forebay.engine.Admission} whether one may be opened
 * now.
 */
@NullMarked
package dev.forebay.engine;

import org.jspecify.annotations.NullMarked;
