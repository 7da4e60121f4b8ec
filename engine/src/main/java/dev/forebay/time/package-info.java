// SPDX-License-Identifier: Apache-2.0
/** Where time comes from: one interface, and the clocks behind it. */
@NullMarked
package dev.forebay.time;

import org.jspecify.annotations.NullMarked;
