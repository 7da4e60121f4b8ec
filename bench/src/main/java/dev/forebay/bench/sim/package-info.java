// SPDX-License-Identifier: Apache-2.0
/** The speed of the simulator, and the tables of docs/capacity.md. */
@NullMarked
package dev.forebay.bench.sim;

import org.jspecify.annotations.NullMarked;
