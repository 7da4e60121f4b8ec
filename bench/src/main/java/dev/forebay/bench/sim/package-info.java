// SPDX-License-Identifier: Apache-2.0
/** How fast the simulator runs. */
@NullMarked
package dev.forebay.bench.sim;

import org.jspecify.annotations.NullMarked;
