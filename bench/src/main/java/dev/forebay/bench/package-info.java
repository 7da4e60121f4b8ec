// SPDX-License-Identifier: Apache-2.0
/**
 * Benchmarks of Forebay, some of them beside HikariCP and Agroal; {@code bench/run} starts them. They may know every
 * module but the starter, and no module knows them. Begin at {@link dev.forebay.bench.Bench}, which lists them;
 * each is a {@link dev.forebay.bench.Comparison}.
 */
@NullMarked
package dev.forebay.bench;

import org.jspecify.annotations.NullMarked;
