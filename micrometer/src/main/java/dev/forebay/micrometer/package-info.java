// SPDX-License-Identifier: Apache-2.0
/**
 * The metrics of pools, transactions, fleets and registries, in Micrometer. Each room declares its metrics beside its
 * numbers as {@link dev.forebay.engine.Metric}; this module is the only one that knows Micrometer, and knows no room.
 * Begin at {@link dev.forebay.micrometer.MicrometerMetrics}.
 */
@NullMarked
package dev.forebay.micrometer;

import org.jspecify.annotations.NullMarked;
