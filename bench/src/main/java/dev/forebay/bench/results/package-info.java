// SPDX-License-Identifier: Apache-2.0
/** The runs of all comparisons that docs/performance.md shows, and the tables made of them. */
@NullMarked
package dev.forebay.bench.results;

import org.jspecify.annotations.NullMarked;
