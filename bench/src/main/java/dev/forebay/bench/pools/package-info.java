// SPDX-License-Identifier: Apache-2.0
/** The pools that are compared, set up alike. */
@NullMarked
package dev.forebay.bench.pools;

import org.jspecify.annotations.NullMarked;
