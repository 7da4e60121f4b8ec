// SPDX-License-Identifier: Apache-2.0
/**
 * The metrics of pools, transactions, fleets and registries, in Micrometer. Each module declares its metrics beside
 * its numbers as {@link dev.forebay.engine.Metric}; this one knows Micrometer and the engine, and none of the others.
 * Begin at {@link dev.forebay.micrometer.MicrometerMetrics}.
 */
@NullMarked
package dev.forebay.micrometer;

import org.jspecify.annotations.NullMarked;
