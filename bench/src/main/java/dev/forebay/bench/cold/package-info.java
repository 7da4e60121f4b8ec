// SPDX-License-Identifier: Apache-2.0
/** The behaviour of a pool that has nothing open while a crowd asks it, and connects take long or hang. */
@NullMarked
package dev.forebay.bench.cold;

import org.jspecify.annotations.NullMarked;
