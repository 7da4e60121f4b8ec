// SPDX-License-Identifier: Apache-2.0
/**
 * The metrics of pools, transactions, fleets and registries, in Micrometer. It knows the numbers and events of those
 * rooms, and is the only one that knows Micrometer. Begin at {@link dev.forebay.micrometer.MicrometerMetrics}; names
 * and meanings are declared in {@code Metric} and its siblings.
 */
@NullMarked
package dev.forebay.micrometer;

import org.jspecify.annotations.NullMarked;
