// SPDX-License-Identifier: Apache-2.0
/** The time of the pool's step when connections expire. */
@NullMarked
package dev.forebay.bench.expiry;

import org.jspecify.annotations.NullMarked;
