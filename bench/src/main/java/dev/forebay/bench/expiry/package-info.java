// SPDX-License-Identifier: Apache-2.0
/** How long the pool's step takes when connections expire. */
@NullMarked
package dev.forebay.bench.expiry;

import org.jspecify.annotations.NullMarked;
