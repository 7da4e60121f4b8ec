// SPDX-License-Identifier: Apache-2.0
/**
 * The source of time: one interface, and the clocks behind it; and {@link dev.forebay.time.Actions}, the work that is
 * decided under a lock and done after it is released.
 */
@NullMarked
package dev.forebay.time;

import org.jspecify.annotations.NullMarked;
