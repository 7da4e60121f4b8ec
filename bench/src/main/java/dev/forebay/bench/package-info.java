// SPDX-License-Identifier: Apache-2.0
/** Benchmarks of Forebay beside other pools. */
@NullMarked
package dev.forebay.bench;

import org.jspecify.annotations.NullMarked;
